"""What the governor's tests do again and again."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from pydantic import SecretStr

from shared import quota
from shared.db import Connection
from shared.providers.calls import ProviderCall
from shared.quota import BudgetSpent, Estimate, Limits, Meter, Reservation, Terms, Wait, Work

METER = Meter.of("gemini", SecretStr("a key"), "gemini-3.8-flash")
OTHER_MODEL = replace(METER, model="gemini-3.5-flash-lite")
OTHER_KEY = Meter.of("gemini", SecretStr("another key"), METER.model)
FEW = Terms(Limits(10, 10_000, None, None, 0.3))
COUNTS = 66.0  # seconds for which a call counts: the window, the margin, and the second it was sent in
ASKED = Estimate(100, 0.01)


def terms(requests: int = 10, tokens: int | None = None, share: float = 0.3, **more: Any) -> Terms:
    """Terms with these limits of a minute."""
    days = {name: more.pop(name, None) for name in ("requests_day", "tokens_day")}
    return Terms(Limits(requests, tokens, reserved_share=share, **days), **more)


def call(outcome: str = "ok", tokens: int | None = 50, cost: float | None = 0.004) -> ProviderCall:
    """A call that was made, with its tokens in and out."""
    half = None if tokens is None else tokens // 2
    return ProviderCall(
        "gemini", METER.model, outcome, 900, half, None if half is None else tokens - half, cost
    )


async def reserve(
    conn: Connection, how: Terms = FEW, work: Work = Work.BATCH, **more: Any
) -> Reservation | Wait | BudgetSpent:
    """Ask for one call."""
    meter, estimate = more.pop("meter", METER), more.pop("estimate", ASKED)
    return await quota.reserve(conn, meter, work, estimate, terms=how, **more)


async def granted(
    conn: Connection, how: Terms = FEW, work: Work = Work.BATCH, *, send: bool = False, **more: Any
) -> Reservation:
    """One call reserved, and with `send` marked as sent."""
    found = await reserve(conn, how, work, **more)
    assert isinstance(found, Reservation), found
    if send:
        assert await quota.mark_sent(conn, found, terms=how)
    return found


async def refused(conn: Connection, how: Terms = FEW, work: Work = Work.BATCH, **more: Any) -> Wait:
    """No call, but a time to come back."""
    found = await reserve(conn, how, work, **more)
    assert isinstance(found, Wait), found
    return found


async def room(conn: Connection, how: Terms = FEW, work: Work = Work.BATCH, **more: Any) -> int:
    """How many calls may be reserved now; they are, and are given back."""
    held: list[Reservation] = []
    job_id = uuid4()
    while isinstance(found := await reserve(conn, how, work, job_id=job_id, **more), Reservation):
        held.append(found)
    for reservation in held:
        assert await quota.give_back(conn, reservation, terms=how)
    await quota.leave(conn, more.get("meter", METER), job_id)
    return len(held)


async def settle(
    conn: Connection, reservation: Reservation, how: Terms = FEW, made: ProviderCall | None = None
) -> bool:
    """As the gate does after an answer."""
    made = made or call()
    known = [n for n in (made.input_tokens, made.output_tokens) if n is not None]
    tokens = sum(known) if known else None
    return await quota.settle(conn, reservation, made, terms=how, tokens=tokens, cost_usd=made.cost_usd)


async def the_meter(conn: Connection, how: Terms = FEW, meter: Meter = METER) -> quota.MeterState:
    """What ops shows of one meter."""
    state = await quota.quota_state(conn, how)
    [found] = [
        m
        for m in state.meters
        if (m.provider, m.key_hash, m.model) == (meter.provider, meter.key_hash, meter.model)
    ]
    return found


async def month(conn: Connection, how: Terms = FEW) -> float:
    """What the month's calls cost so far, in dollars."""
    return round((await quota.quota_state(conn, how)).spent_usd, 6)


async def ledger(conn: Connection) -> list[tuple[Any, ...]]:
    """(outcome, dollars, estimated) of every usage row, oldest first."""
    rows = await conn.fetch("SELECT outcome, cost_usd::float8, cost_estimated FROM usage ORDER BY usage_id")
    return [tuple(row) for row in rows]


@dataclass
class Clock:
    """A connection on which it is what time the test says."""

    conn: Connection
    now: datetime

    @classmethod
    async def on(cls, conn: Connection) -> "Clock":
        """At noon of an ordinary day."""
        clock = cls(conn, datetime.fromisoformat("2026-07-01T12:00:00+00:00"))
        await clock.passes(0)
        return clock

    async def at(self, text: str) -> None:
        """It is then."""
        self.now = datetime.fromisoformat(text)
        await self.passes(0)

    async def passes(self, seconds: float) -> None:
        """It is so much later."""
        self.now += timedelta(seconds=seconds)
        await self.conn.execute("UPDATE fake.clock SET at = $1", self.now)


def jobs(count: int) -> list[UUID]:
    """Ids of so many jobs."""
    return [uuid4() for _ in range(count)]
