"""A holder that was taken for dead and is not: what it does late takes nothing from those who came after it."""

import asyncio
from uuid import uuid4

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import JobType
from tests.db.steps import (
    LEASE,
    NO_JITTER,
    alerts,
    claimed,
    connections,
    held,
    job,
    let_lease_run_out,
    make_ready,
    new,
    running,
    status,
)


async def test_a_late_end_frees_no_slot_a_second_time(conn: Connection) -> None:
    """Of a type that runs one at a time: its holder is taken for dead, another runs, and then the first one ends after all."""
    await conn.execute("UPDATE job_type_settings SET max_in_flight = 1 WHERE job_type = 2")
    late = await running(conn, JobType.VISION)
    await let_lease_run_out(conn, late.job_id)
    await queue.reap(conn, 10, policy=NO_JITTER)
    others = [await new(conn, JobType.VISION) for _ in range(3)]
    assert set(await claimed(conn)) == {others[0]}
    for end in (
        queue.complete(conn, late, {}),
        queue.fail(conn, late, "Boom: no"),
        queue.fail_permanent(conn, late, "Boom: no"),
        queue.release(conn, [late], "no"),
        queue.cancelled(conn, late),
    ):
        assert not await end
        await make_ready(conn, late.job_id)
        assert await claimed(conn) == {}
    assert await conn.fetchval("SELECT count(*) FROM jobs WHERE status = 2") == 1
    assert await alerts(conn) == {}


async def test_a_lease_is_judged_by_its_heartbeat_and_never_by_how_long_the_job_has_run(
    conn: Connection,
) -> None:
    ref = await running(conn)
    await conn.execute(
        "UPDATE jobs SET claimed_at = now() - interval '2 days', run_started_at = now() - interval '2 days',"
        " created_at = now() - interval '9 days', lease_until = now() + interval '1 second'"
    )
    assert await queue.reap(conn, 10) == []
    assert await queue.renew_lease(conn, [ref], LEASE) == {ref.job_id: False}
    assert await queue.complete(conn, ref, {})


async def test_a_beat_that_comes_late_but_before_the_reaper_keeps_the_job(conn: Connection) -> None:
    ref = await running(conn)
    await let_lease_run_out(conn, ref.job_id)
    assert await queue.renew_lease(conn, [ref], LEASE) == {ref.job_id: False}
    assert await queue.reap(conn, 10) == []
    assert await queue.complete(conn, ref, {})


async def test_a_beat_and_a_reaper_at_once_agree_on_who_holds_the_job(database: str) -> None:
    async with connections(database, 2) as (holder, reaper):
        for _ in range(30):
            ref = await running(holder)
            await let_lease_run_out(holder, ref.job_id)
            owned, reaped = await asyncio.gather(
                queue.renew_lease(holder, [ref], LEASE), queue.reap(reaper, 10, policy=NO_JITTER)
            )
            assert (ref.job_id in owned) != (ref.job_id in {r.job_id for r in reaped})
            assert await status(holder, ref.job_id) == ("RUNNING" if owned else "PENDING")
            await queue.complete(holder, ref, {})
            await holder.execute("DELETE FROM jobs")


async def test_a_worker_is_a_name_alone_and_nothing_outlives_its_job(conn: Connection) -> None:
    """No table of workers: a job that is over names none, and one held by a worker nobody knows runs and comes back like any."""
    ref = await running(conn)
    stranger = ref._replace(worker_id=uuid4())
    await conn.execute("UPDATE jobs SET worker_id = $1", stranger.worker_id)
    assert await queue.renew_lease(conn, [stranger], LEASE) == {ref.job_id: False}
    await let_lease_run_out(conn, ref.job_id)
    assert len(await queue.reap(conn, 10, policy=NO_JITTER)) == 1
    await make_ready(conn, ref.job_id)
    await queue.complete(conn, await held(conn, ref.job_id), {})
    found = await job(conn, ref.job_id)
    assert (found.worker_id, found.lease_until) == (None, None)


async def test_a_whole_page_of_rows_that_cannot_be_reaped_hides_none_of_the_rest(conn: Connection) -> None:
    ids = sorted([await new(conn) for _ in range(9)])
    await queue.start(conn, list((await claimed(conn)).values()), "i", LEASE)
    await let_lease_run_out(conn, *ids)
    bad = ids[:6]
    await conn.execute(
        f"""
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF NEW.job_id <= '{bad[-1]}' THEN RAISE 'not this one'; END IF; RETURN NEW; END $$;
        CREATE TRIGGER refuse BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION refuse();
        """
    )
    reaped = {r.job_id: r.problem for r in await queue.reap(conn, 3)}
    assert set(reaped) == set(ids)
    assert {j for j, problem in reaped.items() if problem} == set(bad)
    assert {await status(conn, j) for j in ids[6:]} == {"PENDING"}


async def test_a_whole_page_of_rows_somebody_holds_hides_none_of_the_rest(database: str) -> None:
    async with connections(database, 2) as (holder, conn):
        ids = sorted([await new(conn) for _ in range(9)])
        await queue.start(conn, list((await claimed(conn)).values()), "i", LEASE)
        await let_lease_run_out(conn, *ids)
        async with holder.transaction():
            await holder.execute("SELECT 1 FROM jobs WHERE job_id = ANY ($1::uuid[]) FOR UPDATE", ids[:6])
            assert [r.job_id for r in await queue.reap(conn, 3)] == ids[6:]
        assert [r.job_id for r in await queue.reap(conn, 3)] == ids[:6]
