"""How long a server asks to be left alone."""

import email.utils
from datetime import UTC, datetime

LONGEST_WAIT = 86_400.0  # seconds; a longer wait is no wait but a refusal


def retry_after(header: str) -> float | None:
    """The seconds of a Retry-After header, which holds seconds or a date, at most a day; None for anything else."""
    text = header.strip()
    if text.isdecimal():
        return min(float(text), LONGEST_WAIT)
    try:
        until = email.utils.parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # the second of a year or an hour that is no number of a date's
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return min(max(0.0, (until - datetime.now(UTC)).total_seconds()), LONGEST_WAIT)
