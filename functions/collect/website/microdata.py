"""Microdata in one pass over the page, without recursion."""

from lxml import etree

from functions.collect.website.document import Document, elements, inner_text
from functions.collect.website.nodes import Node, bare

_ITEMS = 2_000
_URL_ATTRIBUTES = {
    "a": "href",
    "area": "href",
    "link": "href",
    "img": "src",
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "source": "src",
    "track": "src",
    "video": "src",
    "object": "data",
}
_TEXT_CHARACTERS = 5_000


def load(document: Document) -> list[Node]:
    """The page's top items, in the shape of JSON-LD nodes. `itemref` is followed."""
    items: dict[etree._Element, Node] = {}
    references: dict[str, Node] = {}
    for element in elements(document.root):
        if element.get("itemscope") is None or len(items) >= _ITEMS:
            continue
        kinds = [bare(kind) for kind in element.get("itemtype", "").split()]
        node: Node = {"@type": list(kinds)} if kinds else {}
        if element.get("itemid"):
            node["@id"] = [element.get("itemid")]
        items[element] = node
        references |= dict.fromkeys(element.get("itemref", "").split(), node)
    if not items:
        return []
    owners: dict[etree._Element, Node | None] = {}
    tops: list[Node] = []
    for element in elements(document.root):
        parent = element.getparent()
        inherited = None
        if parent is not None:
            inherited = items.get(parent, owners.get(parent))
        owner = references.get(element.get("id", ""), inherited)
        owners[element] = owner
        item = items.get(element)
        names = element.get("itemprop", "").split()
        if owner is None or not names:
            if item is not None:
                tops.append(item)
            continue
        value = item if item is not None else _value(element, document)
        if value in (None, ""):
            continue
        for name in names:
            if item is not owner:
                owner.setdefault(bare(name), []).append(value)
    return tops


def _value(element: etree._Element, document: Document) -> str | None:
    if element.get("content") is not None:
        return element.get("content")
    tag = str(element.tag)
    if tag in _URL_ATTRIBUTES:
        address = element.get(_URL_ATTRIBUTES[tag])
        if address is None:
            return None
        if not address.strip().lower().startswith(("tel:", "mailto:")):
            return document.link(address)
        return address.strip().partition(":")[2]
    if tag in ("data", "meter") and element.get("value") is not None:
        return element.get("value")
    if tag == "time" and element.get("datetime") is not None:
        return element.get("datetime")
    return " ".join(inner_text(element, _TEXT_CHARACTERS).split())
