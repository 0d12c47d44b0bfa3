"""The sources of facts about a place. A channel is a module with one class; `all_channels` lists them.

A vendor is added by a module that meets `Channel` and a line in `all_channels`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from shared.http import FailureCode
from shared.places.models import Fact, NewFact, NewPhoto, Photo, Place
from shared.settings import Settings

OutcomeName = Literal["ok", "empty", "skipped", "failed", "partial"]


@dataclass(frozen=True)
class Known:
    """What is stored of a place when its collection begins."""

    place: Place
    facts: Sequence[Fact]
    photos: Sequence[Photo]

    def confirmed(self, key: str) -> Any:
        """The confirmed value of a key, or None."""
        return next((fact.value for fact in self.facts if fact.key == key and fact.confirmed), None)


@dataclass
class ChannelOutcome:
    """What a channel gave and how it went; written to the job's result channel by channel.

    `facts` and `photos` are to be stored; `counts` replaces their numbers where a channel's facts are stored already.
    `retryable` says whether the same collection may go better later.
    """

    outcome: OutcomeName
    code: FailureCode | None = None
    http_status: int | None = None
    milliseconds: int = 0
    pages: int = 0
    facts: list[NewFact] = field(default_factory=list)
    photos: list[NewPhoto] = field(default_factory=list)
    counts: tuple[int, int] | None = None
    retryable: bool = False
    notes: list[str] = field(default_factory=list)

    def numbers(self) -> tuple[int, int]:
        """How many facts and photos the channel gave."""
        return self.counts if self.counts is not None else (len(self.facts), len(self.photos))

    def diagnostic(self) -> dict[str, Any]:
        """The channel's part of the job's result."""
        facts, photos = self.numbers()
        return {
            "outcome": self.outcome,
            "code": self.code,
            "http_status": self.http_status,
            "milliseconds": self.milliseconds,
            "pages": self.pages,
            "facts": facts,
            "photos": photos,
            "retryable": self.retryable,
            "notes": self.notes[:20],
        }


class Channel(Protocol):
    """A source of facts. It never raises for what a source can do wrong: that is an outcome."""

    name: str

    def enabled(self, settings: Settings, known: Known) -> bool:
        """Whether there is anything to ask here; a channel that is not enabled is reported as skipped."""

    async def collect(self, settings: Settings, known: Known, *, seconds: float) -> ChannelOutcome:
        """Asks the source, for at most `seconds`. Holds no database connection."""


def all_channels() -> list[Channel]:
    """Every channel, in the order of the result."""
    from functions.collect.channels.owner import OwnerChannel
    from functions.collect.channels.website import WebsiteChannel

    return [OwnerChannel(), WebsiteChannel()]
