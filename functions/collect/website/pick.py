"""Which of the businesses a site marks up is the place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from functions.collect.matching import Candidate, Subject, compare, folded
from functions.collect.website.links import is_front_page
from functions.collect.website.nodes import Node, is_business, nodes, spread, text, texts, types
from functions.collect.website.postal import addresses
from shared.places.normalise import address_key, in_korea, normalise_geo, normalise_phone

_LEADS_TO = (
    "mainEntity",
    "about",
    "department",
    "subOrganization",
    "location",
    "containsPlace",
    "publisher",
    "provider",
    "author",
    "isPartOf",
)


@dataclass(frozen=True)
class Found:
    """A node of a page, and how sure it is that it speaks of the place."""

    node: Node
    url: str


@dataclass(frozen=True)
class Choice:
    """The nodes that describe the place. `sure` when a name, a number or the site's own address says so."""

    found: list[Found]
    sure: bool
    reason: Literal["matched", "only_one", "none", "several", "others"]


def businesses(roots: list[Node], url: str) -> list[Found]:
    """Every business that the roots describe or lead to."""
    return [Found(node, url) for node in spread(roots, *_LEADS_TO) if is_business(node)]


def pick(candidates: Sequence[Found], subject: Subject) -> Choice:
    """The nodes of the one business that is the place; of several equal ones none."""
    groups = _grouped(candidates)
    if not groups:
        return Choice([], sure=False, reason="none")
    scored = sorted(((_score(group, subject), group) for group in groups), key=lambda entry: -entry[0])
    possible = [(score, group) for score, group in scored if score != _ANOTHER]
    if not possible:
        return Choice([], sure=False, reason="others")
    best, group = possible[0]
    if best >= _MATCH:
        if any(score == best for score, _ in possible[1:]):
            return Choice([], sure=False, reason="several")
        return Choice(group, sure=True, reason="matched")
    if len(groups) > 1:
        return Choice([], sure=False, reason="several")
    own = any(is_front_page(url, subject.website) for url in texts(group[0].node, "url"))
    return Choice(group, sure=own and best != _ELSEWHERE, reason="only_one")


_SAME, _NAMED, _PARTLY = 40, 20, 10  # by number, building or pin; by the name alone; by a part of it
_MATCH = 10
_CANDIDATES = 1_000  # marked-up businesses of one site
_UNKNOWN = 0
_ELSEWHERE = -1  # the name, in another building: it moved, or is another shop
_ANOTHER = -2  # another branch: nothing it says is of the place


def speaks_of_another(node: Node, subject: Subject) -> bool:
    """Whether what a nameless node says of where and under which number stands against what is known of the place."""
    found = [Found(node, "")]
    name = subject.names[0] if subject.names else ""
    written = [address.text for address in addresses(node)]
    verdict = compare(subject, Candidate(name, _phones(node), written, _pin(found)))
    return verdict.reason in ("other_address", "too_far", "other_phone")


def _score(group: Sequence[Found], subject: Subject) -> int:
    """How surely a group of nodes is the place: on its own site a name is enough unless something speaks against it."""
    names = [name for found in group for name in texts(found.node, "name", "alternateName", "legalName")]
    phones = frozenset(phone for found in group for phone in _phones(found.node))
    written = [address.text for found in group for address in addresses(found.node)]
    verdicts = [
        compare(subject, Candidate(name, phones, written, _pin(group)))
        for name in dict.fromkeys(names) or [""]
    ]
    shop = 0 if all("Organization" in types(found.node) for found in group) else 1
    surest = max((verdict.confidence for verdict in verdicts if verdict.same), default=0.0)
    if surest:
        return _SAME + 2 * round(surest * 10) + shop
    reasons = {verdict.reason for verdict in verdicts}
    if "other_branch" in reasons:
        return _ANOTHER
    if reasons & {"other_address", "too_far"}:
        return _ELSEWHERE
    known = {folded(name) for name in subject.names} - {""}
    if known & {folded(name) for name in names}:
        return _NAMED + shop
    return _PARTLY + shop if reasons & {"not_enough", "other_phone"} else _UNKNOWN


def _pin(group: Sequence[Found]) -> dict[str, float] | None:
    for point in (point for found in group for point in nodes(found.node, "geo")):
        try:
            geo = normalise_geo(text(point, "latitude"), text(point, "longitude"))
        except ValueError:
            continue
        return geo.model_dump() if in_korea(geo.lat, geo.lon) else None
    return None


def _grouped(candidates: Sequence[Found]) -> list[list[Found]]:
    """Nodes of one business together: of one name, and with a number or a building in common.

    Branches of a chain share the name alone and stay apart; a node that has neither number nor building goes with
    the only business of its name.
    """
    by_name: dict[str, list[tuple[frozenset[object], list[Found]]]] = {}
    loose: list[Found] = []
    for found in candidates[:_CANDIDATES]:
        marks = _marks(found.node)
        if not marks:
            loose.append(found)
            continue
        groups = by_name.setdefault(_name(found.node), [])
        related = [group for group in groups if marks & group[0]]
        merged = [*(other for _, group in related for other in group), found]
        apart = [group for group in groups if not marks & group[0]]
        by_name[_name(found.node)] = [*apart, (marks.union(*(known for known, _ in related)), merged)]
    for found in loose:
        groups = by_name.setdefault(_name(found.node), [])
        if len(groups) <= 1:
            marks, members = groups[0] if groups else (frozenset(), [])
            by_name[_name(found.node)] = [(marks, [*members, found])]
    return [group for groups in by_name.values() for _, group in groups]


def _marks(node: Node) -> frozenset[object]:
    return frozenset([*_phones(node), *_buildings(node)])


def _phones(node: Node) -> frozenset[str]:
    return frozenset(phone for phone in map(normalise_phone, texts(node, "telephone")) if phone)


def _buildings(node: Node) -> frozenset[object]:
    keys = (address_key(address.text) for address in addresses(node))
    return frozenset(key for key in keys if key is not None)


def _name(node: Node) -> str:
    return folded(text(node, "name") or "")
