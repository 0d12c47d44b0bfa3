"""Finds in a sentence whatever no confirmed fact carries."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from functions.copy.claims.amenity_words import foreign_amenities
from functions.copy.claims.carried import carried_by, forms_of, key_of, words_of
from functions.copy.claims.findings import Finding, Kind
from functions.copy.claims.hours_claims import disagree
from functions.copy.claims.korean_forms import MASK, is_known
from functions.copy.claims.masking import Masked, masked, without_check_in
from functions.copy.claims.price_claims import tied_together, wrong_numbers, wrong_prices
from functions.copy.claims.vocabulary_en import PHRASES as ENGLISH_PHRASES
from functions.copy.claims.vocabulary_en import WORDS as ENGLISH_WORDS
from functions.copy.claims.vocabulary_ko import PHRASES as KOREAN_PHRASES
from functions.copy.place_facts import PlaceFacts
from shared.places.models import ConfirmedFacts, Locale, PageCopy
from shared.places.normalise import normalise_phone
from shared.prose.quotable import addresses_in, leaks_in, marks_in
from shared.prose.suspects import suspects_in, without
from shared.prose.texts import folded, lowered

_CLOSERS = frozenset(")]’”'\"")  # a particle after one belongs to what stands before it: 봄날(본점)은
Part = Literal["title", "summary", "heading", "text", "question", "answer"]

_FOREIGN = re.compile(rf"[^\W\d_a-zA-ZÀ-ÖØ-öø-ÿ가-힣{MASK}]+")
_SIGN = re.compile(rf"[^\w\s{MASK}.,!?:;()\"'“”‘’·~–—\-/&%+|…「」『』]+")
_PERSON = re.compile(
    r"(?:셰프|쉐프|대표|사장|원장|주방장|점장|디자이너|바리스타|선생|박사|명장)(?:님|인|은|는|이|가|의)?\s?[가-힣]{2,4}|[가-힣]{2,4}\s?(?:셰프|쉐프|대표|사장|원장|"
    r"주방장|점장|디자이너|바리스타|선생|박사|명장)(?:님)?|[\"'“‘「『][^\"'”’」』]{2,}[\"'”’」』]"
)
_PHRASES: dict[Locale, re.Pattern[str]] = {
    "ko": re.compile("|".join(map(re.escape, KOREAN_PHRASES))),
    "en": re.compile("|".join(rf"\b{re.escape(phrase)}\b" for phrase in ENGLISH_PHRASES), re.IGNORECASE),
}


class Checker:
    """Holds sentences against the facts of one place."""

    def __init__(self, facts: PlaceFacts, confirmed: ConfirmedFacts, told: Mapping[Locale, PageCopy]) -> None:
        self._carried = carried_by(facts, confirmed, told)

    def findings(self, text: str, locale: Locale, part: Part = "text") -> list[Finding]:
        """What the sentence says and no fact does; empty when it may be published.

        A heading, title or question is held to the same: what it takes for granted is said as much as what is stated.
        """
        plain = folded(text)
        if not plain or key_of(plain) in self._carried.quotes[locale]:
            return []
        return list(dict.fromkeys(self._found(plain, locale, part)))

    def _found(self, plain: str, locale: Locale, part: Part) -> Iterator[Finding]:
        carried = self._carried
        said = masked(plain, carried)
        rest = said.text
        small = lowered(rest)
        yield from (Finding("markup", span.strip()) for span in marks_in(small))
        yield from (Finding("web", span) for span in addresses_in(small))
        yield from (Finding("leak", span.strip()) for span in leaks_in(small))
        for value in said.values:
            if value.kind == "phone" and not self._knows_phone(value.span, value.unit, rest):
                yield Finding("phone", value.span)
        for price in wrong_prices(said, carried):
            yield Finding("price", price.span)
        for span in tied_together(said):
            yield Finding("word", span)
        for number in wrong_numbers(said, carried):
            yield Finding("number", number.span)
        yield from self._times(said, part, plain)
        yield from _matches("name", _PERSON, rest)
        suspects = suspects_in(rest)
        for kind, start, end in suspects:
            yield Finding(kind, rest[start:end])
        for word in foreign_amenities(rest, carried.amenities):
            yield Finding("amenity", word)
        yield from self._language(rest, plain, locale)
        yield from self._words(without(rest, suspects), locale)

    def _knows_phone(self, span: str, digits: str, rest: str) -> bool:
        if digits == self._carried.registration:
            return "사업자" in rest or "registration" in rest.lower()
        number = normalise_phone(span)
        return digits in self._carried.digits or (
            number is not None and re.sub(r"\D", "", number) in self._carried.digits
        )

    def _times(self, said: Masked, part: Part, plain: str) -> Iterator[Finding]:
        hours = self._carried.hours
        said = without_check_in(said, self._carried.check_in)
        asked = part in ("title", "heading", "question") or plain.endswith("?")
        if not disagree(said, hours, asked=asked, told=self._carried.told):
            return
        known = set() if hours is None else _clocks_of(hours.model_dump())
        strange = [v.span for v in said.values if v.kind == "clock" and v.clock not in known]
        if strange:
            yield from (Finding("time", span) for span in strange)
            return
        spans = [v.span for v in said.values if v.kind in ("days", "all_year", "holiday", "nth", "clock")]
        yield Finding("hours", ", ".join(spans) or plain[:60])

    def _language(self, rest: str, plain: str, locale: Locale) -> Iterator[Finding]:
        yield from (Finding("language", m.group()) for m in _FOREIGN.finditer(rest))
        yield from (Finding("markup", m.group()) for m in _SIGN.finditer(rest))
        if locale == "ko" and re.search("[A-Za-z]", rest) and not re.search("[가-힣]", rest):
            yield Finding("language", plain[:60])

    def _words(self, rest: str, locale: Locale) -> Iterator[Finding]:
        """Words that are neither of the vocabulary nor of the facts; those of a text only beside their neighbours there."""
        phrases = _PHRASES[locale].sub(lambda match: " " * len(match.group()), rest)
        words = words_of(phrases)
        for index, (word, start, _) in enumerate(words):
            if self._is_said(word, locale, phrases[start - 1 : start]):
                continue
            before, after = words[max(index - 1, 0) : index], words[index + 1 : index + 2]
            is_korean = "가" <= word[0] <= "힣"
            if (locale == "ko" or not is_korean) and self._stands_beside(word, before, after):
                continue
            if is_korean:
                yield Finding("word" if locale == "ko" else "language", word)
            else:
                so_far = rest[:start].rstrip()
                first = not so_far or so_far.endswith((".", "!", "?", ":", "|"))
                yield Finding("name" if word[0].isupper() and not first else "word", word)

    def _is_said(self, word: str, locale: Locale, before: str) -> bool:
        """Whether the word is of the vocabulary or of the facts; `before` is the sign right before it."""
        carried = self._carried
        if "가" <= word[0] <= "힣":
            if (before == MASK or before in _CLOSERS) and is_known(MASK + word, ()):
                return True
            if locale == "en":
                return word in carried.korean
            return before != MASK and is_known(word, carried.korean)
        vocabulary = ENGLISH_WORDS if locale == "en" else frozenset[str]()
        return _is_allowed(word.lower(), carried.english, vocabulary)

    def _stands_beside(
        self, word: str, before: list[tuple[str, int, int]], after: list[tuple[str, int, int]]
    ) -> bool:
        pairs = self._carried.neighbours
        return any(
            (left, right) in pairs
            for first, second in (
                [(other, word) for other, _, _ in before] + [(word, other) for other, _, _ in after]
            )
            for left in forms_of(first)
            for right in forms_of(second)
        )


def _matches(kind: Kind, pattern: re.Pattern[str], text: str) -> Iterator[Finding]:
    return (Finding(kind, match.group().strip()) for match in pattern.finditer(text))


def _is_allowed(word: str, carried: frozenset[str], vocabulary: frozenset[str]) -> bool:
    plain = re.sub(r"['’]s$", "", word)
    if word in vocabulary or plain in vocabulary:
        return True
    if {plain, plain.removesuffix("s"), plain + "s", plain.removesuffix("es")} & carried:
        return True
    parts = plain.split("-")
    return len(parts) > 1 and all(part in carried or part in vocabulary for part in parts)


def _clocks_of(value: object) -> set[str]:
    if isinstance(value, dict):
        return {clock for part in value.values() for clock in _clocks_of(part)}
    if isinstance(value, list | tuple):
        return {clock for part in value for clock in _clocks_of(part)}
    return {"00:00" if value == "24:00" else value} if isinstance(value, str) else set()
