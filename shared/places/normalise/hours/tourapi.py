"""Opening hours of the tourism organisation's TourAPI: one text of hours, one of closed days."""

import html
import re

from shared.places.models import Hours
from shared.places.normalise.hours.text import parse_hours

_BREAK = re.compile(r"<\s*(?:br|/p|/li|/div)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_SAYS_CLOSED = re.compile(r"휴|쉽|쉬|무휴|없음|영업|운영|closed|open", re.IGNORECASE)


def hours_from_tourapi(open_text: str | None, rest_text: str | None) -> Hours:
    """The hours of `opentimefood` and `restdatefood`, HTML and all; text alone where a part is not understood.

    The second field holds closed days whether or not it says so: "매주 월요일" is closed on Mondays, "연중무휴" never.
    Both are kept in `text`, a line each. Never raises.
    """
    opened, rest = _plain(open_text), _plain(rest_text)
    if rest and not _SAYS_CLOSED.search(rest):
        rest = f"휴무: {rest}"
    return parse_hours("\n".join(filter(None, [opened, rest])))


def _plain(text: str | None) -> str:
    if not isinstance(text, str):
        return ""
    lines = html.unescape(_TAG.sub(" ", _BREAK.sub("\n", text))).splitlines()
    return "\n".join(line for line in (" ".join(line.split()) for line in lines) if line)
