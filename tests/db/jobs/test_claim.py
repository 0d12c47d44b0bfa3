"""Claiming: who gets what, in which order, and never too much."""

import asyncio
import json
from collections import Counter
from datetime import timedelta
from uuid import UUID, uuid4

import asyncpg
import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import JobStatus, JobType, NewJob
from tests.db.steps import (
    LEASE,
    claimed,
    connections,
    job,
    let_lease_run_out,
    new,
    put,
    running,
    status,
    until_blocked,
    waiting_on,
)

FILL = """
INSERT INTO jobs (job_type, priority, run_after, status, result, finished_at, dedupe_key)
SELECT $1, $2, now() + $3::interval, $4::smallint, CASE WHEN $4 = 3 THEN '{}'::jsonb END, CASE WHEN $4 = 3 THEN now() END, NULL
  FROM generate_series(1, $5)
"""


async def fill(
    conn: Connection, count: int, *, job_type: int = 1, priority: int = 100, after: str = "0", status: int = 1
) -> None:
    await conn.execute(FILL, job_type, priority, timedelta(seconds=float(after)), status, count)


async def limit_type(conn: Connection, job_type: int, max_in_flight: int | None) -> None:
    await conn.execute(
        "UPDATE job_type_settings SET max_in_flight = $2 WHERE job_type = $1", job_type, max_in_flight
    )


async def order_of(conn: Connection, limit: int = 100) -> list[UUID]:
    return [c.ref.job_id for c in await queue.claim(conn, limit, LEASE)]


async def test_a_claim_names_the_attempt_and_holds_it_with_a_lease(conn: Connection) -> None:
    job_id = await new(conn, JobType.VISION)
    [claim] = await queue.claim(conn, 10, LEASE)
    found = await job(conn, job_id)
    assert (claim.job_type, claim.ref) == (JobType.VISION, found.ref)
    assert (found.status, found.attempts, found.run_started_at) == (JobStatus.RUNNING, 1, None)
    assert found.lease_until is not None
    assert found.claimed_at is not None
    assert (found.lease_until - found.claimed_at).total_seconds() == LEASE


async def test_every_claim_counts_an_attempt_and_has_a_worker_of_its_own(conn: Connection) -> None:
    job_id = await new(conn)
    workers = set()
    for attempt in (1, 2, 3):
        ref = (await claimed(conn))[job_id]
        assert ref.attempt == attempt
        workers.add(ref.worker_id)
        await queue.start(conn, [ref], "i", LEASE)
        await queue.fail(conn, ref, "Boom: no")
        await conn.execute("UPDATE jobs SET run_after = now() WHERE status = 1")
    assert len(workers) == 3
    assert await claimed(conn) == {}


async def test_a_second_claim_clears_what_the_first_attempt_started(conn: Connection) -> None:
    ref = await running(conn)
    await let_lease_run_out(conn, ref.job_id)
    await queue.reap(conn, 10)
    await conn.execute("UPDATE jobs SET run_after = now()")
    await claimed(conn)
    found = await job(conn, ref.job_id)
    assert (found.run_started_at, found.invocation_id, found.attempts) == (None, None, 2)


async def test_a_claim_never_takes_more_than_its_limit(conn: Connection) -> None:
    await fill(conn, 30, job_type=1)
    await fill(conn, 30, job_type=2)
    await fill(conn, 30, job_type=3, priority=5)
    await conn.execute("UPDATE job_type_settings SET max_in_flight = NULL")
    for limit in (0, 1, 2, 7, 31):
        assert len(await queue.claim(conn, limit, LEASE)) == limit
    assert len(await queue.claim(conn, 1000, LEASE)) == 90 - 41


async def test_the_limit_holds_for_each_of_many_claimers_at_once_and_no_job_is_claimed_twice(
    database: str,
) -> None:
    async with connections(database, 8) as conns:
        await conns[0].execute("UPDATE job_type_settings SET max_in_flight = NULL")
        for job_type in (1, 2, 3):
            await fill(conns[0], 200, job_type=job_type)

        async def claimer(conn: Connection) -> list[UUID]:
            got: list[UUID] = []
            while batch := await queue.claim(conn, 7, LEASE):
                assert len(batch) <= 7
                got += [c.ref.job_id for c in batch]
            return got

        got = [j for jobs in await asyncio.gather(*map(claimer, conns)) for j in jobs]
        assert len(got) == len(set(got)) == 600
        assert await conns[0].fetchval("SELECT max(attempts) FROM jobs") == 1


async def test_a_lower_priority_runs_first_whatever_its_type_and_age(conn: Connection) -> None:
    late = await new(conn, JobType.COLLECT, priority=100)
    first = await new(conn, JobType.VISION, priority=1)
    second = await new(conn, JobType.COLLECT, priority=50)
    third = await new(conn, JobType.COPY, priority=50)
    got = await order_of(conn)
    assert got[0] == first
    assert set(got[1:3]) == {second, third}
    assert got[3] == late


async def test_within_a_type_the_one_that_was_ready_first_runs_first(conn: Connection) -> None:
    ids = [await new(conn) for _ in range(12)]
    # The last enqueued became ready first.
    for age, job_id in enumerate(ids):
        await conn.execute(
            "UPDATE jobs SET run_after = now() - make_interval(secs => $2) WHERE job_id = $1",
            job_id,
            float(age),
        )
    assert await order_of(conn, 5) == ids[:-6:-1]
    assert await order_of(conn) == ids[-6::-1]


async def test_jobs_never_delayed_run_in_the_order_of_their_creation(conn: Connection) -> None:
    ids = [await new(conn) for _ in range(10)]
    assert [(await order_of(conn, 1))[0] for _ in ids] == ids


async def test_within_a_priority_the_types_take_turns(conn: Connection) -> None:
    await conn.execute("UPDATE job_type_settings SET max_in_flight = NULL")
    await fill(conn, 300, job_type=1)
    await fill(conn, 4, job_type=2)
    await fill(conn, 300, job_type=3)
    got = Counter(c.job_type for c in await queue.claim(conn, 30, LEASE))
    assert got == {1: 13, 2: 4, 3: 13}
    assert Counter(c.job_type for c in await queue.claim(conn, 2, LEASE)) == {1: 1, 3: 1}


async def test_what_is_delayed_waiting_or_paused_is_never_claimed(conn: Connection) -> None:
    delayed = await new(conn, delay=60)
    waiting = await waiting_on(conn, delayed)
    paused = await new(conn, JobType.VISION)
    assert await queue.pause(conn, JobType.VISION, True)
    assert await claimed(conn) == {}
    assert await queue.pause(conn, JobType.VISION, False)
    assert set(await claimed(conn)) == {paused}
    assert [await status(conn, j) for j in (delayed, waiting)] == ["PENDING", "PENDING"]


async def test_what_runs_of_a_paused_type_goes_on(conn: Connection) -> None:
    ref = await running(conn)
    await queue.pause(conn, JobType.COLLECT, True)
    assert await queue.renew_lease(conn, [ref], LEASE) == {ref.job_id: False}
    assert await queue.complete(conn, ref, {})


async def test_pausing_a_type_without_settings_says_so(conn: Connection) -> None:
    assert await queue.pause(conn, 99, True) is False


async def test_max_in_flight_holds_under_twenty_claimers(database: str) -> None:
    async with connections(database, 20) as conns:
        await limit_type(conns[0], 2, 7)
        await limit_type(conns[0], 1, 3)
        for job_type in (1, 2):
            await fill(conns[0], 100, job_type=job_type)
        results = await asyncio.gather(*(queue.claim(c, 5, LEASE) for c in conns))
        assert Counter(c.job_type for claims in results for c in claims) == {1: 3, 2: 7}


async def test_a_slot_comes_free_with_each_end(conn: Connection) -> None:
    await limit_type(conn, 2, 2)
    await fill(conn, 5, job_type=2)
    refs = list((await claimed(conn)).values())
    assert len(refs) == 2
    await queue.complete(conn, refs[0], {})
    await queue.fail_permanent(conn, refs[1], "Boom: no")
    assert len(await claimed(conn)) == 2
    assert len(await claimed(conn)) == 0


async def test_a_limit_lowered_below_what_runs_stops_claiming_and_zero_stops_it_whole(
    conn: Connection,
) -> None:
    await limit_type(conn, 2, 4)
    await fill(conn, 10, job_type=2)
    refs = list((await claimed(conn)).values())
    await limit_type(conn, 2, 2)
    await queue.complete_refs(conn, [(r, {}) for r in refs[:2]])
    assert await claimed(conn) == {}
    await queue.complete(conn, refs[2], {})
    assert len(await claimed(conn)) == 1
    await limit_type(conn, 2, 0)
    await conn.execute("DELETE FROM jobs WHERE status = 2")
    assert await claimed(conn) == {}


async def test_a_type_nobody_knows_is_claimed_too(conn: Connection) -> None:
    known, unknown = await new(conn), await put(conn, 777)
    assert set(await claimed(conn)) == {known, unknown}


async def test_a_row_somebody_holds_is_passed_over(database: str) -> None:
    async with connections(database, 2) as (holder, conn):
        first, second = await new(conn), await new(conn)
        async with holder.transaction():
            await holder.execute("SELECT 1 FROM jobs WHERE job_id = $1 FOR UPDATE", first)
            assert set(await claimed(conn, 1)) == {second}
            assert await claimed(conn) == {}
        assert set(await claimed(conn)) == {first}


async def test_held_rows_of_one_type_do_not_keep_a_claim_from_the_next_priority(database: str) -> None:
    async with connections(database, 2) as (holder, conn):
        await fill(conn, 20, priority=1)
        low = await new(conn, priority=200)
        async with holder.transaction():
            await holder.execute("SELECT 1 FROM jobs WHERE priority = 1 FOR UPDATE")
            assert set(await claimed(conn)) == {low}


async def test_a_job_enqueued_while_the_claim_waits_for_its_types_row_is_seen(database: str) -> None:
    async with connections(database, 3) as (holder, conn, other):
        async with holder.transaction():
            await holder.execute("SELECT 1 FROM job_type_settings WHERE job_type = 1 FOR UPDATE")
            claiming = asyncio.create_task(claimed(conn))
            await until_blocked(other, conn)
            job_id = await new(other)
        assert set(await claiming) == {job_id}


async def test_a_type_at_its_limit_starves_no_other(conn: Connection) -> None:
    await limit_type(conn, 2, 1)
    await fill(conn, 2000, job_type=2, priority=0)
    later = await new(conn, JobType.AI_CHECK, priority=900)
    got = await claimed(conn, 5)
    assert later in got
    assert len(got) == 2


async def test_an_urgent_type_that_is_not_due_starves_no_other_priority(conn: Connection) -> None:
    for priority in range(0, 60, 3):
        await fill(conn, 5, priority=priority, after="3600")
    due = await new(conn, priority=60)
    assert set(await claimed(conn)) == {due}


async def buffers_of_a_claim(conn: Connection, limit: int = 10) -> int:
    transaction = conn.transaction()
    await transaction.start()
    plan = await conn.fetchval(
        "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM job_claim($1, $2, interval '1 minute')",
        limit,
        uuid4(),
    )
    await transaction.rollback()
    node = json.loads(plan)[0]["Plan"]
    assert node["Actual Rows"] == limit
    return int(node["Shared Hit Blocks"] + node["Shared Read Blocks"])


async def test_a_claim_reads_as_little_beside_a_long_history_a_huge_backlog_and_many_delayed_rows(
    conn: Connection,
) -> None:
    """Counted in pages, which no busy machine can change."""
    await limit_type(conn, 1, None)
    await fill(conn, 20)
    before = await buffers_of_a_claim(conn)
    await fill(conn, 20_000, status=3)
    await fill(conn, 20_000, after="3600")
    await fill(conn, 20_000, after="3600", priority=1)
    await fill(conn, 20_000, after="5")
    await conn.execute("UPDATE jobs SET run_after = now() WHERE run_after < now() + interval '1 minute'")
    await conn.execute("VACUUM ANALYZE jobs")
    after = await buffers_of_a_claim(conn)
    assert after < before + 150


async def test_only_the_claims_commit_need_not_be_flushed(direct_database: str) -> None:
    conn = await asyncpg.connect(direct_database, server_settings={"synchronous_commit": "on"})

    async def flushed() -> str:
        said: str = await conn.fetchval("SHOW synchronous_commit")
        return said

    try:
        await queue.enqueue_many(conn, [NewJob(JobType.COLLECT)] * 6)
        async with conn.transaction():
            refs = list((await claimed(conn)).values())
            assert await flushed() == "off"
        assert await flushed() == "on"
        async with conn.transaction():
            await queue.enqueue(conn, NewJob(JobType.COLLECT))
            await queue.start(conn, refs, "i", LEASE)
            await queue.renew_lease(conn, refs, LEASE)
            await queue.set_progress(conn, refs[0], {})
            await queue.complete(conn, refs[0], {})
            await queue.fail(conn, refs[1], "Boom: no")
            await queue.fail_permanent(conn, refs[2], "Boom: no")
            await queue.snooze(conn, refs[3], 1, "later")
            await queue.cancel(conn, refs[4].job_id)
            await queue.cancelled(conn, refs[4])
            await queue.requeue(conn, refs[2].job_id)
            await queue.reap(conn, 10)
            await queue.recount(conn)
            await queue.prune(conn, 1)
            assert await flushed() == "on"
    finally:
        await conn.close(timeout=5)


@pytest.mark.parametrize("count", [1, 250])
async def test_a_claim_is_rolled_back_whole(conn: Connection, count: int) -> None:
    await conn.execute("UPDATE job_type_settings SET max_in_flight = NULL")
    await fill(conn, count)
    transaction = conn.transaction()
    await transaction.start()
    assert len(await claimed(conn)) == count
    await transaction.rollback()
    assert len(await claimed(conn)) == count
