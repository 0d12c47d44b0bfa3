"""Writes how attempts ended: what has ended together goes in together, each end exactly once or not at all."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

import asyncpg

from shared.db import CONNECTION_FAILURES, DATABASE_FAILURES, Connection
from shared.jobs import queue
from shared.jobs.errors import Snooze
from shared.jobs.holding import Completion, Policy
from shared.jobs.models import Job, JobStatus
from shared.jobs.wake import invoke_claimer, may_wake
from shared.logging import logger
from shared.runtime.attempt import End, Failed, Runaway, Stopped
from shared.runtime.heartbeat import Stop
from shared.runtime.sandbox import SandboxConnection

T = TypeVar("T")

# The write that ends a job is tried again for this long in all; then the lease decides.
RETRY_DELAYS = (0.1, 0.4, 1.5, 4.0, 8.0)
TRY_SECONDS = 10.0  # for one of them, waiting for the connection's turn included

# SQLSTATE classes of what may pass by itself: rollback forced by others, resources, operator intervention, read-only.
_PASSING = ("40", "53", "57", "58", "25006")


@dataclass(frozen=True)
class Ended:
    """A job and the end to write for it."""

    job: Job
    end: End


class Finisher:
    """Takes ends from the attempts of one invocation; `written` is told of each that is over, whoever won."""

    def __init__(self, work: SandboxConnection, policy: Policy, written: Callable[[UUID], None]) -> None:
        self._work = work
        self._policy = policy
        self._written = written
        self._waiting: list[Ended] = []
        self._flush: asyncio.Task[None] | None = None

    async def finish(self, job: Job, end: End) -> None:
        """Returns when the end has been written, or has been found not to be ours to write."""
        self._waiting.append(Ended(job, end))
        while any(ended.job is job for ended in self._waiting) or (self._flush and not self._flush.done()):
            if self._flush is None or self._flush.done():
                self._flush = asyncio.create_task(self._write_all())
            await asyncio.shield(self._flush)

    async def _write_all(self) -> None:
        await asyncio.sleep(0)  # let what ended in this same moment come along
        batch, self._waiting = self._waiting, []
        done = [ended for ended in batch if isinstance(ended.end, Completion)]
        wake = False
        if done:
            wake = await self._complete(done)
        for ended in batch:
            if not isinstance(ended.end, Completion):
                wake = await self._write_or_leave(ended) or wake
        if wake:
            await self._wake()

    async def _complete(self, batch: Sequence[Ended]) -> bool:
        completions = [ended.end for ended in batch if isinstance(ended.end, Completion)]
        try:
            completed = await self._retried(lambda conn: queue.complete_many(conn, completions))
        except Exception as error:  # noqa: BLE001 - follow-ups are the handler's: whatever they are, this job fails of them
            if len(batch) > 1:  # one of them cannot be written: the others must not suffer for it
                return any([await self._complete([ended]) for ended in batch])
            return await self._write_or_leave(Ended(batch[0].job, Failed(error)))
        if completed is None:
            return False
        for ended in batch:
            _log(ended.job, "done" if ended.job.job_id in completed.job_ids else "lost")
            self._written(ended.job.job_id)
        return completed.work_ready

    async def _write_or_leave(self, ended: Ended) -> bool:
        try:
            return await self._write(ended)
        except asyncpg.PostgresError as error:
            # Nothing that can be said of this job can be written: the others go on, and its lease decides.
            logger.error(
                "a job's end was refused: its lease decides",
                extra={"job_id": str(ended.job.job_id), "error": type(error).__name__},
            )
            self._written(ended.job.job_id)
            return False

    async def _write(self, ended: Ended) -> bool:
        job, end, policy = ended.job, ended.end, self._policy
        status: JobStatus | None = None
        match end:
            case Failed(error, permanent):
                write = queue.fail_permanent if permanent else queue.fail
                status = await self._retried(lambda conn: write(conn, job.ref, error, policy=policy))
            case Snooze():
                status = await self._retried(
                    lambda conn: queue.snooze(conn, job.ref, end.delay, end.reason, policy=policy)
                )
            case Stopped(Stop.CANCELLED):
                status = await self._retried(lambda conn: queue.cancelled(conn, job.ref))
            case Stopped() | Runaway():
                status = None
        _log(job, status.name.lower() if status else "lost", end)
        self._written(job.job_id)
        # A job that is over frees its slot and may have readied dependents.
        return status in (JobStatus.DEAD, JobStatus.CANCELLED)

    async def _retried(self, write: Callable[[Connection], Awaitable[T]]) -> T | None:
        for delay in (*RETRY_DELAYS, None):
            try:
                async with asyncio.timeout(TRY_SECONDS), self._work.borrow() as conn:
                    return await write(conn)
            except CONNECTION_FAILURES as error:
                name = type(error).__name__
            except asyncpg.PostgresError as error:
                if not (error.sqlstate or "").startswith(_PASSING):
                    raise
                name = type(error).__name__
            if delay is not None:
                logger.warning("a job's end could not be written yet", extra={"error": name})
                await asyncio.sleep(delay)
        logger.error("a job's end could not be written: its lease decides", extra={"error": name})
        return None

    async def _wake(self) -> None:
        try:
            async with self._work.borrow() as conn:
                wake = await may_wake(conn)
        except DATABASE_FAILURES as error:
            logger.warning("the claimer was not woken", extra={"error": type(error).__name__})
            return
        if wake:
            await invoke_claimer()


def _log(job: Job, outcome: str, end: End | None = None) -> None:
    fields = {
        "job_id": str(job.job_id),
        "job_type": job.job_type,
        "attempt": job.attempts,
        "outcome": outcome,
    }
    if job.place_id:
        fields["place_id"] = str(job.place_id)
    if isinstance(end, Failed):
        fields["error"] = (
            type(end.error).__name__ if isinstance(end.error, BaseException) else end.error.split(":")[0]
        )
    logger.info("job ended", extra=fields)
