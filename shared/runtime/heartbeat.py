"""The heartbeat: a thread of its own with a connection of its own, so that a handler that blocks the event loop keeps its lease.

It is started last before the handlers and stopped last after the jobs' ends are written. The connection is made at the first
beat, a third of a lease after the start: most jobs are over by then and never need it.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from enum import Enum
from uuid import UUID

from shared.db import DATABASE_FAILURES, Connection, connect, disconnect
from shared.jobs import queue
from shared.jobs.models import JobRef
from shared.logging import logger
from shared.settings import Settings


class Stop(Enum):
    """Why a job must stop."""

    LOST = "its lease is no longer ours"
    CANCELLED = "somebody asked for it"


class Heartbeat:
    """Renews the leases of one invocation's jobs until `stop`. `on_stop` is called from the heartbeat's thread."""

    def __init__(
        self, config: Settings, refs: Sequence[JobRef], lease: float, on_stop: Callable[[UUID, Stop], None]
    ) -> None:
        self._config = config
        self._refs = {ref.job_id: ref for ref in refs}
        self._lease = lease
        self._on_stop = on_stop
        self._ended = threading.Event()
        self._guard = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Begin: the first beat comes a third of a lease from now."""
        self._thread.start()

    def forget(self, job_id: UUID) -> None:
        """The job's end is written: its lease is nobody's."""
        with self._guard:
            self._refs.pop(job_id, None)

    def stop(self) -> None:
        """End the thread; waits for a beat under way."""
        self._ended.set()
        self._thread.join(timeout=self._config.db_command_timeout)

    def _run(self) -> None:
        asyncio.run(self._beat())

    async def _beat(self) -> None:
        conn: Connection | None = None
        pause = self._lease / 3
        try:
            while not await asyncio.to_thread(self._ended.wait, pause):
                with self._guard:
                    refs = list(self._refs.values())
                if not refs:
                    return
                pause = self._lease / 3
                try:
                    async with asyncio.timeout(max(1.0, self._lease / 4)):
                        conn = conn or await connect(self._config)
                        await self._renew(conn, refs)
                except DATABASE_FAILURES as error:
                    # Soon again: two more tries fit into what is left of the lease.
                    pause = self._lease / 12
                    logger.warning("a heartbeat failed", extra={"error": type(error).__name__})
                    if conn is not None:
                        conn.terminate()
                        conn = None
        finally:
            if conn is not None:
                await disconnect(conn)

    async def _renew(self, conn: Connection, refs: Sequence[JobRef]) -> None:
        """Those first that nobody keeps locked; then the others are waited for, so that what is lost is known for certain."""
        owned = await queue.renew_lease(conn, refs, self._lease, wait=False)
        self._tell([ref for ref in refs if ref.job_id in owned], owned)
        rest = [ref for ref in refs if ref.job_id not in owned]
        if rest:
            self._tell(rest, await queue.renew_lease(conn, rest, self._lease))

    def _tell(self, refs: Sequence[JobRef], owned: dict[UUID, bool]) -> None:
        for ref in refs:
            with self._guard:
                if ref.job_id not in self._refs:
                    continue  # ended while the beat was under way
            if ref.job_id not in owned:
                self.forget(ref.job_id)
                self._on_stop(ref.job_id, Stop.LOST)
            elif owned[ref.job_id]:
                self._on_stop(ref.job_id, Stop.CANCELLED)
