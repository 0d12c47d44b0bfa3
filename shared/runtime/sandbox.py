"""What a sandbox keeps between invocations: one event loop and one connection."""

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from shared.db import CONNECTION_FAILURES, DATABASE_FAILURES, Connection, connect, disconnect
from shared.logging import logger
from shared.settings import Settings, settings

T = TypeVar("T")

# A connection idle for longer may have died while the sandbox was frozen, and asyncpg cannot know before it has tried.
TRUSTED_IDLE_SECONDS = 1.0
PROBE_SECONDS = 2.0

LONGEST_INVOCATION_SECONDS = 900.0  # Lambda's own limit

_runner: asyncio.Runner | None = None


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end on the sandbox's one event loop. A loop an invocation would leave asyncpg bound to a closed one."""
    global _runner  # noqa: PLW0603 - this is the sandbox's own state
    if _runner is None:
        _runner = asyncio.Runner()
    return _runner.run(work)


def remaining_seconds(context: Any) -> float | None:
    """What Lambda's context says is left of the invocation, to be asked at its beginning; None when that cannot be true.

    The runtime counts it by the sandbox's wall clock, which may be wrong.
    """
    seconds = float(context.get_remaining_time_in_millis()) / 1000
    return seconds if 0 < seconds <= LONGEST_INVOCATION_SECONDS else None


class SandboxConnection:
    """One connection, made when first used, made anew when it is found dead. Not for two tasks at once: see `borrow`."""

    def __init__(self, config: Settings) -> None:
        self._config = config
        self._conn: Connection | None = None
        self._opening: asyncio.Task[Connection] | None = None
        self._used = 0.0
        self._doubted = False  # somebody was stopped while it was theirs, perhaps in the middle of a query
        self._lock = asyncio.Lock()
        self._turn: asyncio.Task[Any] | None = None  # whose turn it is

    @asynccontextmanager
    async def borrow(self) -> AsyncIterator[Connection]:
        """The connection, for one task at a time. After an error of the connection itself it is dropped."""
        await self._lock.acquire()
        task = self._turn = asyncio.current_task()
        conn = None
        try:
            conn = await self._live()
            yield conn
        except CONNECTION_FAILURES:
            # A command that timed out leaves the connection open and useless.
            if conn is not None and conn is self._conn:
                conn.terminate()
                self._conn = None
            raise
        except asyncio.CancelledError:
            self._doubted = True
            raise
        finally:
            self._drop_open_transaction(conn)
            self._give_back(task)

    def _drop_open_transaction(self, conn: "Connection | None") -> None:
        """A handler's own BEGIN without its end: what the others write would be in it, and never committed."""
        if conn is not None and conn is self._conn and not conn.is_closed() and conn.is_in_transaction():
            logger.error("a transaction was left open on the sandbox's connection: the connection is dropped")
            conn.terminate()
            self._conn = None

    def take_from(self, task: "asyncio.Task[Any]") -> None:
        """End the turn of a task that does not stop: the others must write how their jobs ended."""
        if self._turn is task:
            if self._conn is not None:
                self._conn.terminate()
                self._conn = None
            self._give_back(task)

    def _give_back(self, task: "asyncio.Task[Any] | None") -> None:
        if self._turn is task:
            self._used = time.monotonic()
            self._turn = None
            self._lock.release()

    async def _live(self) -> Connection:
        conn = self._conn
        if conn is not None and not conn.is_closed():
            if not self._doubted and time.monotonic() - self._used < TRUSTED_IDLE_SECONDS:
                return conn
            try:
                await asyncio.wait_for(conn.fetchval("SELECT 1"), PROBE_SECONDS)
            except DATABASE_FAILURES as error:
                logger.info(
                    "the connection died while the sandbox slept", extra={"error": type(error).__name__}
                )
                conn.terminate()
            else:
                self._doubted = False
                return conn
        return await self._open()

    async def _open(self) -> Connection:
        # A task may be cancelled in the middle of connecting; the connection is then the next one's, not nobody's.
        if self._opening is None:
            self._opening = asyncio.create_task(connect(self._config))
        opening = self._opening
        try:
            self._conn = await asyncio.shield(opening)
        except asyncio.CancelledError:
            if opening.cancelled():
                self._opening = None
            raise
        except BaseException:
            self._opening = None
            raise
        self._opening = None
        self._doubted = False
        return self._conn

    async def close(self) -> None:
        """Close what is open."""
        if self._opening is not None:
            await self._open()
        if self._conn is not None:
            await disconnect(self._conn)
            self._conn = None


_connection: SandboxConnection | None = None


def sandbox_connection() -> SandboxConnection:
    """The sandbox's own connection, for the loop of `run`."""
    global _connection  # noqa: PLW0603 - this is the sandbox's own state
    if _connection is None:
        _connection = SandboxConnection(settings())
    return _connection


def connection() -> Any:
    """`async with connection() as conn`: the sandbox's connection for one task."""
    return sandbox_connection().borrow()
