"""What `ops` shows of quota and money."""

from dataclasses import dataclass
from datetime import date, datetime

import asyncpg

from shared.db import Connection
from shared.quota.models import Limits, Terms
from shared.quota.sql import SQL


@dataclass(frozen=True)
class Use:
    """What counts now, and of this what is batch work's."""

    requests: int
    tokens: int
    batch_requests: int
    batch_tokens: int


@dataclass(frozen=True)
class MeterState:
    """A model under a key. `batch_limits` are what batch work may take of `limits`; the day ends at `day_ends`.

    `waiting_for` is the reason told to the one whose turn is next.
    """

    provider: str
    key_hash: str
    model: str
    limits: Limits
    batch_limits: Limits
    minute: Use
    day: Use
    day_ends: datetime
    waiting_interactive: int
    waiting_batch: int
    waiting_since: datetime | None
    waiting_for: str | None
    next_turn_at: datetime | None
    closed_until: datetime | None
    closed_code: str | None
    closed_detail: str | None
    key_closed: bool


@dataclass(frozen=True)
class QuotaState:
    """Every meter in use, and the month's money: `spent_usd` with calls under way at their estimate, `reserved_usd` not sent."""

    meters: tuple[MeterState, ...]
    month: date
    spent_usd: float
    reserved_usd: float
    budget_usd: float | None


async def quota_state(conn: Connection, terms: Terms) -> QuotaState:
    """As it is now. Meters used neither today nor yesterday, waited for nor closed are left out."""
    limits = terms.limits
    rows = await conn.fetch(
        SQL.state,
        limits.requests_minute,
        limits.tokens_minute,
        limits.requests_day,
        limits.tokens_day,
        limits.reserved_share,
        terms.window,
        terms.margin,
    )
    month = await conn.fetchrow(SQL.month)
    assert month is not None, "an aggregate has a row"  # noqa: S101 - for the type checker
    return QuotaState(
        meters=tuple(_meter(row) for row in rows),
        month=month["month"],
        spent_usd=month["spent_usd"],
        reserved_usd=month["reserved_usd"],
        budget_usd=terms.budget_usd,
    )


def _meter(row: asyncpg.Record) -> MeterState:
    return MeterState(
        provider=row["provider"],
        key_hash=row["key_hash"],
        model=row["model"],
        limits=_limits(row, ""),
        batch_limits=_limits(row, "batch_"),
        minute=_use(row, "minute"),
        day=_use(row, "today"),
        day_ends=row["day_ends"],
        waiting_interactive=row["waiting_interactive"],
        waiting_batch=row["waiting_batch"],
        waiting_since=row["waiting_since"],
        waiting_for=row["waiting_for"],
        next_turn_at=row["next_turn_at"],
        closed_until=row["closed_until"],
        closed_code=row["closed_code"],
        closed_detail=row["closed_detail"],
        key_closed=bool(row["key_closed"]),
    )


def _limits(row: asyncpg.Record, prefix: str) -> Limits:
    return Limits(
        row[f"{prefix}requests_minute"],
        row[f"{prefix}tokens_minute"],
        row[f"{prefix}requests_day"],
        row[f"{prefix}tokens_day"],
        row["reserved_share"],
    )


def _use(row: asyncpg.Record, frame: str) -> Use:
    return Use(
        row[f"{frame}_requests"],
        row[f"{frame}_tokens"],
        row[f"{frame}_batch_requests"],
        row[f"{frame}_batch_tokens"],
    )
