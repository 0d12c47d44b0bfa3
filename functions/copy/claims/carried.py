"""What the confirmed facts carry: phrases, words, numbers, hours, prices; in both languages."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from functions.copy.claims.amenity_words import WORDS as AMENITY_WORDS
from functions.copy.claims.amenity_words import allowed_codes
from functions.copy.claims.glossary import carried_words
from functions.copy.claims.korean_forms import roots
from functions.copy.claims.numerals import COUNTED
from functions.copy.claims.vocabulary_en import OF_CATEGORY as ENGLISH_CATEGORY
from functions.copy.claims.vocabulary_ko import OF_CATEGORY as KOREAN_CATEGORY
from functions.copy.place_facts import PlaceFacts
from shared.places.keys import FACT_KEYS
from shared.places.labels import category_label, fact_label
from shared.places.models import ConfirmedFacts, Hours, Locale, PageCopy
from shared.places.normalise import AMENITIES
from shared.places.normalise.regions import PROVINCES
from shared.places.slugs import romanise
from shared.prose.quotable import plain_name, plain_text
from shared.prose.suspects import says_no, without_suspects
from shared.prose.texts import folded, lowered, sentences_of

_KOREAN_WORD = re.compile(r"[가-힣]+")
_WORD = re.compile(r"[가-힣]+|[a-zà-öø-ÿ]+(?:['’-][a-zà-öø-ÿ]+)*", re.IGNORECASE)
_UNIT = re.compile(r"(길|대로|로|구|시|군|동|읍|면|리|도|가)$")
_COUNTED = re.compile(r"(\d+(?:\.\d+)?)\s*([가-힣]+|[a-z]+)?", re.IGNORECASE)
_FLOOR = re.compile(r"^(?:지하\s?)?[bB]?\d+(?:층|호|F)$")
# Keys whose values are no texts of the owner's; each is read by its own rule.
_OWN_RULE = FACT_KEYS - {"summary"}


@dataclass(frozen=True)
class Phrase:
    """Words of a fact that may stand together. `item` is the number of a menu's line."""

    text: str
    kind: Literal["name", "place", "item", "words"]
    item: int | None = None
    folded: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folded", self.text.casefold())


@dataclass(frozen=True)
class Carried:
    """The facts as a sentence is held against them. Korean words without particles, English ones in lower case."""

    quotes: Mapping[
        Locale, frozenset[str]
    ]  # sentences that stand so in the facts, and those of the templates
    phrases: tuple[Phrase, ...]
    korean: frozenset[str]
    english: frozenset[str]
    # Words that stand beside each other in a name or in a text of the owner.
    neighbours: frozenset[tuple[str, str]]
    told: str  # what the owner wrote freely
    numbers: frozenset[tuple[str, str]]  # with the unit after it
    years: frozenset[str]
    digits: frozenset[str]  # telephone numbers
    registration: str  # the business's number, digits
    check_in: frozenset[tuple[str, str]]  # key and time of arrival and leaving, which are no opening hours
    amenities: frozenset[str]
    hours: Hours | None
    prices: tuple[frozenset[int], ...]  # of each line of the menu, by its number
    price_range: str


def carried_by(facts: PlaceFacts, confirmed: ConfirmedFacts, told: Mapping[Locale, PageCopy]) -> Carried:
    """What may be said of the place. `told` is the text that is made of nothing but the facts."""
    free = {key: text for key, text in _free_texts(confirmed) if text}
    names = [name for name in (facts.name, facts.name_en) if name]
    items = [item.name for item in facts.menu]
    notes = [note for item in facts.menu if (note := plain_text(item.note))]
    category = facts.category
    texts = [*names, *items, *notes, *free.values()]
    affirmed = [s for text in texts for s in sentences_of(text) if not says_no(s)]
    korean, expressions = carried_words("\n".join([*affirmed, KOREAN_CATEGORY.get(category or "", "")]))
    english = {expression for expression in expressions if " " not in expression}
    korean |= set(KOREAN_CATEGORY.get(category or "", "").split())
    english |= set(ENGLISH_CATEGORY.get(category or "", "").split())
    codes = allowed_codes(facts.amenities, free)
    for words in (AMENITY_WORDS.get(code, "") for code in codes):
        korean |= {word for word in words.split() if _KOREAN_WORD.fullmatch(word)}
        english |= {word for word in words.split() if not _KOREAN_WORD.fullmatch(word)}
    for key in confirmed.facts:
        korean |= set(fact_label(key, "ko").split()) if key in free else set()
        english |= set(fact_label(key, "en").lower().split()) if key in free else set()
    return Carried(
        quotes=_quotes([*free.values(), *notes, *_unread(facts.hours)], told),
        phrases=(
            *_phrases(facts, names, items, category),
            *(Phrase(expression, "words") for expression in expressions - english),
        ),
        korean=frozenset(korean),
        english=frozenset(english),
        neighbours=frozenset(pair for text in texts for s in sentences_of(text) for pair in _neighbours(s)),
        told="\n".join([*free.values(), *notes]),
        numbers=frozenset(
            (n, unit.lower()) for n, unit in _COUNTED.findall(" ".join([*free.values(), *notes]))
        ),
        years=frozenset(re.findall(r"\b(?:1[89]|20)\d\d(?!\d)", free.get("founded", ""))),
        digits=frozenset(_digits(facts, confirmed, free.values())),
        registration=str(confirmed.value("business_number") or ""),
        check_in=frozenset(
            (key, time)
            for key in ("check_in", "check_out")
            for time in re.findall(r"\d\d:\d\d", free.get(key, ""))
        ),
        amenities=codes,
        hours=facts.hours if facts.hours is not None and facts.hours.days else None,
        prices=tuple(
            frozenset(i.price_krw for i in facts.menu if i.name == item.name and i.price_krw is not None)
            for item in facts.menu
        ),
        price_range=facts.price_range or "",
    )


def _free_texts(confirmed: ConfirmedFacts) -> Iterator[tuple[str, str | None]]:
    """Texts an owner wrote, as far as they may be said again."""
    for key, fact in confirmed.facts.items():
        if key in _OWN_RULE:
            continue
        if isinstance(fact.value, str):
            yield key, plain_text(fact.value)


def _unread(hours: Hours | None) -> list[str]:
    """Hours that nobody could read as days, in their source's words."""
    return [hours.text] if hours is not None and hours.text and not hours.days else []


def _quotes(texts: Iterable[str], told: Mapping[Locale, PageCopy]) -> dict[Locale, frozenset[str]]:
    """By the page on which each may stand: a sentence with Hangul in it is none for the English one."""
    quotes: dict[Locale, set[str]] = {"ko": set(), "en": set()}
    for text in texts:
        for sentence in sentences_of(text):
            quotes["ko" if _KOREAN_WORD.search(sentence) else "en"].add(key_of(sentence))
    for locale, page in told.items():
        parts = [page.title, page.summary]
        parts += [part for section in page.sections for part in (section.heading, section.text)]
        parts += [part for asked in page.faq for part in (asked.question, asked.answer)]
        quotes[locale] |= {key_of(text) for part in parts for text in (part, *sentences_of(part))}
    return {locale: frozenset(said) for locale, said in quotes.items()}


def key_of(sentence: str) -> str:
    """A sentence without its spacing, case and last stop."""
    return "".join(folded(sentence).split()).rstrip(".!").casefold()


def _phrases(facts: PlaceFacts, names: list[str], items: list[str], category: str | None) -> Iterator[Phrase]:
    # A dish or a place called 최고 must not let anything be so.
    for name in names:
        if _is_more_than_a_claim(name):
            yield Phrase(name, "name")
    for index, item in enumerate(items):
        if _is_more_than_a_claim(item):
            yield Phrase(item, "item", index)
    for address in (facts.road_address, facts.lot_address):
        if address:
            yield from (Phrase(text, "place") for text in _addresses(address))
    if category:
        for locale in ("ko", "en"):
            yield Phrase(category_label(category, locale), "words")
    for code in facts.amenities:
        yield from (Phrase(name, "words") for name in AMENITIES.get(code, {}).values())
    if facts.price_range and (plain := plain_name(facts.price_range)):
        yield Phrase(plain, "words")


def _is_more_than_a_claim(name: str) -> bool:
    return any(c.isalnum() for c in without_suspects(name))


def _addresses(address: str) -> Iterator[str]:
    """The address, its beginnings and ends, and its words, in Hangul and romanised; no number alone."""
    tokens = address.replace(",", " ").replace("(", " ").replace(")", " ").split()
    shorts = [list(PROVINCES.get(tokens[0], ()))[:1], *[[] for _ in tokens[1:]]]
    yield address
    for start in range(len(tokens)):
        for end in range(start + 1, len(tokens) + 1):
            part = tokens[start:end]
            if not _KOREAN_WORD.match(part[0]) or (len(part) == 1 and re.match(r"\d", part[0])):
                continue
            yield " ".join(part)
            if start == 0 and shorts[0]:
                yield " ".join([shorts[0][0], *part[1:]])
    for index, token in enumerate(tokens):
        if _FLOOR.match(token):
            yield token
        elif _KOREAN_WORD.fullmatch(token):
            following = tokens[index + 1] if index + 1 < len(tokens) else ""
            for english in (*_romanised(token), *(r for short in shorts[index] for r in _romanised(short))):
                yield english
                if re.fullmatch(r"\d+(?:-\d+)?", following):
                    yield f"{following} {english}"
                    yield f"{following}, {english}"
                    yield f"{english} {following}"
    if tokens[0] in PROVINCES:
        yield from ("South Korea", "Republic of Korea")


def _romanised(token: str) -> Iterator[str]:
    whole = romanise(token)
    yield whole
    unit = _UNIT.search(token)
    if unit and len(token) > len(unit.group()):
        stem, end = romanise(token[: unit.start()]), romanise(unit.group())
        yield from (f"{stem}-{end}", f"{stem} {end}", f"{stem}-{end[0].upper()}{end[1:]}", stem)


def words_of(text: str) -> list[tuple[str, int, int]]:
    """The words of both languages with their places; numbers and signs are none."""
    return [(match.group(), *match.span()) for match in _WORD.finditer(text)]


def forms_of(word: str) -> set[str]:
    """A word in the forms under which it is compared."""
    return roots(word) if _KOREAN_WORD.match(word) else {word.lower(), word.lower().removesuffix("s")}


def _neighbours(sentence: str) -> Iterator[tuple[str, str]]:
    forms = [
        forms_of(word)
        for word, _, _ in words_of(COUNTED.sub(" ", lowered(without_suspects(folded(sentence)))))
    ]
    for left, right in pairwise(forms):
        yield from ((a, b) for a in left for b in right)


def _digits(facts: PlaceFacts, confirmed: ConfirmedFacts, free: Iterable[str]) -> Iterator[str]:
    for value in (facts.phone, confirmed.value("phone")):
        if value:
            yield re.sub(r"\D", "", str(value))
    for text in free:
        for number in re.findall(r"\+?\d[\d\-\s().]{6,}\d", text):
            yield re.sub(r"\D", "", number)
