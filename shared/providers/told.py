"""What a vendor says, in the form in which it can be kept: an answer that is odd costs itself alone."""

import math
import re
from typing import Any

# Of one call. What a vendor says beyond them is no figure.
MOST_TOKENS = 2**31 - 1
MOST_USD = 100_000.0
LONGEST_WAIT = 31 * 86400.0  # seconds, whatever a vendor names

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def text_of(value: Any, limit: int) -> str:
    """The value as text of at most `limit` characters, without what PostgreSQL refuses: NUL and lone surrogates."""
    return _UNSTORABLE.sub("\ufffd", str(value)[:limit])


def tokens_of(value: Any) -> int | None:
    """A number of tokens; None for what is none."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= MOST_TOKENS else None


def usd_of(value: Any) -> float | None:
    """An amount in dollars; None for what is none."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= MOST_USD else None


def seconds_of(stated: str) -> float | None:
    """A plain number of seconds, bounded; None for anything else."""
    if not stated.isascii() or not re.fullmatch(r"\d+(?:\.\d+)?", stated.strip()):
        return None
    return bounded(float(stated))


def bounded(seconds: float) -> float:
    """A wait that some clock can count."""
    return 0.0 if math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_WAIT)
