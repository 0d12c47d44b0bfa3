"""A crawled site turned into facts and photo candidates.

Markup of the place itself makes structured facts in the keys of the closed list; prose makes facts that wait for the
owner, and only in keys about which the markup is silent.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any, TypeVar

from functions.collect.diagnostics import DiagnosticCode
from functions.collect.matching import Subject
from functions.collect.website import statements
from functions.collect.website.crawl import Crawl
from functions.collect.website.page import Page
from functions.collect.website.pick import Choice, pick, speaks_of_another
from shared.places.agreement import contradicts
from shared.places.keys import WEBSITE_KEYS, normalise_value
from shared.places.models import NewFact, NewPhoto
from shared.places.normalise import address_key, hours_parsed_whole

CHANNEL = "website"
_SURE, _LIKELY, _PROSE, _WORDS = 0.95, 0.6, 0.5, 0.3  # confidence, from matched markup down to unread words
_MENU_LINES = 300
_PHOTOS = 20
_PHONES = 3  # a shop's own, its mobile, its safe number; a page with more lists branches
_T = TypeVar("_T")


@dataclass
class Gathered:
    """Facts, photo candidates and notes of a site."""

    facts: list[NewFact] = field(default_factory=list)
    photos: list[NewPhoto] = field(default_factory=list)
    notes: list[DiagnosticCode] = field(default_factory=list)


def gather(crawl: Crawl, subject: Subject, *, today: date) -> Gathered:
    """Everything the pages of a crawl state about the subject."""
    choice = pick([found for page in crawl.pages for found in page.businesses], subject)
    gathered = Gathered(notes=_notes(crawl, choice))
    marked = _Statements()
    for found in choice.found:
        sure = choice.sure and crawl.own
        for key, value in statements.of_business(found.node, website=subject.website, today=today):
            marked.add(key, value, found.url, structured=sure, confidence=_SURE if sure else _LIKELY)
    for page in crawl.pages:
        # A chain's page of another branch says where that one is, and when it is open.
        sure = crawl.own and not speaks_of_another(page.meta, subject)
        for key, value in statements.of_business(page.meta, website=subject.website, today=today):
            if key not in marked.keys and key in _META_KEYS:
                marked.add(key, value, page.url, structured=sure, confidence=_LIKELY)
    silent_about = set(marked.keys)
    for page in crawl.pages:
        for key, value, confidence in _prose(page, subject):
            if key not in silent_about:
                marked.add(key, value, page.url, structured=False, confidence=confidence)
    gathered.facts = list(marked.facts())
    gathered.photos = [
        NewPhoto(channel=CHANNEL, source_url=url, position=position)
        for position, url in enumerate(_photos(crawl, choice))
    ]
    return gathered


# og:title and the like name the page, not the business.
_META_KEYS = frozenset(["phone", "road_address", "lot_address", "geo", "hours", "website", "sns", "summary"])


class _Statements:
    """Statements by key and value, the surest telling of each."""

    def __init__(self) -> None:
        self._facts: dict[str, list[NewFact]] = {}

    @property
    def keys(self) -> set[str]:
        return set(self._facts)

    def add(self, key: str, value: Any, url: str, *, structured: bool, confidence: float) -> None:
        stated = self._facts.setdefault(key, [])
        if key in ("sns", "menu", "amenities"):
            value = self._merged(key, value)
            stated.clear()
        if any(fact.value == value for fact in stated):
            return
        stated.append(
            NewFact(
                key=key,
                value=value,
                channel=CHANNEL,
                source_url=url,
                structured=structured and key in WEBSITE_KEYS,
                confidence=confidence,
            )
        )

    def _merged(self, key: str, value: Any) -> Any:
        """Lists to which several pages add, as one."""
        known = [entry for fact in self._facts[key] for entry in fact.value]
        if key == "menu":
            named = {entry["name"] for entry in known}
            return [*known, *(entry for entry in value if entry["name"] not in named)][:_MENU_LINES]
        return normalise_value(key, list(dict.fromkeys([*known, *value]))[:20])

    def facts(self) -> Iterator[NewFact]:
        """All of them. Where the markup contradicts itself, none of a key's is taken for structured."""
        for key, stated in self._facts.items():
            sure = [fact for fact in stated if fact.structured]
            unclear = any(contradicts(key, sure[0].value, fact.value) for fact in sure[1:])
            yield from (
                (fact.model_copy(update={"structured": False}) for fact in stated) if unclear else stated
            )


def _prose(page: Page, subject: Subject) -> Iterator[tuple[str, Any, float]]:
    told = page.told
    for phone in _unambiguous(told.phones, subject.phones, most=_PHONES):
        yield "phone", phone, _PROSE
    for kind in ("road", "lot"):
        buildings: dict[object, str] = {}
        for address in (one for one in told.addresses if one.kind == kind):
            text = _without_name(address.text, subject)
            buildings.setdefault(address_key(text) or text, text)
        for key in _unambiguous(list(buildings), subject.buildings, most=1):
            yield f"{kind}_address", buildings[key], _PROSE
    if told.hours is not None:
        whole = hours_parsed_whole(told.hours)
        yield "hours", told.hours.model_dump(mode="json"), _PROSE if whole else _WORDS
    if told.menu:
        yield "menu", [item.model_dump() for item in told.menu][:_MENU_LINES], _PROSE
    if page.social:
        yield "sns", sorted(page.social), _LIKELY
    if told.business_number:
        yield "business_number", told.business_number, _PROSE


def _without_name(address: str, subject: Subject) -> str:
    """An address without the shop's own name behind it, which pages write there."""
    for name in filter(None, subject.names):
        address = address.removesuffix(name).rstrip(" ,")
    return address


def _unambiguous(found: list[_T], known: Collection[object], *, most: int) -> list[_T]:
    """What a page says once; of more, as where it lists branches, only what is known of the place already."""
    return found if len(found) <= most else [one for one in found if one in known]


def _photos(crawl: Crawl, choice: Choice) -> Iterable[str]:
    found: dict[str, None] = {}
    chosen = {id(one.node) for one in choice.found}
    for page in crawl.pages:
        for node, urls in page.business_photos:
            if id(node) in chosen:
                found |= dict.fromkeys(urls)
    for page in crawl.pages:
        found |= dict.fromkeys(page.meta_photos)
    for page in crawl.pages:
        found |= dict.fromkeys(page.photos)
    return list(found)[:_PHOTOS]


def _notes(crawl: Crawl, choice: Choice) -> list[DiagnosticCode]:
    notes = list(crawl.notes)
    if not crawl.own:
        notes.append("another_site")
    if choice.reason == "several":
        notes.append("several_businesses")
    if choice.reason == "others":
        notes.append("not_this_place")
    if choice.reason == "only_one" and not choice.sure:
        notes.append("business_not_recognised")
    return list(dict.fromkeys([*notes, *(note for page in crawl.pages for note in page.notes)]))
