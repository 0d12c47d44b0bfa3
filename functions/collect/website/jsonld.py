"""JSON-LD as pages really carry it. A block that cannot be read loses itself alone."""

import html
import itertools
import json
from dataclasses import dataclass, field
from typing import Any

from functions.collect.website.document import Document, inner_text
from functions.collect.website.nodes import ENTRIES, Node, bare

_BLOCKS = 50  # of one page
_BLOCK_CHARACTERS = 512 * 1024
_DEPTH = 60  # brackets within brackets
_NODES = 5_000
_REFERENCES = 8  # steps from an @id to another
# What hides a block from old browsers or XML readers; no JSON value begins or ends like that.
_BLANK = " \t\r\n\f\ufeff"
_GUARDS_AROUND = 12  # marks on either side
_GUARDS = ("<!--", "-->", "<![CDATA[", "<!]]>", "]]>", "//", "/*", "*/", ">", ";")


@dataclass
class Loaded:
    """The top nodes of a page's blocks, and how many blocks could not be read whole."""

    roots: list[Node] = field(default_factory=list)
    broken: int = 0


def load(document: Document) -> Loaded:
    """Every node that stands at the top of a JSON-LD block of the page, with its `@id` references followed."""
    loaded = Loaded()
    values: list[Any] = []
    blocks = 0
    for script in document.root.iter("script"):
        if not script.get("type", "").strip().lower().startswith("application/ld+json"):
            continue
        blocks += 1
        if blocks > _BLOCKS:
            loaded.broken += 1
            break
        found, whole = read_block(inner_text(script, _BLOCK_CHARACTERS + 1))
        values += found
        loaded.broken += not whole
    loaded.roots = _Graph().roots(values)
    return loaded


def read_block(block: str) -> tuple[list[Any], bool]:
    """The JSON values of one block, and whether it could be read whole."""
    if len(block) > _BLOCK_CHARACTERS:
        return [], False
    cleaned = _unguarded(block)
    if '"' not in cleaned and "&quot;" in cleaned:
        cleaned = html.unescape(cleaned)  # an editor escaped what stands in a script, where nothing is
    if not cleaned:
        return [], True
    if _depth(cleaned) > _DEPTH:
        return [], False
    for attempt in (cleaned, _without_trailing_commas(cleaned)):
        values = _values(attempt)
        if values is not None:
            return values, True
    return _readable_beginning(cleaned), False


def _unguarded(block: str) -> str:
    """The block without comment and CDATA marks around it."""
    inner = block.strip(_BLANK)
    for _ in range(_GUARDS_AROUND):
        before = next((guard for guard in _GUARDS if inner.startswith(guard)), "")
        inner = inner.removeprefix(before).lstrip(_BLANK)
    for _ in range(_GUARDS_AROUND):
        after = next((guard for guard in _GUARDS if inner.endswith(guard)), "")
        inner = inner.removesuffix(after).rstrip(_BLANK)
    return inner


_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)


def _values(block: str) -> list[Any] | None:
    """All the values that stand in the block one after another; None when one of them is broken."""
    values, end = _decoded(block)
    return values if end == len(block) else None


def _readable_beginning(block: str) -> list[Any]:
    """The whole values before the first broken one."""
    return _decoded(block)[0]


def _decoded(block: str) -> tuple[list[Any], int]:
    """The values up to the first that is broken, and where that begins."""
    values, position = [], 0
    while position < len(block):
        try:
            value, end = _DECODER.raw_decode(block, position)
        except (ValueError, RecursionError):
            break
        values.append(value)
        position = _after_separators(block, end)
    return values, position


def _after_separators(block: str, position: int) -> int:
    while position < len(block) and (block[position].isspace() or block[position] in ",;\ufeff"):
        position += 1
    return position


def _outside_strings(block: str) -> list[tuple[int, str]]:
    """The positions and characters of the brackets and commas that stand outside of strings."""
    found, in_string, escaped = [], False, False
    for position, character in enumerate(block):
        if escaped:
            escaped = False
        elif in_string:
            if character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "[]{},":
            found.append((position, character))
    return found


def _depth(block: str) -> int:
    deepest = depth = 0
    for _, character in _outside_strings(block):
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _without_trailing_commas(block: str) -> str:
    marks = _outside_strings(block)
    drop = {
        position
        for (position, character), (after, following) in itertools.pairwise(marks)
        if character == "," and following in "]}" and not block[position + 1 : after].strip()
    }
    return "".join(character for position, character in enumerate(block) if position not in drop)


def _add(known: list[Any], stated: list[Any]) -> None:
    """Adds what is not there yet. Nodes are told apart by identity: they may contain themselves."""
    for entry in stated:
        if len(known) >= ENTRIES:
            return
        if isinstance(entry, dict):
            new = not any(entry is other for other in known)
        else:
            new = not any(entry == other for other in known if not isinstance(other, dict))
        if new:
            known.append(entry)


class _Graph:
    """Raw JSON values turned into nodes, with those of one `@id` made one."""

    def __init__(self) -> None:
        self._by_id: dict[str, Node] = {}
        self._count = 0

    def roots(self, values: list[Any]) -> list[Node]:
        roots: list[Node] = []
        for value in values:
            roots += self._top(value)
        unique: dict[int, Node] = {}
        for root in roots:
            self._resolve(root)
            unique.setdefault(id(root), root)
        return list(unique.values())

    def _top(self, value: Any) -> list[Node]:
        if isinstance(value, list):
            return [node for entry in value for node in self._top(entry)]
        if not isinstance(value, dict):
            return []
        graph = value.get("@graph")
        inner = self._top(graph) if isinstance(graph, list | dict) else []
        rest = {key: entry for key, entry in value.items() if key not in ("@graph", "@context")}
        if inner and not set(rest) - {"@id", "@type"}:
            return inner
        return [*inner, *([self._node(rest)] if rest else [])]

    def _node(self, value: dict[str, Any]) -> Node:
        self._count += 1
        identifier = value.get("@id")
        node: Node = {}
        if isinstance(identifier, str) and len(value) > 1:
            node = self._by_id.setdefault(identifier, node)
        if self._count > _NODES:
            return node
        for key, entry in value.items():
            if key == "@context":
                continue
            name = "@type" if key in ("@type", "type") else key if key.startswith("@") else bare(key)
            stated = self._entries(entry)
            if name == "@type":
                stated = [bare(kind) for kind in stated if isinstance(kind, str)]
            _add(node.setdefault(name, []), stated)
        return node

    def _entries(self, entry: Any) -> list[Any]:
        if entry is None:
            return []
        if isinstance(entry, list):
            return [item for part in entry for item in self._entries(part)]
        if not isinstance(entry, dict):
            return [entry]
        if "@list" in entry or "@set" in entry:
            return self._entries(entry.get("@list", entry.get("@set")))
        return [self._node(entry)]

    def _resolve(self, root: Node) -> None:
        """Puts the described node in the place of a mere reference to it."""
        waiting, seen = [root], {id(root)}
        while waiting:
            node = waiting.pop()
            for entries in node.values():
                for index, entry in enumerate(entries):
                    if not isinstance(entry, dict):
                        continue
                    entries[index] = target = self._target(entry)
                    if id(target) not in seen:
                        seen.add(id(target))
                        waiting.append(target)

    def _target(self, node: Node) -> Node:
        for _ in range(_REFERENCES):
            identifier = next(iter(node.get("@id", [])), None)
            if set(node) != {"@id"} or not isinstance(identifier, str):
                break
            known = self._by_id.get(identifier)
            if known is None or known is node:
                break
            node = known
        return node
