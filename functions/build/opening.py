"""Opening hours as people read them, and as search engines do."""

from typing import NamedTuple

from functions.build.words import WORDS, Words
from shared.places.models import DAYS, Clock, Day, Hours, Interval, Locale

_MIDNIGHT = 24 * 60
_SCHEMA_DAYS: dict[Day, str] = {
    "mon": "Monday",
    "tue": "Tuesday",
    "wed": "Wednesday",
    "thu": "Thursday",
    "fri": "Friday",
    "sat": "Saturday",
    "sun": "Sunday",
}
HOLIDAYS = "PublicHolidays"  # schema.org/DayOfWeek


class OpeningDay(NamedTuple):
    """One weekday's row. `hours` is empty for a day of which nothing is stated."""

    day: str
    hours: list[str]
    notes: list[str]
    closed: bool


class OpeningTable(NamedTuple):
    """The week, then the sentences that hold beyond it."""

    days: list[OpeningDay]
    notes: list[str]
    text: str | None


def opening_table(hours: Hours, locale: Locale) -> OpeningTable:
    """The hours for readers. `text` is what the source said, where no day could be made of it."""
    words = WORDS[locale]
    days = [_day(hours, day, words) for day in DAYS] if hours.days else []
    notes = [
        words.closed_nth(sorted(set(closed.nth)), words.days[DAYS.index(closed.day)])
        for closed in hours.closed_nth
    ]
    if hours.holidays is not None:
        notes.append(f"{words.holidays}: {_holidays(hours, words)}")
    return OpeningTable(days, notes, None if hours.days else hours.text)


def _day(hours: Hours, day: Day, words: Words) -> OpeningDay:
    name = words.days[DAYS.index(day)]
    if day not in hours.days:
        return OpeningDay(name, [], [], closed=False)
    spans = hours.days[day]
    if not spans:
        return OpeningDay(name, [words.closed], [], closed=True)
    notes = [f"{words.break_time} {_span(gap, words, within=spans)}" for gap in hours.breaks.get(day, [])]
    if day in hours.last_order:
        notes.append(f"{words.last_order} {_clock(hours.last_order[day], words, within=spans)}")
    return OpeningDay(name, [_span(span, words) for span in spans], notes, closed=False)


def _holidays(hours: Hours, words: Words) -> str:
    if hours.holidays == "open":
        return words.open_as_usual
    if hours.holidays == "closed" or not hours.holidays:
        return words.closed
    return ", ".join(_span(span, words) for span in hours.holidays)


def _span(span: Interval, words: Words, within: list[Interval] | None = None) -> str:
    opens, closes = _stretch(span)
    if closes - opens == _MIDNIGHT:
        return words.all_day if opens == 0 else f"{span[0]} – {words.next_day(span[1])} ({words.all_day})"
    if within is not None:  # a break of a span that began the day before is itself of the next day
        return f"{_clock(span[0], words, within)}–{_clock(span[1], words, within)}"
    return f"{span[0]} – {words.next_day(span[1]) if closes > _MIDNIGHT else span[1]}"


def _clock(clock: Clock, words: Words, within: list[Interval]) -> str:
    return words.next_day(clock) if _after_midnight(clock, within) else clock


def _after_midnight(clock: Clock, spans: list[Interval]) -> bool:
    """Whether `clock` belongs to the part of a span that lies in the next day."""
    minute = _minutes(clock)
    stretches = [_stretch(span) for span in spans]
    if any(opens <= minute <= closes for opens, closes in stretches):
        return False
    return any(opens <= minute + _MIDNIGHT <= closes for opens, closes in stretches)


class Opening(NamedTuple):
    """An `OpeningHoursSpecification`: days of schema.org, times "HH:MM". Both 00:00 says closed all day."""

    days: list[str]
    opens: str
    closes: str


def opening_specification(hours: Hours) -> list[Opening]:
    """The hours in Google's reading of schema.org, days of the same hours together.

    A break splits a span in two. Closing at or before opening is the next day, written as it is. Open all day is
    00:00 to 23:59, closed all day 00:00 to 00:00, and midnight as a closing time is 00:00. A day not stated is
    absent, and so are holidays. "Closed every second Tuesday" has no form there and stands on the page alone.
    """
    by_times: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for day in DAYS:
        if day in hours.days:
            times = _times(hours.days[day], hours.breaks.get(day, []))
            by_times.setdefault(times, []).append(_SCHEMA_DAYS[day])
    groups = list(by_times.items())
    if hours.holidays == "closed" or isinstance(hours.holidays, list):
        # On its own: a reader that knows no PublicHolidays loses no weekday with it.
        spans = [] if hours.holidays == "closed" else hours.holidays
        groups.append((_times(spans, []), [HOLIDAYS]))
    return [Opening(days, opens, closes) for times, days in groups for opens, closes in times]


def _times(spans: list[Interval], breaks: list[Interval]) -> tuple[tuple[str, str], ...]:
    pieces = [piece for span in spans for piece in _without_breaks(_stretch(span), breaks)]
    return tuple(_written(piece) for piece in sorted(pieces)) or (("00:00", "00:00"),)


def _without_breaks(span: tuple[int, int], breaks: list[Interval]) -> list[tuple[int, int]]:
    pieces = [span]
    for gap in breaks:
        for shift in (0, _MIDNIGHT):
            begins, ends = (minute + shift for minute in _stretch(gap))
            pieces = [
                piece
                for opens, closes in pieces
                for piece in ((opens, min(closes, begins)), (max(opens, ends), closes))
                if piece[0] < piece[1]
            ]
    return pieces


def _written(piece: tuple[int, int]) -> tuple[str, str]:
    opens, closes = piece
    if closes - opens >= _MIDNIGHT:
        return "00:00", "23:59"
    return _of_minutes(opens), _of_minutes(closes)


def _of_minutes(minutes: int) -> str:
    hour, minute = divmod(minutes % _MIDNIGHT, 60)
    return f"{hour:02}:{minute:02}"


def _minutes(clock: Clock) -> int:
    hour, minute = clock.split(":")
    return int(hour) * 60 + int(minute)


def _stretch(span: Interval) -> tuple[int, int]:
    """Minutes since the day's midnight; a close at or before the open lies in the next day."""
    opens, closes = _minutes(span[0]), _minutes(span[1])
    return opens, closes if closes > opens else closes + _MIDNIGHT
