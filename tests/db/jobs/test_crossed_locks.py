"""Locks that others hold, or want in another order: nothing fails of them, and one lock holds up no page."""

import asyncio
from uuid import uuid4

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.holding import Completion
from shared.jobs.models import Dependency, JobStatus, JobType, NewJob
from tests.db.steps import (
    LEASE,
    alerts,
    claimed,
    connections,
    job,
    let_lease_run_out,
    new,
    running,
    until_blocked,
)

PAUSE = """
CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.dedupe_key = 'second' THEN
        PERFORM pg_advisory_xact_lock(1);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER pause AFTER INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION pause();
"""


async def test_a_batch_whose_key_an_ending_job_has_meets_no_deadlock_with_its_follow_up(
    direct_database: str,
) -> None:
    """The batch has put its second job in and is about to wait on the ending job, which has the key of its first."""
    async with connections(direct_database, 4) as (conn, holder, one, other):
        await conn.execute(PAUSE)
        ending = await job(conn, (await running(conn, dedupe_key="first")).job_id)
        await holder.execute("SELECT pg_advisory_lock(1)")
        first = uuid4()
        batch = [
            NewJob(JobType.COLLECT, job_id=first, dedupe_key="first"),
            NewJob(JobType.COLLECT, dedupe_key="second", depends_on=[Dependency(first)]),
        ]
        enqueuing = asyncio.create_task(queue.enqueue_many(one, batch))
        await until_blocked(conn, one)
        end = Completion(ending, {}, [NewJob(JobType.COLLECT, dedupe_key="second")])
        completing = asyncio.create_task(queue.complete_many(other, [end]))
        await until_blocked(conn, other)
        await holder.execute("SELECT pg_advisory_unlock(1)")
        results = await enqueuing
        assert [(r.job_id == ending.job_id, r.created) for r in results] == [(True, False), (False, True)]
        assert (await completing).job_ids == {ending.job_id}
        assert (await job(conn, results[1].job_id)).waiting_on == 0


async def test_many_deaths_behind_one_lock_leave_the_rest_of_their_page_to_be_reaped(
    conn: Connection, database: str
) -> None:
    place = uuid4()
    doomed = [await new(conn, place_id=place, max_attempts=1) for _ in range(31)]
    fine = [await new(conn) for _ in range(3)]
    await queue.start(conn, list((await claimed(conn)).values()), "invocation", LEASE)
    await let_lease_run_out(conn, doomed[0])
    await queue.reap(conn, 100)  # the alert of this place stands now
    await let_lease_run_out(conn, *doomed[1:], *fine)
    async with connections(database, 1) as (holder,):
        transaction = holder.transaction()
        await transaction.start()
        await holder.execute("SELECT 1 FROM alert_outbox FOR UPDATE")
        async with asyncio.timeout(15):
            reaped = await queue.reap(conn, 100)
        await transaction.rollback()
    assert sum(r.problem is not None for r in reaped) == 30
    assert {(await job(conn, job_id)).status for job_id in fine} == {JobStatus.PENDING}
    assert len(await queue.reap(conn, 100)) == 30
    assert sum((await alerts(conn)).values()) == 31
