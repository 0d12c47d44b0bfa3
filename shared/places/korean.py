"""Korean particles (조사) that follow from how a word ends when it is read aloud.

Which of 은/는, 이/가, 을/를, 과/와, 으로/로 stands after a word depends on whether its last syllable closes
with a consonant, and for 으로/로 on whether that consonant is ㄹ. Names of places end in more than Hangul: in
digits ("스튜디오 51"), Latin letters ("카페 ON"), brackets ("봄날(본점)"), signs ("100%"). Where the reading
cannot be known ("Shop"), both forms are written in the way Korean print does: "Shop은(는)", "Shop(으)로".
"""

import re
import unicodedata
from typing import Literal

Ending = Literal["open", "rieul", "closed", "unknown"]

_FIRST_SYLLABLE, _LAST_SYLLABLE = 0xAC00, 0xD7A3
_FINALS = 28  # final consonants of a Hangul syllable block, "none" included
_RIEUL = 8  # ㄹ among them

# 영 일 이 삼 사 오 육 칠 팔 구
_DIGITS: dict[str, Ending] = {
    "0": "closed",
    "1": "rieul",
    "2": "open",
    "3": "closed",
    "4": "open",
    "5": "open",
    "6": "closed",
    "7": "rieul",
    "8": "rieul",
    "9": "open",
}
# A number that ends in zeros is read by its unit: 십 백 천 만, then 억 at 8 zeros, 조 at 12, 경 at 16.
_GROUPS: dict[int, Ending] = {1: "closed", 2: "closed", 3: "open", 4: "closed"}
# Letters read by name: 엘 엠 엔 알; all others end open (에이, 비, 씨, …).
_LETTERS: dict[str, Ending] = {"L": "rieul", "M": "closed", "N": "closed", "R": "rieul"}
_SIGNS: dict[str, Ending] = {"%": "open", "℃": "open", "°": "open", "+": "open", "㎏": "closed", "㎡": "open"}

_BRACKETS = ("()", "[]", "<>", "{}", "（）", "〈〉", "【】")
_BRACKETED = re.compile(
    r"\s*(?:" + "|".join(rf"\{b[0]}[^\{b[0]}\{b[1]}]*\{b[1]}" for b in _BRACKETS) + r")\s*$"
)
_NUMBER = re.compile(r"\d+(?:,\d{3})*$")
_WORD = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ]+$")

_REVERSED = {
    "는/은": "은/는",
    "가/이": "이/가",
    "를/을": "을/를",
    "와/과": "과/와",
    "로/으로": "으로/로",
}


def josa(word: str, pair: str) -> str:
    """`word` with the fitting particle of `pair` attached: `josa("봄날", "은/는")` is "봄날은".

    `pair` names the form after a consonant first ("은/는", "이/가", "을/를", "과/와", "으로/로",
    "이라는/라는"); the five common ones are understood the other way round too. A trailing bracket is kept
    but not read: the particle follows what stands before it. Raises ValueError when `pair` is not two forms
    with one slash between.
    """
    return word + particle(word, pair)


def particle(word: str, pair: str) -> str:
    """The particle alone; see `josa`."""
    after_closed, slash, after_open = _REVERSED.get(pair, pair).partition("/")
    if not slash or not after_closed or not after_open or "/" in after_open:
        raise ValueError(f"a pair of particles is two forms with one slash between, not {pair!r}")
    match ending(word):
        case "open":
            return after_open
        case "rieul":
            return after_open if after_closed.startswith("으로") else after_closed
        case "closed":
            return after_closed
        case _ if after_closed.endswith(after_open):
            return f"({after_closed.removesuffix(after_open)}){after_open}"
        case _:
            return f"{after_closed}({after_open})"


def ending(word: str) -> Ending:
    """How `word` ends when read aloud: in a vowel, in ㄹ, in another consonant, or not to be known."""
    text = _spoken_part(unicodedata.normalize("NFC", word))
    if not text:
        return "unknown"
    last = text[-1]
    if _FIRST_SYLLABLE <= ord(last) <= _LAST_SYLLABLE:
        return _of_final((ord(last) - _FIRST_SYLLABLE) % _FINALS)
    if "ぁ" <= last <= "ヿ":
        return "closed" if last in "んン" else "open"
    if number := _NUMBER.search(text):
        return _of_number(number.group().replace(",", ""), after_point=text[: number.start()].endswith("."))
    if latin := _WORD.search(text):
        return _of_latin(latin.group())
    return _SIGNS.get(last, "unknown")


def _spoken_part(text: str) -> str:
    """`text` without trailing brackets, quotes and punctuation, unless nothing would be left."""
    rest = text.rstrip()
    while rest:
        unbracketed = _BRACKETED.sub("", rest)
        if unbracketed != rest:
            rest = unbracketed
        elif rest[-1].isalnum() or rest[-1] in _SIGNS:
            return rest
        else:
            rest = rest[:-1].rstrip()
    return "".join(c for c in text if c.isalnum())


def _of_final(final: int) -> Ending:
    if final == 0:
        return "open"
    return "rieul" if final == _RIEUL else "closed"


def _of_number(digits: str, *, after_point: bool) -> Ending:
    stripped = digits.rstrip("0")
    zeros = len(digits) - len(stripped)
    # A number with a leading zero (a telephone number) and one after a point are read digit by digit.
    if zeros == 0 or not stripped or after_point or digits.startswith("0"):
        return _DIGITS[digits[-1]]
    if zeros < 4:
        return "closed"
    return _GROUPS.get(zeros // 4, "unknown")


def _of_latin(word: str) -> Ending:
    plain = unicodedata.normalize("NFD", word)
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    if plain.isupper() and (len(plain) <= 3 or not re.search("[AEIOUY]", plain)):
        return _LETTERS.get(plain[-1], "open")  # an abbreviation is read letter by letter
    plain = plain.lower()
    if re.search(r"(?:[^aeiou]le|[aeiou]le|l)$", plain):
        return "rieul"  # table 테이블, smile 스마일, hotel 호텔
    if re.search(r"(?:m|n|ng|[aeiou][mn]e)$", plain) and plain not in _SPELT_OUT:
        return "closed"  # room 룸, garden 가든, king 킹, time 타임
    if re.search(r"(?:[aiouy]|ee|ay|ey|oe|r|s|x|z|f|v|ch|sh|th|[^aeiou][bdgkt])$", plain):
        return "open"  # pizza 피자, coffee 커피, bar 바, house's 스, park 파크
    return "unknown"  # e alone and single stops go both ways: cafe 카페, grade 그레이드; shop 숍, food 푸드


_SPELT_OUT = frozenset({"acme", "anime", "sesame"})  # their last e is spoken
