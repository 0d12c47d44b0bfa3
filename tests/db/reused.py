"""One database for many tests of the queue, emptied between them: making one a test costs more than most of the tests.

A test that changed the schema or left much behind, or whose rows cannot be taken back, gets the next one a new database.
"""

import asyncio
import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import asyncpg
import pytest

from tests.conftest import Server
from tests.pgbouncer import pooling

_numbers = itertools.count(1)
_thread = ThreadPoolExecutor(1, "emptying")

# Whatever a test may have added to the schema changes this.
_SHAPE = """
SELECT concat_ws(' ', (SELECT count(*) FROM pg_class WHERE oid >= 16384), (SELECT count(*) FROM pg_proc WHERE oid >= 16384),
                 (SELECT count(*) FROM pg_trigger), (SELECT count(*) FROM pg_constraint), (SELECT count(*) FROM pg_attribute))
"""
_SMALL = "SELECT pg_total_relation_size('jobs') < 4 * 1024 * 1024"
_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
_EMPTY = """
SET lock_timeout = '5s';
DELETE FROM jobs; DELETE FROM job_dependencies; DELETE FROM job_attempts; DELETE FROM alert_outbox;
DELETE FROM job_type_settings; INSERT INTO job_type_settings SELECT * FROM kept.job_type_settings;
DELETE FROM beats; INSERT INTO beats SELECT * FROM kept.beats;
DELETE FROM places; DELETE FROM users;
"""
_KEEP = """
CREATE SCHEMA kept;
CREATE TABLE kept.job_type_settings AS SELECT * FROM job_type_settings;
CREATE TABLE kept.beats AS SELECT * FROM beats;
"""


class ReusedDatabase:
    """A database of a server that is emptied, or made anew where it cannot be."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._name = ""
        self._shape = ""

    def url(self) -> str:
        """An empty, migrated database."""
        if not (self._name and _thread.submit(asyncio.run, self._emptied()).result()):
            self.drop()
            self._name = f"reused_{next(_numbers)}"
            self._server.execute(f"CREATE DATABASE {self._name} TEMPLATE {self._server.template}")
            self._shape = _thread.submit(asyncio.run, self._keep()).result()
        return self._server.test_url(self._name)

    def drop(self) -> None:
        """Away with it."""
        if self._name:
            self._server.execute(f"DROP DATABASE {self._name} WITH (FORCE)")

    async def _keep(self) -> str:
        conn = await asyncpg.connect(self._server.database_url(self._name))
        await conn.execute(_KEEP)
        shape: str = await conn.fetchval(_SHAPE)
        await conn.close()
        return shape

    async def _emptied(self) -> bool:
        conn = await asyncpg.connect(self._server.database_url(self._name))
        try:
            # What a pooler keeps idle stays: it might hand out a session before it has noticed its end.
            await conn.execute(_OTHERS + ("AND state <> 'idle'" if pooling() else ""))
            if await conn.fetchval(_SHAPE) != self._shape or not await conn.fetchval(_SMALL):
                return False
            await conn.execute(_EMPTY)
        except asyncpg.PostgresError:
            return False
        finally:
            await conn.close()
        return True


@pytest.fixture(scope="session")
def reused_database(postgres_server: Server) -> Iterator[ReusedDatabase]:
    reused = ReusedDatabase(postgres_server)
    yield reused
    reused.drop()


@pytest.fixture
def database(reused_database: ReusedDatabase) -> str:
    """The URL of an empty, migrated database for this test."""
    return reused_database.url()
