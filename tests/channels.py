"""What a channel is asked with, made directly: settings, what is known of a place, and a gate that lets through.

ask = asking(Settings(kakao_api_key=SecretStr(KEY), kakao_base_url=url), names=["달그릇국수"], phones=["02-555-0142"])
outcome = await KakaoChannel().collect(ask)
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from functions.collect.channels import Asking, Gate, Known
from functions.collect.channels.vendor import VendorFailure
from functions.collect.diagnostics import DiagnosticCode
from functions.collect.keys import ChannelKeys, given_keys
from functions.collect.matching import Subject
from shared.places.keys import normalise_value
from shared.places.models import Fact, Place
from shared.places.normalise import address_key, normalise_address
from shared.settings import Settings

PLACE_ID = UUID("0a8f3c1e-0000-4000-8000-000000000001")
_THEN = datetime(2026, 11, 30, tzinfo=UTC)


@dataclass
class OpenGate:
    """Lets everybody through at once; `closed` are the vendors it was told to close, which it then does."""

    turns: list[tuple[str, float]] = field(default_factory=list)
    closed: dict[str, tuple[DiagnosticCode, timedelta]] = field(default_factory=dict)

    async def turn(self, channel: str, *, every: float, at_most: float) -> float:
        self.turns.append((channel, every))
        if channel in self.closed:
            raise VendorFailure(self.closed[channel][0], "closed for everybody")
        return 0.0

    async def close(self, channel: str, code: DiagnosticCode, how_long: timedelta) -> None:
        self.closed[channel] = (code, how_long)


def asking(
    settings: Settings,
    *,
    names: Sequence[str],
    phones: Sequence[str] = (),
    addresses: Sequence[str] = (),
    geo: tuple[float, float] | None = None,
    website: str = "",
    facts: Mapping[str, Any] | None = None,
    gate: Gate | None = None,
    keys: ChannelKeys | None = None,
    seconds: float = 20.0,
) -> Asking:
    """A collection of a place its owner confirmed all this of, in any spelling the intake takes.

    `geo` is (latitude, longitude); `facts` are further confirmed ones by key, normalised here; `keys` are those of the
    settings unless given.
    """
    written = [normalise_address(address) for address in addresses]
    said: list[tuple[str, Any]] = [("name", names[0]), *(("phone", phone) for phone in phones)]
    said += [(f"{address.kind}_address", address.text) for address in written]
    said += [("geo", {"lat": geo[0], "lon": geo[1]})] if geo else []
    said += [("website", website)] if website else []
    stored = [_fact(key, normalise_value(key, value)) for key, value in [*said, *(facts or {}).items()]]
    buildings = (address_key(address.text) for address in written)
    return Asking(
        settings=settings,
        keys=keys or given_keys(settings),
        known=Known(_place(names), stored, []),
        subject=Subject(
            names=list(names),
            website=website,
            phones=frozenset(fact.value for fact in stored if fact.key == "phone"),
            buildings=frozenset(key for key in buildings if key is not None),
            geo=next((fact.value for fact in stored if fact.key == "geo"), None),
        ),
        gate=gate or OpenGate(),
        ends=time.monotonic() + seconds,
    )


def _place(names: Sequence[str]) -> Place:
    return Place(
        place_id=PLACE_ID,
        owner_id=UUID(int=1),
        name=names[0],
        locale="ko",
        region_code=None,
        aliases=list(names[1:]),
        accept_website=True,
        facts_version=1,
        page_version=1,
        created_at=_THEN,
        updated_at=_THEN,
        deleted_at=None,
    )


def _fact(key: str, value: Any) -> Fact:
    return Fact(
        fact_id=uuid4(),
        place_id=PLACE_ID,
        key=key,
        value=value,
        channel="owner",
        source_url=None,
        confidence=1.0,
        confirmed=True,
        confirmed_by="owner",
        rejected_at=None,
        storable=True,
        disagrees=False,
        first_seen_at=_THEN,
        collected_at=_THEN,
    )
