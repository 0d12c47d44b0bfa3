"""The numbers people watch, and the rows they page through."""

from datetime import timedelta
from uuid import uuid4

import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import JobStatus, JobType
from shared.jobs.sql import SQL
from shared.jobs.types import specs
from tests.conftest import Server
from tests.db.jobs.test_plans import YOUNG, Call, stocked
from tests.db.steps import (
    claimed,
    held,
    let_lease_run_out,
    make_ready,
    new,
    put,
    running,
    waiting_on,
)


async def test_counts_tell_every_status_by_name(conn: Connection) -> None:
    await queue.complete(conn, await running(conn), {})
    await queue.fail_permanent(conn, await running(conn), "Boom: no")
    await running(conn)
    await queue.cancel(conn, await new(conn))
    for _ in range(2):
        await new(conn, delay=60)
    assert await queue.counts(conn) == {
        "pending": 2,
        "running": 1,
        "done": 1,
        "done_estimated": False,
        "dead": 1,
        "cancelled": 1,
    }


async def test_done_is_exact_to_a_hundred_thousand_and_marked_as_an_estimate_beyond(conn: Connection) -> None:
    fill = (
        "INSERT INTO jobs (job_type, status, result, finished_at)"
        " SELECT 1, 3, '{}', now() FROM generate_series(1, $1)"
    )
    await conn.execute(fill, 100_000)
    counts = await queue.counts(conn)
    assert (counts["done"], counts["done_estimated"]) == (100_000, False)
    await conn.execute(fill, 1)
    await conn.execute("ANALYZE jobs")
    counts = await queue.counts(conn)
    assert counts["done_estimated"] is True
    assert 100_001 <= counts["done"] <= 110_000


async def test_an_empty_queue_has_nothing_to_tell(conn: Connection) -> None:
    assert await queue.ops(conn) == {
        "pending": 0,
        "running": 0,
        "done": 0,
        "done_estimated": False,
        "dead": 0,
        "cancelled": 0,
        "dead_1h": 0,
        "stuck_running": 0,
        "oldest_pending_sec": 0,
        "deadline_1h": 0,
    }


async def test_deaths_and_deadlines_count_for_an_hour(conn: Connection) -> None:
    for age in (10, 50, 70):
        ref = await running(conn)
        await queue.fail_permanent(conn, ref, "JobDeadlineExceeded: ran longer than 3 s")
        await conn.execute(
            "UPDATE jobs SET finished_at = now() - make_interval(mins => $2) WHERE job_id = $1",
            ref.job_id,
            age,
        )
        await conn.execute(
            "UPDATE job_attempts SET ended_at = now() - make_interval(mins => $2) WHERE job_id = $1",
            ref.job_id,
            age,
        )
    await queue.fail(conn, await running(conn), "TimeoutError: JobDeadlineExceeded")
    ops = await queue.ops(conn)
    assert (ops["dead_1h"], ops["deadline_1h"], ops["dead"]) == (2, 2, 3)


async def test_a_deadline_that_was_retried_and_went_well_still_counts(conn: Connection) -> None:
    ref = await running(conn)
    await queue.fail(conn, ref, "JobDeadlineExceeded: ran longer than 3 s")
    await make_ready(conn, ref.job_id)
    await queue.complete(conn, await held(conn, ref.job_id), {})
    assert (await queue.ops(conn))["deadline_1h"] == 1


async def test_stuck_is_a_lease_that_ran_out_or_ten_minutes_of_running(conn: Connection) -> None:
    fresh, expired, long = await running(conn), await running(conn), await running(conn)
    await let_lease_run_out(conn, expired.job_id)
    for ref, minutes in ((fresh, 9), (long, 11)):
        await conn.execute(
            "UPDATE jobs SET run_started_at = now() - make_interval(mins => $2) WHERE job_id = $1",
            ref.job_id,
            minutes,
        )
    assert (await queue.ops(conn))["stuck_running"] == 2


async def test_the_oldest_pending_counts_from_when_it_became_ready(conn: Connection) -> None:
    delayed = await new(conn, delay=3600)
    await conn.execute("UPDATE jobs SET created_at = now() - interval '1 day'")
    assert (await queue.ops(conn))["oldest_pending_sec"] == 0
    waiting = await waiting_on(conn, delayed)
    await conn.execute("UPDATE jobs SET run_after = now() - interval '1 day' WHERE job_id = $1", waiting)
    assert (await queue.ops(conn))["oldest_pending_sec"] == 0
    for n, age in enumerate((5, 90, 20)):
        job_id = await new(conn, JobType(1 + n), priority=10 * n)
        await conn.execute(
            "UPDATE jobs SET run_after = now() - make_interval(secs => $2) WHERE job_id = $1",
            job_id,
            float(age),
        )
    assert (await queue.ops(conn))["oldest_pending_sec"] == pytest.approx(90, abs=20)


async def test_a_paused_type_is_no_stall_and_one_nobody_knows_is(conn: Connection) -> None:
    job_id = await new(conn, JobType.VISION)
    await conn.execute("UPDATE jobs SET run_after = now() - interval '1 hour' WHERE job_id = $1", job_id)
    await queue.pause(conn, JobType.VISION, True)
    assert (await queue.ops(conn))["oldest_pending_sec"] == 0
    await put(conn, 777)
    assert (await queue.ops(conn))["oldest_pending_sec"] == pytest.approx(0, abs=20)


async def test_a_page_of_jobs_goes_on_after_the_last_one_seen(conn: Connection) -> None:
    ids = [await new(conn) for _ in range(7)]
    seen, after = [], None
    while page := await queue.list_jobs(conn, after=after, limit=3):
        seen += [j.job_id for j in page]
        after = (page[-1].created_at, page[-1].job_id)
    assert seen == ids[::-1]


async def test_jobs_are_listed_by_status_type_and_place(conn: Connection) -> None:
    place_id = uuid4()
    mine = await new(conn, JobType.COPY, place_id=place_id)
    other = await new(conn, JobType.VISION)
    await queue.complete(conn, await held(conn, other), {})
    assert [j.job_id for j in await queue.list_jobs(conn, place_id=place_id)] == [mine]
    assert [j.job_id for j in await queue.list_jobs(conn, job_type=JobType.VISION)] == [other]
    assert [j.job_id for j in await queue.list_jobs(conn, status=JobStatus.DONE)] == [other]
    assert await queue.list_jobs(conn, status=JobStatus.DEAD) == []


async def test_every_registered_type_has_a_settings_row_that_later_registrations_leave_alone(
    conn: Connection,
) -> None:
    rows = {r["job_type"]: r for r in await queue.type_settings(conn)}
    assert {t: (r["name"], r["max_in_flight"]) for t, r in rows.items()} == {
        s.type: (s.name, s.max_in_flight) for s in specs().values()
    }
    await queue.pause(conn, JobType.VISION, True)
    await conn.execute("UPDATE job_type_settings SET max_in_flight = 1 WHERE job_type = 2")
    await conn.execute("DELETE FROM job_type_settings WHERE job_type = 3")
    await queue.register_types(conn)
    rows = {r["job_type"]: r for r in await queue.type_settings(conn)}
    assert (rows[2]["paused"], rows[2]["max_in_flight"]) == (True, 1)
    assert rows[3]["max_in_flight"] == specs()[3].max_in_flight


async def test_the_settings_tell_how_many_run(conn: Connection) -> None:
    for _ in range(3):
        await new(conn, JobType.COPY)
    await claimed(conn, 2)
    assert {r["job_type"]: r["running"] for r in await queue.type_settings(conn)}[3] == 2


async def test_an_attempt_tells_when_it_was_claimed_started_and_ended(conn: Connection) -> None:
    ref = await running(conn)
    await queue.fail(conn, ref, "Boom: no")
    [attempt] = await queue.attempts(conn, ref.job_id)
    assert attempt.claimed_at is not None
    assert attempt.run_started_at is not None
    assert (
        timedelta(0) <= attempt.run_started_at - attempt.claimed_at <= attempt.ended_at - attempt.claimed_at
    )


SMALL = ("jobs_running", "jobs_dead", "job_attempts_newest")  # hold what runs, and what is in trouble


async def test_neither_counts_nor_signals_read_the_table_whatever_lies_in_it(postgres_server: Server) -> None:
    """A history of 40,000, 20,000 delayed, 2,000 dead: every number comes from an index that holds little else."""
    async with stocked(postgres_server, *YOUNG) as stock:
        found = await queue.counts(stock.conn)
        assert (found["done"], found["cancelled"], found["dead"]) == (36_100, 4_000, 2_000)
        for statement in (SQL.counts, SQL.ops, SQL.type_settings):
            nodes = await stock.plans(Call(statement, (), frozenset()))
            walked = [n for n in nodes if n["Node Type"] == "Seq Scan" and n["Relation Name"] == "jobs"]
            walked += [
                n for n in nodes if n["Node Type"] == "Bitmap Index Scan" and n["Index Name"] not in SMALL
            ]
            assert walked == [], statement
