"""Times of day as people write them, and the intervals between two of them."""

import re
from dataclasses import dataclass

from shared.places.models import Interval

# "오전 11시 30분", "11:30", "9am", "9:30 p.m.", "밤 12시", "자정", "noon", "익일 02:00", "26:00"
TIME = re.compile(
    r"""(?:(?P<next>익일|다음\s*날|다음날)\s*)?
    (?:
        (?:12(?::00)?\s*)?(?P<word>자정|정오|midnight|noon)
      | (?:(?P<before>오전|오후|아침|새벽|낮|저녁|밤|am|pm|a\.m\.|p\.m\.)\s*)?
        (?P<hour>\d{1,2})
        (?: \s*:\s*(?P<minute>\d{2})(?::\d{2})? | \s*시\s*(?:(?P<minute_ko>\d{1,2})\s*분|(?P<half>반))? )?
        (?:\s*(?P<after>a\.m\.|p\.m\.|am|pm)(?![a-z]))?
        (?!\d)
    )""",
    re.VERBOSE | re.IGNORECASE,
)

# Hours that a word may stand before, and the hour of the day each then is; all others mean nothing.
_HOURS_BY_WORD: dict[str, dict[int, int]] = {
    "오전": {hour: hour % 12 for hour in range(13)},
    "am": {hour: hour % 12 for hour in range(13)},
    "아침": {hour: hour for hour in range(5, 12)},
    "새벽": {hour: hour % 12 for hour in (*range(7), 12)},
    "낮": {11: 11, 12: 12, **{hour: hour + 12 for hour in range(1, 6)}},
    "오후": {hour: hour % 12 + 12 for hour in range(13)},
    "pm": {hour: hour % 12 + 12 for hour in range(13)},
    "저녁": {hour: hour + 12 for hour in range(4, 12)},
    "밤": {12: 24, **{hour: hour + 12 for hour in range(6, 12)}},
}
# Words that may stand before an hour of the afternoon on a 24-hour clock, "오후 15시", which says it twice.
_SAID_TWICE = {
    "낮": range(13, 18),
    "오후": range(13, 25),
    "pm": range(13, 25),
    "저녁": range(16, 24),
    "밤": range(18, 25),
}


@dataclass(frozen=True)
class Time:
    """Minutes since the day's midnight, up to 30:00 (1,800), with how it was written."""

    minutes: int
    marked: bool  # says morning or afternoon, or names the next day
    two_digits: bool  # "02:00": a 24-hour clock
    bare: bool  # "9": neither minutes nor a word says that this is a time
    twelve: bool = False  # "오전 12시", "PM 12:00": noon to one writer, midnight to the next

    def clock(self) -> str:
        """HH:MM within one day."""
        return clock_of(self.minutes)


def read_time(match: re.Match[str]) -> Time | None:
    """The time a match of `TIME` means, or None when it is none ("25:70", "오후 15시" is 15:00)."""
    following = match["next"] is not None
    if match["word"]:
        word = match["word"].lower()
        return Time(12 * 60 if word in ("정오", "noon") else 24 * 60, True, True, False)
    hour = int(match["hour"])
    written_minute = match["minute"] or match["minute_ko"]
    minute = int(written_minute) if written_minute else (30 if match["half"] else 0)
    if minute > 59 or hour > 30:
        return None
    if match["before"] and match["after"]:
        return None
    marker = (match["before"] or match["after"] or "").lower().replace(".", "")
    if marker:
        resolved = _twelve_hours(marker, hour)
        if resolved is None:
            return None
        hour = resolved
    if following and hour < 24:
        hour += 24
    if hour > 30:
        return None
    bare = not (marker or written_minute or match["half"] or "시" in match.group())
    twelve = (
        marker in ("오전", "오후", "am", "pm")
        and int(match["hour"]) == 12
        and not (match["after"] and marker == "pm")
    )
    return Time(hour * 60 + minute, bool(marker) or following, len(match["hour"]) == 2, bare, twelve)


def _twelve_hours(marker: str, hour: int) -> int | None:
    if hour in _SAID_TWICE.get(marker, ()):
        return hour
    return _HOURS_BY_WORD[marker].get(hour)


def interval(opens: Time, closes: Time) -> Interval | None:
    """The interval between two times, or None when it cannot be told what they mean.

    Twelve-hour times without a marker ("10:00~8:00", "9-6") are not guessed at.
    """
    if opens.bare or closes.bare or opens.minutes >= 24 * 60:
        return None
    if _is_noon_or_midnight(opens, closes):
        return None
    start, end = opens.minutes, closes.minutes
    if end == 0:
        end = 24 * 60
    if opens.marked and not closes.marked and end <= 12 * 60:
        if start >= 12 * 60 and start < end + 12 * 60:
            end += 12 * 60  # "오후 6시~10시"
        elif not closes.two_digits:
            return None  # "오전 10시~8시": eight in the evening, most likely, but it does not say so
    if closes.marked and not (opens.marked or opens.two_digits) and start + 12 * 60 < end:
        return None  # "1:00~오후 5시": one in the afternoon, most likely
    if not opens.marked and start < 5 * 60 and not opens.two_digits and start > 0:
        return None  # "1:00~5:00" is hardly meant for the night
    if end <= start and not _is_a_night(start, end, closes):
        return None
    return _span(start, end)


def _is_a_night(start: int, end: int, closes: Time) -> bool:
    """Whether a close at or before the open is meant for the next morning, and not for the evening.

    "18:00~02:00" and "11:00~02:00" are; "9:00~06:00" and "12:00~06:00" may as well end at six in the evening, and
    "18:00~12:00" at midnight.
    """
    length = end + 24 * 60 - start
    if length > 18 * 60 or (end >= 9 * 60 and length > 12 * 60):
        return False
    if closes.marked:
        return True
    if not closes.two_digits:
        return start >= 15 * 60 and end <= 5 * 60
    return start >= 15 * 60 or end <= 2 * 60


def _is_noon_or_midnight(opens: Time, closes: Time) -> bool:
    """Whether a twelve with "오전" or "오후" leaves open which it is: "오전 12시" to begin with, "오후 12시" to end with.

    "오후 12시~오후 10시" begins at noon, "오후 6시~오전 12시" ends at midnight, "오전 9시~오후 12시 30분" at half past noon.
    """
    if opens.twelve and opens.minutes < 12 * 60:
        return True
    return closes.twelve and closes.minutes == 12 * 60


def _span(start: int, end: int) -> Interval | None:
    if start == end or end - start > 24 * 60:
        return None
    return clock_of(start), clock_of(end)


def clock_of(minutes: int) -> str:
    """HH:MM of minutes since a day's midnight; 24:00 stays, later is the next day's."""
    within = minutes if minutes <= 24 * 60 else minutes - 24 * 60
    return f"{within // 60:02d}:{within % 60:02d}"


def minutes_of(clock: str) -> int:
    """Minutes since midnight of an HH:MM."""
    return int(clock[:2]) * 60 + int(clock[3:])


def stretch(span: Interval) -> tuple[int, int]:
    """Start and end in minutes, the end beyond 1,440 when the interval ends on the next day."""
    start, end = minutes_of(span[0]), minutes_of(span[1])
    return start, end if end > start else end + 24 * 60


def within(inner: Interval, outer: Interval) -> bool:
    """Whether `inner` lies inside `outer`, also after midnight."""
    (a, b), (start, end) = stretch(inner), stretch(outer)
    return (start <= a and b <= end) or (start <= a + 24 * 60 and b + 24 * 60 <= end)


def overlap(first: Interval, second: Interval) -> bool:
    """Whether two intervals of one day share time."""
    (a, b), (start, end) = stretch(first), stretch(second)
    return a < end and start < b


def contains(span: Interval, clock: str) -> bool:
    """Whether the interval is open at `clock`, its ends included, also after midnight."""
    start, end = stretch(span)
    at = minutes_of(clock)
    return start <= at <= end or start <= at + 24 * 60 <= end
