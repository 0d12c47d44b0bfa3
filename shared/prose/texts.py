"""Text as it is stored and as it is compared: no invisible characters, no look-alikes of letters and digits."""

import re
import unicodedata

# Characters without a shape of their own that are letters to Unicode: Hangul fillers.
_FILLERS = "\u115f\u1160\u3164\uffa0"
_GONE = frozenset(["Cc", "Cf", "Co", "Cn", "Cs", "Mn", "Me"])

# After a full stop, unless what follows goes on in lower case ("11 a.m. to 9 p.m."); after a Korean sentence in any case,
# also where the space is missing.
_SENTENCE_END = re.compile(
    r"(?<=[.!?。])[\"'”’」』)]?\s+(?![a-z])|(?<=[가-힣][.!?])\s*(?=[가-힣a-zA-Z<])|\n+"
)
_ORDINARY = re.compile("[ -~가-힣·–—‘’“”₩…À-ÖØ-öø-ÿ]*")


def shown(text: str) -> str:
    """The text without what a reader cannot see: controls, bidi marks, zero-width characters, stacked accents."""
    if _ORDINARY.fullmatch(text):
        return " ".join(text.split())
    composed = unicodedata.normalize("NFC", text)
    kept = []
    for character in composed:
        if character in "\n\t":
            kept.append(character)
        elif unicodedata.category(character) in ("Zl", "Zp"):
            kept.append("\n")
        elif unicodedata.category(character) not in _GONE and character not in _FILLERS:
            kept.append(character)
    lines = (" ".join(line.split()) for line in "".join(kept).split("\n"))
    return "\n".join(line for line in lines if line)


def folded(text: str) -> str:
    """The visible text with wide, circled and other variants of a character as the plain one."""
    visible = shown(text)
    if _ORDINARY.fullmatch(visible):
        return visible
    return " ".join(unicodedata.normalize("NFKC", visible).split())


def sentences_of(text: str) -> list[str]:
    """The sentences, without what a reader cannot see."""
    return [sentence.strip() for sentence in _SENTENCE_END.split(shown(text)) if sentence.strip()]


def lowered(text: str) -> str:
    """The text in lower case, character for character: places in it are places in the text.

    Patterns are matched on it: one that ignores case takes ten times as long.
    """
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
