"""When a schedule fires: `rate(…)` and a subset of `cron(…)`, as EventBridge Scheduler reads them, in UTC."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

_RATE = re.compile(r"^rate\(([1-9][0-9]{0,3}) (minute|minutes|hour|hours|day|days)\)$")
_CRON = re.compile(r"^cron\((\S+) (\S+) (\S+) (\S+) (\S+) (\S+)\)$")
_UNITS = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(days=1)}
_MONTHS = {
    name: i
    for i, name in enumerate(
        ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"], 1
    )
}
_DAYS = {name: i for i, name in enumerate(["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"], 1)}


class ScheduleError(ValueError):
    """The expression is wrong, or of a kind that cannot be emulated."""


@dataclass(frozen=True)
class Rate:
    """Fires at the start and then every `every`."""

    every: timedelta


@dataclass(frozen=True)
class Cron:
    """Fires at the minutes whose fields are all in these sets. Sunday is 1."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    years: frozenset[int]

    def after(self, moment: datetime) -> datetime | None:
        """The first firing later than `moment`, None when there is none within its years."""
        day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
        while day.year <= max(self.years):
            if self._has_day(day):
                for hour in sorted(self.hours):
                    for minute in sorted(self.minutes):
                        time = day.replace(hour=hour, minute=minute)
                        if time > moment:
                            return time
            day += timedelta(days=1)
        return None

    def _has_day(self, day: datetime) -> bool:
        weekday = day.isoweekday() % 7 + 1
        in_month = day.day in self.days and weekday in self.weekdays
        return in_month and day.month in self.months and day.year in self.years


def parse(expression: str) -> Rate | Cron:
    """Raises `ScheduleError` for anything but whole minutes, hours and days, or the cron subset.

    The subset: numbers, names, `*`, `?`, lists, ranges and steps; not `L`, `W` and `#`.
    """
    if match := _RATE.match(expression):
        count, unit = int(match[1]), match[2]
        if (count == 1) == unit.endswith("s"):
            raise ScheduleError(
                f"{expression}: AWS wants the unit in the {'singular' if count == 1 else 'plural'}"
            )
        return Rate(count * _UNITS[unit.rstrip("s")])
    if match := _CRON.match(expression):
        minutes, hours, days, months, weekdays, years = match.groups()
        if (days == "?") == (weekdays == "?"):
            raise ScheduleError(f"{expression}: exactly one of day of month and day of week must be ?")
        field = _field_reader(expression)
        return Cron(
            field(minutes, 0, 59, {}),
            field(hours, 0, 23, {}),
            field("*" if days == "?" else days, 1, 31, {}),
            field(months, 1, 12, _MONTHS),
            field("*" if weekdays == "?" else weekdays, 1, 7, _DAYS),
            field(years, 1970, 2199, {}),
        )
    raise ScheduleError(f"{expression}: only rate(n minutes|hours|days) and cron(…) can be emulated")


def _field_reader(expression: str) -> Callable[[str, int, int, dict[str, int]], frozenset[int]]:
    def number(text: str, low: int, high: int, names: dict[str, int]) -> int:
        value = names.get(text.upper(), int(text) if text.isdecimal() else -1)
        if not low <= value <= high:
            raise ScheduleError(f"{expression}: {text!r} cannot be emulated here")
        return value

    def field(text: str, low: int, high: int, names: dict[str, int]) -> frozenset[int]:
        values: set[int] = set()
        for part in text.split(","):
            span, _, step = part.partition("/")
            first, last = low, high
            if span != "*":
                begin, dash, end = span.partition("-")
                first = number(begin, low, high, names)
                last = number(end, low, high, names) if dash else (high if step else first)
            if last < first:
                raise ScheduleError(f"{expression}: the range {span} runs backwards")
            values.update(range(first, last + 1, number(step, 1, high, {}) if step else 1))
        return frozenset(values)

    return field
