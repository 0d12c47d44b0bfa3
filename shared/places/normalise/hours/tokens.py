"""Opening hours cut into tokens; a word that is not understood makes the whole text unreadable."""

import re
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from shared.places.normalise.hours.clock import TIME, interval, read_time
from shared.places.normalise.hours.days import DAY_SET, read_days


class Kind(Enum):
    """What a token is."""

    DAYS = auto()  # value: DaySet
    SPAN = auto()  # value: Interval
    TIME = auto()  # value: Time
    ALL_DAY = auto()  # "24시간"
    CLOSED = auto()  # "휴무"
    NEVER_CLOSED = auto()  # "연중무휴"
    OPEN = auto()  # "정상영업"
    BREAK = auto()  # "브레이크타임"
    LUNCH_BREAK = auto()  # "점심시간": a clinic's break, a restaurant's best hour
    LUNCH = auto()  # "점심", before the first of two intervals
    DINNER = auto()  # "저녁", before the second
    LAST_ORDER = auto()
    BEFORE_CLOSE = auto()  # "30분 전"; value: minutes
    NTH = auto()  # "둘째·넷째 주"; value: tuple of 1..5
    NONE = auto()  # "없음"
    LINE = auto()  # a line, bullet or slash that sets statements apart


@dataclass(frozen=True)
class Token:
    """One piece of the text that means something."""

    kind: Kind
    value: Any = None
    apart: bool = False  # a comma, colon, full stop or bracket stands between it and the token before
    opened: bool = False  # a bracket opens before it
    closed: bool = False  # and one closes after it
    english: bool = False


_WORD_END = r"(?![A-Za-z가-힣])"
_I = re.IGNORECASE
_BEFORE_SPAN = r"(?=\s*:?\s*(?:\d|오전|오후|낮|저녁|am\b|pm\b))"

_RANGE_SIGN = re.compile(r"\s*(?:~|-|–|부터|에서|to|until|till)\s*", _I)
_UP_TO = re.compile(r"\s*까지")
_FROM = re.compile(r"(?:오픈|open(?:s|ing)?|from|between)\s*:?\s*(?:at\s+)?(?=\d|오전|오후|noon)", _I)
_CLOSING = re.compile(
    r"\s*[,/]?\s*(?:마감|클로즈|close[sd]?|closing)\s*:?\s*(?:at\s+)?(?=\d|오전|오후|밤|익일|midnight)", _I
)

_ORDINALS = {
    "첫": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "넷": 4, "네": 4, "다섯": 5,
    "1": 1, "2": 2, "3": 3, "4": 4, "5": 5,
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5,
}  # fmt: skip
_ORDINAL_KO = r"(?:(?:첫|둘|두|셋|세|넷|네|다섯)\s*(?:번째|째)(?:\s*주)?|[1-5]\s*(?:번째|째)?(?:\s*주차?)?)"
_JOIN = r"\s*(?:,|·|/|&|및|와|과|and)?\s*"
_NTH_KO = re.compile(
    rf"(?:매월|매달|월)?\s*(?P<list>(?:{_ORDINAL_KO}{_JOIN}){{0,4}}"
    r"(?:(?:첫|둘|두|셋|세|넷|네|다섯)\s*(?:번째|째)(?:\s*주)?|[1-5]\s*(?:번째|째)(?:\s*주)?|[1-5]\s*주차?))(?=[^가-힣]|[월화수목금토일])"
)
_NTH_EN = re.compile(
    r"(?:every|each|the|on)?\s*(?P<list>(?:(?:first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th)(?:\s*(?:,|&|and)\s*)?)+)\b"
    r"(?=\s+(?:mon|tue|wed|thu|fri|sat|sun))",
    _I,
)
_ORDINAL_WORD = re.compile(
    r"첫|둘|두|셋|세|넷|네|다섯|1st|2nd|3rd|4th|5th|first|second|third|fourth|fifth|[1-5]", _I
)

_BEFORE_CLOSE = re.compile(r"(?:영업\s*)?(?:마감|종료)?\s*(?:(\d)\s*시간|(\d{1,3})\s*분)\s*전", _I)

_WORDS: list[tuple[Kind, re.Pattern[str]]] = [
    (
        Kind.NEVER_CLOSED,
        re.compile(
            r"연중\s*무휴|(?:정기\s*)?휴(?:무일?|일)\s*[:：]?\s*(?:없음|없습니다|무)"
            + _WORD_END
            + r"|open\s+(?:all\s+year(?:\s+round)?|365\s+days(?:\s+a\s+year)?)|365\s*일\s*(?:연중\s*무휴|영업|운영|오픈)?",
            _I,
        ),
    ),
    (
        Kind.ALL_DAY,
        re.compile(
            r"24\s*시간|(?:open\s+)?24\s*(?:hours?|hrs?)(?:\s+a\s+day)?\b|(?:open\s+)?24/7|around\s+the\s+clock",
            _I,
        ),
    ),
    (
        Kind.BREAK,
        re.compile(
            r"브레이크\s*(?:타임|시간)?|(?:재료\s*)?준비\s*시간|휴게\s*시간|휴식\s*시간|break(?:\s*-?\s*time)?\b|"
            r"lunch\s*break\b|B\.?\s*T\b\.?",
            _I,
        ),
    ),
    (Kind.LUNCH_BREAK, re.compile(r"점심\s*시간|lunch\s*time\b", _I)),
    (Kind.LUNCH, re.compile(r"(?:점심|런치|중식|lunch)(?:\s*영업)?" + _BEFORE_SPAN, _I)),
    (Kind.DINNER, re.compile(r"(?:디너|석식|dinner)(?:\s*영업)?" + _BEFORE_SPAN, _I)),
    (Kind.DINNER, re.compile(r"저녁(?:\s*영업)?(?=\s*:?\s*(?:1[6-9]|2[0-3])\s*[:시])")),
    (
        Kind.LAST_ORDER,
        re.compile(
            r"라스트\s*오더|마지막\s*주문|주문\s*마감|last\s*orders?\b|L\s*[./]\s*O\b\.?|\bLO\b",
            _I,
        ),
    ),
    (
        Kind.CLOSED,
        re.compile(
            r"정기\s*휴(?:무일?|일|진)|휴무일?(?:\s*입니다)?|휴관일?|휴진일?|휴업|쉽니다|쉬어요|쉬는\s*날|쉼|"
            r"(?:we\s*(?:are|'re|’re)\s+)?\bclosed\b(?:\s+(?:all\s+day|every))?|closing\s+days?",
            _I,
        ),
    ),
    (Kind.OPEN, re.compile(r"정상\s*(?:영업|운영|진료)(?:\s*합니다)?|동일(?=\s*(?:$|[)\n]))", _I)),
    (Kind.NONE, re.compile(r"없음|없습니다|\bnone\b", _I)),
]

_APART = re.compile(r"[,.:(\[{<]")
_LINE = re.compile(r"[\n\r;|/•※▶■●★]+|(?<=\s)[*ㆍ](?=\s)")
_FILLER = re.compile(
    r"[\s,.:：()\[\]{}·&+!\"'<>【】「」\-]+"
    r"|(?:영업|운영|이용|진료|오픈|업무|관람|매장)?\s*시간" + _WORD_END
    + r"|(?:영업|운영|진료)\s*(?:일|합니다)?" + _WORD_END
    + r"|매주(?=[\s월화수목금토일])|매월(?=\s)|(?:및|과|와|은|는|에는|까지|이며|이고|입니다)" + _WORD_END
    + r"|(?:opening|business|operating|working|store)?\s*hours\b|opening\s+times?\b|\bopen(?:ing)?\b|\bfrom\b|\band\b|\bon\b"
    r"|\bthe\b|\bevery\b|\bat\b|\bwe\s*(?:are|'re|’re)\b|\bis\b|\bevery\s+week\b|\bregular(?:ly)?\b|OPEN",
    _I,
)  # fmt: skip


def tokens(text: str) -> list[Token] | None:
    """The tokens of `text` (NFKC), or None when some word of it is not understood."""
    found: list[Token] = []
    position = end = 0
    while position < len(text):
        step = _next(text, position)
        if step is None:
            return None
        token, after = step
        if token is not None:
            between = text[end:position]
            found.append(
                replace(
                    token,
                    apart=_APART.search(between) is not None,
                    opened="(" in between or "[" in between,
                    closed=text[after:].lstrip().startswith((")", "]")),
                    english=text[position:after].isascii(),
                )
            )
            end = after
        position = after
    return found


def _next(text: str, position: int) -> tuple[Token | None, int] | None:
    for kind, pattern in _WORDS:
        match = pattern.match(text, position)
        if match:
            return Token(kind), match.end()
    for pattern in (_NTH_KO, _NTH_EN):
        match = pattern.match(text, position)
        if match:
            numbers = {_ORDINALS[word.lower()] for word in _ORDINAL_WORD.findall(match["list"])}
            return Token(Kind.NTH, tuple(sorted(numbers))), match.end()
    match = DAY_SET.match(text, position)
    if match:
        return Token(Kind.DAYS, read_days(match)), match.end()
    match = _BEFORE_CLOSE.match(text, position)
    if match:
        minutes = int(match[1]) * 60 if match[1] else int(match[2])
        return Token(Kind.BEFORE_CLOSE, minutes), match.end()
    timed = _time_or_span(text, position)
    if timed is not None:
        return timed
    match = _LINE.match(text, position)
    if match:
        return Token(Kind.LINE), match.end()
    match = _FILLER.match(text, position)
    if match:
        newline = "\n" in match.group()
        return (Token(Kind.LINE) if newline else None), match.end()
    return None


def _time_or_span(text: str, position: int) -> tuple[Token, int] | None:
    opening = _FROM.match(text, position)
    start = opening.end() if opening else position
    first = TIME.match(text, start)
    if first is None:
        return None
    opens = read_time(first)
    if opens is None:
        return None
    sign = _RANGE_SIGN.match(text, first.end()) or (_CLOSING.match(text, first.end()) if opening else None)
    second = TIME.match(text, sign.end()) if sign else None
    closes = read_time(second) if second else None
    if second is None or closes is None:
        return (Token(Kind.TIME, opens), first.end()) if not opening else None
    span = interval(opens, closes)
    if span is None:
        return None
    end = second.end()
    up_to = _UP_TO.match(text, end)
    return Token(Kind.SPAN, span), up_to.end() if up_to else end
