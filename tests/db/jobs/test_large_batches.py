"""Batches that go in in more than one statement are one batch all the same."""

import asyncio

import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.enqueueing import CHUNK
from shared.jobs.errors import InvalidPayload
from shared.jobs.ids import new_ids
from shared.jobs.models import Dependency, EnqueueResult, JobType, NewJob
from tests.db.steps import connections, job, until_blocked


def keyed(count: int, keys: int) -> list[NewJob]:
    return [NewJob(JobType.COLLECT, dedupe_key=f"k{n % keys}") for n in range(count)]


async def test_a_bad_job_late_in_a_batch_takes_all_of_it_back(conn: Connection) -> None:
    bad = NewJob(JobType.COLLECT, {"unknown": 1})
    for where in (0, CHUNK, 3 * CHUNK + 1):
        jobs = [NewJob(JobType.COLLECT) for _ in range(4 * CHUNK)]
        jobs[where] = bad
        with pytest.raises(InvalidPayload, match=r"payload\.unknown"):
            await queue.enqueue_many(conn, jobs)
        assert await conn.fetchval("SELECT count(*) FROM jobs") == 0
    assert (await queue.enqueue(conn, NewJob(JobType.COLLECT))).created


async def test_the_callers_transaction_survives_a_bad_batch(conn: Connection) -> None:
    async with conn.transaction():
        kept = await queue.enqueue(conn, NewJob(JobType.COLLECT))
        with pytest.raises(InvalidPayload):
            await queue.enqueue_many(
                conn, [*keyed(2 * CHUNK, 2 * CHUNK), NewJob(JobType.COLLECT, {"unknown": 1})]
            )
    assert [row[0] for row in await conn.fetch("SELECT job_id FROM jobs")] == [kept.job_id]


async def test_a_key_given_again_in_a_later_statement_gets_the_firsts_id(conn: Connection) -> None:
    taken = await queue.enqueue(conn, NewJob(JobType.COLLECT, dedupe_key="k0"))
    results = await queue.enqueue_many(conn, keyed(3 * CHUNK, CHUNK + 7))
    assert results[0] == EnqueueResult(taken.job_id, False)
    assert sum(r.created for r in results) == CHUNK + 6
    keys = {
        r.job_id: key
        for r, key in zip(results, [j.dedupe_key for j in keyed(3 * CHUNK, CHUNK + 7)], strict=True)
    }
    assert len(keys) == CHUNK + 7
    assert [keys[r.job_id] for r in results] == [j.dedupe_key for j in keyed(3 * CHUNK, CHUNK + 7)]
    assert [r.created for r in results[1 : CHUNK + 7]] == [True] * (CHUNK + 6)


async def test_jobs_wait_on_others_of_another_statement(conn: Connection) -> None:
    ids = new_ids(2 * CHUNK)
    jobs = [NewJob(JobType.COLLECT, job_id=ids[0], depends_on=[Dependency(ids[-1], required=True)])]
    jobs += [NewJob(JobType.COLLECT, job_id=job_id) for job_id in ids[1:]]
    assert [r.job_id for r in await queue.enqueue_many(conn, jobs)] == ids
    assert (await job(conn, ids[0])).waiting_on == 1


async def test_a_batch_cancelled_in_the_middle_leaves_nothing_and_a_connection_that_works(
    database: str,
) -> None:
    async with connections(database, 3) as (conn, rival, watcher):
        transaction = rival.transaction()
        await transaction.start()
        await queue.enqueue(rival, NewJob(JobType.COLLECT, dedupe_key=f"k{CHUNK}"))
        jobs = [NewJob(JobType.COLLECT) for _ in range(CHUNK)] + keyed(2 * CHUNK, 2 * CHUNK)
        going = asyncio.create_task(queue.enqueue_many(conn, jobs))
        await until_blocked(watcher, conn)
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
        await transaction.rollback()
        assert await watcher.fetchval("SELECT count(*) FROM jobs") == 0
        assert (await queue.enqueue(conn, NewJob(JobType.COLLECT))).created


async def test_batches_cut_at_different_places_never_deadlock(database: str) -> None:
    async with connections(database, 2) as (one, other):
        many = keyed(2 * CHUNK, 2 * CHUNK)
        for n in range(5):
            first, second = await asyncio.gather(
                queue.enqueue_many(one, many),
                queue.enqueue_many(other, [*reversed(many[n : CHUNK + 31 * n])]),
            )
            made = {r.job_id for r in [*first, *second] if r.created}
            assert len(made) == 2 * CHUNK
            await one.execute("UPDATE jobs SET status = 5, finished_at = now()")
