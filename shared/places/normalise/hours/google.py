"""Opening hours as Google's Places API (New) lists them: periods from one point of the week to another."""

from typing import Any

from shared.places.models import DAYS, Day, Hours, Interval
from shared.places.normalise.hours.clock import clock_of
from shared.places.normalise.hours.reading import UnclearError
from shared.places.normalise.hours.week import sorted_spans

_DAY = 24 * 60  # minutes
_WEEK = 7 * _DAY
_MOST = 100  # periods; a week of seven divided days has some twenty


def hours_from_google(periods: list[Any]) -> Hours:
    """The hours of `regularOpeningHours.periods`; without any day when the periods are not a week's.

    Points are `{day, hour, minute}` with day 0 a Sunday. A week that is listed is whole, so a day without a period
    is closed. One period that opens on Sunday at 00:00 and never closes is open day and night. A period over
    several days is divided at midnight. Periods with a date are those of a holiday and make no week. Never raises.
    """
    try:
        return Hours(days=_week(periods))
    except UnclearError:
        return Hours()


def _week(periods: Any) -> dict[Day, list[Interval]]:
    if not isinstance(periods, list) or not 0 < len(periods) <= _MOST:
        raise UnclearError
    if len(periods) == 1 and isinstance(periods[0], dict) and periods[0].get("close") is None:
        if _minute(periods[0].get("open")) != 0:
            raise UnclearError
        return {day: [("00:00", "24:00")] for day in DAYS}
    days: dict[Day, list[Interval]] = {day: [] for day in DAYS}
    for period in periods:
        if not isinstance(period, dict):
            raise UnclearError
        opens, closes = _minute(period.get("open")), _minute(period.get("close"))
        if closes % _DAY == _DAY - 1:
            closes += 1  # 23:59 is how older entries write midnight
        if closes <= opens:
            closes += _WEEK
        if not opens < closes <= opens + _WEEK:
            raise UnclearError
        for start, end in _pieces(opens, closes):
            day = DAYS[(start // _DAY - 1) % 7]
            days[day].append((clock_of(start % _DAY), clock_of(start % _DAY + end - start)))
    return {day: sorted_spans(spans) for day, spans in days.items()}


def _pieces(opens: int, closes: int) -> list[tuple[int, int]]:
    """The period itself, or its days where it is longer than one."""
    pieces = []
    while closes - opens > _DAY:
        midnight = (opens // _DAY + 1) * _DAY
        pieces.append((opens, midnight))
        opens = midnight
    return [*pieces, (opens, closes)]


def _minute(point: Any) -> int:
    """Minutes since Sunday 00:00."""
    if not isinstance(point, dict) or "date" in point or point.get("truncated"):
        raise UnclearError
    day, hour = _number(point.get("day"), 6), _number(point.get("hour"), 23)
    return day * _DAY + hour * 60 + _number(point.get("minute", 0), 59)


def _number(value: Any, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise UnclearError
    return value
