"""Whether a Korean word is made of known ones: nouns with particles or 입니다, verbs in the forms of plain description.

There is no dictionary here and no guessing: a word is either put together from the lists it is given, or it is unknown.
"""

import re
import unicodedata
from collections.abc import Container
from functools import lru_cache

from functions.copy.claims.vocabulary_ko import ADVERBS, NOUNS, STEMS

MASK = "\ue000"  # stands for a name, a number, a time: whatever has been checked and taken out
_FIRST, _FINALS, _RIEUL, _NIEUN, _BIEUP, _SIOT = 0xAC00, 28, 8, 4, 17, 19

_PARTICLES = """
    은 는 이 가 을 를 의 에 에서 에는 에도 에게 께 로 으로 로는 으로는 로도 으로도 와 과 도 까지 까지는
    부터 부터는 이나 나 에서는 에서도 와의 과의 마다 인 으로서 로서 이라는 라는 님 들 들이 들은 들을 들의
    들께 요 이요 에요 이에요 예요 입니다 이며 이고 인가요 이니 이므로 인지 이라고 라고 일까요 이라면 라면 이면 입니까
    이신 이시면
    """.split()  # noqa: SIM905 - words read better as words
_PARTICLE = re.compile("(?:" + "|".join(sorted(_PARTICLES, key=len, reverse=True)) + "){0,3}")
_LONGEST_WORD = 24  # syllables; nobody writes longer ones, and the search stays small


def _with_final(stem: str, final: int) -> str:
    """The stem with a final consonant in place of the one its last syllable has."""
    index = ord(stem[-1]) - _FIRST
    return stem[:-1] + chr(_FIRST + index - index % _FINALS + final)


def _forms(stem: str, infinitive: str) -> set[str]:
    """What a verb looks like in sentences that describe: no past, no negation."""
    final = (ord(stem[-1]) - _FIRST) % _FINALS
    forms = {stem + ending for ending in ("고", "고자", "기", "거나", "도록", "게", "지만", "는데")}
    if final in (0, _RIEUL):
        open_stem = _with_final(stem, 0)
        forms |= {_with_final(stem, _BIEUP) + ending for ending in ("니다", "니까")}
        forms |= {_with_final(stem, _RIEUL) + ending for ending in ("", "까요", "지")}
        forms |= {
            _with_final(stem, _NIEUN),
            _with_final(stem, _NIEUN) + "가요",
            _with_final(stem, _NIEUN) + "지",
        }
        forms |= {stem + ending for ending in ("며", "면", "면서", "려면", "러", "려고")}
        forms |= {open_stem + ending for ending in ("는", "나요", "는지", "는가")}
        polite = open_stem
    else:
        forms |= {
            stem + ending for ending in ("습니다", "습니까", "은", "을", "을까요", "을지", "은지", "은가요")
        }
        forms |= {
            stem + ending for ending in ("으며", "으면", "으면서", "으려면", "으러", "는", "나요", "는지")
        }
        polite = stem + "으"
    honoured = (
        "세요",
        "시면",
        "시는",
        "실",
        "시기",
        "시려면",
        "십시오",
        "실지",
        "십니까",
        "시고",
        "시며",
        "시나요",
        "십니다",
    )
    forms |= {polite + ending for ending in honoured}
    forms |= {infinitive + ending for ending in ("", "요", "서")}
    return forms


def _all_forms() -> frozenset[str]:
    single = {stem: _forms(stem, infinitive) for stem, infinitive in STEMS.items()}
    forms = set().union(*single.values())
    # "찾아오시는", "알아보려면", "안내해 드립니다" written together
    for first in ("찾아", "알아", "물어", "받아", "열어", "팔아", "해", "와", "갖춰", "만나", "둘러", "살펴"):
        for second in ("오", "가", "보", "주", "드리", "두"):
            forms |= {first + form for form in single.get(second, _forms(second, "둬"))}
    return frozenset(forms | {"하여", "되어", "주어", "보아", "내어"})


FORMS = _all_forms()
# Verbs that make one of a noun: 영업하는, 안내드립니다, 포함되어.
_AFTER_NOUN = frozenset().union(
    *(
        _forms(stem, infinitive)
        for stem, infinitive in (("하", "해"), ("되", "돼"), ("드리", "드려"), ("받", "받아"))
    ),
    {"하여", "되어"},
)


def is_known(word: str, carried: Container[str]) -> bool:
    """Whether the word is made of the vocabulary, of `carried` nouns and of masks."""
    if len(word) > _LONGEST_WORD:
        return False
    return word in ADVERBS or word in FORMS or _from(word, 0, 0, carried)


def _from(word: str, start: int, nouns: int, carried: Container[str]) -> bool:
    """Whether what stands from `start` on can end a word that began with so many nouns."""
    rest = word[start:]
    if nouns and (_ends(rest) or rest in _AFTER_NOUN):
        return True
    # A noun grown onto a name makes another name: 서울대, 서울길.
    if nouns == 3 or (nouns and word[start - 1] == MASK):
        return False
    for end in range(len(word), start, -1):
        part = word[start:end]
        # One syllable means too much to be part of a longer word: 분, 수, 곳.
        alone = len(part) > 1 or part == MASK or (start == 0 and _ends(word[end:]))
        if (
            alone
            and (part == MASK or part in NOUNS or part in carried)
            and _from(word, end, nouns + 1, carried)
        ):
            return True
    return False


@lru_cache(2048)
def _ends(rest: str) -> bool:
    return not rest or _PARTICLE.fullmatch(rest) is not None


def roots(word: str) -> set[str]:
    """What a word of a fact may be without its particles, and a verb without its ending; for comparing words of facts."""
    found = {word}
    for particle in _PARTICLES:
        if word.endswith(particle) and len(word) - len(particle) >= 2:
            found.add(word[: -len(particle)])
    return found | verb_roots(word)


_ENDINGS = tuple(
    unicodedata.normalize("NFD", ending)
    for ending in "습니다 는 은 을 고 며 으며 면 으면 어 아 어서 아서 게 기 는데 어요 아요".split()  # noqa: SIM905
) + tuple(
    final + unicodedata.normalize("NFD", rest)
    for final, rest in (("\u11b8", "니다"), ("\u11ab", ""), ("\u11af", ""))
)
_CONTRACTED = re.compile("\u1167(?=$|\u1109\u1165$|\u110b\u116d$)")  # ㅕ at the end, or before 서 and 요
_SHORTEST_ROOT = 4  # letters, two syllables


def verb_roots(word: str) -> set[str]:
    """The word's letters before a verb's ending: 끓입니다, 끓여 and 끓이는 have one in common. Marked as no whole word."""
    letters = _CONTRACTED.sub(
        "\u1175" + unicodedata.normalize("NFD", "어"), unicodedata.normalize("NFD", word)
    )
    return {
        "~" + letters.removesuffix(ending)
        for ending in _ENDINGS
        if letters.endswith(ending) and len(letters) - len(ending) >= _SHORTEST_ROOT
    }
