"""Takes out of a sentence what can be compared as a value, and leaves one sign in its place.

What remains are words. The values come back in the order in which they stand.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal

from functions.copy.claims.carried import Carried, Phrase
from functions.copy.claims.korean_forms import MASK
from functions.copy.claims.numerals import COUNTED, sino_value, unit_of, value_of
from shared.places.models import DAYS, Day
from shared.prose.texts import lowered

_PHONE = re.compile(r"(?<![\d,])\+?\d[\d\-\s().]{5,}\d(?![,\d]|\s?[원만])")
_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d\s?[-./]\s?\d{1,2}(?:\s?[-./]\s?\d{1,2})?(?!\d)")
_CLOCK = re.compile(
    r"(?:(?P<part>오전|오후|낮|밤|저녁|새벽|아침|점심)\s*)?(?<![\d:.,])"
    r"(?:(?P<h>\d{1,2}):(?P<m>\d{2})(?!\d)|(?P<hk>\d{1,2})\s?시(?!간)\s*(?:(?P<mk>\d{1,2})\s?분|(?P<half>반))?|(?P<hn>\d{1,2})(?=\s?[ap]\.?m\b))"
    r"(?:\s?(?P<ap>[ap])\.?m\b\.?)?|(?P<word>정오|자정|\bnoon\b|\bmidnight\b|\bmidday\b)",
)
_FROM_ENGLISH = re.compile(
    r"(?<![\d:.,])(\d{1,2})(?=\s?(?:-|–|~|to|and)\s?\d{1,2}\s?(?::\d\d)?\s?[ap]\.?m\b)", re.IGNORECASE
)
_WON = re.compile(
    r"(?:₩|￦|krw|\\)\s?(?P<sign>\d[\d,]*)(?:\s?(?:원|won\b|krw\b))?|"
    r"(?P<plain>\d[\d,]*)(?=\s?(?:[~–-]|에서|부터)\s?₩?\d[\d,]*\s?(?:원|won\b|krw\b))|(?P<unit>\d[\d,]*)\s?(?:원|won\b|krw\b)|"
    r"(?:(?P<man>\d+(?:\.\d)?)\s?만\s?)?(?:(?P<chun>\d+)\s?천\s?)?(?:(?P<baek>\d)\s?백\s?)?원|"
    r"(?<![가-힣])(?P<sino>[일이삼사오육칠팔구십백천만억](?:\s?[일이삼사오육칠팔구십백천만억])*)\s?원(?![가-힣]*장)|"
    r"(?P<foreign>[$€£¥]\s?\d[\d,.]*|\d[\d,.]*\s?(?:달러|엔|유로|위안|dollars?|euros?|usd|yen|yuan)\b)",
)
_D = "월화수목금토일"
_EN_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?\b\.?"
_TO_KO, _TO_EN = r"\s?(?:요일)?\s?(?:부터|에서|~|-|–)\s?", r"\s?(?:to|through|thru|until|till|~|-|–)\s?"
_ALL_DAYS = (
    r"매일|every ?day(?! of)|daily|seven days(?: a week)?|7 days(?: a week)?|each day|일주일 내내|365일"
)
_DAY = re.compile(
    rf"(?P<except_ko>[{_D}]요일(?:(?:과|와|·|,|\s)*[{_D}]요일)*)(?:을|를)?\s?(?:제외(?:하고|한)|빼고)"
    r"\s?(?:는\s?)?(?:매일|모든 요일에?)?|"
    rf"(?P<except_en>(?:every ?day|daily|all week)(?: except| but)(?: on| for)? (?:{_EN_DAY}(?:,? and |, ?| & )?)+)|"
    rf"(?P<range_ko>[{_D}]{_TO_KO}[{_D}](?:요일)?(?=까지|[^가-힣]|$|은|는|에|\s))|(?P<range_en>{_EN_DAY}{_TO_EN}{_EN_DAY})|"
    rf"(?P<list_ko>[{_D}](?<![가-힣].)(?:\s?[·,/]\s?[{_D}])+(?:요일)?|[{_D}]요일|"
    rf"[{_D}](?<![가-힣].)(?=\s?(?:{MASK}|휴무|\d)))|(?P<one_en>{_EN_DAY})|"
    rf"(?P<all>{_ALL_DAYS})|(?P<year>연중\s?무휴|쉬는 날 없|휴무\s?없|all year|year-?round|365 days)|"
    r"(?P<weekday>평일|weekdays?\b)|(?P<weekend>주말|weekends?\b)|"
    r"(?P<holiday>(?:법정\s?)?공휴일|명절|설날|추석|(?:public |national )?holidays?\b)|"
    r"(?P<nth>(?:매월|매달)?\s?(?:첫|둘|셋|넷|다섯)째(?:\s?주)?(?:\s?[·,와과]\s?(?:첫|둘|셋|넷|다섯)째(?:\s?주)?)*|"
    r"(?:every |the )?(?:first|second|third|fourth|fifth|last)\b"
    r"(?:(?:,| and|, and| &)? ?(?:first|second|third|fourth|fifth)\b)*"
    rf"(?=\s?(?:{_EN_DAY})))",
)
_LATIN = re.compile("[a-z0-9]")
_COUNTABLE = re.compile("[0-9원엔]|정오|자정|noon|midday|midnight|달러|유로|위안|dollar|euro|usd|yen|yuan")
_HANGUL = re.compile("[가-힣]")
_PARTS_OF_DAYS = (
    "day",
    "daily",
    "week",
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "sun",
    "year",
)  # the English ones
_FIRST_SIGN = 0xE100  # of the private characters, which no text holds after `shown`
_NTH = {
    "첫": 1,
    "둘": 2,
    "셋": 3,
    "넷": 4,
    "다섯": 5,
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
}


@dataclass(frozen=True)
class Value:
    """Something comparable that a sentence says, and where it stood in the masked text."""

    kind: Literal["phrase", "phone", "clock", "price", "number", "days", "all_year", "holiday", "nth"]
    span: str
    item: int | None = None
    is_place: bool = False
    clock: str | None = None  # HH:MM
    amount: float | None = None
    unit: str = ""
    days: frozenset[Day] = frozenset()
    excepted: frozenset[Day] = frozenset()
    nth: tuple[int, ...] = ()


@dataclass
class Masked:
    """`text` has one MASK for every value, in order; `whole` is the sentence itself."""

    text: str
    values: list[Value]
    whole: str


def masked(text: str, carried: Carried) -> Masked:
    """The sentence with what can be compared taken out. `text` is folded."""
    rest = _Rest(text)
    small = text.casefold()
    found = {phrase.text: phrase for phrase in carried.phrases if phrase.folded in small}
    for word in sorted(found, key=len, reverse=True):
        rest.take(_bounded(word), partial(_phrase, phrase=found[word]))
    if _COUNTABLE.search(rest.small):
        part_before = [""]
        rest.take(_DATE, lambda m, span: Value("number", span, unit="date"))
        rest.take(_PHONE, _phone)
        rest.take(
            _FROM_ENGLISH, lambda m, span: Value("clock", span, clock=_clock_text(int(m.group()), 0, ""))
        )
        rest.take(_CLOCK, partial(_clock, part_before=part_before))
        rest.take(_WON, _price)
    if _HANGUL.search(rest.small) or any(part in rest.small for part in _PARTS_OF_DAYS):
        rest.take(_DAY, _days)
    rest.take(COUNTED, _number)
    values = [rest.taken[c] for c in rest.text if c in rest.taken]
    return Masked("".join(MASK if c in rest.taken else c for c in rest.text), values, text)


@lru_cache(256)
def prices_in(text: str) -> tuple[int, ...]:
    """The prices of a text in won, in order."""
    matches = (_price(match, match.group()) for match in _WON.finditer(lowered(text)))
    return tuple(round(value.amount) for value in matches if value is not None and value.amount is not None)


class _Rest:
    """What is left of a sentence, and the same in lower case; a sign of its own for everything taken out."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.small = lowered(text)
        self.taken: dict[str, Value] = {}

    def take(self, pattern: re.Pattern[str], make: Callable[[re.Match[str], str], Value | None]) -> None:
        """Replace every match of which `make` makes a value; matching is done in lower case."""
        text, small, end = [], [], 0
        for match in pattern.finditer(self.small):
            span = self.text[match.start() : match.end()].strip()
            value = make(match, span)
            if value is None:
                continue
            sign = chr(_FIRST_SIGN + len(self.taken))
            self.taken[sign] = value
            text += [self.text[end : match.start()], sign]
            small += [self.small[end : match.start()], sign]
            end = match.end()
        if end:
            self.text = "".join([*text, self.text[end:]])
            self.small = "".join([*small, self.small[end:]])


_CHECK_IN = re.compile(
    rf"(?:(?P<into>체크\s?인|\bcheck-?\s?in\b)|체크\s?아웃|\bcheck-?\s?out\b)[^{MASK}]{{0,25}}{MASK}",
)


def without_check_in(said: Masked, times: frozenset[tuple[str, str]]) -> Masked:
    """The same without the times of arrival and leaving that the owner gave; they are no opening hours."""
    if not times:
        return said
    known = set()
    for match in _CHECK_IN.finditer(said.text.lower()):
        index = said.text.count(MASK, 0, match.end()) - 1
        if ("check_in" if match["into"] else "check_out", said.values[index].clock) in times:
            known.add(index)
    values = [Value("phrase", v.span) if index in known else v for index, v in enumerate(said.values)]
    return Masked(said.text, values, said.whole)


def _phrase(match: re.Match[str], span: str, *, phrase: Phrase) -> Value:
    return Value("phrase", span, item=phrase.item, is_place=phrase.kind == "place")


@lru_cache(4096)
def _bounded(word: str) -> re.Pattern[str]:
    before = "(?<![a-z0-9])" if _LATIN.match(word[0].lower()) else ""
    after = "(?![a-z0-9])" if _LATIN.match(word[-1].lower()) else ""
    return re.compile(before + re.escape(lowered(word)) + after)


def _phone(match: re.Match[str], span: str) -> Value | None:
    digits = re.sub(r"\D", "", match.group())
    return Value("phone", span, unit=digits) if len(digits) >= 7 else None


def _clock(match: re.Match[str], span: str, *, part_before: list[str]) -> Value | None:
    word = (match["word"] or "").lower()
    if word:
        return Value("clock", span, clock="12:00" if word in ("정오", "noon", "midday") else "00:00")
    hour = int(match["h"] or match["hk"] or match["hn"])
    minute = 30 if match["half"] else int(match["m"] or match["mk"] or 0)
    if hour > 24 or minute > 59:
        return None
    part = (match["ap"] or match["part"] or "").lower()
    if not part and part_before[0] in ("오후", "저녁", "밤", "p") and match["hk"]:
        part = part_before[0]  # 오후 3시부터 5시까지: both are of the afternoon
    part_before[0] = part
    return Value("clock", span, clock=_clock_text(hour, minute, part))


def _clock_text(hour: int, minute: int, part: str) -> str:
    if part in ("오후", "저녁", "밤", "p", "낮") and hour < 12 and not (part == "밤" and hour < 5):
        hour += 12
    if part in ("오전", "새벽", "a") and hour == 12:
        hour = 0
    return f"{hour % 24:02}:{minute:02}"


def _price(match: re.Match[str], span: str) -> Value | None:
    digits = match["sign"] or match["plain"] or match["unit"]
    if digits:
        return Value("price", span, amount=int(digits.replace(",", "")))
    if match["foreign"]:
        return Value("price", span, amount=-1)
    if match["sino"]:
        return Value("price", span, amount=sino_value(match["sino"]))
    parts = (match["man"], match["chun"], match["baek"])
    if not any(parts):
        return None
    total = sum(float(part or 0) * size for part, size in zip(parts, (10_000, 1_000, 100), strict=True))
    return Value("price", span, amount=total)


def _number(match: re.Match[str], span: str) -> Value | None:
    return Value("number", span, amount=value_of(match), unit=unit_of(match))


def _named_days(text: str) -> list[Day]:
    lowered = text.lower()
    korean = [DAYS[_D.index(c)] for c in re.sub("요일", "", lowered) if c in _D]
    return korean or [m.group()[:3] for m in re.finditer(_EN_DAY, lowered)]  # type: ignore[misc]


def _days(match: re.Match[str], span: str) -> Value | None:
    text = match.group()
    if text[0].isascii() and match.start() and match.string[match.start() - 1].isalpha():
        return None  # the end of another word; a \\b before each name would cost more than all the rest
    if match["range_ko"] or match["range_en"]:
        named = _named_days(text)
        first, last = DAYS.index(named[0]), DAYS.index(named[-1])
        count = (last - first) % 7 + 1
        return Value("days", span, days=frozenset(DAYS[(first + n) % 7] for n in range(count)))
    if match["except_ko"] or match["except_en"]:
        off = frozenset(_named_days(match["except_ko"] or match["except_en"].lower().partition("day")[2]))
        return Value("days", span, days=frozenset(DAYS) - off, excepted=off)
    if match["list_ko"] or match["one_en"]:
        return Value("days", span, days=frozenset(_named_days(text)))
    if match["year"]:
        return Value("all_year", span, days=frozenset(DAYS))
    if match["all"]:
        return Value("days", span, days=frozenset(DAYS))
    if match["weekday"]:
        return Value("days", span, days=frozenset(DAYS[:5]))
    if match["weekend"]:
        return Value("days", span, days=frozenset(DAYS[5:]))
    if match["holiday"]:
        return Value("holiday", span)
    named_nth = tuple(number for word, number in _NTH.items() if re.search(word, text.lower()))
    return Value("nth", span, nth=named_nth)
