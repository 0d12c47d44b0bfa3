"""RDFa Lite of schema.org in one pass over the page: vocab, prefix, typeof, property, resource."""

import re
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from functions.collect.website.document import Document
from functions.collect.website.literals import literal
from functions.collect.website.nodes import Node, bare, state

_SCHEMA = re.compile(r"^https?://(?:www\.)?schema\.org/?#?$", re.IGNORECASE)
_PREFIX = re.compile(r"([A-Za-z][\w.-]{0,30}):\s+(\S+)")
_NODES = 2_000


@dataclass(frozen=True)
class _Scope:
    """What holds inside an element: whose properties are told, and how names are read."""

    subject: Node | None = None
    plain: bool = False  # names without a prefix are schema.org's
    prefixes: frozenset[str] = frozenset(["schema"])

    def within(self, element: etree._Element) -> "_Scope":
        """The scope with the element's own `vocab` and `prefix`."""
        vocab, prefix = element.get("vocab"), element.get("prefix")
        if vocab is None and prefix is None:
            return self
        prefixes = set(self.prefixes)
        for name, address in _PREFIX.findall((prefix or "")[:2000]):
            (prefixes.add if _SCHEMA.match(address) else prefixes.discard)(name.lower())
        plain = self.plain if vocab is None else bool(_SCHEMA.match(vocab.strip()))
        return replace(self, plain=plain, prefixes=frozenset(prefixes))

    def names(self, attribute: str) -> list[str]:
        """The schema.org names in an attribute's value; those of other vocabularies are left out."""
        found = []
        for token in attribute.split():
            prefix, colon, rest = token.partition(":")
            if "://" in token:
                if bare(token) != token:
                    found.append(bare(token))
            elif colon:
                if prefix.lower() in self.prefixes:
                    found.append(rest)
            elif self.plain:
                found.append(token)
        return [name for name in found if name]


def load(document: Document) -> list[Node]:
    """The page's top resources of a schema.org type, in the shape of JSON-LD nodes; `resource` joins their parts."""
    if not document.root.xpath("boolean(//@typeof)"):
        return []
    reader = _Reader(document)
    scopes = [_Scope()]
    for event, element in etree.iterwalk(document.root, events=("start", "end")):
        if event == "start":
            scopes.append(reader.enter(element, scopes[-1].within(element)))
        else:
            scopes.pop()
    return reader.finished()


class _Reader:
    def __init__(self, document: Document) -> None:
        self._tops: dict[int, Node] = {}
        self._document = document
        self._named: dict[str, Node] = {}
        self._references: list[tuple[list[Any], str]] = []  # where a property names a resource
        self._count = 0

    def enter(self, element: etree._Element, scope: _Scope) -> _Scope:
        """Takes what the element says; the scope of its children."""
        typed, resource = element.get("typeof"), element.get("resource") or element.get("about")
        properties = scope.names(element.get("property", ""))
        if typed is not None:
            node = self._node(resource)
            kinds = scope.names(typed)
            known = node.setdefault("@type", [])
            known += [kind for kind in kinds if kind not in known]
            properties = properties or scope.names(element.get("rel", ""))
            if properties and scope.subject is not None:
                for name in properties:
                    state(scope.subject, name, node)
            elif kinds and self._count <= _NODES:
                self._tops[id(node)] = node
            return replace(scope, subject=node)
        if properties:
            if scope.subject is not None:
                self._state(element, scope.subject, properties)
        elif resource is not None and element.get("property") is None:
            return replace(scope, subject=self._node(resource))
        return scope

    def _node(self, resource: str | None) -> Node:
        """The node of a resource, or a new one; past the limit one that nobody sees."""
        self._count += 1
        if resource is None or self._count > _NODES:
            return {}
        identifier = self._address(resource)
        return self._named.setdefault(identifier, {"@id": [identifier]})

    def _state(self, element: etree._Element, subject: Node, names: list[str]) -> None:
        resource = element.get("resource")
        if resource is not None and element.get("content") is None:
            for name in names:
                state(subject, name, self._address(resource))
                if len(self._references) < _NODES:
                    self._references.append((subject[name], self._address(resource)))
            return
        value = literal(element, self._document)
        for name in names if value else []:
            state(subject, name, value)

    def finished(self) -> list[Node]:
        """The resources that are nobody's property, with every reference replaced by what it names."""
        for entries, address in self._references:
            node = self._named.get(address)
            if node is not None and address in entries:
                entries[entries.index(address)] = node
        return list(self._tops.values())

    def _address(self, resource: str) -> str:
        try:
            return urljoin(self._document.base, resource.strip("[] \t\r\n"))
        except ValueError:
            return resource
