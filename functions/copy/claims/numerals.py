"""Numbers in digits and in words, with what they count."""

import re
from collections.abc import Iterable

_NATIVE = {
    "한": 1, "하나": 1, "두": 2, "둘": 2, "세": 3, "셋": 3, "네": 4, "넷": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8,
    "아홉": 9, "열": 10, "열한": 11, "열두": 12, "열세": 13, "열네": 14, "열다섯": 15, "스무": 20, "스물": 20, "서른": 30,
    "마흔": 40, "쉰": 50, "예순": 60, "일흔": 70, "여든": 80, "아흔": 90,
}  # fmt: skip
_SINO = {c: n for n, c in enumerate("영일이삼사오육칠팔구")}
_SIZES = {"십": 10, "백": 100, "천": 1_000}
_GROUPS = {"만": 10_000, "억": 100_000_000}
_BELOW_TEN = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
)
_ENGLISH = {word: n for n, word in enumerate(("zero", *_BELOW_TEN, "ten", *_TEENS, "twenty"))} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_VAGUE = (
    "dozens?|hundreds?|thousands?|millions?|billions?|half|double|twice|triple|once|couple|several|many|numerous|countless|decades?|"
    "century|centuries|most|plenty|lots|various|variety"
)

_COUNTERS = (
    "가지|종류|종|개월|개|명|분|그릇|잔|병|판|접시|인분|석|자리|테이블|평|층|대째|대|년째|년간|년|주년|개년|세대|달|주|일간|일|시간|초|번째|번|회|"
    "곳|군데|호점|위|등|배|퍼센트|프로|%|킬로|미터|km|m|세|살|차례|품목|메뉴|만|여"
)
_SINO_DIGITS = r"[일이삼사오육칠팔구십백천만억](?:\s?[일이삼사오육칠팔구십백천만억])*"


def _any(words: Iterable[str]) -> str:
    """The words as alternatives, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


# For text in lower case.
COUNTED = re.compile(
    rf"(?P<digits>\d+(?:,\d{{3}})+|\d+(?:\.\d+)?)\s?(?P<unit>(?:{_COUNTERS})|[a-z]+(?: items?\b)?)?|"
    rf"(?<![가-힣])(?P<native>(?:{_any(_NATIVE)})(?:여|댓)?|수십|수백|수천|수만|몇십|몇백|여러|온갖|갖가지)\s?"
    rf"(?P<counter>{_COUNTERS})|"
    rf"(?<![가-힣])(?P<sino>{_SINO_DIGITS})\s?"
    r"(?P<sino_unit>년|층|명|퍼센트|프로|주년|대째|개월|시간|그릇|평|석|호점|위|세대|번|회|가지|미터)|"
    rf"\b(?P<english>(?:{_any(_ENGLISH)})(?:[ -](?:{_any(_BELOW_TEN)}))?)\b(?: (?P<english_unit>[a-z]+))?|"
    rf"\b(?P<vague>{_VAGUE})\b|\b(?P<ordinal>\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth)\b",
)


def sino_value(text: str) -> int:
    """만 이천 as 12000."""
    total = group = digit = 0
    for character in text.replace(" ", ""):
        if character in _SINO:
            digit = _SINO[character]
        elif character in _SIZES:
            group += (digit or 1) * _SIZES[character]
            digit = 0
        else:
            total += (group + digit or 1) * _GROUPS[character]
            group = digit = 0
    return total + group + digit


def value_of(match: re.Match[str]) -> float | None:
    """The number a match of COUNTED says; None where the word is vague."""
    if match["digits"]:
        return float(match["digits"].replace(",", ""))
    if match["native"]:
        return _NATIVE.get(match["native"])
    if match["sino"]:
        return sino_value(match["sino"])
    if match["english"]:
        return sum(_ENGLISH[word] for word in re.split("[ -]", match["english"].lower()))
    return None


def unit_of(match: re.Match[str]) -> str:
    """What a match of COUNTED counts, in lower case; empty when nothing follows."""
    found = (
        match["unit"]
        or match["counter"]
        or match["sino_unit"]
        or match["english_unit"]
        or match["vague"]
        or match["ordinal"]
    )
    return (found or "").lower()
