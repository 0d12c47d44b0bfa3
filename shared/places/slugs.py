"""A place's name as the ASCII path of its page.

Hangul follows the Revised Romanization of Korean as it is spoken (독립문: dongnimmun), not letter by letter; every
other script goes through anyascii.
"""

import re

from anyascii import anyascii

SLUG_LENGTH = 80  # as the CHECK on sites.slug has it

_INITIALS = [
    "g",
    "kk",
    "n",
    "d",
    "tt",
    "r",
    "m",
    "b",
    "pp",
    "s",
    "ss",
    "",
    "j",
    "jj",
    "ch",
    "k",
    "t",
    "p",
    "h",
]
_VOWELS = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i".split()  # noqa: SIM905 - read as a row
# A final consonant at a word's end or before a consonant it does not change with; `-` is silent.
_FINALS = "- k k k n n n t l k m l l l p l m p p t t ng t t k t p -".replace("-", "").split(" ")
# The same before a vowel, where it is spoken as the next syllable's first sound; a double one goes over whole.
_LINKED = "- g kk ks n nj n d r lg lm lb ls lt lp r m b ps s ss ng j ch k t p -".replace("-", "").split(" ")
_NASAL = {"k": "ng", "t": "n", "p": "m"}
_HANGUL = range(0xAC00, 0xD7A4)


def slug(name: str) -> str:
    """The name as lower-case ASCII words joined by hyphens; `place` when nothing of it can be read.

    At most `SLUG_LENGTH` characters, cut at a word where one ends in reach.
    """
    words = re.findall(r"[a-z0-9]+", romanise(name).lower().replace("'", ""))
    text = "-".join(words)
    if len(text) > SLUG_LENGTH:
        cut = text[: SLUG_LENGTH + 1].rpartition("-")[0]
        text = cut if len(cut) > SLUG_LENGTH // 2 else text[:SLUG_LENGTH]
    return text.strip("-") or "place"


def romanise(text: str) -> str:
    """The text in ASCII letters: Korean by its sound, other scripts by anyascii."""
    return "".join(
        _romanise_run(run) if ord(run[0]) in _HANGUL else anyascii(run)
        for run in re.findall(r"[가-힣]+|[^가-힣]+", text)
    )


def _romanise_run(run: str) -> str:
    syllables = [_split(character) for character in run]
    spoken: list[str] = []
    following: list[tuple[int, int, int] | None] = [*syllables[1:], None]
    carried: str | None = None  # the sound that the final before hands to this syllable's beginning
    for (initial, vowel, final), after in zip(syllables, following, strict=True):
        spoken.append(_INITIALS[initial] if carried is None else carried)
        spoken.append(_VOWELS[vowel])
        ending, carried = _between(final, None if after is None else after[0])
        spoken.append(ending)
    return "".join(spoken)


def _split(character: str) -> tuple[int, int, int]:
    index = ord(character) - _HANGUL.start
    return index // 588, index % 588 // 28, index % 28


def _between(final: int, initial: int | None) -> tuple[str, str | None]:
    """How a final is spoken before the next syllable, and how that one then begins if not as written."""
    ending = _FINALS[final]
    if initial is None or not ending:
        return ending, None
    match _INITIALS[initial]:
        case "":
            return ("ng", "") if ending == "ng" else ("", _LINKED[final])
        case "n" | "r" as sound if f"{ending}{sound}" in ("ln", "lr", "nr"):
            return "l", "l"
        case "r":
            return _NASAL.get(ending, ending), "n"
        case "n" | "m":
            return _NASAL.get(ending, ending), None
        case _:
            return ending, None
