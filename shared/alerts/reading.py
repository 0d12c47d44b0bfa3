"""Foreign text made fit for a card: short, without a stack, never cut inside a character people see as one."""

import re
import unicodedata

_JOINER = "\u200d"
_STACK = "Traceback (most recent call last)"
_FRAME = re.compile(r'\s+(File "|at |\^|\S+\(.*:\d+\))')


def cut(text: str, limit: int, mark: str) -> str:
    """At most `limit` code points of `text` and then `mark`; a shorter text as it is.

    What belongs to the character before it (an accent, the parts of a syllable or of an emoji) is not torn from it.
    """
    if len(text) <= limit:
        return text
    end = max(limit, 0)
    while end > 0 and _continues(text, end):
        end -= 1
    return text[:end].rstrip() + mark


def _continues(text: str, at: int) -> bool:
    """Whether the code point at `at` belongs to the character that begins before it."""
    here, before = text[at], text[at - 1]
    if unicodedata.combining(here) or _JOINER in (here, before):
        return True
    if "\ufe00" <= here <= "\ufe0f" or "\U0001f3fb" <= here <= "\U0001f3ff" or "\u1160" <= here <= "\u11ff":
        return True  # how an emoji looks, its skin, the vowel or the end of a Hangul syllable
    flags = 0  # two regional letters are one flag
    while at - 1 - flags >= 0 and "\U0001f1e6" <= text[at - 1 - flags] <= "\U0001f1ff":
        flags += 1
    return "\U0001f1e6" <= here <= "\U0001f1ff" and flags % 2 == 1


def without_stack(error: str) -> str:
    """An error's words. Of a traceback only its last line says what happened."""
    head, found, stack = error.partition(_STACK)
    lines = [line for line in head.splitlines() if line.strip() and not _FRAME.match(line)]
    if found:
        ends = [line for line in stack.splitlines() if line.strip() and not line.startswith((" ", "\t"))]
        lines += ends[-1:]
    return "\n".join(line.rstrip() for line in lines)
