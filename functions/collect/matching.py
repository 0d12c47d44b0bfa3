"""Whether a source's answer is the place, or a namesake, another branch, somebody else.

A name alone never suffices: an answer is taken when its number, its building or its position is the place's too, and
what it says otherwise stands beside the rest as a conflict for the owner.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from shared.places.agreement import GEO_TOLERANCE_METRES, metres_between
from shared.places.normalise import AddressKey, address_key

Reason = Literal[
    "other_name",  # another name, and no number in common
    "other_branch",  # a branch of the same name that the place is not
    "other_address",  # the same name in another building
    "other_phone",  # the same name under another number, and nothing else to go by
    "too_far",  # the same name too far away
    "not_enough",  # the same name and nothing to hold it against
]

_FAR_METRES = 1_000.0  # a pin that wrong is of another place; between the two nothing is said
_SHARED_NUMBER = re.compile(r"^\+821[568]\d{6}$")  # 15xx, 16xx, 18xx: a chain's, so no sign of one branch
_BRANCH = re.compile(r"^(?:.{0,20}(?:점|호점|店)|.{0,30}branch|\d{1,3}호)$")


@dataclass(frozen=True)
class Subject:
    """What is known of the place: its names, numbers, buildings, position and site."""

    names: Sequence[str]
    website: str = ""
    phones: frozenset[str] = frozenset()
    buildings: frozenset[AddressKey] = frozenset()
    geo: dict[str, float] | None = None


@dataclass(frozen=True)
class Candidate:
    """A business in a source's answer, normalised: numbers in E.164, addresses with their province in full."""

    name: str
    phones: frozenset[str] = frozenset()
    addresses: Sequence[str] = field(default=())
    geo: dict[str, float] | None = None


@dataclass(frozen=True)
class Verdict:
    """`same` with how sure that is (0 to 1), or the reason why not."""

    same: bool
    confidence: float = 0.0
    reason: Reason | None = None


def compare(subject: Subject, candidate: Candidate) -> Verdict:
    """Whether the candidate is the subject."""
    named = _named(subject.names, candidate.name)
    phone = _agree(_own(subject.phones), _own(candidate.phones))
    building = _buildings(subject.buildings, candidate.addresses)
    metres = metres_between(subject.geo, candidate.geo) if subject.geo and candidate.geo else None
    near = metres is not None and metres <= GEO_TOLERANCE_METRES
    elsewhere = building is False or (building is None and metres is not None and metres > _FAR_METRES)
    if named == "other":
        # Renamed, or known by another name: the number, and nothing against it.
        return _same(0.5 if building is None else 0.6) if phone and not elsewhere else _not("other_name")
    if building:
        return _same(0.95 if phone else 0.85)
    if phone and not (elsewhere and named == "branch"):
        return _same(0.6 if elsewhere else 0.9)  # elsewhere: it moved, or one of the two is out of date
    if elsewhere:
        if named == "branch":
            return _not("other_branch")
        return _not("other_address" if building is False else "too_far")
    if near:
        return _same(0.6 if phone is False else 0.75)
    return _not("other_phone" if phone is False else "not_enough")


def choose(subject: Subject, candidates: Sequence[Candidate]) -> tuple[int | None, list[Verdict]]:
    """The index of the surest candidate, None when none is the place, and the verdict on each."""
    verdicts = [compare(subject, candidate) for candidate in candidates]
    accepted = [index for index, verdict in enumerate(verdicts) if verdict.same]
    return max(accepted, key=lambda index: verdicts[index].confidence, default=None), verdicts


def folded(name: str) -> str:
    """A name without spaces, signs and case."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", name)).casefold()


def _same(confidence: float) -> Verdict:
    return Verdict(True, confidence)


def _not(reason: Reason) -> Verdict:
    return Verdict(False, 0.0, reason)


def _named(names: Sequence[str], name: str) -> Literal["same", "branch", "part", "other"]:
    """How the names relate: "branch" when one of them goes on with a branch the other does not name."""
    found: set[str] = set()
    other = folded(name)
    for known in filter(None, map(folded, names)):
        shorter, longer = sorted((known, other), key=len)
        if known == other:
            return "same"
        if len(shorter) >= 2 and shorter in longer:
            rest = longer.removeprefix(shorter)
            found.add("branch" if rest != longer and _BRANCH.match(rest) else "part")
        elif _stem(known) and _stem(known) == _stem(other):
            found.add("branch")
    if "branch" in found:
        return "branch"
    return "part" if found else "other"


def _stem(name: str) -> str:
    """A name that ends with its branch, cut before the last syllables that name it; empty for others."""
    match = re.match(r"^(.{2,}?)(?:본|[가-힣]{2,5})점$", name)
    return match[1] if match else ""


def _own(phones: frozenset[str]) -> frozenset[str]:
    return frozenset(phone for phone in phones if not _SHARED_NUMBER.match(phone))


def _agree(one: frozenset[str], other: frozenset[str]) -> bool | None:
    """Whether two sets share an entry; None when there is nothing to compare."""
    return bool(one & other) if one and other else None


def _buildings(known: frozenset[AddressKey], addresses: Sequence[str]) -> bool | None:
    """Whether the addresses name a known building; None where road and lot, or nothing, would be compared."""
    found = {key for key in map(address_key, addresses) if key is not None}
    if known & found:
        return True
    comparable = {_by_road(key) for key in known} & {_by_road(key) for key in found}
    return False if comparable else None


def _by_road(key: AddressKey) -> bool:
    return key.street.endswith(("로", "길"))
