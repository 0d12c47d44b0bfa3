"""No type delays another, whatever its backlog, its limit or an operator's hand on it: counted in claims, never in time."""

import asyncio
from collections import Counter
from uuid import UUID

import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import JobType, NewJob
from tests.db.jobs.test_claim import buffers_of_a_claim, fill, limit_type
from tests.db.steps import LEASE, claimed, connections, new, put, status, until

TYPES = list(JobType)


async def served_at_once(conn: Connection, wanted: UUID, limit: int) -> None:
    """The very next claim of `limit` takes this job; what it took is done at once."""
    refs = {c.ref.job_id: c.ref for c in await queue.claim(conn, limit, LEASE)}
    await queue.complete_refs(conn, [(ref, {}) for ref in refs.values()])
    assert wanted in refs


@pytest.mark.parametrize("backlog", ["ready", "delayed", "of a type at its limit", "of a paused type"])
async def test_a_huge_backlog_delays_no_other_type_by_a_single_claim(conn: Connection, backlog: str) -> None:
    await conn.execute("UPDATE job_type_settings SET max_in_flight = NULL")
    await fill(conn, 30_000, after="3600" if backlog == "delayed" else "-3600")
    if backlog == "of a type at its limit":
        await limit_type(conn, JobType.COLLECT, 3)
        assert len(await claimed(conn, 3)) == 3
    if backlog == "of a paused type":
        await queue.pause(conn, JobType.COLLECT, True)
    last = {t: await new(conn, t) for t in TYPES[1:]}
    await served_at_once(conn, last[JobType.VISION], 10)
    assert {await status(conn, j) for j in last.values()} == {"DONE"}


@pytest.mark.slow
async def test_a_hundred_thousand_ready_jobs_of_one_type_delay_no_other(conn: Connection) -> None:
    await conn.execute("UPDATE job_type_settings SET max_in_flight = NULL")
    await fill(conn, 100_000)
    for job_type in TYPES[1:]:
        await served_at_once(conn, await new(conn, job_type), 5)


@pytest.mark.parametrize("limit", [1, 2, 3])
async def test_a_claim_smaller_than_the_number_of_types_starves_none_of_them(
    conn: Connection, limit: int
) -> None:
    """Whoever comes first changes from claim to claim: the chance that one of five waits for eighty is one in millions."""
    await conn.execute("UPDATE job_type_settings SET max_in_flight = NULL")
    for job_type in TYPES:
        await fill(conn, 300, job_type=job_type)
    got: Counter[int] = Counter()
    for _ in range(80):
        got.update(c.job_type for c in await queue.claim(conn, limit, LEASE))
    assert sum(got.values()) == 80 * limit
    assert set(got) == set(TYPES)


async def test_what_more_urgent_work_leaves_over_is_shared_by_all_types_too(conn: Connection) -> None:
    await conn.execute("UPDATE job_type_settings SET max_in_flight = NULL")
    for job_type in TYPES:
        await fill(conn, 100, job_type=job_type)
    got: Counter[int] = Counter()
    for _ in range(80):
        await fill(conn, 9, priority=1)
        claims = await queue.claim(conn, 10, LEASE)
        urgent = await conn.fetch(
            "SELECT job_id FROM jobs WHERE priority = 1 AND job_id = ANY ($1::uuid[])",
            [c.ref.job_id for c in claims],
        )
        assert len(urgent) == 9
        left = {c.ref.job_id: c.job_type for c in claims}
        got.update(t for j, t in left.items() if j not in {r["job_id"] for r in urgent})
    assert set(got) == set(TYPES)


async def test_the_unknown_the_dead_and_the_waiting_are_no_burden(conn: Connection) -> None:
    """Rows no handler will ever take stand beside the one that is due, and cost a claim next to nothing."""
    await fill(conn, 10)
    before = await buffers_of_a_claim(conn)
    await conn.execute(
        "INSERT INTO jobs (job_type, status, attempts, last_error, finished_at, priority)"
        " SELECT 1, 4, 3, 'Boom: no', now(), 0 FROM generate_series(1, 20000)"
    )
    await conn.execute(
        "INSERT INTO jobs (job_type, priority, waiting_on) SELECT 1, 0, 1 FROM generate_series(1, 20000)"
    )
    await conn.execute(
        "INSERT INTO jobs (job_type, run_after) SELECT 1000 + n % 50, now() + interval '1 day' FROM generate_series(1, 5000) n"
    )
    await conn.execute("VACUUM ANALYZE jobs")
    # Fifty types more, each of which is asked for its first job: a few pages a type.
    assert await buffers_of_a_claim(conn) < before + 50 * 12 + 100
    assert {c.job_type for c in await queue.claim(conn, 10, LEASE)} == {1}


async def test_a_types_row_that_somebody_keeps_locked_stops_that_type_alone(database: str) -> None:
    """An operator's open transaction: who waits for it has waited two seconds, the other types are served."""
    async with connections(database, 2) as (operator, conn):
        held, free, unlimited = await new(conn, JobType.VISION), await new(conn), await put(conn, 777)
        transaction = operator.transaction()
        await transaction.start()
        await queue.pause(operator, JobType.VISION, True)
        assert set(await claimed(conn)) == {free, unlimited}
        await transaction.rollback()
        assert set(await claimed(conn)) == {held}


async def test_a_limit_holds_for_who_does_not_wait_too(database: str) -> None:
    async with connections(database, 6) as (operator, *conns):
        await limit_type(conns[0], JobType.COLLECT, 3)
        await fill(conns[0], 50)
        await fill(conns[0], 50, job_type=JobType.COPY)
        async with operator.transaction():
            await operator.execute("SELECT 1 FROM job_type_settings WHERE job_type = 2 FOR UPDATE")
            claims = await asyncio.gather(*(queue.claim(c, 5, LEASE) for c in conns))
        got = Counter(c.job_type for found in claims for c in found)
        assert got[JobType.COLLECT] <= 3


async def test_types_paused_and_resumed_while_claimers_work_lose_no_job_and_run_none_twice(
    database: str,
) -> None:
    async with connections(database, 6) as (operator, *claimers):
        await operator.execute("UPDATE job_type_settings SET max_in_flight = 4")
        jobs = [NewJob(TYPES[n % 3]) for n in range(240)]
        ids = {r.job_id for r in await queue.enqueue_many(operator, jobs)}
        over = asyncio.Event()
        done: list[UUID] = []

        async def work(conn: Connection) -> None:
            while not over.is_set():
                refs = [c.ref for c in await queue.claim(conn, 7, LEASE)]
                started = await queue.start(conn, refs, "i", LEASE)
                ended = await queue.complete_refs(conn, [(j.ref, {}) for j in started])
                done.extend(ended.job_ids)
                await asyncio.sleep(0)

        working = [asyncio.create_task(work(c)) for c in claimers]
        for n in range(40):
            paused = TYPES[n % 3]
            await queue.pause(operator, paused, True)
            # Nothing of it is claimed any more; what was claimed before goes on to its end.
            waiting = await operator.fetchval(
                "SELECT count(*) FROM jobs WHERE job_type = $1 AND status = 1", paused
            )

            async def quiet(paused: int = paused) -> bool:
                return not await operator.fetchval(
                    "SELECT count(*) FROM jobs WHERE job_type = $1 AND status = 2", paused
                )

            await until(quiet)
            assert waiting - 4 <= await operator.fetchval(
                "SELECT count(*) FROM jobs WHERE job_type = $1 AND status = 1", paused
            )
            await queue.pause(operator, paused, False)

        async def all_done() -> bool:
            return len(done) >= len(ids)

        await until(all_done, 30)
        over.set()
        await asyncio.gather(*working)
        assert Counter(done) == Counter(ids)
        assert await operator.fetchval("SELECT count(*) FROM job_attempts") == 0


async def test_max_in_flight_is_never_passed_while_jobs_end_and_are_claimed_all_the_time(
    database: str,
) -> None:
    async with connections(database, 9) as (watcher, *conns):
        await limit_type(watcher, JobType.VISION, 5)
        await fill(watcher, 300, job_type=JobType.VISION)
        most = 0

        async def work(conn: Connection) -> None:
            while claims := await queue.claim(conn, 4, LEASE):
                for claim in claims:
                    await queue.complete(conn, claim.ref, {})

        async def watch(working: "asyncio.Future[list[None]]") -> None:
            nonlocal most
            while not working.done():
                most = max(most, await watcher.fetchval("SELECT count(*) FROM jobs WHERE status = 2"))

        working = asyncio.gather(*map(work, conns))
        await watch(working)
        await working
        assert 1 <= most <= 5


async def test_a_limit_of_a_type_costs_a_claim_no_more_than_the_rows_that_run(conn: Connection) -> None:
    """Counted from the index of what runs, and to the limit alone; locking the types' rows is a page or two."""
    await conn.execute("UPDATE job_type_settings SET max_in_flight = NULL")
    for job_type in TYPES:
        await fill(conn, 100, job_type=job_type)
    await claimed(conn, 100)
    without = await buffers_of_a_claim(conn)
    await conn.execute("UPDATE job_type_settings SET max_in_flight = 50")
    assert await buffers_of_a_claim(conn) <= without + 5 * 12
