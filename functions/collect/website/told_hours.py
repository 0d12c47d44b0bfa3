"""The opening hours that stand in a page's lines."""

import re
from collections.abc import Sequence

from functions.collect.website.lines import CELL
from shared.places.agreement import contradicts
from shared.places.models import Hours
from shared.places.normalise import hours_parsed_whole, parse_hours

_LABEL = re.compile(
    r"(?:영업|운영|이용|진료|업무|관람|매장|오픈)\s*시간(?:\s*안내)?|영업\s*안내|진료\s*안내"
    r"|(?:opening|business|operating|store)\s+(?:hours|times?)"
    r"|^\s*hours\b",
    re.IGNORECASE,
)
# Hours of something else: who answers the telephone, the car park, breakfast.
_OTHERS = re.compile(
    r"고객\s*(?:센터|만족|상담)|상담|콜\s*센터|customer|\bcs\b|call\s*center|배송|택배|은행|a/s|주차|발렛|수영장|사우나|헬스|피트니스|조식|"
    r"키즈|놀이|셔틀|편의점|프런트|프론트|체크|예약|면회|점검|접수\s*시간|배달",
    re.IGNORECASE,
)
# A heading says so only over a label that does not name the shop's own hours.
_OTHERS_OVER = re.compile(
    r"고객\s*(?:센터|만족|상담)|상담|콜\s*센터|customer|\bcs\b|call\s*center|배송|택배|은행|a/s|주차|발렛|수영장|사우나|헬스|피트니스|셔틀",
    re.IGNORECASE,
)
_OWN = re.compile("영업|진료|관람|매장|opening|business", re.IGNORECASE)
_HEADING_LINES = 2  # over a label in which its heading may stand
_TIMES = re.compile(r"\d{1,2}\s*(?::\d{2}|시)")
_DAYS = re.compile(r"[월화수목금토일]|평일|매일|weekday|daily|mon", re.IGNORECASE)
_MORE = re.compile(
    r"\d{1,2}\s*(?::\d{2}|시)|휴무|휴진|휴관|휴일|쉽니다|브레이크|break|라스트|last|L\.?O|점심|closed|까지",
    re.IGNORECASE,
)
_TELLING = 120  # characters; a longer line is prose
_LABELS = 20  # of one page that are looked at
_LINES = 8  # that may follow a label
_UNLABELLED_DAYS = 5  # that hours without a label must state, to be no event's
_KEPT = 300  # characters of hours that are not understood


def hours(page_lines: Sequence[str]) -> Hours | None:
    """The hours behind a label, else of a line that says them of most of the week.

    The longest stretch that is understood whole is taken. Where none is, or where more is said behind it, the words
    are kept; where two labels say different hours, as of two branches, nothing is.
    """
    understood: list[Hours] = []
    kept: str | None = None
    labels = 0
    for index, line in enumerate(page_lines):
        label = _LABEL.search(line)
        if label is None:
            continue
        labels += 1
        if labels > _LABELS:
            break
        first = line[label.end() :].lstrip(" :：-|·]】)" + CELL).rstrip(" -|·[【(")
        if _is_others(page_lines, index, label) or _TIMES.search(line[: label.start()]):
            continue
        stretch = [*([first] if first else []), *page_lines[index + 1 : index + 1 + _LINES]]
        found, length = _longest(stretch)
        if found is not None and not _goes_on(stretch[length:]):
            understood.append(found)
        elif kept is None and (found is not None or _TIMES.search(first)):
            kept = "\n".join(_telling(stretch)) or None
    if understood:
        first_found = understood[0].model_dump(mode="json")
        unclear = any(
            contradicts("hours", first_found, other.model_dump(mode="json")) for other in understood[1:]
        )
        return None if unclear else understood[0]
    if kept is not None:
        return Hours(text=kept[:_KEPT])
    return None if labels else _unlabelled(page_lines)


def _goes_on(rest: Sequence[str]) -> bool:
    """Whether what follows the hours that were understood says more of them."""
    return (
        bool(rest) and not _LABEL.search(rest[0]) and not _OTHERS.search(rest[0]) and bool(_telling(rest[:1]))
    )


def _telling(stretch: Sequence[str]) -> list[str]:
    """The lines from the beginning on that say something of hours."""
    told: list[str] = []
    for line in stretch:
        if (
            len(line) > _TELLING
            or not _MORE.search(line)
            or (told and (_LABEL.search(line) or _OTHERS.search(line)))
        ):
            break
        told.append(line.replace(CELL, " "))
    return told


def _is_others(page_lines: Sequence[str], index: int, label: re.Match[str]) -> bool:
    """Whether the words before a label, or a heading over it, say that it is about something else."""
    if _OTHERS.search(page_lines[index][: label.start()]):
        return True
    headings = page_lines[max(0, index - _HEADING_LINES) : index]
    return not _OWN.search(label.group()) and any(
        len(heading) <= 30 and _OTHERS_OVER.search(heading) and not _TIMES.search(heading)
        for heading in headings
    )


def _longest(stretch: Sequence[str]) -> tuple[Hours | None, int]:
    for length in range(len(stretch), 0, -1):
        found = parse_hours("\n".join(stretch[:length]))
        if hours_parsed_whole(found):
            return found, length
    return None, 0


def _unlabelled(page_lines: Sequence[str]) -> Hours | None:
    tried = 0
    for index, line in enumerate(page_lines):
        if len(line) > _TELLING or _OTHERS.search(line) or not _TIMES.search(line) or not _DAYS.search(line):
            continue
        tried += 1
        if tried > _LABELS:
            break
        stretch = page_lines[index : index + _LINES]
        found, length = _longest(stretch)
        if found is not None and len(found.days) >= _UNLABELLED_DAYS and not _goes_on(stretch[length:]):
            return found
    return None
