"""Wakes the claimer when PostgreSQL says that jobs were put in, by whoever put them."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import asyncpg

CHANNEL = "web4ai_job"
_FIRST_WAIT_S, _MOST_WAIT_S = 0.1, 5.0


class Notifications:
    """Listens on `CHANNEL` and runs `wake`, one at a time: what comes meanwhile is one more afterwards.

    A lost connection is made anew, and followed by a wake, since nobody knows what was missed.
    """

    def __init__(self, url: str, wake: Callable[[], Awaitable[object]]) -> None:
        self._url = url
        self._wake = wake
        self._heard = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self.listening = asyncio.Event()

    def start(self) -> None:
        """Listen from now on."""
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._listen()), loop.create_task(self._wake_when_heard())]

    async def stop(self) -> None:
        """Listen no more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _wake_when_heard(self) -> None:
        while True:
            await self._heard.wait()
            self._heard.clear()
            await self._wake()

    async def _listen(self) -> None:
        wait_s = _FIRST_WAIT_S
        while True:
            try:
                connection = await asyncpg.connect(self._url, timeout=5)
            except (OSError, asyncpg.PostgresError, TimeoutError):
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 2, _MOST_WAIT_S)
                continue
            lost = asyncio.Event()
            try:
                connection.add_termination_listener(lambda _, lost=lost: lost.set())
                await connection.add_listener(CHANNEL, lambda *_: self._heard.set())
                wait_s = _FIRST_WAIT_S
                self.listening.set()
                self._heard.set()
                await lost.wait()
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await asyncio.sleep(wait_s)
            finally:
                self.listening.clear()
                with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError):
                    await connection.close(timeout=1)
