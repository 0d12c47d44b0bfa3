"""A database with an outbox and a webhook to post to."""

from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest
from pydantic import SecretStr

from shared.alerts.outbox import AlertStatus, raise_alert
from shared.db import Connection
from shared.settings import Settings
from tests.db import reused
from tests.db.steps import connect
from tests.fakes.teams import Teams

database = reused.database
reused_database = reused.reused_database


@pytest.fixture
async def conn(database: str) -> AsyncIterator[Connection]:
    connection = await connect(database)
    yield connection
    await connection.close(timeout=5)


@pytest.fixture
def teams() -> Iterator[Teams]:
    with Teams().running() as server:
        assert isinstance(server, Teams)
        yield server


@pytest.fixture
def config(teams: Teams) -> Settings:
    return Settings(
        teams_webhook_url=SecretStr(teams.webhook), alert_locale="ko", console_url="https://console.example/"
    )


WAITING, SENT, DEAD = AlertStatus


async def make_due(conn: Connection) -> None:
    """As if every waiting row's time, and every flusher's lease, were over."""
    await conn.execute(
        "UPDATE alert_outbox SET next_attempt_at = now(), lease_until = least(lease_until, now()) WHERE status = 1"
    )


async def died(conn: Connection, **changes: Any) -> UUID:
    """One job has died; a key of its own unless given."""
    key = changes.pop("key", None) or f"job_dead:{uuid4()}"
    detail = {
        "job_id": str(uuid4()),
        "job_type": "COPY",
        "place_id": None,
        "region_code": None,
        "attempts": 3,
        "error": "RuntimeError: it broke",
        **changes,
    }
    return await raise_alert(conn, "job_dead", "COPY DEAD", detail, key=key, window_seconds=3600)


async def row(conn: Connection, alert_id: UUID) -> asyncpg.Record:
    found = await conn.fetchrow(
        "SELECT *, next_attempt_at - now() AS due_in FROM alert_outbox WHERE alert_id = $1", alert_id
    )
    assert found is not None
    return found
