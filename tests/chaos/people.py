"""Who uses the queue: a producer that enqueues the planned jobs, an operator who cancels and requeues. Both through the proxy."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from uuid import UUID

import asyncpg

from shared.db import CONNECTION_FAILURES, Connection
from shared.jobs import queue
from shared.jobs.models import Dependency, EnqueueResult, NewJob
from tests.chaos.database import Database
from tests.chaos.plan import FOLLOWERS, TWINS, Kind, job_id_of, key_of, new_job, plan_of

T = TypeVar("T")
V = TypeVar("V")

_TO_CANCEL = """
SELECT job_id FROM jobs
 WHERE (status = 1 AND payload ->> 'kind' = 'dropped')
    OR (status = 2 AND payload ->> 'kind' = 'cancel' AND run_started_at IS NOT NULL AND cancel_requested_at IS NULL)
"""
_TO_REQUEUE = """
SELECT job_id FROM jobs j
 WHERE status = 4 AND payload ->> 'kind' = 'requeue' AND NOT EXISTS (SELECT 1 FROM chaos_requeued r WHERE r.job_id = j.job_id)
"""


class Person:
    """One connection through the proxy, made anew when it breaks."""

    def __init__(self, name: str, url: str) -> None:
        self.broken = 0
        self._url = f"{url}&application_name=chaos/{name}/0/0"
        self._conn: Connection | None = None

    async def do(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Once. Raises what a broken connection raises, and has dropped it then."""
        try:
            if self._conn is None or self._conn.is_closed():
                self._conn = await asyncpg.connect(self._url, timeout=5, command_timeout=10)
            return await work(self._conn)
        except CONNECTION_FAILURES:
            self.broken += 1
            self.leave()
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # the rollback's error took the cancellation's place
                raise asyncio.CancelledError from None
            raise

    def leave(self) -> None:
        """Drop the connection."""
        if self._conn is not None:
            self._conn.terminate()
            self._conn = None


class Producer(Person):
    """Enqueues the numbers below `jobs`, ten at a time, spread over `seconds`. `twins` holds what it was told of each twin."""

    def __init__(self, url: str, seed: int, jobs: int, seconds: float) -> None:
        super().__init__("producer", url)
        self.enqueued = 0
        self.twins: dict[int, bool | None] = {}  # created, not created, or never heard
        self.problems: list[str] = []
        self._seed, self._jobs, self._seconds = seed, jobs, seconds

    async def run(self) -> None:
        """All of it."""
        began = time.monotonic()
        for first in range(0, self._jobs, 10):
            numbers = list(range(first, min(first + 10, self._jobs)))
            wait = began + self._seconds * first / self._jobs - time.monotonic()
            await asyncio.sleep(max(0.0, wait))
            size = random.Random(f"{self._seed}/batch/{first}").choice((1, 3, 7))
            alone = [n for n in numbers if n % 10 < 7]
            for at in range(0, len(alone), size):
                await self._put(alone[at : at + size])
            if len(numbers) == 10:
                await self._put(numbers[7:])
            for n in alone:
                if plan_of(self._seed, n).kind is Kind.KEYED:
                    await self._put([TWINS + n])
            self.enqueued = first + len(numbers)

    async def _put(self, numbers: list[int]) -> None:
        new = [self._new(n) for n in numbers]
        unheard = False
        while True:
            try:
                if len(new) == 1 and not new[0].depends_on:
                    results = [await self.do(lambda conn: queue.enqueue(conn, new[0]))]
                else:
                    results = await self.do(lambda conn: queue.enqueue_many(conn, new))
            except CONNECTION_FAILURES:
                unheard = True
                await asyncio.sleep(0.05)
                continue
            except asyncpg.UniqueViolationError:
                if not unheard:
                    self.problems.append(f"jobs {numbers} were there before they were enqueued")
                results = []  # written, and not heard of
            break
        self._judge(numbers, results, unheard)

    def _judge(self, numbers: list[int], results: list[EnqueueResult], unheard: bool) -> None:
        for n in numbers:
            if n >= TWINS:
                self.twins[n] = None
        for n, result in zip(numbers, results, strict=len(results) > 0):
            own = result.job_id == job_id_of(self._seed, n)
            if n >= TWINS:
                self.twins[n] = None if unheard else result.created
                if not own and result.job_id != job_id_of(self._seed, n - TWINS):
                    self.problems.append(
                        f"twin {n} was merged into {result.job_id}, not the holder of its key"
                    )
            elif not own or not (result.created or unheard):
                self.problems.append(f"job {n} was not created: {result}")

    def _new(self, n: int) -> NewJob:
        plan, seed = plan_of(self._seed, n), self._seed
        fields: dict[str, Any] = {"job_id": job_id_of(seed, n)}
        if plan.kind is Kind.KEYED or n >= TWINS:
            fields["dedupe_key"] = key_of(n)
        if plan.kind is Kind.DROPPED:
            fields["delay"] = 3600.0
        if n < FOLLOWERS and plan.root is not None:
            fields["depends_on"] = [Dependency(job_id_of(seed, plan.root), plan.required)]
        return new_job(seed, n, **fields)


class Operator(Person):
    """Cancels what is to be cancelled and requeues, once, what is to be requeued."""

    def __init__(self, url: str, database: Database) -> None:
        super().__init__("operator", url)
        self._database = database

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            cancel = [row["job_id"] for row in await self._database.fetch(_TO_CANCEL)]
            requeue = [row["job_id"] for row in await self._database.fetch(_TO_REQUEUE)]
            try:
                for job_id in cancel[:1]:
                    await self.do(_with(queue.cancel, job_id))
                if cancel[1:]:
                    await self.do(_with(queue.cancel_many, cancel[1:]))
                for job_id in requeue:
                    await self.do(_with(self._requeue, job_id))
            except CONNECTION_FAILURES:
                continue  # what was written is seen at the next look
            await asyncio.sleep(0.3)

    async def _requeue(self, conn: Connection, job_id: UUID) -> None:
        async with conn.transaction():
            if await queue.requeue(conn, job_id) is not None:
                await conn.execute("INSERT INTO chaos_requeued VALUES ($1)", job_id)


def _with(work: Callable[[Connection, V], Awaitable[T]], value: V) -> Callable[[Connection], Awaitable[T]]:
    return lambda conn: work(conn, value)
