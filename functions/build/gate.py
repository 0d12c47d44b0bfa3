"""What a page must pass before it is published."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element

import html5lib

from functions.build.unconfirmed import Needle
from shared.places.normalise.category import SCHEMA_TYPES

HTML_BYTES = 200_000
_LANGUAGES = frozenset(["ko", "en", "x-default"])
_LINK_SCHEMES = frozenset(["http", "https", "tel"])
_MOST_FINDINGS = 20  # a result is read by people


@dataclass(frozen=True)
class Finding:
    """Why a page may not stand: a stable `code`, the file, and what is wrong in it."""

    code: str
    file: str
    message: str

    def as_json(self) -> dict[str, str]:
        """For a job's result and an alert."""
        return {"code": self.code, "file": self.file, "message": self.message}


def check(
    pages: Mapping[str, bytes], assets: Collection[str], origin: str, unconfirmed: Collection[Needle]
) -> list[Finding]:
    """Everything that is wrong with the pages, at most 20 findings; none means they may be published.

    `pages` are documents by their path in the place's folder ("index.html", "en/index.html"), `assets` the paths of
    the files beside them, `origin` where links to the site itself begin. Takes CPU time: call it in a thread.
    """
    findings: list[Finding] = []
    for file, html in pages.items():
        findings += (
            Finding(code, file, message)
            for code, message in _page(file, html, {*pages, *assets}, origin, unconfirmed)
        )
    return findings[:_MOST_FINDINGS]


def _page(
    file: str, html: bytes, files: set[str], origin: str, unconfirmed: Collection[Needle]
) -> Iterator[tuple[str, str]]:
    if len(html) > HTML_BYTES:
        yield "size", f"{len(html):,} bytes, more than {HTML_BYTES:,}"
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    root: Element = parser.parse(html, transport_encoding="utf-8")
    for position, code, _ in parser.errors[:5]:
        yield "html", f"{code} at line {position[0]}"
    yield from _head(root)
    yield from _elements(root, file, files, origin)
    structured = _structured(root)
    yield from _business(structured)
    text = visible_text(root)
    markup = json.dumps(structured, ensure_ascii=False)
    attributes = "\n".join(
        value for element in root.iter() for name, value in element.attrib.items() if name in _SPOKEN
    )
    for needle in unconfirmed:
        where = [text, markup] if needle.may_be_pictured else [text, markup, attributes]
        if any(needle.found_in(haystack) for haystack in where):
            yield "unconfirmed", f"a value of {needle.key} that nobody confirmed"


_SPOKEN = frozenset(["alt", "content", "href", "title", "aria-label"])


def visible_text(root: Element) -> str:
    """The text a reader of the document can meet, title included."""
    parts: list[str] = []

    def walk(element: Element) -> None:
        if element.tag not in ("script", "style"):
            parts.append(element.text or "")
            for child in element:
                walk(child)
                parts.append(child.tail or "")
        if element.tag not in _INLINE:
            parts.append("\n")

    walk(root)
    return "".join(parts)


_INLINE = frozenset(["a", "b", "bdi", "span", "time"])


def _head(root: Element) -> Iterator[tuple[str, str]]:
    if root.get("lang") not in _LANGUAGES:
        yield "language", "the document does not say its language"
    if not (root.findtext("head/title") or "").strip():
        yield "title", "no title"
    for name in ("description", "viewport"):
        if not any(
            (meta.get("content") or "").strip() for meta in root.iterfind(f"head/meta[@name='{name}']")
        ):
            yield "meta", f"no {name}"
    canonical = [link.get("href") for link in root.iterfind("head/link[@rel='canonical']")]
    if len(canonical) != 1 or not canonical[0]:
        yield "canonical", f"{len(canonical)} canonical addresses"
    alternates = {
        link.get("hreflang"): link.get("href") for link in root.iterfind("head/link[@rel='alternate']")
    }
    if set(alternates) != _LANGUAGES or [alternates.get(root.get("lang"))] != canonical:
        yield "hreflang", "the languages do not point at each other and at this page"
    if len(list(root.iter("h1"))) != 1:
        yield "heading", "not exactly one h1"


def _elements(root: Element, file: str, files: set[str], origin: str) -> Iterator[tuple[str, str]]:
    ids = [value for element in root.iter() if (value := element.get("id")) is not None]
    if len(ids) != len(set(ids)):
        yield "id", "an id stands twice"
    for element in root.iter():
        yield from _conduct(element)
        for link in _loaded(element):
            if (target := _resolved(file, link)) not in files:
                yield (
                    "asset",
                    f"{link[:80]} is not among the files" if target else f"{link[:80]} is elsewhere",
                )
        if element.tag == "a":
            yield from _anchor(element.get("href") or "", file, files, ids)
        if element.get("property") == "og:image":
            preview = element.get("content") or ""
            if not preview.startswith(origin) or f"assets/{preview.rpartition('/')[2]}" not in files:
                yield "asset", "the preview picture is not among the files"


def _conduct(element: Element) -> Iterator[tuple[str, str]]:
    """What an element may not be or do."""
    if any(name.lower().startswith("on") for name in element.attrib):
        yield "script", f"<{element.tag}> has an event handler"
    match element.tag:
        case "script" if element.get("type") != "application/ld+json":
            yield "script", "a script that runs"
        case "iframe" | "object" | "embed" | "form" | "base":
            yield "element", f"<{element.tag}> has no business here"
        case "img":
            if not (element.get("alt") or "").strip():
                yield "image", "a picture without words"
            if not (element.get("width") and element.get("height")):
                yield "image", "a picture without its size"


def _loaded(element: Element) -> Iterator[str]:
    """What a browser would fetch for the element."""
    if element.tag in ("img", "source", "script") and (source := element.get("src")):
        yield source
    for part in (element.get("srcset") or "").split(","):
        if part.strip():
            yield part.split()[0]
    if element.tag == "link" and element.get("rel") not in ("canonical", "alternate"):
        href = element.get("href") or ""
        if not href.startswith("data:"):
            yield href


def _anchor(href: str, file: str, files: set[str], ids: list[str]) -> Iterator[tuple[str, str]]:
    try:
        scheme = urlsplit(href).scheme
    except ValueError:
        scheme = "?"
    if href.startswith("#"):
        if href[1:] not in ids:
            yield "link", f"{href[:80]} leads nowhere"
    elif scheme:
        if scheme not in _LINK_SCHEMES:
            yield "link", f"a link of scheme {scheme[:20]}"
    elif _resolved(file, href) not in files:
        yield "link", f"{href[:80]} is not among the files"


def _resolved(file: str, link: str) -> str | None:
    """The path of a relative link in the place's folder; None for one that leaves it."""
    if re.match(r"[a-z][a-z0-9+.-]*:|//|/", link, re.IGNORECASE):
        return None
    folders = file.split("/")[:-1]
    for part in link.split("/")[:-1]:
        if part == "..":
            if not folders:
                return None
            folders.pop()
        else:
            folders.append(part)
    return "/".join([*folders, link.rsplit("/", 1)[-1]])


def _structured(root: Element) -> Any:
    scripts = [s.text or "" for s in root.iter("script") if s.get("type") == "application/ld+json"]
    try:
        return json.loads(scripts[0]) if len(scripts) == 1 else None
    except ValueError:
        return None


def _business(node: Any) -> Iterator[tuple[str, str]]:
    """Google's table for LocalBusiness: name and address. A page that has a phone alone is honest too."""
    if not isinstance(node, dict):
        yield "structured", "not one block of JSON-LD that can be read"
        return
    if node.get("@type") not in SCHEMA_TYPES or node.get("@context") != "https://schema.org":
        yield "structured", "no LocalBusiness of schema.org"
    missing = [name for name in ("@id", "name", "url") if not node.get(name)]
    if not (node.get("address") or node.get("telephone")):
        missing.append("address or telephone")
    if missing:
        yield "structured", f"without {', '.join(missing)}"
