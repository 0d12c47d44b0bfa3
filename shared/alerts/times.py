"""Times and lengths of time as people read them."""

from datetime import datetime, timedelta, timezone

from shared.alerts.wording import Wording


def local_time(moment: datetime, utc_offset: int, words: Wording) -> str:
    """The day and the minute in a zone so many seconds ahead of UTC, with the zone."""
    offset = timedelta(seconds=utc_offset)
    hours = offset.total_seconds() / 3600
    zone = "KST" if hours == 9 else f"UTC{hours:+g}"
    return f"{moment.astimezone(timezone(offset)).strftime(words.time)} {zone}"


def span(length: timedelta, words: Wording) -> str:
    """In the largest whole unit; empty below a minute."""
    minutes = int(length.total_seconds() // 60)
    for size, unit in ((1440, 2), (60, 1), (1, 0)):
        if minutes >= size:
            return words.units[unit].format(n=minutes // size)
    return ""
