"""Holds a written text against the confirmed facts: what they do not say is taken out, sentence by sentence.

Looked at are numbers, prices, times, telephone numbers, addresses of the web, and words of praise. A sentence that is
false without any of these passes: the check bounds what a model can invent, it does not prove the text.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from shared.places.models import Fact, PageCopy, Question, Section
from shared.places.normalise import normalise_phone

_SENTENCE_END = re.compile(r"(?<=[.!?。])\s+|\n+")
_WEB = re.compile(r"https?://\S+|www\.\S+|\S+@\S+\.\S+", re.IGNORECASE)
_LONG = re.compile(r"\+?\d[\d\-\s().]{6,}\d")  # telephone and registration numbers
_CLOCK = re.compile(r"(?<!\d)(\d{1,2}):(\d{2})(?!\d)\s*([ap]\.?m\b)?", re.IGNORECASE)
_CLOCK_KO = re.compile(r"(오전|오후|낮|밤|저녁|새벽|아침)?\s*(\d{1,2})시(?!간)\s*(?:(\d{1,2})분|(반))?")
_CLOCK_EN = re.compile(r"(?<![\d:.,])(\d{1,2})\s*([ap])\.?m\b", re.IGNORECASE)
_WON_KO = re.compile(r"(?:(\d+)만\s*)?(?:(\d+)천\s*)?원")
_NUMBER = re.compile(r"\d+(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?")
_PRAISE = re.compile(
    r"맛집|최고|인기|유명|강추|강력 추천|제일|가장 맛있|소문난|숨은 명소|원조|"
    r"\b(?:best|finest|famous|popular|renowned|award|must[- ]visit|hidden gem|number one|no\. ?1)\b",
    re.IGNORECASE,
)


@dataclass
class Claims:
    """Everything checkable that a text says."""

    numbers: set[str] = field(default_factory=set)
    clocks: set[tuple[int, int]] = field(default_factory=set)
    phones: set[str] = field(default_factory=set)
    praise: set[str] = field(default_factory=set)
    web: set[str] = field(default_factory=set)

    def add(self, other: "Claims") -> None:
        """Take over what another text says."""
        for name in ("numbers", "clocks", "phones", "praise", "web"):
            getattr(self, name).update(getattr(other, name))

    def beyond(self, allowed: "Claims") -> list[str]:
        """What is said here and not there, for the log: kinds and values."""
        found = [f"number {number}" for number in sorted(self.numbers - allowed.numbers)]
        found += [f"time {h:02}:{m:02}" for h, m in sorted(self.clocks - allowed.clocks)]
        found += [f"phone {phone}" for phone in sorted(self.phones - allowed.phones)]
        found += [f"praise {word}" for word in sorted(self.praise - allowed.praise)]
        return found + [f"address {address}" for address in sorted(self.web - allowed.web)]


def claims_of(text: str) -> Claims:
    """What the text says, in one form: 오후 9시 and 21:00 are one time, 1만 1천원 and ₩11,000 one number."""
    claims = Claims(praise={match.group().lower() for match in _PRAISE.finditer(text)})

    def web(match: re.Match[str]) -> str:
        claims.web.add(match.group().rstrip(".,)").lower())
        return " "

    def long(match: re.Match[str]) -> str:
        digits = re.sub(r"\D", "", match.group())
        if len(digits) < 8:
            return match.group()
        claims.phones.add(normalise_phone(match.group()) or digits)
        return " "

    def clock(match: re.Match[str]) -> str:
        claims.clocks.add(_time(int(match.group(1)), int(match.group(2)), match.group(3)))
        return " "

    def clock_ko(match: re.Match[str]) -> str:
        part, hour, minute, half = match.groups()
        claims.clocks.add(_time(int(hour), 30 if half else int(minute or 0), part))
        return " "

    def clock_en(match: re.Match[str]) -> str:
        claims.clocks.add(_time(int(match.group(1)), 0, match.group(2)))
        return " "

    def won(match: re.Match[str]) -> str:
        ten_thousands, thousands = match.groups()
        if ten_thousands is None and thousands is None:
            return match.group()
        claims.numbers.add(str(int(ten_thousands or 0) * 10_000 + int(thousands or 0) * 1_000))
        return " "

    rest = _WEB.sub(web, text)
    rest = _CLOCK.sub(clock, rest)
    rest = _CLOCK_KO.sub(clock_ko, rest)
    rest = _CLOCK_EN.sub(clock_en, rest)
    rest = _LONG.sub(long, rest)
    rest = _WON_KO.sub(won, rest)
    claims.numbers |= {number.replace(",", "") for number in _NUMBER.findall(rest)}
    return claims


def _time(hour: int, minute: int, part: str | None) -> tuple[int, int]:
    """24:00 is 00:00; 오후 9시 and 9 pm are 21:00, 12 am is 00:00."""
    name = (part or "").lower()
    if name.startswith(("오후", "저녁", "밤", "p")) and hour < 12:
        hour += 12
    if name.startswith(("오전", "새벽", "a")) and hour == 12:
        hour = 0
    return hour % 24, minute


def allowed_claims(facts: Mapping[str, Fact], told: Iterable[str]) -> Claims:
    """What may be said: what stands in the facts, and in `told`, the texts made of nothing but them."""
    allowed = Claims()
    for text in [*told, *(leaf for fact in facts.values() for leaf in _leaves(fact.value))]:
        allowed.add(claims_of(text))
    allowed.phones |= {re.sub(r"\D", "", phone) for phone in allowed.phones}
    return allowed


def _leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in _leaves(part)]
    if isinstance(value, list):
        return [leaf for part in value for leaf in _leaves(part)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


@dataclass
class Checked:
    """A page of which every sentence passed, and what was found in those that did not."""

    page: PageCopy
    dropped: list[str] = field(default_factory=list)


def checked(page: PageCopy, allowed: Claims, fallback: PageCopy) -> Checked:
    """The page without the sentences that say more than `allowed`; what must not be empty falls back.

    A title, heading or question stands or falls whole; a part whose text is gone goes with it.
    """
    result = Checked(PageCopy(title="", summary=""))

    def kept(text: str) -> str:
        sentences = []
        for sentence in _SENTENCE_END.split(text.strip()):
            beyond = claims_of(sentence).beyond(allowed)
            result.dropped += beyond
            if sentence and not beyond:
                sentences.append(sentence)
        return " ".join(sentences)

    def whole(text: str) -> str:
        beyond = claims_of(text).beyond(allowed)
        result.dropped += beyond
        return "" if beyond else " ".join(text.split())

    sections = [
        Section(heading=whole(section.heading), text=kept(section.text), facts=section.facts)
        for section in page.sections
    ]
    faq = [Question(question=whole(asked.question), answer=kept(asked.answer)) for asked in page.faq]
    result.page = PageCopy(
        title=whole(page.title) or fallback.title,
        summary=kept(page.summary) or fallback.summary,
        sections=[s for s in sections if s.heading and s.text] or fallback.sections,
        faq=[q for q in faq if q.question and q.answer] or fallback.faq,
    )
    return result
