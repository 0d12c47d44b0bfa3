"""Rows of `alert_outbox`: raised in the transaction of what they tell, claimed and marked by the flusher."""

import json
from collections.abc import Sequence
from datetime import datetime
from enum import IntEnum
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
from asyncpg import Record
from pydantic import BaseModel, ConfigDict

from shared.db import Connection
from shared.sql import Statements

SQL = Statements(Path(__file__).parent / "sql")

# Longer than a flusher's whole run (55 s), so that a row comes back only from one that died.
LEASE_SECONDS = 120.0
PRUNE_BATCH = 500


class AlertStatus(IntEnum):
    """`alert_outbox.status`."""

    WAITING = 1
    SENT = 2
    DEAD = 3


class DueAlert(BaseModel):
    """A claimed row. `occurrences` is as read at the claim: what a post of it tells.

    `utc_offset` is that of the readers' zone at `created_at`, in seconds; both times are the database's.
    """

    model_config = ConfigDict(frozen=True)

    alert_id: UUID
    kind: str
    title: str
    detail: dict[str, Any]
    occurrences: int
    posted: int
    attempts: int
    created_at: datetime
    updated_at: datetime
    window_until: datetime
    place_name: str | None
    claimed_at: datetime
    utc_offset: int = 0


class Alert(BaseModel):
    """A row as people see it."""

    model_config = ConfigDict(frozen=True)

    alert_id: UUID
    kind: str
    title: str
    detail: dict[str, Any]
    dedupe_key: str
    occurrences: int
    posted: int
    status: AlertStatus
    attempts: int
    next_attempt_at: datetime
    last_error: str | None
    created_at: datetime
    updated_at: datetime
    sent_at: datetime | None


class AlertCounts(BaseModel):
    """`waiting` rows have something untold, `due` ones of them could be posted now, `dead` ones were refused."""

    waiting: int
    due: int
    dead: int
    oldest_due_sec: float | None


class Claim:
    """Rows held until they are marked or their lease runs out. Every mark is conditional on the claim's token.

    Each row is marked in a statement of its own: a reaper's transaction may hold several rows in another order, and
    two of many would wait on each other crosswise.
    """

    def __init__(self, token: UUID, alerts: list[DueAlert]) -> None:
        self._token = token
        self.alerts = alerts

    async def still_held(
        self, conn: Connection, alerts: Sequence[DueAlert], seconds: float
    ) -> list[DueAlert]:
        """Those that are this claim's for at least `seconds` more: a flusher that was frozen may have lost them."""
        found = await conn.fetch(SQL.still_held, [alert.alert_id for alert in alerts], self._token, seconds)
        ids = {row["alert_id"] for row in found}
        return [alert for alert in alerts if alert.alert_id in ids]

    async def sent(self, conn: Connection, alert: DueAlert) -> bool:
        """The row was posted with the occurrences it had at the claim. False: it is no longer this claim's."""
        return await conn.fetchval(SQL.mark_sent, alert.alert_id, self._token, alert.occurrences) is not None

    async def failed(
        self, conn: Connection, alert: DueAlert, error: str, delay: float, *, hold: bool = False
    ) -> bool:
        """The post failed and is tried again in `delay` seconds; with `hold` no other row is posted before."""
        row = (alert.alert_id, self._token, error, delay, hold)
        return await conn.fetchval(SQL.mark_failed, *row) is not None

    async def dead(self, conn: Connection, alert: DueAlert, error: str) -> bool:
        """The receiver refused the post for good."""
        return await conn.fetchval(SQL.mark_dead, alert.alert_id, self._token, error) is not None

    async def give_back(self, conn: Connection, alert: DueAlert, delay: float = 0.0) -> None:
        """Nothing was tried; due again in `delay` seconds, at once for 0."""
        await conn.execute(SQL.give_back, alert.alert_id, self._token, delay)


async def claim_due(
    conn: Connection, limit: int, *, lease_seconds: float = LEASE_SECONDS, zone: str = "UTC"
) -> Claim:
    """Up to `limit` due rows, the longest due first, held for `lease_seconds`; none while the receiver wants to be left alone.

    `zone` is one that PostgreSQL knows: see `known_zone`.
    """
    token = uuid4()
    rows = await conn.fetch(SQL.claim_due, limit, lease_seconds, token, zone)
    return Claim(token, [DueAlert.model_validate(_decoded(row)) for row in rows])


async def known_zone(conn: Connection, zone: str) -> str:
    """`zone`, or UTC where PostgreSQL does not know it: a wrong setting keeps no alert from being told."""
    try:
        await conn.fetchval(SQL.zone_now, zone)
    except asyncpg.InvalidParameterValueError:
        return "UTC"
    return zone


async def raise_alert(
    conn: Connection, kind: str, title: str, detail: dict[str, Any], *, key: str, window_seconds: float
) -> UUID:
    """Count one event under `key`, in the caller's transaction; a new row when the key's window has ended."""
    alert_id: UUID = await conn.fetchval(
        SQL.raise_alert, kind, title, json.dumps(detail, ensure_ascii=False), key, window_seconds
    )
    return alert_id


async def recovered(conn: Connection, key: str) -> None:
    """The condition that `key` tells of is over. What was posted is not told again; a new start within the window is."""
    await conn.execute(SQL.recover, key)


async def recovered_but(conn: Connection, kind: str, keys: Sequence[str]) -> None:
    """The same for every condition of a kind but those that `keys` tell of."""
    await conn.execute(SQL.recover_others, kind, keys)


async def get_alert(conn: Connection, alert_id: UUID) -> Alert | None:
    """One row, or None."""
    row = await conn.fetchrow(SQL.get_alert, alert_id)
    return None if row is None else Alert.model_validate(_decoded(row))


async def list_alerts(
    conn: Connection,
    *,
    status: AlertStatus | None = None,
    before: tuple[datetime, UUID] | None = None,
    limit: int = 50,
) -> list[Alert]:
    """One page, newest first; `before` is (created_at, alert_id) of the last one seen."""
    created_at, alert_id = before or (None, None)
    rows = await conn.fetch(SQL.list_alerts, status, created_at, alert_id, limit)
    return [Alert.model_validate(_decoded(row)) for row in rows]


async def retry_alert(conn: Connection, alert_id: UUID) -> bool:
    """Make a refused or waiting row due now. False when it was sent, is being posted, or does not exist."""
    return await conn.fetchval(SQL.retry, alert_id) is not None


async def count_alerts(conn: Connection) -> AlertCounts:
    """How the outbox stands."""
    row = await conn.fetchrow(SQL.count_alerts)
    return AlertCounts.model_validate(dict(row or {}))


async def prune_alerts(conn: Connection, retention_days: float) -> int:
    """Delete one batch of sent rows past retention; how many."""
    gone: int = await conn.fetchval(SQL.prune, retention_days * 86400.0, PRUNE_BATCH)
    return gone


async def beat(conn: Connection, detail: dict[str, Any]) -> None:
    """Say that the flusher ran, and how."""
    await conn.execute(SQL.beat, json.dumps(detail))


def _decoded(row: Record) -> dict[str, Any]:
    detail = json.loads(row["detail"])
    # A row put in by hand may hold anything, and must not stop the others.
    return {**dict(row), "detail": detail if isinstance(detail, dict) else {"note": detail}}
