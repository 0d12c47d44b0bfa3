"""Opening hours of a text, whole or not at all."""

import re
import unicodedata

from shared.places.models import Hours
from shared.places.normalise.hours.reading import UnclearError
from shared.places.normalise.hours.tokens import tokens
from shared.places.normalise.hours.walk import Walk
from shared.places.normalise.hours.week import week

TEXT_LIMIT = 1000  # characters kept of hours that are told in words
_LONGEST_READ = 600  # characters; longer texts are prose
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
# Signs written for one another, and those that show nothing.
_SIGNS = str.maketrans(
    {**dict.fromkeys("∼〜～˜∽", "~"), **dict.fromkeys("‐‑‒—−―", "-"), **dict.fromkeys("ㆍ･・‧•∙", "·")}
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\ufe0f", "")
)


def parse_hours(text: str) -> Hours:
    """The hours a Korean or English text states, with the text itself.

    Whole or nothing: where one word is not understood or one statement is unclear, only `text` is set
    (`hours_parsed_whole` is False). Never raises.
    """
    kept = kept_text(text)
    try:
        parsed = _read(unicodedata.normalize("NFKC", kept.translate(_SIGNS)))
    except UnclearError:
        parsed = None
    if parsed is None:
        return Hours(text=kept or None)
    return parsed.model_copy(update={"text": kept})


def hours_parsed_whole(hours: Hours) -> bool:
    """Whether the hours are known day by day, and not only as words."""
    return bool(hours.days)


def _read(text: str) -> Hours | None:
    if not text or len(text) > _LONGEST_READ:
        return None
    found = tokens(text)
    return None if not found else week(Walk(found).run())


def kept_text(text: str) -> str:
    """What is kept of a text: its lines, single spaces, at most `TEXT_LIMIT` characters, storable."""
    lines = (" ".join(line.split()) for line in re.split(r"[\r\n]+", _UNSTORABLE.sub("", text)))
    kept = "\n".join(line for line in lines if line)[:TEXT_LIMIT]
    return kept.rstrip()
