"""What must not stand on a page: the values of facts that nobody confirmed.

The page is made from confirmed facts alone, so none of them can come there by the template. They can come by text that
was written elsewhere: the copy, and what a model saw in a photo. This is the second look at both.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from functions.build.words import WORDS
from shared.places.labels import category_label, fact_label
from shared.places.models import ConfirmedFacts, Fact, Place
from shared.places.normalise.amenity import AMENITIES
from shared.places.normalise.phone import display_phone

# Keys whose values are words of everyone's: a category, a weekday, an amenity say nothing about where they come from.
_COMMON = frozenset(["category", "hours", "amenities"])
_SHORTEST_KOREAN, _SHORTEST_OTHER = 3, 5  # characters; shorter values stand in any text by chance
_SMALLEST_PRICE = 1000  # won


@dataclass(frozen=True)
class Needle:
    """A value to look for. `may_be_pictured`: a photo's words may name it, as it may be seen there."""

    key: str
    pattern: re.Pattern[str]
    may_be_pictured: bool = False

    def found_in(self, text: str) -> bool:
        """Whether the value stands in the text, however it is spaced or, for a telephone number, hyphenated."""
        return self.pattern.search(_folded(text)) is not None


def needles(place: Place, confirmed: ConfirmedFacts, facts: Iterable[Fact]) -> list[Needle]:
    """What to look for: values of unconfirmed facts, less those that confirmed ones or the page's own words hold."""
    allowed = _folded("\n".join(_allowed(place, confirmed)))
    found: dict[tuple[str, str], Needle] = {}
    for fact in facts:
        if fact.confirmed or fact.value is None or fact.key in _COMMON:
            continue
        for needle in _of(fact.key, fact.value):
            if not needle.found_in(allowed):
                found.setdefault((needle.key, needle.pattern.pattern), needle)
    return list(found.values())


def _of(key: str, value: Any) -> Iterator[Needle]:
    if key == "phone":
        yield from _phone(key, str(value))
    elif key == "geo":
        yield Needle(key, re.compile(re.escape(f"{value['lat']:.5f}")))
    elif key == "menu":
        for item in value:
            yield from _words(key, item["name"], pictured=True)
            if item.get("note"):
                yield from _words(key, item["note"], pictured=True)
            if (item.get("price_krw") or 0) >= _SMALLEST_PRICE:
                yield _number(key, f"{item['price_krw']:,}")
    else:
        for text in _leaves(value):
            yield from _words(key, text)


def _phone(key: str, number: str) -> Iterator[Needle]:
    for digits in {re.sub(r"\D", "", number), re.sub(r"\D", "", display_phone(number))} - {""}:
        yield Needle(key, re.compile(r"(?<!\d)" + r"[\s\-.()]{0,3}".join(digits) + r"(?!\d)"))


def _words(key: str, text: str, *, pictured: bool = False) -> Iterator[Needle]:
    folded = _folded(text)
    shortest = _SHORTEST_KOREAN if re.search("[가-힣]", folded) else _SHORTEST_OTHER
    if len(folded) < shortest:
        return
    before = r"(?<![a-z0-9])" if re.match("[a-z0-9]", folded) else ""
    after = r"(?![a-z0-9])" if re.search("[a-z0-9]$", folded) else ""
    yield Needle(key, re.compile(before + re.escape(folded) + after), may_be_pictured=pictured)


def _number(key: str, written: str) -> Needle:
    return Needle(key, re.compile(rf"(?<![\d,.]){re.escape(written)}(?![\d,]*\d)"), may_be_pictured=True)


def _allowed(place: Place, confirmed: ConfirmedFacts) -> Iterator[str]:
    yield from place.aliases
    for key, fact in confirmed.facts.items():
        yield from _leaves(fact.value)
        yield fact.source_url or ""  # named on the page as the source
        if key == "phone":
            yield display_phone(str(fact.value))
        if key == "menu":
            yield from (f"{item['price_krw']:,}" for item in fact.value if item.get("price_krw"))
        for locale in WORDS:
            yield fact_label(key, locale)
            if key == "category":
                yield category_label(str(fact.value), locale)
    for words in WORDS.values():
        yield from _leaves(list(vars(words).values()))
    for names in AMENITIES.values():
        yield from names.values()


def _leaves(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _leaves(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _leaves(part)
    elif isinstance(value, float):
        yield f"{value:.5f}"


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
