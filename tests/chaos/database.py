"""The run's own PostgreSQL: with fsync, ended and started again on purpose, and a connection to it that is not struck."""

import asyncio
import os
import re
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import asyncpg

from emulator.postgres import Postgres, PostgresError
from shared.db import CONNECTION_FAILURES, Connection
from shared.migrate import migrate

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[2]
_IDS = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+")
_PATIENCE = 120.0  # seconds for a server to come back on a busy machine


class Database:
    """One server on one folder. Its port changes with every start."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._postgres = Postgres()
        self._url = ""
        self._conn: Connection | None = None
        self._turn = asyncio.Lock()
        self.starts = 0
        self.errors: Counter[str] = Counter()  # what the server logged as an error, by its text without ids

    @property
    def port(self) -> int:
        return urlsplit(self._url).port or 0

    def through(self, port: int) -> str:
        """The database's URL at a proxy's port, for clients that ask for no TLS, which the proxy does not speak."""
        return self._url.replace(f":{self.port}/", f":{port}/") + "?sslmode=disable"

    async def start(self) -> None:
        """Start the server; the first time with the schema and the run's tables in it."""
        ends = time.monotonic() + _PATIENCE
        while True:
            try:
                # Not in a thread: a server started from the main thread dies with this process.
                self._url = self._postgres.start(self._folder)
                break
            except PostgresError:
                if time.monotonic() > ends:  # children of a killed server go when they notice
                    raise
                await asyncio.sleep(0.2)
        self.starts += 1
        if self.starts == 1:
            await migrate(self._url, ROOT / "migrations")
            tables = Path(__file__).with_name("tables.sql").read_text("utf-8")
            await self.ask(lambda conn: conn.execute(tables))

    async def end(self, number: signal.Signals) -> None:
        """End the server as `number` ends it: SIGQUIT is its immediate stop, SIGKILL takes the postmaster alone."""
        if self._postgres.pid is not None:
            os.kill(self._postgres.pid, number)
            while self._postgres.pid is not None:  # noqa: ASYNC110 - a process tells nobody
                await asyncio.sleep(0.01)
        self._postgres.stop()
        self._read_log()

    async def stop(self) -> None:
        """Shut down in order."""
        if self._conn is not None:
            self._conn.terminate()
        self._postgres.stop()
        self._read_log()

    def _read_log(self) -> None:
        log = (self._postgres.data_dir or self._folder) / "server.log"
        if log.exists():
            said = re.findall(r"(?:ERROR|PANIC): +(.*)", log.read_text("utf-8", "replace"))
            self.errors.update(_IDS.sub("…", line) for line in said)

    async def ask(self, work: Callable[[Connection], Awaitable[T]], *, patience: float = _PATIENCE) -> T:
        """Do `work` on a connection past the proxy, again on a new one when it breaks, for `patience` seconds."""
        ends = time.monotonic() + patience
        async with self._turn:
            while True:
                try:
                    if self._conn is None or self._conn.is_closed():
                        self._conn = await asyncpg.connect(self._url, timeout=5, command_timeout=60)
                    return await work(self._conn)
                except CONNECTION_FAILURES:
                    if self._conn is not None:
                        self._conn.terminate()
                        self._conn = None
                    if time.monotonic() > ends:
                        raise
                    await asyncio.sleep(0.05)

    async def fetch(self, statement: str, *values: Any) -> list[Any]:
        """The rows of a statement."""
        return await self.ask(lambda conn: conn.fetch(statement, *values))

    async def execute(self, statement: str, *values: Any) -> str:
        """The tag of a statement."""
        return await self.ask(lambda conn: conn.execute(statement, *values))
