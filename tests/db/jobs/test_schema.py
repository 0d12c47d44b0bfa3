"""What the table itself refuses, whoever writes; and that every statement fits it."""

import itertools
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import NewJob
from shared.jobs.sql import SQL
from tests.architecture import StatusRow, statuses
from tests.db.steps import put

NOW = "now()"
HELD = {"worker_id": uuid4(), "attempts": 1}


async def put_sql(conn: Connection, **columns: Any) -> None:
    """A row with SQL expressions for times."""
    names = ", ".join(["job_type", *columns])
    values = [v for v in columns.values() if v is not NOW]
    places = []
    for value in columns.values():
        places.append(NOW if value is NOW else f"${len([p for p in places if p != NOW]) + 1}")
    await conn.execute(f"INSERT INTO jobs ({names}) VALUES ({', '.join(['1', *places])})", *values)


RUNNING = {"status": 2, "lease_until": NOW, "claimed_at": NOW, **HELD}
DONE = {"status": 3, "result": "{}", "finished_at": NOW}
DEAD = {"status": 4, "last_error": "Boom: no", "finished_at": NOW}
CANCELLED = {"status": 5, "finished_at": NOW}

FORBIDDEN: dict[str, tuple[str, dict[str, Any]]] = {
    "a status nobody knows": ("jobs_status_known", {"status": 6, "finished_at": NOW}),
    "a pending job with a worker": ("jobs_pending_is_free", {"worker_id": uuid4()}),
    "a pending job with a lease": ("jobs_pending_is_free", {"lease_until": NOW}),
    "a pending job that is over": ("jobs_pending_is_free", {"finished_at": NOW}),
    "a pending job asked to stop": ("jobs_pending_is_free", {"cancel_requested_at": NOW}),
    "a pending job that has started": ("jobs_pending_is_free", {"run_started_at": NOW}),
    "a running job without a worker": ("jobs_running_is_held", {**RUNNING, "worker_id": None}),
    "a running job without a lease": ("jobs_running_is_held", {**RUNNING, "lease_until": None}),
    "a running job never claimed": ("jobs_running_is_held", {**RUNNING, "claimed_at": None}),
    "a running job in no attempt": ("jobs_running_is_held", {**RUNNING, "attempts": 0}),
    "a running job that waits": ("jobs_running_is_held", {**RUNNING, "waiting_on": 1}),
    "a running job that is over": ("jobs_running_is_held", {**RUNNING, "finished_at": NOW}),
    "a done job with a worker": ("jobs_finished_is_over", {**DONE, "worker_id": uuid4()}),
    "a dead job with a lease": ("jobs_finished_is_over", {**DEAD, "lease_until": NOW}),
    "a cancelled job without its end": ("jobs_finished_is_over", {**CANCELLED, "finished_at": None}),
    "a done job without a result": ("jobs_done_has_result", {**DONE, "result": None}),
    "a dead job that does not say why": ("jobs_dead_says_why", {**DEAD, "last_error": None}),
    "more attempts than allowed": ("jobs_attempts_bounded", {**DEAD, "attempts": 4}),
    "fewer attempts than none": ("jobs_attempts_bounded", {"attempts": -1}),
    "a job without any attempt to make": ("jobs_attempts_bounded", {"max_attempts": 0}),
    "a pending job with its attempts spent": ("jobs_attempts_bounded", {"attempts": 3}),
    "waiting on fewer than none": ("jobs_waiting_not_below", {"waiting_on": -1}),
    "a priority out of range": ("jobs_priority_range", {"priority": 1001}),
    "an error without end": ("jobs_error_bounded", {"last_error": "x" * 2001}),
    "the end of a graph without graph": ("jobs_graph_has_place", {"ends_graph": True}),
}


async def test_the_table_refuses_what_no_job_can_be(conn: Connection) -> None:
    for what, (constraint, columns) in FORBIDDEN.items():
        with pytest.raises(asyncpg.CheckViolationError) as caught:
            await put_sql(conn, **columns)
        assert caught.value.constraint_name == constraint, what
    assert await conn.fetchval("SELECT count(*) FROM jobs") == 0


async def test_the_table_takes_every_state_a_job_can_be_in(conn: Connection) -> None:
    for columns in ({}, {"waiting_on": 2}, RUNNING, DONE, DEAD, CANCELLED, {**DEAD, "waiting_on": 1}):
        await put_sql(conn, **columns)
    assert await conn.fetchval("SELECT count(*) FROM jobs") == 7


async def test_a_row_put_in_by_sql_with_only_a_type_is_a_job(conn: Connection) -> None:
    job_id = await put(conn, 30000)
    row = await conn.fetchrow(
        "SELECT status, priority, max_attempts, payload FROM jobs WHERE job_id = $1", job_id
    )
    assert tuple(row or ()) == (1, 100, 3, "{}")


async def test_one_active_job_a_key_is_held_by_the_table(conn: Connection) -> None:
    await put_sql(conn, dedupe_key="k")
    for columns in ({}, RUNNING):
        with pytest.raises(asyncpg.UniqueViolationError) as caught:
            await put_sql(conn, dedupe_key="k", **columns)
        assert caught.value.constraint_name == "jobs_one_active_a_key"
    for columns in (DONE, DEAD, CANCELLED):
        await put_sql(conn, dedupe_key="k", **columns)


async def test_one_active_graph_a_place_is_held_by_the_table(conn: Connection) -> None:
    place_id = uuid4()
    await put_sql(conn, place_id=place_id, graph_id=uuid4(), ends_graph=True)
    with pytest.raises(asyncpg.UniqueViolationError) as caught:
        await put_sql(conn, place_id=place_id, graph_id=uuid4(), ends_graph=True)
    assert caught.value.constraint_name == "jobs_one_graph_a_place"


async def test_no_index_stands_on_a_payload_and_no_key_leads_to_workers(conn: Connection) -> None:
    indexes = await conn.fetch("SELECT indexdef FROM pg_indexes WHERE tablename LIKE 'job%'")
    assert not [
        i["indexdef"]
        for i in indexes
        if "payload" in i["indexdef"] or "worker_id" in i["indexdef"].split("(")[0]
    ]
    assert (
        await conn.fetchval(
            "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conrelid = 'jobs'::regclass"
        )
        == 0
    )


async def test_a_job_waits_on_itself_never(conn: Connection) -> None:
    job_id = await put(conn)
    with pytest.raises(asyncpg.CheckViolationError):
        await conn.execute("INSERT INTO job_dependencies (job_id, depends_on) VALUES ($1, $1)", job_id)


async def test_every_statement_of_the_queue_can_be_prepared(conn: Connection) -> None:
    for name in SQL:
        await conn.prepare(SQL[name])


@pytest.mark.parametrize("row", statuses(), ids=lambda row: row.status.name)
async def test_the_table_takes_of_a_status_exactly_what_the_architecture_says(
    conn: Connection, row: StatusRow
) -> None:
    """Every combination of worker, lease, end and error; what the page does not speak of is as it must be."""
    rest = {"status": row.status, "attempts": 1, "claimed_at": NOW, "result": "{}"}
    for worker, lease, over, why in itertools.product((False, True), repeat=4):
        columns = {
            "worker_id": uuid4() if worker else None,
            "lease_until": NOW if lease else None,
            "finished_at": NOW if over else None,
            "last_error": "Boom: no" if why else None,
        }
        fits = worker == lease == row.held and over == row.over and (why or not row.says_why)
        try:
            await put_sql(conn, **rest, **columns)
        except asyncpg.CheckViolationError:
            taken = False
        else:
            taken = True
        assert taken == fits, columns


@pytest.mark.parametrize("row", statuses(), ids=lambda row: row.status.name)
async def test_a_key_is_taken_by_the_statuses_that_count_as_active(conn: Connection, row: StatusRow) -> None:
    columns = {1: {}, 2: RUNNING, 3: DONE, 4: DEAD, 5: CANCELLED}[row.status]
    await put_sql(conn, dedupe_key="k", **columns)
    assert (await queue.enqueue(conn, NewJob(1, dedupe_key="k"))).created != row.active
