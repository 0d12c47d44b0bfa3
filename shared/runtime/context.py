"""What a handler is given, and what it gives back."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from shared.db import DATABASE_FAILURES, Connection, transaction
from shared.jobs import queue
from shared.jobs.errors import LeaseLost
from shared.jobs.models import Job, NewJob
from shared.logging import logger
from shared.runtime.sandbox import SandboxConnection
from shared.settings import Settings

PROGRESS_SECONDS = 1.0  # between two writes of one job's progress


@dataclass(frozen=True)
class Outcome:
    """A handler's result, and jobs to enqueue in the transaction that ends this one."""

    result: Mapping[str, Any]
    follow_ups: Sequence[NewJob] = field(default=())


class JobContext:
    """A running job's access to the world: its payload, its time, the work connection."""

    def __init__(
        self, job: Job, payload: BaseModel, config: Settings, work: SandboxConnection, deadline: float
    ) -> None:
        self.job = job
        self.payload: Any = payload
        self.settings = config
        self._work = work
        self._ends = time.monotonic() + deadline
        self._progress: dict[str, Any] = {}
        self._said: dict[str, Any] | None = None  # the progress written last
        self._written = -PROGRESS_SECONDS
        self._writer: asyncio.Task[None] | None = None

    def remaining(self) -> float:
        """Seconds to the job's deadline, never below 0."""
        return max(0.0, self._ends - time.monotonic())

    def reading(self) -> AbstractAsyncContextManager[Connection]:
        """The work connection, without a transaction. Other jobs of the batch wait for it: keep it for queries alone."""
        return self._work.borrow()

    @asynccontextmanager
    async def fenced(self) -> AsyncIterator[Connection]:
        """A transaction that begins by locking the job's row: everything a handler writes goes through here.

        Raises `LeaseLost`, having written nothing, when the job is no longer this worker's.
        """
        async with self._work.borrow() as conn, transaction(conn):
            if not await queue.hold(conn, self.job.ref):
                raise LeaseLost(f"job {self.job.job_id} is no longer held by worker {self.job.worker_id}")
            yield conn

    async def progress(self, **fields: Any) -> None:
        """Say where the work stands. Written at most once a second, the last word wins; never fails the job."""
        self._progress = dict(fields)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_progress())

    async def _write_progress(self) -> None:
        while self._said is not self._progress:  # more may be said while it is written
            await asyncio.sleep(max(0.0, self._written + PROGRESS_SECONDS - time.monotonic()))
            self._said = self._progress
            try:
                async with self._work.borrow() as conn:
                    await queue.set_progress(conn, self.job.ref, self._said)
            except DATABASE_FAILURES as error:
                logger.warning("progress was not written", extra={"error": type(error).__name__})
            self._written = time.monotonic()

    async def stop_progress(self) -> None:
        """Called by the runtime when the handler has ended: nothing is written after the job's end."""
        if self._writer is not None:
            self._writer.cancel()
            await asyncio.wait([self._writer])
