"""A PostgreSQL of the bench's own, durable and with default settings, gone when it ends."""

import asyncio
import itertools
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import asyncpg

from emulator.bench import workload
from emulator.postgres import Postgres
from shared.db import Connection
from shared.migrate import migrate

_TEMPLATE = "bench_template"
_names = itertools.count(1)


class BenchServer:
    """A running server with databases that hold the schema and the bench's types."""

    def __init__(self, url: str) -> None:
        self._url = url

    def url(self, database: str) -> str:
        """The address of a database."""
        return self._url.rpartition("/")[0] + "/" + database

    async def prepare(self) -> None:
        """Make the template every database is copied from, once a server."""
        await self.execute(f"DROP DATABASE IF EXISTS {_TEMPLATE}", f"CREATE DATABASE {_TEMPLATE}")
        await migrate(self.url(_TEMPLATE))
        conn = await asyncpg.connect(self.url(_TEMPLATE))
        try:
            await workload.register(conn)
        finally:
            await conn.close()

    async def execute(self, *statements: str) -> None:
        """Run statements, each on its own, on the maintenance database."""
        conn = await asyncpg.connect(self._url)
        try:
            for statement in statements:
                await conn.execute(statement)
        finally:
            await conn.close()

    async def settings(self) -> dict[str, str]:
        """What of the server's settings a figure depends on."""
        names = ["server_version", "fsync", "synchronous_commit", "full_page_writes", "shared_buffers", "jit"]
        conn = await asyncpg.connect(self._url)
        try:
            return {name: str(await conn.fetchval("SELECT current_setting($1)", name)) for name in names}
        finally:
            await conn.close()

    @asynccontextmanager
    async def database(self, *, migrated: bool = True) -> AsyncIterator[str]:
        """The address of a fresh database, dropped at the end; empty unless `migrated`."""
        name = f"bench_{next(_names)}"
        await self.execute(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE if migrated else 'template1'}")
        try:
            yield self.url(name)
        finally:
            await self.execute(f"DROP DATABASE {name} WITH (FORCE)")


@asynccontextmanager
async def bench_server() -> AsyncIterator[BenchServer]:
    """Start the server in a folder of its own and take both away at the end. Raises `PostgresError`."""
    with temporary_folder() as folder, Postgres() as postgres:
        # The start holds up the event loop, on which there is nothing else yet.
        server = BenchServer(postgres.start(folder / "postgres"))
        # The embedded server runs without; PostgreSQL's own default, and so most servers, with.
        await server.execute("ALTER ROLE current_user SET jit = on")
        await server.prepare()
        yield server


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder on a disk, which the server's unprivileged user may enter."""
    base = os.environ.get("TMPDIR") or ("/var/tmp" if Path("/var/tmp").is_dir() else None)  # noqa: S108 - /tmp may be memory
    folder = Path(tempfile.mkdtemp(prefix="web4ai-bench-", dir=base))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        elsewhere = (folder / "postgres").resolve()
        if folder not in elsewhere.parents:  # a closed parent: root's database stood outside of it
            shutil.rmtree(elsewhere.parent, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


async def emptied(conn: Connection) -> None:
    """Every contender begins with empty tables and a checkpoint just over."""
    await conn.execute("TRUNCATE jobs, job_dependencies, job_attempts, alert_outbox")
    await conn.execute("UPDATE beats SET woken_at = NULL")
    await conn.execute("CHECKPOINT")


async def connections(url: str, count: int) -> list[Connection]:
    """Open several at once."""
    return list(await asyncio.gather(*(asyncpg.connect(url) for _ in range(count))))
