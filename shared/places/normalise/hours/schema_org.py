"""Opening hours as schema.org marks them up: `openingHours` texts and `OpeningHoursSpecification` objects."""

import re
from collections.abc import Iterable
from datetime import date
from typing import Any

from shared.places.models import DAYS, Day, Hours, Interval
from shared.places.normalise.hours.clock import TIME, read_time, stretch
from shared.places.normalise.hours.reading import UnclearError
from shared.places.normalise.hours.text import parse_hours
from shared.places.normalise.hours.week import sorted_spans

_SPECIFICATIONS_LIMIT = 100
_DAY_BY_NAME: dict[str, Day] = {
    name: day
    for day, names in zip(
        DAYS,
        (
            ("monday", "mon", "mo"),
            ("tuesday", "tue", "tu"),
            ("wednesday", "wed", "we"),
            ("thursday", "thu", "th"),
            ("friday", "fri", "fr"),
            ("saturday", "sat", "sa"),
            ("sunday", "sun", "su"),
        ),
        strict=True,
    )
    for name in names
}
_WORDS: dict[str, tuple[Day, ...]] = {
    "weekday": DAYS[:5],
    "weekdays": DAYS[:5],
    "weekend": DAYS[5:],
    "weekends": DAYS[5:],
}


def hours_from_schema(
    opening_hours: Iterable[str], specifications: Iterable[dict[str, Any]], *, today: date
) -> Hours | None:
    """The hours of the markup, or None when it has none or contradicts itself.

    `openingHours` texts are joined and read as text; specifications win where both stand. A specification with a
    validity that does not include `today` is a season or an exception and is left out; one that is current makes
    no weekly hours either when it ends within a week. Opens and closes both 00:00 is how Google says closed.
    """
    stated = [spec for _, spec in zip(range(_SPECIFICATIONS_LIMIT), specifications, strict=False)]
    weekly = [spec for spec in stated if _is_weekly(spec, today)]
    if weekly:
        try:
            return _week(weekly)
        except UnclearError:
            return None
    texts = [text.strip() for text in opening_hours if isinstance(text, str) and text.strip()]
    return parse_hours("\n".join(texts)) if texts else None


def _is_weekly(spec: dict[str, Any], today: date) -> bool:
    first, last = _date(spec.get("validFrom")), _date(spec.get("validThrough"))
    if first is None and last is None:
        return True
    if (first is not None and first > today) or (last is not None and last < today):
        return False
    return first is None or last is None or (last - first).days >= 28


def _week(specifications: list[dict[str, Any]]) -> Hours:
    days: dict[Day, list[Interval]] = {}
    holiday_spans: list[Interval] = []
    holidays_closed = False
    for spec in specifications:
        named, holidays = _days(spec.get("dayOfWeek"))
        span = _span(spec)
        if holidays:
            holidays_closed |= span is None
            holiday_spans += [span] if span else []
        for day in named:
            stated = days.setdefault(day, [])
            if span is not None:
                stated.append(span)
    ordered = {day: sorted_spans(days[day]) for day in DAYS if day in days}
    # Fields that were left empty read like days without times; no business is closed whenever it says something.
    if not any(ordered.values()) or (holidays_closed and holiday_spans):
        raise UnclearError
    return Hours(days=ordered, holidays="closed" if holidays_closed else sorted_spans(holiday_spans) or None)


def _days(value: Any) -> tuple[list[Day], bool]:
    named: set[Day] = set()
    holidays = False
    entries = value if isinstance(value, list) else [value]
    for entry in entries:
        text = entry.get("@id") or entry.get("name") if isinstance(entry, dict) else entry
        if not isinstance(text, str):
            raise UnclearError
        for part in re.split(r"[\s,]+", text.strip()):
            word = re.sub(
                r"^(?:https?://(?:www\.)?schema\.org/|http://purl\.org/goodrelations/v1#|schema:)", "", part
            ).lower()
            if word == "publicholidays":
                holidays = True
            elif word in _DAY_BY_NAME:
                named.add(_DAY_BY_NAME[word])
            elif word in _WORDS:
                named.update(_WORDS[word])
            else:
                raise UnclearError
    return [day for day in DAYS if day in named], holidays


def _span(spec: dict[str, Any]) -> Interval | None:
    opens, closes = _clock(spec.get("opens")), _clock(spec.get("closes"))
    if opens is None and closes is None:
        return None  # a day without times is closed
    if opens is None or closes is None:
        raise UnclearError
    if opens == closes:
        if opens == "00:00":
            return None
        raise UnclearError
    if closes in ("23:59", "00:00"):
        closes = "24:00"
    if stretch((opens, closes))[1] - stretch((opens, closes))[0] > 24 * 60:
        raise UnclearError
    return opens, closes


def _clock(value: Any) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise UnclearError
    text = re.sub(r"^\d{4}-\d{2}-\d{2}T|(?<=\d)(?:Z|[+-]\d{2}:?\d{2})$", "", value.strip())
    match = TIME.fullmatch(text)
    time = read_time(match) if match else None
    if time is None or time.bare or time.minutes > 24 * 60:
        raise UnclearError
    return time.clock()


def _date(value: Any) -> date | None:
    if not isinstance(value, str):
        return None
    try:
        return date.fromisoformat(value.strip()[:10])
    except ValueError:
        return None
