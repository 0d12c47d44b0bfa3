"""A hundred claimers at once."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

from functions.claimer import claimer
from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import JobRef, JobType, NewJob
from shared.settings import settings
from tests.db.runtime.test_handler import Environment
from tests.db.steps import LEASE, connect, connections

CLAIMERS = 100
LIMIT = 4
# Of these types so many may be in flight, and so many jobs there are.
ROOMS = {1: 13, 2: 1, 3: None, 4: 50, 5: 0}
JOBS = {1: 90, 2: 12, 3: 150, 4: 140, 5: 8}

BRIM = Counter({t: min(n, n if ROOMS[t] is None else ROOMS[t]) for t, n in JOBS.items() if ROOMS[t] != 0})

_DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"


async def limit_types(conn: Connection) -> None:
    await conn.executemany(
        "UPDATE job_type_settings SET max_in_flight = $2 WHERE job_type = $1", list(ROOMS.items())
    )


async def in_flight(conn: Connection) -> Counter[int]:
    rows = await conn.fetch("SELECT job_type, count(*) AS n FROM jobs WHERE status = 2 GROUP BY 1")
    return Counter({row["job_type"]: row["n"] for row in rows})


def has_room(counts: Counter[int]) -> bool:
    return all(room is None or counts[job_type] <= room for job_type, room in ROOMS.items())


async def test_no_job_is_claimed_twice_no_limit_exceeded_and_nobody_deadlocks(
    conn: Connection, database: str
) -> None:
    await limit_types(conn)
    await queue.enqueue_many(conn, [NewJob(JobType(t)) for t, count in JOBS.items() for _ in range(count)])
    claims: Counter[UUID] = Counter()
    together = asyncio.Barrier(CLAIMERS)

    async def claim_once(claiming: Connection) -> list[JobRef]:
        refs = [job.ref for job in await queue.claim(claiming, LIMIT, LEASE)]
        assert len(refs) <= LIMIT
        claims.update(ref.job_id for ref in refs)
        return refs

    async def claim_to_the_brim(claiming: Connection) -> list[JobRef]:
        """Nothing ends meanwhile: a limit that was exceeded once stays so."""
        await together.wait()
        mine: list[JobRef] = []
        while refs := await claim_once(claiming):
            mine += refs
        return mine

    async def work_off(claiming: Connection, refs: list[JobRef]) -> None:
        await together.wait()
        while refs:
            await queue.start(claiming, refs, "invocation", LEASE)
            assert (await queue.complete_refs(claiming, [(ref, {}) for ref in refs])).job_ids
            refs = await claim_once(claiming)
            assert has_room(await in_flight(claiming))

    async with connections(database, CLAIMERS) as conns:
        held = await asyncio.gather(*map(claim_to_the_brim, conns))
        assert await in_flight(conn) == BRIM
        await asyncio.gather(*(work_off(c, refs) for c, refs in zip(conns, held, strict=True)))
        # Who found nothing for a moment has left; what came free after that is for the next.
        await work_off_alone(conn, claims)
    assert set(claims.values()) == {1}
    assert len(claims) == sum(JOBS.values()) - JOBS[5]
    assert await conn.fetchval("SELECT count(*) FROM jobs WHERE status = 3 AND attempts = 1") == len(claims)
    assert await conn.fetchval("SELECT count(*) FROM job_attempts") == 0
    assert await conn.fetchval(_DEADLOCKS) == 0


async def work_off_alone(conn: Connection, claims: Counter[UUID]) -> None:
    while refs := [job.ref for job in await queue.claim(conn, 100, LEASE)]:
        claims.update(ref.job_id for ref in refs)
        await queue.complete_refs(conn, [(ref, {}) for ref in refs])


async def test_a_hundred_runs_of_the_claimer_in_threads_invoke_each_job_once(
    conn: Connection, database: str, environment: Environment
) -> None:
    environment(CLAIM_LIMIT="5")
    await limit_types(conn)
    await queue.enqueue_many(conn, [NewJob(JobType(t)) for t, count in JOBS.items() for _ in range(count)])
    config = settings()
    sent: list[UUID] = []

    def invoke(function: str, job_type: int, refs: Sequence[JobRef]) -> None:
        sent.extend(ref.job_id for ref in refs)

    async def run() -> claimer.Report:
        claiming = await connect(database)
        try:
            return await claimer.run_once(claiming, config, invoke, remaining=lambda: 60, poll=False)
        finally:
            await claiming.close(timeout=10)

    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(CLAIMERS) as threads:
        reports = await asyncio.gather(
            *(loop.run_in_executor(threads, asyncio.run, run()) for _ in range(CLAIMERS))
        )
    assert await in_flight(conn) == BRIM
    assert len(sent) == len(set(sent)) == sum(report.claimed for report in reports) == BRIM.total()
    assert sum(report.released for report in reports) == 0
    assert await conn.fetchval(_DEADLOCKS) == 0
