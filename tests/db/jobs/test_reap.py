"""The reaper's part: leases that ran out, and what is over long enough."""

import asyncio
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import JobStatus
from shared.jobs.sql import SQL
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
    put,
    running,
    status,
    waiting_on,
)

MARK = " [lease-expired reclaim]"


async def test_a_lease_that_holds_is_left_alone(conn: Connection) -> None:
    ref = await running(conn)
    assert await queue.reap(conn, 10) == []
    assert await status(conn, ref.job_id) == "RUNNING"


async def test_a_started_attempt_whose_lease_ran_out_is_a_failed_one(conn: Connection) -> None:
    ref = await running(conn)
    await let_lease_run_out(conn, ref.job_id)
    [reaped] = await queue.reap(conn, 10, policy=NO_JITTER)
    found = await job(conn, ref.job_id)
    assert reaped == (ref.job_id, 1, JobStatus.PENDING, found.last_error, None)
    assert (found.last_error or "").endswith(MARK)
    assert found.run_after - found.updated_at == timedelta(seconds=5)
    assert (found.attempts, found.worker_id, found.run_started_at) == (1, None, None)
    assert [a.outcome for a in await queue.attempts(conn, ref.job_id)] == ["lease_expired"]


async def test_the_last_error_is_kept_and_marked_once(conn: Connection) -> None:
    job_id = await new(conn, max_attempts=5)
    await queue.fail(conn, await held(conn, job_id), "Boom: no")
    for _ in range(3):
        await make_ready(conn, job_id)
        await held(conn, job_id)
        await let_lease_run_out(conn, job_id)
        await queue.reap(conn, 10)
        assert (await job(conn, job_id)).last_error == "Boom: no" + MARK


async def test_the_marked_error_stays_bounded(conn: Connection) -> None:
    job_id = await new(conn)
    await queue.fail(conn, await held(conn, job_id), "x" * 2000)
    await make_ready(conn, job_id)
    await held(conn, job_id)
    await let_lease_run_out(conn, job_id)
    await queue.reap(conn, 10)
    error = (await job(conn, job_id)).last_error or ""
    assert len(error) <= 2000
    assert error.endswith(MARK)


async def test_when_attempts_are_spent_the_job_is_dead_and_alerts(conn: Connection) -> None:
    ref = await running(conn, max_attempts=1)
    last = await waiting_on(conn, ref.job_id, required=True)
    await let_lease_run_out(conn, ref.job_id)
    [reaped] = await queue.reap(conn, 10)
    assert reaped.status is JobStatus.DEAD
    assert (reaped.last_error or "").endswith(MARK)
    assert await status(conn, last) == "DEAD"
    assert await alerts(conn) == {f"job_dead:COLLECT:{ref.job_id}": 1}


async def test_an_attempt_that_never_started_is_given_back_at_most_five_times(conn: Connection) -> None:
    job_id = await new(conn, max_attempts=2)
    attempts = []
    for _ in range(7):
        await make_ready(conn, job_id)
        await held(conn, job_id, started=False)
        await let_lease_run_out(conn, job_id)
        [reaped] = await queue.reap(conn, 10)
        attempts.append(((await job(conn, job_id)).attempts, reaped.status.name))
    assert attempts == [(0, "PENDING")] * 5 + [(1, "PENDING"), (2, "DEAD")]
    assert [a.outcome for a in await queue.attempts(conn, job_id)] == ["given_back"] * 5 + [
        "lease_expired"
    ] * 2


async def test_one_given_back_is_ready_at_once(conn: Connection) -> None:
    job_id = await new(conn)
    await claimed(conn)
    await let_lease_run_out(conn, job_id)
    await queue.reap(conn, 10)
    assert set(await claimed(conn)) == {job_id}


@pytest.mark.parametrize("started", [False, True])
async def test_a_job_asked_to_stop_ends_cancelled_without_alert(conn: Connection, started: bool) -> None:
    job_id = await new(conn, max_attempts=1)
    await held(conn, job_id, started=started)
    await queue.cancel(conn, job_id)
    await let_lease_run_out(conn, job_id)
    [reaped] = await queue.reap(conn, 10)
    assert reaped.status is JobStatus.CANCELLED
    assert await alerts(conn) == {}


@pytest.mark.parametrize("page", [1, 3, 7, 100])
async def test_pages_reach_every_row_once(conn: Connection, page: int) -> None:
    ids = [await new(conn) for _ in range(7)]
    await claimed(conn)
    await let_lease_run_out(conn, *ids)
    assert sorted(r.job_id for r in await queue.reap(conn, page)) == sorted(ids)
    assert await queue.reap(conn, page) == []


async def test_one_bad_row_is_reported_and_stops_none_of_the_rest(conn: Connection) -> None:
    ids = sorted([await new(conn) for _ in range(5)])
    await queue.start(conn, list((await claimed(conn)).values()), "i", LEASE)
    await let_lease_run_out(conn, *ids)
    await conn.execute(
        f"""
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF NEW.job_id = '{ids[2]}' THEN RAISE 'not this one'; END IF; RETURN NEW; END $$;
        CREATE TRIGGER refuse BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION refuse();
        """
    )
    reaped = {r.job_id: r for r in await queue.reap(conn, 2)}
    assert set(reaped) == set(ids)
    bad = reaped.pop(ids[2])
    assert bad.status is JobStatus.RUNNING
    assert "not this one" in (bad.problem or "")
    assert all(r.status is JobStatus.PENDING and r.problem is None for r in reaped.values())
    # And the page that is all bad rows does not hide those after it.
    await let_lease_run_out(conn, *ids[:0])
    assert [r.job_id for r in await queue.reap(conn, 1)] == [ids[2]]
    await conn.execute("DROP TRIGGER refuse ON jobs")
    assert [r.status for r in await queue.reap(conn, 1)] == [JobStatus.PENDING]


async def test_a_row_whose_settlement_fails_leaves_nothing_of_itself(conn: Connection) -> None:
    """DEAD, the dependents and the alert go together or not at all."""
    ref = await running(conn, max_attempts=1)
    last = await waiting_on(conn, ref.job_id, required=True)
    await let_lease_run_out(conn, ref.job_id)
    await conn.execute("ALTER TABLE alert_outbox ADD CONSTRAINT no_alert CHECK (kind <> 'job_dead')")
    [reaped] = await queue.reap(conn, 10)
    assert reaped.status is JobStatus.RUNNING
    assert "no_alert" in (reaped.problem or "")
    assert [await status(conn, j) for j in (ref.job_id, last)] == ["RUNNING", "PENDING"]
    assert await queue.attempts(conn, ref.job_id) == []


async def test_a_type_nobody_knows_is_reaped_too(conn: Connection) -> None:
    job_id = await put(conn, 777)
    await held(conn, job_id)
    await let_lease_run_out(conn, job_id)
    assert [(r.job_id, r.job_type) for r in await queue.reap(conn, 10)] == [(job_id, 777)]


async def test_two_reapers_at_once_share_the_work(database: str) -> None:

    async with connections(database, 3) as conns:
        ids = [await new(conns[0]) for _ in range(40)]
        await queue.start(conns[0], list((await claimed(conns[0])).values()), "i", LEASE)
        running_ids = [r["job_id"] for r in await conns[0].fetch("SELECT job_id FROM jobs WHERE status = 2")]
        await let_lease_run_out(conns[0], *ids)
        reaped = await asyncio.gather(*(queue.reap(c, 5) for c in conns))
        assert sorted(r.job_id for rows in reaped for r in rows) == sorted(running_ids)
        assert await conns[0].fetchval("SELECT count(*) FROM job_attempts") == len(running_ids)


# prune


async def over(
    conn: Connection, days: float, *, status: int = 3, seen: bool = False, count: int = 1
) -> list[UUID]:
    rows = await conn.fetch(
        "INSERT INTO jobs (job_type, status, result, last_error, finished_at, acknowledged_at)"
        " SELECT 1, $1::smallint, '{}', 'Boom: no', now() - make_interval(secs => $2), CASE WHEN $3 THEN now() END"
        " FROM generate_series(1, $4) RETURNING job_id",
        status,
        days * 86400.0,
        seen,
        count,
    )
    return [r["job_id"] for r in rows]


async def test_what_is_over_past_retention_goes_but_a_death_only_once_it_was_seen(conn: Connection) -> None:
    old = [await over(conn, 31, status=s) for s in (3, 5)] + [await over(conn, 31, status=4, seen=True)]
    kept = [await over(conn, 29, status=s) for s in (3, 5)] + [await over(conn, 31, status=4)]
    kept += [await over(conn, 29, status=4, seen=True), [await new(conn)]]
    assert await queue.prune(conn, 30) == len(old)
    left = {r["job_id"] for r in await conn.fetch("SELECT job_id FROM jobs")}
    assert left == {j for ids in kept for j in ids}
    assert await queue.prune(conn, 30) == 0


async def test_pruning_goes_in_batches_up_to_its_most(conn: Connection) -> None:
    await over(conn, 40, count=1300)
    await over(conn, 40, status=5, count=300)
    assert await queue.prune(conn, 30, most=1000) == 1000
    assert await queue.prune(conn, 30) == 600


async def test_pruning_takes_a_jobs_edges_and_attempts_with_it(conn: Connection) -> None:
    ref = await running(conn)
    last = await waiting_on(conn, ref.job_id)
    await queue.fail(conn, ref, "Boom: no")
    await make_ready(conn, ref.job_id)
    await queue.complete(conn, await held(conn, ref.job_id), {})
    await queue.complete(conn, await held(conn, last), {})
    await conn.execute("UPDATE jobs SET finished_at = now() - interval '40 days'")
    assert await queue.prune(conn, 30) == 2
    for table in ("jobs", "job_dependencies", "job_attempts"):
        assert await conn.fetchval(f"SELECT count(*) FROM {table}") == 0


async def test_several_maintainers_prune_each_row_once_and_never_deadlock(database: str) -> None:
    async with connections(database, 5) as conns:
        for status_ in (3, 5):
            await over(conns[0], 40, status=status_, count=900)
        await conns[0].execute(
            "INSERT INTO job_dependencies (job_id, depends_on, settled_at)"
            " SELECT a.job_id, b.job_id, now() FROM (SELECT job_id FROM jobs ORDER BY random() LIMIT 400) a,"
            " LATERAL (SELECT job_id FROM jobs WHERE job_id <> a.job_id ORDER BY random() LIMIT 2) b"
        )
        assert sum(await asyncio.gather(*(queue.prune(c, 30) for c in conns))) == 1800
        for table in ("jobs", "job_dependencies"):
            assert await conns[0].fetchval(f"SELECT count(*) FROM {table}") == 0


async def test_every_batch_of_a_prune_is_committed_before_the_next_oldest_first(conn: Connection) -> None:
    """A prune that is cut off keeps what it did: no single statement deletes more than a batch."""
    await over(conn, 50, count=500)
    await over(conn, 40, count=700)
    assert not conn.is_in_transaction()
    assert await conn.fetchval(SQL.prune, 30 * 86400.0, 500) == 500
    left = await conn.fetchval("SELECT max(now() - finished_at) FROM jobs")
    assert left < timedelta(days=41)
    assert await conn.fetchval("SELECT count(*) FROM jobs") == 700


async def test_pruning_passes_over_what_somebody_holds(database: str) -> None:
    async with connections(database, 2) as (holder, conn):
        [first] = await over(conn, 40)
        await over(conn, 39)
        async with holder.transaction():
            await holder.execute("SELECT 1 FROM jobs WHERE job_id = $1 FOR UPDATE", first)
            assert await queue.prune(conn, 30) == 1
        assert await queue.prune(conn, 30) == 1


async def test_a_death_is_acknowledged_once(conn: Connection) -> None:
    ref = await running(conn)
    assert not await queue.acknowledge(conn, ref.job_id)
    await queue.fail_permanent(conn, ref, "Boom: no")
    assert await queue.acknowledge(conn, ref.job_id)
    assert not await queue.acknowledge(conn, ref.job_id)
    assert not await queue.acknowledge(conn, uuid4())
