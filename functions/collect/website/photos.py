"""Photo candidates of a page: those its markup names, then its large pictures; no logos, icons or trackers."""

import re
from urllib.parse import unquote, urlsplit

from lxml import etree

from functions.collect.website.document import Document, elements
from functions.collect.website.nodes import Node, nodes
from shared.places.normalise import normalise_url

LIMIT = 20  # photos of one site
_LEAST_PIXELS = 200  # of a stated side; smaller is decoration
_DECORATION = re.compile(
    r"logo|icon|favicon|sprite|btn|button|bullet|arrow|banner|badge|loading|spinner|blank|spacer|pixel|tracking|avatar|profile_?default"
    r"|emoji|qr_?code|pattern|로고|아이콘|버튼|배너|(?:^|/)(?:[a-z]{1,3}[_-])?(?:call|tel|sns|share|top|close|prev|next)(?=[._-])",
    re.I,
)
_PICTURE = re.compile(r"\.(?:jpe?g|png|webp)$", re.I)
_BACKGROUND = re.compile(r"background(?:-image)?\s*:[^;]{0,200}?url\(\s*[\"']?([^\"')]{1,500})", re.I)
_NO_PICTURE = re.compile(r"\.(?:svg|gif|ico|bmp|css|js|html?)$", re.I)


def of_node(node: Node, document: Document) -> list[str]:
    """The addresses of a business's own images in its markup."""
    found: list[str] = []
    for key in ("image", "photo", "primaryImageOfPage"):
        found += [value for value in node.get(key, []) if isinstance(value, str)]
        for image in nodes(node, key):
            found += [
                value
                for name in ("contentUrl", "url", "@id")
                for value in image.get(name, [])
                if isinstance(value, str)
            ][:1]
    return _addresses(found, document, explicit=True)


def of_page(document: Document) -> list[str]:
    """The addresses of the page's large pictures, those in the background of its parts included."""
    found = []
    for element in elements(document.root):
        if element.tag == "img":
            source = _linked(element) or ("" if _is_small(element) else _source(element))
            if source and not _DECORATION.search(_told(element)):
                found.append(source)
        elif "url(" in element.get("style", ""):
            found += _BACKGROUND.findall(element.get("style", "")[:2000])
    return _addresses(found, document, explicit=False)


def _linked(image: etree._Element) -> str | None:
    """The large picture that a small one leads to."""
    parent = image.getparent()
    href = parent.get("href") if parent is not None and parent.tag == "a" else None
    return href if href and _PICTURE.search(href) else None


def _source(image: etree._Element) -> str | None:
    candidates = (image.get("srcset") or image.get("data-srcset") or "").split(",")
    widest, width = None, 0.0
    for candidate in candidates:
        parts = candidate.split()
        if len(parts) == 2 and re.fullmatch(r"\d+(?:\.\d+)?[wx]", parts[1]) and float(parts[1][:-1]) > width:
            widest, width = parts[0], float(parts[1][:-1])
    if widest:
        return widest
    for name in ("data-src", "data-original", "data-lazy-src", "src"):
        value = image.get(name)
        if value and not value.strip().lower().startswith("data:"):
            return value
    return None


def _told(image: etree._Element) -> str:
    return " ".join(
        [image.get("src") or "", image.get("class") or "", image.get("id") or "", image.get("alt") or ""]
    )[:1000]


def _is_small(image: etree._Element) -> bool:
    for side in ("width", "height"):
        stated = re.match(r"\s*(\d+)\s*(?:px)?\s*$", image.get(side) or "")
        if stated and int(stated[1]) < _LEAST_PIXELS:
            return True
    return False


def _addresses(sources: list[str], document: Document, *, explicit: bool) -> list[str]:
    found: dict[str, None] = {}
    for source in sources:
        url = document.link(source)
        path = unquote(urlsplit(url).path) if url else ""
        if url is None or _NO_PICTURE.search(path) or (not explicit and not _PICTURE.search(path)):
            continue
        if _DECORATION.search(path.rpartition("/")[2]):
            continue
        try:
            found[normalise_url(url)] = None
        except ValueError:
            continue
    return list(found)[:LIMIT]
