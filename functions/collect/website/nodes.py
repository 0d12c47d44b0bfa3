"""Statements of structured markup in one shape, whichever syntax they were written in.

A node is a dict: `@type` a list of bare type names, every other key a list of texts, numbers, booleans and nodes.
"""

import html
from collections.abc import Iterator
from typing import Any

from shared.places.keys import clean_text
from shared.places.normalise import SCHEMA_TYPES

Node = dict[str, list[Any]]

_ALSO_BUSINESSES = frozenset(
    [
        "Organization",
        "Corporation",
        "Place",
        "TouristAttraction",
        "Museum",
        "CivicStructure",
        "Organisation",
        "MedicalOrganization",
    ]
)


ENTRIES = 500  # of one property


def state(node: Node, name: str, value: Any) -> None:
    """Adds a value of a property; beyond what any business has of one it is left out."""
    entries = node.setdefault(name, [])
    if len(entries) < ENTRIES:
        entries.append(value)


def types(node: Node) -> list[str]:
    """The node's type names, without prefixes."""
    return [name for name in node.get("@type", []) if isinstance(name, str)]


def is_business(node: Node) -> bool:
    """Whether the node describes a business, or at least an organisation or a place that says where it is."""
    named = types(node)
    if any(name in SCHEMA_TYPES for name in named):
        return True
    reachable = bool(node.get("address") or node.get("telephone"))
    return reachable and any(name in _ALSO_BUSINESSES for name in named)


def texts(node: Node, *keys: str, depth: int = 3) -> list[str]:
    """The texts under the keys, numbers as text, names of nodes in their place; empty ones left out."""
    found: list[str] = []
    for value in (value for key in keys for value in node.get(key, [])):
        if isinstance(value, bool):
            continue
        if isinstance(value, dict):
            named = texts(value, "@value", "name", depth=depth - 1) if depth else []
            found += (named or [one for one in value.get("@id", []) if _is_address(one)])[:1]
        elif isinstance(value, str | int | float):
            text = clean_text(html.unescape(str(value)))
            if text:
                found.append(text)
    return found


def _is_address(identifier: Any) -> bool:
    """Whether an identifier says something to others, as a web address does and "#shop" does not."""
    return isinstance(identifier, str) and identifier.startswith(("http://", "https://", "schema:"))


def text(node: Node, *keys: str) -> str | None:
    """The first text under the keys."""
    found = texts(node, *keys)
    return found[0] if found else None


def nodes(node: Node, *keys: str) -> list[Node]:
    """The nodes under the keys."""
    return [value for key in keys for value in node.get(key, []) if isinstance(value, dict)]


def bare(name: str) -> str:
    """A type or property name without its vocabulary: "https://schema.org/Place" and "schema:Place" are "Place"."""
    stripped = name.strip()
    for prefix in (
        "https://schema.org/",
        "http://schema.org/",
        "https://www.schema.org/",
        "http://www.schema.org/",
        "schema:",
    ):
        if stripped.lower().startswith(prefix):
            return stripped[len(prefix) :]
    return stripped


def spread(roots: list[Node], *through: str, limit: int = 500) -> Iterator[Node]:
    """The roots and what they lead to through the named keys, each node once."""
    waiting = list(reversed(roots))
    seen: set[int] = set()
    while waiting and len(seen) < limit:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        waiting += reversed(nodes(node, *through))
