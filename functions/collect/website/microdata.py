"""Microdata in one pass over the page, without recursion."""

from lxml import etree

from functions.collect.website.document import Document, elements
from functions.collect.website.literals import literal
from functions.collect.website.nodes import Node, bare, state

_ITEMS = 2_000


def load(document: Document) -> list[Node]:
    """The page's top items, in the shape of JSON-LD nodes. `itemref` is followed."""
    items: dict[etree._Element, Node] = {}
    references: dict[str, Node] = {}
    if not document.root.xpath("boolean(//@itemscope)"):
        return []
    for element in elements(document.root):
        if element.get("itemscope") is None or len(items) >= _ITEMS:
            continue
        kinds = [bare(kind) for kind in element.get("itemtype", "").split()]
        node: Node = {"@type": list(kinds)} if kinds else {}
        if element.get("itemid"):
            node["@id"] = [element.get("itemid")]
        items[element] = node
        references |= dict.fromkeys(element.get("itemref", "").split(), node)
    return _tops(document, items, references)


def _tops(document: Document, items: dict[etree._Element, Node], references: dict[str, Node]) -> list[Node]:
    """Gives every item its properties; the items that are nobody's property."""
    owners: list[Node | None] = [None]  # whose properties stand at each depth
    tops: list[Node] = []
    for event, element in etree.iterwalk(document.root, events=("start", "end")):
        if event == "end":
            owners.pop()
            continue
        owner = references.get(element.get("id", ""), owners[-1])
        item = items.get(element)
        owners.append(owner if item is None else item)
        names = element.get("itemprop", "").split()
        if owner is None or not names:
            if item is not None:
                tops.append(item)
            continue
        value = item if item is not None else literal(element, document)
        if value in (None, ""):
            continue
        for name in names:
            if item is not owner:
                state(owner, bare(name), value)
    return tops
