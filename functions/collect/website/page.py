"""One fetched page with everything that was read from it."""

import re
from dataclasses import dataclass, field

from functions.collect.diagnostics import DiagnosticCode
from functions.collect.website import jsonld, microdata, opengraph, photos, rdfa, text
from functions.collect.website.charset import Decoded, decode
from functions.collect.website.document import Document, parse
from functions.collect.website.lines import lines
from functions.collect.website.links import social_pages, worth_reading
from functions.collect.website.nodes import Node
from functions.collect.website.pick import Found, businesses
from shared.http import Fetched, HttpFailure

_FURTHER_PAGES = 10  # one more than a crawl reads, so that it knows what it left unread
_TEXT_FROM = 4_096  # signs that are enough to tell text from a picture or an archive
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f]")
_CONTROLS_ANYWAY, _CONTROLS_SHARE = 8, 0.02


@dataclass(frozen=True)
class Page:
    """What a page states. `links` are further pages of the site, the most telling first."""

    url: str
    businesses: list[Found]
    business_photos: list[tuple[Node, list[str]]]
    meta: Node
    meta_photos: list[str]
    told: text.Told
    social: list[str]
    photos: list[str]
    links: list[str]
    is_empty: bool  # nothing a reader could see
    notes: list[DiagnosticCode] = field(default_factory=list)


def read_page(fetched: Fetched) -> Page | None:
    """Reads a page, which takes time by its size: to be run beside the event loop. None where there is no document.

    Raises HttpFailure `bad_content_type` for what is called a page and is no text.
    """
    decoded = decode(fetched.body, fetched.headers.get("content-type", ""))
    beginning = decoded.text[:_TEXT_FROM]
    if len(_CONTROLS.findall(beginning)) > _CONTROLS_ANYWAY + len(beginning) * _CONTROLS_SHARE:
        raise HttpFailure("bad_content_type", "a page that is no text", status=fetched.status)
    document = parse(decoded.text, fetched.final_url)
    if document is None:
        return None
    loaded = jsonld.load(document)
    roots = [*loaded.roots, *microdata.load(document), *rdfa.load(document)]
    found = businesses(roots, document.url)
    meta = opengraph.load(document)
    page_lines = lines(document)
    return Page(
        url=document.url,
        businesses=found,
        business_photos=[(one.node, photos.of_node(one.node, document)) for one in found],
        meta=meta,
        meta_photos=photos.of_node(meta, document),
        told=text.read(page_lines, text.phone_links(document)),
        social=social_pages(document),
        photos=photos.of_page(document),
        links=worth_reading(document, _FURTHER_PAGES, empty=not page_lines),
        is_empty=not page_lines,
        notes=_notes(decoded, document, loaded),
    )


def _notes(decoded: Decoded, document: Document, loaded: jsonld.Loaded) -> list[DiagnosticCode]:
    notes: list[DiagnosticCode] = [document.limit] if document.limit else []
    if decoded.uncertain:
        notes.append("charset_uncertain")
    if loaded.broken:
        notes.append("bad_markup")
    return notes
