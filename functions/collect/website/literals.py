"""What an element says when markup names it as a property's value."""

from lxml import etree

from functions.collect.website.document import Document, inner_text

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


def literal(element: etree._Element, document: Document) -> str | None:
    """The element's `content`, its address made whole, its `value` or `datetime`, else its text; None without one."""
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
