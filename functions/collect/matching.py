"""Whether a source's answer is the place, or a namesake, another branch, somebody else.

A name alone never suffices: an answer is taken when its number, its building or its position is the place's too, and
what it says otherwise stands beside the rest as a conflict for the owner.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Literal

from shared.places.agreement import GEO_TOLERANCE_METRES, metres_between
from shared.places.normalise import AddressKey, address_key, is_shared_number

Reason = Literal[
    "other_name",  # another name, and no number in common
    "other_branch",  # a branch of the same name that the place is not
    "other_address",  # the same name in another building
    "other_phone",  # the same name under another number, and nothing else to go by
    "too_far",  # the same name too far away
    "not_enough",  # the same name and nothing to hold it against
]

_FAR_METRES = 1_000.0  # a pin that wrong is of another place; between the two nothing is said
_ANOTHER_CITY_METRES = 20_000.0  # "중구 중앙대로 12" stands in several cities
_SAFE_NUMBER = re.compile(r"^\+8250\d")  # 050x: a directory's own number that leads to the place's
_COMPANY = re.compile(r"\((?:주|유|합|재|사)\)|주식회사|유한회사|유한책임회사")
_BRANCH = re.compile(r"^(?:.{0,20}(?:점|店)|.{0,30}branch|\d{1,3}호)$")
# What ends like a branch and says what is sold; the short ones only by themselves, since 광주점 is a branch.
_TRADE = re.compile(r"^(?:서점|주점|매점|상점|총판점)$|(?:음식|전문|편의|백화|제과|분식|안경|대리|할인)점$")
_SHORT_BRANCH = re.compile(r"^[가-힣]{0,4}점$")

Named = Literal["same", "branch", "part", "rival", "other"]


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
    phone = _phones(subject.phones, candidate.phones)
    building = _buildings(subject.buildings, candidate.addresses)
    metres = metres_between(subject.geo, candidate.geo) if subject.geo and candidate.geo else None
    if building and metres is not None and metres > _ANOTHER_CITY_METRES:
        building = False
    near = metres is not None and metres <= GEO_TOLERANCE_METRES
    far = metres is not None and metres > _FAR_METRES
    elsewhere = not near if building is False else building is None and far
    if named == "other":
        # Renamed, or known by another name: the number, and nothing against it.
        return _same(0.6 if building or near else 0.5) if phone and not elsewhere else _not("other_name")
    if named == "rival":
        return _same(0.6) if phone and building is not False and not far else _not("other_branch")
    if elsewhere:
        if phone and named != "branch":
            return _same(0.6 if named == "same" else 0.5)  # it moved, or one of the two is out of date
        return _not(
            "other_branch" if named == "branch" else "other_address" if building is False else "too_far"
        )
    if phone:
        return _same(0.95 if building else 0.9)
    if phone is False and named == "part":
        return _not("other_name")  # two businesses, one of which is called like the beginning of the other
    if building:
        return _same(_SURE_BY_BUILDING[named] - (0.15 if phone is False else 0.0))
    if near:
        return _near(named, building, phone)
    return _not("other_phone" if phone is False else "not_enough")


_SURE_BY_BUILDING: dict[Named, float] = {"same": 0.85, "branch": 0.8, "part": 0.6}
_SURE_BY_PIN: dict[Named, float] = {"same": 0.75, "branch": 0.7, "part": 0.5}


def _near(named: Named, building: bool | None, phone: bool | None) -> Verdict:
    """Of a candidate whose pin is the subject's, without its number or its address."""
    if phone is None and building is None:
        return _same(_SURE_BY_PIN[named])
    if named == "branch":
        return _not("other_branch")
    if phone is False and building is False:
        return _not("other_address")
    if building is False:
        return _same(0.5) if named == "same" else _not("other_address")
    return _same(0.6)


def choose(subject: Subject, candidates: Sequence[Candidate]) -> tuple[int | None, list[Verdict]]:
    """The index of the surest candidate, None when none is the place, and the verdict on each."""
    verdicts = [compare(subject, candidate) for candidate in candidates]
    accepted = [index for index, verdict in enumerate(verdicts) if verdict.same]
    return max(accepted, key=lambda index: verdicts[index].confidence, default=None), verdicts


def folded(name: str) -> str:
    """A name without spaces, signs, accents, case and the form of its company."""
    plain = _COMPANY.sub("", unicodedata.normalize("NFKC", name))
    letters = (c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFC", "".join(letters))).casefold()


def _same(confidence: float) -> Verdict:
    return Verdict(True, confidence)


def _not(reason: Reason) -> Verdict:
    return Verdict(False, 0.0, reason)


def _named(names: Sequence[str], name: str) -> Named:
    """How the names relate, by the closest of those known.

    "branch": one goes on with a branch that the other does not name. "rival": each names a branch of its own.
    """
    found = {_relation(known, name) for known in names if folded(known)}
    ranked: tuple[Named, ...] = ("same", "branch", "part", "rival")
    return next((relation for relation in ranked if relation in found), "other")


def _relation(known: str, name: str) -> Named:
    one, other = folded(known), folded(name)
    if one == other:
        return "same"
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) >= 2 and shorter in longer:
        rest = longer.removeprefix(shorter)
        return "branch" if rest != longer and _names_branch(rest) else "part"
    branches = _branches(known, name)
    if branches is None:
        return "other"
    return "branch" if branches[0] in branches[1] or branches[1] in branches[0] else "rival"


def _branches(known: str, name: str) -> tuple[str, str] | None:
    """The branches that two names of one business end with, each without its 점; None for two businesses.

    The business's own name is what stands before the last word of either. Where both are written in one word, it is what
    they begin with alike: three syllables at least, since many businesses begin with the same two.
    """
    one, other = folded(known), folded(name)
    for stem in filter(None, (_before_branch(known), _before_branch(name))):
        rests = one.removeprefix(stem), other.removeprefix(stem)
        if one.startswith(stem) and other.startswith(stem) and all(map(_names_branch, rests)):
            return rests[0][:-1], rests[1][:-1]
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    rests = one[alike:], other[alike:]
    if alike >= 3 and all(_SHORT_BRANCH.match(rest) for rest in rests):
        return rests[0][:-1], rests[1][:-1]
    return None


def _before_branch(name: str) -> str:
    words = name.split()
    return folded(" ".join(words[:-1])) if len(words) > 1 and _names_branch(folded(words[-1])) else ""


def _names_branch(rest: str) -> bool:
    return bool(_BRANCH.match(rest)) and not _TRADE.search(rest)


def _phones(known: frozenset[str], found: frozenset[str]) -> bool | None:
    """Whether a number is shared; None where no two numbers of one shop alone can be compared."""
    one, other = (frozenset(n for n in numbers if not is_shared_number(n)) for numbers in (known, found))
    if one & other:
        return True
    one, other = (frozenset(n for n in numbers if not _SAFE_NUMBER.match(n)) for numbers in (one, other))
    return False if one and other else None


def _buildings(known: frozenset[AddressKey], addresses: Sequence[str]) -> bool | None:
    """Whether the addresses name a known building; None where road and lot, or nothing, would be compared."""
    found = {key for key in map(address_key, addresses) if key is not None}
    if known & found:
        return True
    comparable = {_by_road(key) for key in known} & {_by_road(key) for key in found}
    return False if comparable else None


def _by_road(key: AddressKey) -> bool:
    return key.street.endswith(("로", "길"))
