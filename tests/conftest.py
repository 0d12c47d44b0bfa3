"""One PostgreSQL server a test process and one fresh database a test. Nothing else belongs here."""

import asyncio
import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import pytest

from emulator.postgres import Postgres
from shared.migrate import migrate

MIGRATIONS = Path(__file__).resolve().parent.parent / "migrations"
_names = itertools.count(1)
# Database work of synchronous fixtures runs in a thread of its own: the test's event loop stays untouched.
_thread = ThreadPoolExecutor(1, "databases")


@dataclass(frozen=True)
class Server:
    """A running server: the `url` of its maintenance database, the `template` every test's one copies."""

    url: str
    template: str

    def database_url(self, name: str) -> str:
        """The same server, another database."""
        return self.url.rsplit("/", 1)[0] + "/" + name

    def execute(self, *statements: str) -> None:
        """Run statements, each on its own, on the maintenance database."""
        _thread.submit(asyncio.run, _execute(self.url, statements)).result()


async def _execute(url: str, statements: tuple[str, ...]) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A server without fsync, one a process (so one an xdist worker), with the migrated template database.

    WEB4AI_TEST_PG_BIN chooses other binaries than the pinned ones.
    """
    folder = Path(tempfile.mkdtemp(prefix="web4ai-test-"))
    folder.chmod(0o755)  # for root, another user runs the server
    chosen = os.environ.get("WEB4AI_TEST_PG_BIN")
    try:
        with Postgres() as postgres:
            url = postgres.start(folder / "pg", fsync=False, bin_dir=Path(chosen) if chosen else None)
            server = Server(url, "web4ai_template")
            server.execute(f"CREATE DATABASE {server.template}")
            url = server.database_url(server.template)
            _thread.submit(asyncio.run, migrate(url, MIGRATIONS)).result()
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(postgres_server: Server) -> Iterator[str]:
    """The URL of a fresh, migrated database of this test alone."""
    name = f"test_{next(_names)}"
    postgres_server.execute(f"CREATE DATABASE {name} TEMPLATE {postgres_server.template}")
    yield postgres_server.database_url(name)
    postgres_server.execute(f"DROP DATABASE {name} WITH (FORCE)")
