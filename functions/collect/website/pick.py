"""Which of the businesses a site marks up is the place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from functions.collect.matching import Subject, folded
from functions.collect.website.links import same_site
from functions.collect.website.nodes import Node, is_business, spread, text, texts, types
from functions.collect.website.postal import addresses
from shared.places.normalise import address_key, normalise_phone

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
    reason: Literal["matched", "only_one", "none", "several"]


def businesses(roots: list[Node], url: str) -> list[Found]:
    """Every business that the roots describe or lead to."""
    return [Found(node, url) for node in spread(roots, *_LEADS_TO) if is_business(node)]


def pick(candidates: Sequence[Found], subject: Subject) -> Choice:
    """The nodes of the one business that is the place; of several equal ones none."""
    groups = _grouped(candidates)
    if not groups:
        return Choice([], sure=False, reason="none")
    scored = sorted(
        ((max(_score(found.node, subject) for found in group), group) for group in groups),
        key=lambda entry: -entry[0],
    )
    best, group = scored[0]
    if best >= _MATCH:
        if any(score == best for score, _ in scored[1:]):
            return Choice([], sure=False, reason="several")
        return Choice(group, sure=True, reason="matched")
    if len(groups) > 1:
        return Choice([], sure=False, reason="several")
    own = any(same_site(url, subject.website) for url in texts(group[0].node, "url") if "://" in url)
    return Choice(group, sure=own, reason="only_one")


_MATCH = 10


def _score(node: Node, subject: Subject) -> int:
    """10 and more: the name or the number says that it is the place."""
    names = [folded(name) for name in texts(node, "name", "alternateName", "legalName")]
    known = [folded(name) for name in subject.names if folded(name)]
    score = 0
    if any(name == other for name in names for other in known):
        score += 20
    elif any(
        len(min(name, other, key=len)) >= 2 and (name in other or other in name)
        for name in names
        if name
        for other in known
    ):
        score += 10
    if _phones(node) & subject.phones:
        score += 20
    if _buildings(node) & subject.buildings:
        score += 20
    if score >= _MATCH and "Organization" not in types(node):
        score += 1
    return score


def _grouped(candidates: Sequence[Found]) -> list[list[Found]]:
    """Nodes of one business together: of one name, and with a number or a building in common.

    Branches of a chain share the name alone and stay apart; a node that has neither number nor building goes with
    the only business of its name.
    """
    by_name: dict[str, list[list[Found]]] = {}
    loose: list[Found] = []
    for found in candidates:
        marks = _phones(found.node) | _buildings(found.node)
        if not marks:
            loose.append(found)
            continue
        groups = by_name.setdefault(_name(found.node), [])
        related = [group for group in groups if any(marks & _marks(other.node) for other in group)]
        merged = [*(other for group in related for other in group), found]
        by_name[_name(found.node)] = [*(group for group in groups if group not in related), merged]
    for found in loose:
        groups = by_name.setdefault(_name(found.node), [])
        if len(groups) <= 1:
            by_name[_name(found.node)] = [[*(groups[0] if groups else []), found]]
    return [group for groups in by_name.values() for group in groups]


def _marks(node: Node) -> frozenset[object]:
    return _phones(node) | _buildings(node)


def _phones(node: Node) -> frozenset[object]:
    return frozenset(filter(None, map(normalise_phone, texts(node, "telephone"))))


def _buildings(node: Node) -> frozenset[object]:
    keys = (address_key(address.text) for address in addresses(node))
    return frozenset(key for key in keys if key is not None)


def _name(node: Node) -> str:
    return folded(text(node, "name") or "")
