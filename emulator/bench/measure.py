"""Rounds in which contenders take turns, and what is told of them: medians, ratios and how far they spread."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

# One run of one contender; its figure, in the measure's unit.
Contender: TypeAlias = Callable[[], Awaitable[float]]
Say: TypeAlias = Callable[[str], None]


@dataclass(frozen=True)
class Series:
    """Figures of one contender, one a round."""

    values: Sequence[float]

    @property
    def median(self) -> float:
        """The middle one."""
        return median(self.values)

    def per(self, other: "Series") -> "Series":
        """This one divided by the other, round by round."""
        return Series([a / b for a, b in zip(self.values, other.values, strict=True)])

    def document(self) -> dict[str, float]:
        """Median, lowest and highest, to four figures, and of how many."""
        low, high = _short(min(self.values)), _short(max(self.values))
        return {"median": _short(self.median), "low": low, "high": high, "rounds": len(self.values)}


@dataclass(frozen=True)
class Goal:
    """What a figure must reach: at least, or at most, so much."""

    value: float
    at_least: bool = True

    def met(self, figure: float) -> bool:
        """Whether the figure reaches it."""
        return figure >= self.value if self.at_least else figure <= self.value

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.value:g}"


@dataclass(frozen=True)
class Measure:
    """One line of the report. `ratio` is `ours` to `limit`, round by round; a measure without a limit has a figure alone.

    `goal` is for the ratio's median where there is a limit, else for the median of `ours`.
    """

    name: str
    unit: str
    ours: Series
    limit: Series | None = None
    limit_name: str = "raw"
    goal: Goal | None = None

    @property
    def ratio(self) -> Series | None:
        """Ours to the limit."""
        return None if self.limit is None else self.ours.per(self.limit)

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without one."""
        return None if self.goal is None else self.goal.met((self.ratio or self.ours).median)

    def document(self) -> dict[str, Any]:
        """The measure as JSON."""
        ratio = self.ratio
        return {
            "name": self.name,
            "unit": self.unit,
            "ours": self.ours.document(),
            "limit_name": None if self.limit is None else self.limit_name,
            "limit": None if self.limit is None else self.limit.document(),
            "ratio": None if ratio is None else ratio.document(),
            "goal": None if self.goal is None else str(self.goal),
            "met": self.met,
        }


@dataclass(frozen=True)
class Rounds:
    """So many rounds, or as many as fit into so many seconds, one at the least."""

    most: int
    seconds: float


async def in_turns(rounds: Rounds, contenders: Mapping[str, Contender], say: Say) -> dict[str, Series]:
    """Each contender once a round, another one first in each round, so that nobody always runs after the same one."""
    end = time.monotonic() + rounds.seconds
    figures: dict[str, list[float]] = {name: [] for name in contenders}
    names = list(contenders)
    for number in range(rounds.most):
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            figures[name].append(await contenders[name]())
        told = ", ".join(f"{name} {_short(figures[name][-1]):g}" for name in names)
        say(f"  round {number + 1} of {rounds.most}: {told}")
        if time.monotonic() > end:
            break
    return {name: Series(values) for name, values in figures.items()}


async def until(condition: Callable[[], Awaitable[T | None]], pause: float) -> T:
    """The condition's first true value, asked for every `pause` seconds."""
    while True:
        value = await condition()
        if value:
            return value
        await asyncio.sleep(pause)


def _short(value: float) -> float:
    """Four figures: no measurement here has more to say."""
    return float(f"{value:.4g}")
