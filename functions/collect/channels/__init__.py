"""The sources of facts about a place. A channel is a module with one class; `all_channels` lists them.

A source is added by a module that meets `Channel` and a line in `all_channels`.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal, Protocol

from functions.collect.diagnostics import DiagnosticCode
from functions.collect.keys import ChannelKeys
from functions.collect.matching import Subject
from shared.places.models import Fact, NewFact, NewPhoto, Photo, Place, UsageRow
from shared.settings import Settings

OutcomeName = Literal["ok", "empty", "skipped", "failed", "partial"]

_KEPT = 20  # notes and rejections of one channel that are written to the result
_NAME = 100  # characters of a rejected business's name


@dataclass(frozen=True)
class Known:
    """What is stored of a place when its collection begins."""

    place: Place
    facts: Sequence[Fact]
    photos: Sequence[Photo]

    def confirmed(self, key: str) -> Any:
        """The confirmed value of a key, or None."""
        return next((fact.value for fact in self.facts if fact.key == key and fact.confirmed), None)


class Gate(Protocol):
    """What all sandboxes together may ask of a vendor. Kept in PostgreSQL; holds no connection between calls."""

    async def turn(self, channel: str, *, every: float, at_most: float) -> float:
        """Takes the vendor's next turn; the seconds to wait for it. `every` seconds lie between two turns.

        Raises `VendorFailure` (`rate_limited`, retryable) when the wait would be longer than `at_most`, without
        taking one; with the code of its closing while the vendor is closed.
        """

    async def close(self, channel: str, code: DiagnosticCode, how_long: timedelta) -> None:
        """Keeps every sandbox from asking the vendor for so long. Closing again never shortens."""


@dataclass(frozen=True)
class Asking:
    """One collection, as a channel sees it: whom to ask about, with what, and until when."""

    settings: Settings
    keys: ChannelKeys
    known: Known
    subject: Subject
    gate: Gate
    ends: float  # on the clock of time.monotonic()

    def left(self) -> float:
        """Seconds until the channel must have answered."""
        return self.ends - time.monotonic()


@dataclass(frozen=True)
class Rejected:
    """An answer that was of another business, and why. `name` only where the source's terms let it be kept."""

    reason: str
    name: str | None = None


@dataclass
class ChannelOutcome:
    """What a channel gave and how it went; written to the job's result channel by channel.

    `facts` and `photos` are to be stored; `counts` replaces their numbers where a channel's facts are stored already.
    `retryable` says whether the same collection may go better later; `whole` that the source was read to its end, so
    that what it does not say any more has vanished from it. `usage` are its calls that cost money.
    """

    outcome: OutcomeName
    code: DiagnosticCode | None = None
    http_status: int | None = None
    milliseconds: int = 0
    pages: int = 0
    facts: list[NewFact] = field(default_factory=list)
    photos: list[NewPhoto] = field(default_factory=list)
    counts: tuple[int, int] | None = None
    retryable: bool = False
    whole: bool = False
    notes: list[DiagnosticCode] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    usage: list[UsageRow] = field(default_factory=list)

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
            "notes": list(dict.fromkeys(self.notes))[:_KEPT],
            "rejected": [
                {"reason": rejected.reason, **({"name": rejected.name[:_NAME]} if rejected.name else {})}
                for rejected in self.rejected[:_KEPT]
            ],
        }


class Channel(Protocol):
    """A source of facts. It never raises for what a source can do wrong: that is an outcome."""

    name: str

    def skipped(self, ask: Asking) -> DiagnosticCode | None:
        """Why there is nothing to ask here, or None; a skipped channel is asked nothing and reported so."""

    async def collect(self, ask: Asking) -> ChannelOutcome:
        """Asks the source until `ask.ends` at most. Holds no database connection."""


def all_channels() -> list[Channel]:
    """Every channel, in the order of the result."""
    from functions.collect.channels.google_places import GooglePlacesChannel
    from functions.collect.channels.kakao import KakaoChannel
    from functions.collect.channels.naver import NaverChannel
    from functions.collect.channels.nts import NtsChannel
    from functions.collect.channels.osm import OsmChannel
    from functions.collect.channels.owner import OwnerChannel
    from functions.collect.channels.perplexity import PerplexityChannel
    from functions.collect.channels.tourapi import TourApiChannel
    from functions.collect.channels.website import WebsiteChannel

    return [
        OwnerChannel(),
        WebsiteChannel(),
        KakaoChannel(),
        NaverChannel(),
        TourApiChannel(),
        GooglePlacesChannel(),
        OsmChannel(),
        PerplexityChannel(),
        NtsChannel(),
    ]
