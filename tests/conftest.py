"""One PostgreSQL server a test process and one fresh database a test. Nothing else belongs here.

With WEB4AI_TEST_PGBOUNCER=1 tests reach their databases through PgBouncer in transaction mode; what needs a session of its own
(LISTEN, a setting, the end of a connection) takes `direct_database` instead of `database`.
"""

import asyncio
import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import pytest

from emulator.postgres import Postgres
from shared.migrate import migrate
from tests.pgbouncer import pooled, pooling

MIGRATIONS = Path(__file__).resolve().parent.parent / "migrations"
_names = itertools.count(1)
# Database work of synchronous fixtures runs in a thread of its own: the test's event loop stays untouched.
_thread = ThreadPoolExecutor(1, "databases")


@dataclass(frozen=True)
class Server:
    """A running server: the `url` of its maintenance database, the `template` every test's one copies.

    `front` is the same address as tests reach it: through a pooler where one stands before it.
    """

    url: str
    template: str
    front: str

    def database_url(self, name: str) -> str:
        """The same server, another database."""
        return self.url.rsplit("/", 1)[0] + "/" + name

    def test_url(self, name: str) -> str:
        """The same for a test: through the pooler, where one stands before the server."""
        return self.front.rsplit("/", 1)[0] + "/" + name

    @contextmanager
    def fresh(self) -> Iterator[str]:
        """The name of a migrated database, dropped afterwards."""
        name = f"test_{next(_names)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {self.template}")
        yield name
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def execute(self, *statements: str) -> None:
        """Run statements, each on its own, on the maintenance database."""
        _thread.submit(asyncio.run, _execute(self.url, statements)).result()

    def within(self, name: str, *statements: str) -> None:
        """The same on another database of the server."""
        _thread.submit(asyncio.run, _execute(self.database_url(name), statements)).result()


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
        with Postgres() as postgres, ExitStack() as stack:
            url = postgres.start(folder / "pg", fsync=False, bin_dir=Path(chosen) if chosen else None)
            front = stack.enter_context(pooled(url, folder / "pgbouncer")) if pooling() else url
            server = Server(url, "web4ai_template", front)
            server.execute(f"CREATE DATABASE {server.template}")
            url = server.database_url(server.template)
            _thread.submit(asyncio.run, migrate(url, MIGRATIONS)).result()
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(postgres_server: Server) -> Iterator[str]:
    """The URL of a fresh, migrated database of this test alone."""
    with postgres_server.fresh() as name:
        yield postgres_server.test_url(name)


@pytest.fixture
def direct_database(database: str, postgres_server: Server) -> str:
    """The URL of the test's database past the pooler: for sessions that must be one's own."""
    return postgres_server.database_url(database.rsplit("/", 1)[1])
