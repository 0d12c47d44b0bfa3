"""A database for the governor's tests, emptied between them; and a connection to it on which the test is the clock."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor

import asyncpg
import pytest

from shared.db import Connection
from tests.conftest import Server
from tests.db.quota.steps import Clock
from tests.db.steps import connect

# Functions of these names, found first where the search path says so, stand in for PostgreSQL's own.
_CLOCK = """
CREATE SCHEMA fake;
CREATE TABLE fake.clock (at timestamptz NOT NULL);
INSERT INTO fake.clock VALUES ('2026-07-01Z');
CREATE FUNCTION fake.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT at FROM fake.clock';
CREATE FUNCTION fake.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM fake.clock';
"""
_EMPTY = """
DELETE FROM quota_reservations; DELETE FROM quota_slots; DELETE FROM quota_days; DELETE FROM quota_waiters;
DELETE FROM quota_months; DELETE FROM quota_closures; DELETE FROM quota_meters; DELETE FROM usage;
DELETE FROM quota_limits WHERE provider <> 'perplexity';
"""

# Synchronous fixtures leave the test's event loop alone.
_thread = ThreadPoolExecutor(1, "quota database")


async def _run(url: str, statements: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(statements)
    await connection.close()


@pytest.fixture(scope="session")
def quota_database(postgres_server: Server) -> Iterator[str]:
    """The name of a migrated database with a clock of its own."""
    with postgres_server.fresh() as name:
        _thread.submit(asyncio.run, _run(postgres_server.database_url(name), _CLOCK)).result()
        yield name


@pytest.fixture
def database(quota_database: str, postgres_server: Server) -> str:
    """The URL of an empty, migrated database for this test."""
    _thread.submit(asyncio.run, _run(postgres_server.database_url(quota_database), _EMPTY)).result()
    return postgres_server.test_url(quota_database)


@pytest.fixture
async def conn(database: str) -> AsyncIterator[Connection]:
    connection = await connect(database)
    yield connection
    await connection.close(timeout=5)


@pytest.fixture
async def clock(direct_database: str) -> AsyncIterator[Clock]:
    """A connection on which the governor's time is what the test says."""
    connection = await asyncpg.connect(
        direct_database, server_settings={"search_path": "fake, pg_catalog, public"}
    )
    yield await Clock.on(connection)
    await connection.close(timeout=5)
