"""A job's end whose connection dies at each point of the exchange with the server, and a claimer's run likewise."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest

from functions.claimer.claimer import run_once
from shared.db import CONNECTION_FAILURES, Connection
from shared.jobs import queue
from shared.jobs.errors import Snooze
from shared.jobs.holding import Completion, Policy
from shared.jobs.models import Job, JobRef, JobStatus, JobType, NewJob
from shared.runtime.attempt import End, Failed, Stopped
from shared.runtime.finisher import Finisher
from shared.runtime.heartbeat import Stop
from shared.runtime.sandbox import SandboxConnection
from shared.settings import Settings, settings
from tests.db.faults.ends import alone, ended_once, follow_ups, reaped
from tests.db.runtime.proxy import Action, CutAt, Proxy
from tests.db.runtime.test_handler import Environment, tasks
from tests.db.steps import LEASE, alerts, job, let_lease_run_out, make_ready, new

AT_ONCE = 12


@asynccontextmanager
async def behind(database: str, cut: CutAt) -> AsyncIterator[tuple[Settings, SandboxConnection]]:
    """A sandbox's connection that is cut there, and its settings."""
    proxy = Proxy(database, cut)
    config = Settings.model_validate({**settings().model_dump(), "database_url": await proxy.start()})
    work = SandboxConnection(config)
    try:
        yield config, work
    finally:
        await work.close()
        await proxy.stop()


def cuts(counted: CutAt) -> list[CutAt]:
    """One for each point of an exchange of that length: after each client's message, before and after each server's.

    After one of the server's is before its next, but where it has said all it has to say and the client goes on.
    """
    assert counted.seen[True] >= 3
    assert counted.seen[False] >= 4
    turns = [n for n, kind in enumerate(counted.answers, 1) if kind in ("Z", "T", "n")]
    return [
        *(CutAt(True, n, Action.CUT_AFTER) for n in range(1, counted.seen[True] + 1)),
        *(CutAt(False, n, Action.CUT_BEFORE) for n in range(1, counted.seen[False] + 1)),
        *(CutAt(False, n, Action.CUT_AFTER) for n in turns),
    ]


# Cold, an exchange prepares its statements and asks about their types; that makes it three times as long.
temperatures = pytest.mark.parametrize(
    "warm", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["warm", "cold"]
)


@dataclass(frozen=True)
class Ending:
    """How each job of a batch ends, by its place in the batch."""

    ends: Sequence[Callable[[Job], End]]
    check: Callable[[Connection, Sequence[JobRef]], Awaitable[None]]


def completion(follow_up: bool = False) -> Callable[[Job], End]:
    def end(job: Job) -> End:
        n = job.payload["n"]
        return Completion(job, {"n": n}, [NewJob(JobType.COLLECT, priority=500 + n)] if follow_up else [])

    return end


async def all_done(conn: Connection, refs: Sequence[JobRef]) -> None:
    for ref in refs:
        n = (await job(conn, ref.job_id)).payload["n"]
        await ended_once(conn, ref, {"n": n})


def once(status: JobStatus, attempts: int, outcomes: Sequence[str], snoozes: int = 0) -> Any:
    async def check(conn: Connection, refs: Sequence[JobRef]) -> None:
        for ref in refs:
            found = await job(conn, ref.job_id)
            assert (found.status, found.attempts, found.snoozes) == (status, attempts, snoozes)
            assert [a.outcome for a in await queue.attempts(conn, ref.job_id)] == list(outcomes)

    return check


ENDINGS = {
    "complete": Ending([completion()], all_done),
    "batch with follow-ups": Ending([completion(True), completion()], all_done),
    "fail": Ending([lambda job: Failed(RuntimeError("no"))], once(JobStatus.PENDING, 1, ["failed"])),
    "die": Ending([lambda job: Failed("Gone: for good", permanent=True)], once(JobStatus.DEAD, 1, ["dead"])),
    "snooze": Ending([lambda job: Snooze(90, "quota")], once(JobStatus.PENDING, 0, [], 1)),
    "cancelled": Ending([lambda job: Stopped(Stop.CANCELLED)], once(JobStatus.CANCELLED, 1, ["cancelled"])),
}


async def end_at(database: str, ending: Ending, refs: Sequence[JobRef], cut: CutAt, *, warm: bool) -> None:
    """Start the jobs and write their ends, cut there; on a warm connection such ends have been written before."""
    written: list[UUID] = []
    async with behind(database, cut) as (_, work):
        async with work.borrow() as conn:
            jobs = await queue.start(conn, refs, "invocation", LEASE)
        by_id = {job.job_id: job for job in jobs}
        finisher = Finisher(work, Policy(jitter=0.0), written.append)

        async def finish(jobs: Sequence[Job]) -> None:
            ends = zip(jobs, ending.ends, strict=True)
            await asyncio.gather(*(finisher.finish(job, end(job)) for job, end in ends))

        if warm:
            await finish(
                [by_id[ref.job_id]._replace(worker_id=uuid4()) for ref in refs]
            )  # nobody's, so without effect
            written.clear()
        cut.armed = True
        await finish([by_id[ref.job_id] for ref in refs])
    assert Counter(written) == Counter(ref.job_id for ref in refs)


@temperatures
@pytest.mark.parametrize("name", ENDINGS)
async def test_an_end_cut_off_at_any_point_is_written_once(
    conn: Connection, database: str, environment: Environment, name: str, warm: bool
) -> None:
    ending = ENDINGS[name]
    size = len(ending.ends)

    async def batches(count: int) -> list[Sequence[JobRef]]:
        # Numbers of their own, and no dedupe key: a follow-up that went in twice shows.
        numbers = iter(range(1, 501))
        fields = {"max_attempts": 2} if name == "fail" else {}
        refs = await tasks(conn, *(f'{{"n": {next(numbers)}}}' for _ in range(count * size)), **fields)
        if name == "cancelled":
            await queue.cancel_many(conn, [ref.job_id for ref in refs])
        return [refs[at : at + size] for at in range(0, len(refs), size)]

    counted = CutAt()
    [whole] = await batches(1)
    await end_at(database, ending, whole, counted, warm=warm)
    await ending.check(conn, whole)
    await conn.execute("DELETE FROM jobs; DELETE FROM alert_outbox; UPDATE beats SET woken_at = NULL")

    points = cuts(counted)
    work = list(zip(await batches(len(points)), points, strict=True))
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(refs: Sequence[JobRef], cut: CutAt) -> None:
        async with gate:
            await end_at(database, ending, refs, cut, warm=warm)

    await asyncio.gather(*(one(*each) for each in work))
    await alone(conn)
    assert all(cut.cut for _, cut in work)
    for refs, _ in work:
        await ending.check(conn, refs)
    expected = {n + 1: 1 for n in range(0, len(work) * size, size)} if size > 1 else {}
    assert await follow_ups(conn) == expected
    dead = {f"job_dead:900:{ref.job_id}": 1 for refs, _ in work for ref in refs} if name == "die" else {}
    assert await alerts(conn) == dead


@temperatures
async def test_a_claim_cut_off_at_any_point_loses_no_job_and_spends_no_attempt(
    conn: Connection, database: str, environment: Environment, warm: bool
) -> None:
    invoked: list[JobRef] = []

    def invoke(function: str, job_type: int, refs: Sequence[JobRef]) -> None:
        if job_type == JobType.VISION:
            raise OSError("Lambda is away")
        invoked.extend(refs)

    async def run(cut: CutAt) -> None:
        invoked.clear()
        async with behind(database, cut) as (config, work), work.borrow() as claiming:
            if warm:
                await queue.claim(claiming, 0, LEASE)
                await queue.release(claiming, [JobRef(uuid4(), uuid4(), 1)], "nobody's")
            cut.armed = True
            await run_once(claiming, config, invoke, remaining=lambda: 60, poll=False)

    async def check() -> bool:
        """What the run left behind comes back whole; whether jobs were left RUNNING with nobody told."""
        await alone(conn)
        taken = {ref.job_id for ref in invoked}
        assert len(taken) == len(invoked)
        running = {row["job_id"] for row in await conn.fetch("SELECT job_id FROM jobs WHERE status = 2")}
        assert taken <= running
        assert {j.job_id for j in await queue.start(conn, invoked, "invocation", LEASE)} == taken
        orphans = [await job(conn, job_id) for job_id in running - taken]
        await let_lease_run_out(conn, *(orphan.job_id for orphan in orphans))
        assert await reaped(conn, *(orphan.ref for orphan in orphans))
        for orphan in orphans:
            back = await job(conn, orphan.job_id)
            assert (back.status, back.attempts, back.unstarted) == (JobStatus.PENDING, 0, 1)
        left = {row["job_id"] for row in await conn.fetch("SELECT job_id FROM jobs WHERE status = 1")}
        assert left | taken == set(ids)
        await make_ready(conn, *left)
        again = {c.ref.job_id: c.ref.attempt for c in await queue.claim(conn, 10, LEASE)}
        assert again == dict.fromkeys(left, 1)
        await conn.execute("DELETE FROM jobs")
        return bool(orphans)

    async def fresh() -> list[UUID]:
        return [await new(conn), await new(conn), await new(conn, JobType.VISION)]

    counted = CutAt()
    ids = await fresh()
    await run(counted)
    await check()
    orphaned = 0
    for cut in cuts(counted):
        ids = await fresh()
        try:
            await run(cut)
        except CONNECTION_FAILURES:
            assert cut.cut
        orphaned += await check()
    assert orphaned > 5
