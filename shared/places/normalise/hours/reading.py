"""What a text of opening hours states, before it is made a week of."""

from dataclasses import dataclass, field

from shared.places.models import ClosedNth, Interval
from shared.places.normalise.hours.clock import Time
from shared.places.normalise.hours.days import DaySet


class UnclearError(Exception):
    """The tokens do not say one thing."""


@dataclass(eq=False)
class Group:
    """Days and the intervals stated for them, or that they are closed. `days` is None where none was named."""

    days: DaySet | None
    spans: list[Interval] = field(default_factory=list)
    closed: bool = False


@dataclass(eq=False)
class Extra:
    """A break or a last order for `days`; None: for every open day it fits in."""

    days: DaySet | None
    breaks: list[Interval] = field(default_factory=list)
    last_orders: list[Time] = field(default_factory=list)
    before_close: int | None = None  # minutes


@dataclass
class Reading:
    """Everything a text states, in the order it does."""

    groups: list[Group] = field(default_factory=list)
    extras: list[Extra] = field(default_factory=list)
    closed_nth: list[ClosedNth] = field(default_factory=list)
    holidays_open: bool = False
    never_closed: bool = False
