"""What the statements of a text make of each day of the week.

A day's hours come from the narrowest statement that covers it: "매일 11:00~21:00, 주말 10:00~22:00" opens at ten
on Saturdays. Two statements of the same width that disagree, or a break outside the opening hours, make the
text unreadable; nothing is guessed.
"""

import itertools
from typing import Literal

from shared.places.models import DAYS, Day, Hours, Interval
from shared.places.normalise.hours.clock import contains, overlap, stretch, within
from shared.places.normalise.hours.reading import Extra, Group, Reading, UnclearError

# Days a week that a text may close, and open at other hours, beside hours that name no day: more are rather the days
# of those hours ("11:00~20:00 화~토 일 휴무").
_MOST_CLOSED = 3
_MOST_OTHER = 2


def week(reading: Reading) -> Hours:
    """The hours the statements make, without text. Raises UnclearError."""
    weekly_closed = any(group.closed and group.days and group.days.days for group in reading.groups)
    if reading.never_closed and (weekly_closed or reading.closed_nth):
        raise UnclearError
    says_when_closed = weekly_closed or bool(reading.closed_nth) or reading.never_closed
    if any(group.days is None for group in reading.groups) and not says_when_closed:
        raise UnclearError  # hours without days, and nothing that says which days those are
    days: dict[Day, list[Interval]] = {}
    for day in DAYS:
        spans = _of_day(reading.groups, day)
        if spans is not None:
            days[day] = spans
    if not days or any(days.get(closed.day) == [] for closed in reading.closed_nth):
        raise UnclearError
    if any(group.days is None for group in reading.groups):
        _check_hours_without_days(reading.groups)
    hours = Hours(days=days, closed_nth=reading.closed_nth, holidays=_of_holidays(reading))
    for extra in sorted(reading.extras, key=lambda extra: not extra.breaks):  # last orders look at the breaks
        _apply(hours, extra)
    return hours


def _check_hours_without_days(groups: list[Group]) -> None:
    closed: set[Day] = set()
    other: set[Day] = set()
    for group in groups:
        if group.days is not None:
            (closed if group.closed else other).update(group.days.days)
    if len(closed) > _MOST_CLOSED or len(other) > _MOST_OTHER or len(closed | other) == len(DAYS):
        raise UnclearError


def sorted_spans(spans: list[Interval]) -> list[Interval]:
    """The intervals of one day in order, repeated ones once. Raises UnclearError when two overlap."""
    unique = sorted(set(spans), key=stretch)
    for first, second in itertools.pairwise(unique):
        if overlap(first, second):
            raise UnclearError
    return unique


def _of_day(groups: list[Group], day: Day) -> list[Interval] | None:
    covering = [group for group in groups if group.days is None or day in group.days.days]
    if not covering:
        return None
    width = min(map(_width, covering))
    narrowest = [group for group in covering if _width(group) == width]
    if len({group.closed for group in narrowest}) > 1:
        raise UnclearError
    return sorted_spans([span for group in narrowest for span in group.spans])


def _width(group: Group) -> int:
    return len(DAYS) + 1 if group.days is None else len(group.days.days)


def _of_holidays(reading: Reading) -> Literal["open", "closed"] | list[Interval] | None:
    named = [group for group in reading.groups if group.days is not None and group.days.holidays]
    alone = [group for group in named if group.days is not None and not group.days.days] or named
    closed = any(group.closed for group in alone)
    spans = sorted_spans([span for group in alone for span in group.spans])
    if closed and (spans or reading.holidays_open or reading.never_closed):
        raise UnclearError
    if closed:
        return "closed"
    if spans:
        return spans
    return "open" if reading.holidays_open or reading.never_closed else None


def _apply(hours: Hours, extra: Extra) -> None:
    named = frozenset(DAYS) if extra.days is None else extra.days.days
    applied = False
    for day in DAYS:
        spans = hours.days.get(day)
        if day not in named or not spans:
            continue
        if extra.breaks and all(any(within(gap, span) for span in spans) for gap in extra.breaks):
            hours.breaks[day] = sorted_spans([*hours.breaks.get(day, []), *extra.breaks])
            applied = True
        order = _last_order(extra, spans, hours.breaks.get(day, []))
        if order is not None:
            if hours.last_order.setdefault(day, order) != order:
                raise UnclearError  # two last orders, and nothing that says which is the day's
            applied = True
    if not applied:
        raise UnclearError


def _last_order(extra: Extra, spans: list[Interval], breaks: list[Interval]) -> str | None:
    """The day's last order: of several, the last, while each other one ends an earlier part of the day."""
    opens, closes = stretch(spans[-1])
    if extra.before_close is not None:
        at = closes - extra.before_close
        return f"{at // 60 % 24:02d}:{at % 60:02d}" if at > opens else None
    if not extra.last_orders:
        return None
    clocks = [order.clock() for order in extra.last_orders]
    if len(clocks) > len(breaks) + len(spans) or any(order.bare for order in extra.last_orders):
        raise UnclearError
    return clocks[-1] if contains(spans[-1], clocks[-1]) else None
