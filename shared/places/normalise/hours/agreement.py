"""When two statements of opening hours contradict each other."""

import itertools
from typing import Any

from shared.places.models import DAYS
from shared.places.normalise.hours.clock import stretch

_Spans = list[tuple[int, int]]


def hours_contradict(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether a place cannot have both; of JSON as facts keep it.

    A day, break, last order or holiday that one leaves out makes no difference, nor do hours kept as text. A day in
    two parts and one with a break are the same; 23:59 and 24:00 too.
    """
    return (
        any(_day_differs(one, other, day) for day in DAYS)
        or _last_orders_differ(one, other)
        or _nth_differ(one, other)
        or _holidays_differ(one.get("holidays"), other.get("holidays"))
    )


def hours_meaning(hours: dict[str, Any]) -> Any:
    """What the hours state, without the words it was said in; of hours kept as text, the words."""
    days = hours.get("days") or {}
    if not days:
        return "".join(str(hours.get("text") or "").split())
    week = {day: _open_parts(hours, day) for day in DAYS if day in days}
    nth = {(closed["day"], number) for closed in hours.get("closed_nth") or [] for number in closed["nth"]}
    holidays = hours.get("holidays")
    return (
        week,
        hours.get("last_order") or {},
        nth,
        _spans(holidays) if isinstance(holidays, list) else holidays,
    )


def _open_parts(hours: dict[str, Any], day: str) -> tuple[tuple[int, int], _Spans] | None:
    spans = _spans(hours["days"][day])
    if not spans:
        return None
    return (spans[0][0], spans[-1][1]), _gaps(spans, _spans((hours.get("breaks") or {}).get(day, [])))


def _day_differs(one: dict[str, Any], other: dict[str, Any], day: str) -> bool:
    first, second = (one.get("days") or {}).get(day), (other.get("days") or {}).get(day)
    if first is None or second is None:
        return False
    if not first or not second:
        return bool(first) != bool(second)
    return _spans_differ(
        _spans(first),
        _spans(second),
        _spans((one.get("breaks") or {}).get(day, [])),
        _spans((other.get("breaks") or {}).get(day, [])),
    )


def _spans_differ(first: _Spans, second: _Spans, breaks: _Spans, others: _Spans) -> bool:
    """Another opening or closing; or other breaks, where both have some."""
    if (first[0][0], first[-1][1]) != (second[0][0], second[-1][1]):
        return True
    gaps, other_gaps = _gaps(first, breaks), _gaps(second, others)
    return bool(gaps and other_gaps) and gaps != other_gaps


def _gaps(spans: _Spans, breaks: _Spans) -> _Spans:
    between = [(end, start) for (_, end), (start, _) in itertools.pairwise(spans)]
    return sorted({*between, *breaks})


def _spans(intervals: Any) -> _Spans:
    ends = [stretch((opens, "24:00" if closes == "23:59" else closes)) for opens, closes in intervals]
    return sorted(ends)


def _last_orders_differ(one: dict[str, Any], other: dict[str, Any]) -> bool:
    first, second = one.get("last_order") or {}, other.get("last_order") or {}
    return any(first[day] != second[day] for day in first.keys() & second.keys())


def _nth_differ(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Who names such days names them all."""
    first, second = (
        {(closed["day"], nth) for closed in hours.get("closed_nth") or [] for nth in closed["nth"]}
        for hours in (one, other)
    )
    return bool(first and second) and first != second


def _holidays_differ(first: Any, second: Any) -> bool:
    if first is None or second is None:
        return False
    if "closed" in (first, second):
        return bool(first != second)
    if "open" in (first, second):
        return False  # "as usual", or at hours of their own
    return _spans_differ(_spans(first), _spans(second), [], [])
