"""A page as a tree, whatever it was written like; and walks over it that do not recurse."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urljoin, urlsplit

from lxml import etree

from functions.collect.diagnostics import DiagnosticCode

_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,200}\?>")
_BAD = re.compile(r"[\x00\ud800-\udfff]")
_LONGEST_URL = 2_000  # characters
_DEEPEST = 255  # elements within elements, at which the parser stops
_TAGS = 60_000  # of one page; each costs a quarter of a kilobyte, and pages of readers have some thousands
_TAG = re.compile("<")


@dataclass(frozen=True)
class Document:
    """A parsed page. `url` is where it came from; `root` its html element; `limit` says why it is not all of it."""

    url: str
    root: etree._Element
    limit: DiagnosticCode | None = None

    @cached_property
    def base(self) -> str:
        """What relative addresses are relative to."""
        for element in self.root.iter("base"):
            href = element.get("href")
            if href:
                return joined(self.url, href) or self.url
        return self.url

    def link(self, href: str) -> str | None:
        """The whole http(s) address of a link on this page, without its fragment."""
        return joined(self.base, href)


def parse(text: str, url: str) -> Document | None:
    """The page's tree, or None where there is none.

    The parser stops at its own limit of nesting (256), and no more than a bounded number of tags is given to it, so
    that a page made of nothing but opening tags costs no more than any other.
    """
    cleaned = _XML_DECLARATION.sub("", _BAD.sub("", text))
    further = next(itertools.islice(_TAG.finditer(cleaned), _TAGS, None), None)
    if further is not None:
        cleaned = cleaned[: further.start()]
    parser = etree.HTMLParser(
        recover=True, no_network=True, remove_pis=True, remove_comments=True, huge_tree=False
    )
    try:
        root = etree.fromstring(cleaned, parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None
    if root is None:
        return None
    if _stopped(root):
        return Document(url, root, limit="too_deep")
    return Document(url, root, limit="too_large" if further is not None else None)


def _stopped(root: etree._Element) -> bool:
    """Whether the parser gave up at its limit: then the last element it made is the deepest that can be."""
    depth, last = 0, root
    while len(last):
        depth, last = depth + 1, last[-1]
    return depth >= _DEEPEST


def elements(root: etree._Element) -> Iterator[etree._Element]:
    """Every element in document order, without comments."""
    for element in root.iter():
        if isinstance(element.tag, str):
            yield element


def inner_text(element: etree._Element, limit: int) -> str:
    """The text inside an element, as the source has it; no more than `limit` characters are looked at."""
    pieces, size = [], 0
    for piece in element.itertext():
        pieces.append(str(piece))
        size += len(piece)
        if size >= limit:
            break
    return "".join(pieces)[:limit]


def joined(base: str, href: str) -> str | None:
    """An http(s) address relative to a page, without its fragment; None for what is no such address."""
    href = href.strip()
    if not href or len(href) > _LONGEST_URL or re.search(r"[\x00-\x1f]", href):
        return None
    try:
        whole = urljoin(base, href)
        parts = urlsplit(whole)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname)
        valid = valid and (parts.port is None or parts.port > 0)
    except ValueError:
        return None
    return whole.partition("#")[0] if valid else None
