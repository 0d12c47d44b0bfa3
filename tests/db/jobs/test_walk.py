"""A random walk over every operation by several workers at once, and what must hold wherever it leads.

What each call answers is test_state_machine.py's; here nobody waits for anybody.
Each walk is seeded: a failure names its seed. Workers keep the refs of attempts they lost and go on using them, as sandboxes do
that were frozen, cut off or invoked twice.
"""

import asyncio
import random
from collections import Counter
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.errors import JobConflict
from shared.jobs.holding import Completion
from shared.jobs.models import Dependency, JobRef, JobStatus, JobType, NewJob
from tests.db.steps import LEASE, NO_JITTER, connections

OVER = (JobStatus.DEAD, JobStatus.CANCELLED)


class World:
    """What the workers share, and the book that is kept of what they were told."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.refs: list[JobRef] = []
        self.jobs: list[UUID] = []
        self.starts: Counter[JobRef] = Counter()
        self.ends: Counter[UUID] = Counter()
        self.comebacks: Counter[UUID] = Counter()
        self.root_deaths = 0
        self.steps: Counter[str] = Counter()

    def ref(self) -> JobRef | None:
        recent = self.refs[-25:]
        return self.random.choice(recent) if recent else None

    def job(self) -> UUID | None:
        recent = self.jobs[-30:]
        return self.random.choice(recent) if recent else None

    def ended(self, job_id: UUID, status: JobStatus | None) -> None:
        if status in OVER:
            self.ends[job_id] += 1
            self.root_deaths += status is JobStatus.DEAD


async def _enqueue(conn: Connection, world: World) -> None:
    rng = world.random
    edges = {world.job(): rng.random() < 0.6 for _ in range(rng.choice((0, 0, 1, 2)))}
    new = NewJob(
        rng.choice((1, 2, 4)),
        dedupe_key=f"k{rng.randrange(8)}" if rng.random() < 0.6 else None,
        priority=rng.choice((10, 100)),
        max_attempts=rng.choice((1, 2, 3)),
        depends_on=[Dependency(j, required) for j, required in edges.items() if j],
    )
    world.jobs.append((await queue.enqueue(conn, new)).job_id)


async def _claim(conn: Connection, world: World) -> None:
    world.refs += [c.ref for c in await queue.claim(conn, world.random.randint(1, 5), LEASE)]


async def _start(conn: Connection, world: World) -> None:
    refs = {r.job_id: r for r in (world.ref() for _ in range(3)) if r}
    for job in await queue.start(conn, list(refs.values()), "i", LEASE):
        world.starts[job.ref] += 1


async def _complete(conn: Connection, world: World) -> None:
    refs = {r.job_id: r for r in (world.ref() for _ in range(2)) if r}
    done = await queue.complete_refs(conn, [(r, {"by": str(r.worker_id)}) for r in refs.values()])
    world.ends.update(done.job_ids)


async def _complete_with_follow_up(conn: Connection, world: World) -> None:
    ref = world.ref()
    job = await queue.get(conn, ref.job_id) if ref else None
    if ref and job and job.worker_id == ref.worker_id:
        follow_up = NewJob(JobType.BUILD, dedupe_key=f"k{world.random.randrange(8)}")
        try:
            done = await queue.complete_many(conn, [Completion(job, {"by": str(ref.worker_id)}, [follow_up])])
        except asyncpg.DeadlockDetectedError:
            return  # each of two wants the key the other is giving free: the runtime writes such an end again
        world.ends.update(done.job_ids)


async def _fail(conn: Connection, world: World) -> None:
    if ref := world.ref():
        end = world.random.choice((queue.fail, queue.fail, queue.fail_permanent))
        world.ended(ref.job_id, await end(conn, ref, f"Boom: {ref.worker_id}", policy=NO_JITTER))


async def _snooze(conn: Connection, world: World) -> None:
    if ref := world.ref():
        world.ended(ref.job_id, await queue.snooze(conn, ref, 30, "later"))


async def _release(conn: Connection, world: World) -> None:
    if ref := world.ref():
        for job_id, status in (await queue.release(conn, [ref], "not invoked")).items():
            world.ended(job_id, status)


async def _heartbeat(conn: Connection, world: World) -> None:
    refs = {r.job_id: r for r in (world.ref() for _ in range(4)) if r}
    for job_id, stop in (await queue.renew_lease(conn, list(refs.values()), LEASE)).items():
        if stop:
            world.ended(job_id, await queue.cancelled(conn, refs[job_id]))


async def _cancel(conn: Connection, world: World) -> None:
    job_ids = [j for j in (world.job() for _ in range(world.random.choice((1, 1, 3)))) if j]
    # Which of them a cancel ends is not told apart from what was over before: those are left out of the book.
    await queue.cancel_many(conn, sorted(set(job_ids)))


async def _reap(conn: Connection, world: World) -> None:
    await conn.execute(
        "UPDATE jobs SET lease_until = now() - interval '1 second' WHERE job_id = ANY (ARRAY("
        "SELECT job_id FROM jobs WHERE status = 2 ORDER BY random() LIMIT 2 FOR UPDATE SKIP LOCKED))"
    )
    for reaped in await queue.reap(conn, 2, policy=NO_JITTER):
        assert reaped.problem is None
        world.ended(reaped.job_id, reaped.status)


async def _requeue(conn: Connection, world: World) -> None:
    dead = [r["job_id"] for r in await conn.fetch("SELECT job_id FROM jobs WHERE status = 4 LIMIT 20")]
    if dead:
        try:
            result = await queue.requeue(conn, world.random.choice(dead))
        except JobConflict:
            return
        if result:
            world.comebacks.update([result.job.job_id, *result.revived])


async def _time_passes(conn: Connection, world: World) -> None:
    await conn.execute(
        "UPDATE jobs SET run_after = now() WHERE job_id = ANY (ARRAY(SELECT job_id FROM jobs"
        " WHERE status = 1 AND run_after > now() ORDER BY random() LIMIT 6 FOR UPDATE SKIP LOCKED))"
    )


STEPS: list[tuple[Any, int]] = [
    (_enqueue, 10),
    (_claim, 8),
    (_start, 8),
    (_complete, 5),
    (_complete_with_follow_up, 2),
    (_fail, 6),
    (_snooze, 2),
    (_release, 2),
    (_heartbeat, 4),
    (_cancel, 2),
    (_reap, 3),
    (_requeue, 4),
    (_time_passes, 5),
]


async def step(conn: Connection, world: World) -> None:
    [operation] = world.random.choices([s for s, _ in STEPS], [w for _, w in STEPS])
    world.steps[operation.__name__] += 1
    await operation(conn, world)


BROKEN: dict[str, str] = {
    "two active jobs of one key": (
        "SELECT dedupe_key FROM jobs WHERE status IN (1, 2) AND dedupe_key IS NOT NULL GROUP BY 1 HAVING count(*) > 1"
    ),
    "a pending job that waits on another number than its open edges": (
        "SELECT job_id FROM jobs j WHERE status = 1 AND waiting_on <>"
        " (SELECT count(*) FROM job_dependencies d WHERE d.job_id = j.job_id AND d.settled_at IS NULL)"
    ),
    "an open edge onto a job that is over": (
        "SELECT d.job_id FROM job_dependencies d JOIN jobs e ON e.job_id = d.depends_on"
        " WHERE d.settled_at IS NULL AND e.status >= 3"
    ),
    "a pending job whose required dependency is dead": (
        "SELECT j.job_id FROM jobs j JOIN job_dependencies d USING (job_id) JOIN jobs e ON e.job_id = d.depends_on"
        " WHERE j.status = 1 AND d.required AND e.status = 4"
    ),
    "a result written by another than the one who ended the job": (
        "SELECT j.job_id FROM jobs j WHERE status = 3 AND EXISTS"
        " (SELECT 1 FROM job_attempts a WHERE a.job_id = j.job_id AND a.worker_id::text = j.result->>'by')"
    ),
    "a result or an error without an end": "SELECT job_id FROM jobs WHERE result IS NOT NULL AND status <> 3",
    "more in flight than allowed": (
        "SELECT s.job_type FROM job_type_settings s JOIN jobs j ON j.job_type = s.job_type AND j.status = 2"
        " GROUP BY s.job_type, s.max_in_flight HAVING count(*) > s.max_in_flight"
    ),
}


async def assert_holds(conn: Connection, world: World) -> None:
    for what, query in BROKEN.items():
        assert await conn.fetch(query) == [], what
    assert [r for r, n in world.starts.items() if n > 1] == [], "an attempt started twice"
    twice = [j for j, n in world.ends.items() if n > 1 + world.comebacks[j]]
    assert twice == [], "a job ended twice"
    counted = await conn.fetchval("SELECT coalesce(sum(occurrences), 0) FROM alert_outbox")
    assert counted == world.root_deaths, "a root's death is counted once"


@pytest.mark.parametrize("seed", [11, 12])
async def test_whatever_several_workers_do_at_once_the_queue_holds(database: str, seed: int) -> None:
    async with connections(database, 6) as conns:
        world = World(seed)
        await conns[0].execute("UPDATE job_type_settings SET max_in_flight = 6 WHERE job_type = 2")

        async def work(conn: Connection) -> None:
            for _ in range(150):
                await step(conn, world)

        await asyncio.gather(*map(work, conns))
        await assert_holds(conns[0], world)
        assert world.root_deaths > 5
        assert len(world.steps) == len(STEPS)
