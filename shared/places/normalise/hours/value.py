"""Opening hours given as JSON or as text, checked and put in one form."""

import itertools
import re
from typing import Any

from pydantic import ValidationError

from shared.places.models import DAYS, Day, Hours, Interval
from shared.places.normalise.hours.clock import contains, overlap, stretch, within
from shared.places.normalise.hours.text import TEXT_LIMIT, kept_text, parse_hours

_CLOCK = re.compile(r"^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$")


def normalise_hours(value: Any) -> Hours:
    """Hours of a text or of `{days, breaks, last_order, closed_nth, holidays, text}`, in canonical order.

    Raises ValueError naming the field and the rule.
    """
    if isinstance(value, str):
        if not value.strip():
            raise ValueError("hours must not be empty")
        return parse_hours(value)
    if not isinstance(value, dict):
        raise ValueError("hours must be text or an object with days")
    unknown = sorted(set(value) - set(Hours.model_fields))
    if unknown:
        raise ValueError(f"hours: unknown field {unknown[0]}")
    try:
        hours = Hours.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ValueError(f"hours.{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    if not hours.days and hours.text:
        return parse_hours(hours.text) if hours == Hours(text=hours.text) else _checked(hours)
    return _checked(hours)


def _checked(hours: Hours) -> Hours:
    days = {day: _intervals(hours.days[day], f"days.{day}") for day in DAYS if day in hours.days}
    breaks = {day: _intervals(hours.breaks[day], f"breaks.{day}") for day in DAYS if hours.breaks.get(day)}
    for day, gaps in breaks.items():
        if not all(any(within(gap, span) for span in days.get(day, [])) for gap in gaps):
            raise ValueError(f"hours.breaks.{day}: a break must lie within the day's opening hours")
    last_order: dict[Day, str] = {}
    for day in DAYS:
        if day not in hours.last_order:
            continue
        clock = _clock(hours.last_order[day], f"last_order.{day}")
        if not any(contains(span, clock) for span in days.get(day, [])):
            raise ValueError(f"hours.last_order.{day}: must lie within the day's opening hours")
        last_order[day] = clock
    for closed in hours.closed_nth:
        if not closed.nth or not all(1 <= nth <= 5 for nth in closed.nth):
            raise ValueError("hours.closed_nth.nth: must be numbers from 1 to 5")
    holidays = hours.holidays
    if isinstance(holidays, list):
        holidays = _intervals(holidays, "holidays") or "closed"
    if hours.text is not None and len(hours.text) > TEXT_LIMIT:
        raise ValueError(f"hours.text: must not be longer than {TEXT_LIMIT} characters")
    if not (days or hours.text):
        raise ValueError("hours must state at least one day, or a text")
    return Hours(
        days=days,
        breaks=breaks,
        last_order=last_order,
        closed_nth=[
            closed.model_copy(update={"nth": sorted(set(closed.nth))}) for closed in hours.closed_nth
        ],
        holidays=holidays,
        text=kept_text(hours.text) or None if hours.text else None,
    )


def _intervals(spans: list[Interval], where: str) -> list[Interval]:
    checked = []
    for start, end in spans:
        opens, closes = _clock(start, where), _clock(end, where)
        if opens == "24:00":
            raise ValueError(f"hours.{where}: an interval must begin before 24:00")
        checked.append((opens, "24:00" if closes == "00:00" else closes))
    checked = sorted(set(checked), key=stretch)
    for first, second in itertools.pairwise(checked):
        if overlap(first, second):
            raise ValueError(f"hours.{where}: intervals must not overlap")
    return checked


def _clock(text: str, where: str) -> str:
    if not _CLOCK.match(text):
        raise ValueError(f'hours.{where}: a time must be HH:MM from 00:00 to 24:00, not "{text[:20]}"')
    return text
