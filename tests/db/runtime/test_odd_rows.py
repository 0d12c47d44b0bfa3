"""Rows put in by hand, or by a newer release: whatever stands in one, it ends where a person sees it and touches no other."""

from typing import Any
from uuid import UUID

import asyncpg
import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import Job, JobStatus
from shared.runtime import JobContext, job_handler
from tests.db.runtime.conftest import TEST_TYPE, Sandbox
from tests.db.runtime.test_handler import spec, tasks
from tests.db.steps import alerts, claimed, held, job, new, put, running, status

HUGE = "9" * 100_000
DEEP = '{"a":' * 3000 + "1" + "}" * 3000

PAYLOADS = {
    "an integer of 100,000 digits": f'{{"n": {HUGE}}}',
    "nested three thousand deep": DEEP,
    "a field nobody knows": '{"colour": "red"}',
    "another type": '{"n": "seven"}',
    "a list": "[1]",
    "null": "null",
    "a number": "5",
    "text": '"x"',
}


async def well(job: Job, ctx: JobContext) -> dict[str, Any]:
    return {"n": ctx.payload.n}


async def test_a_payload_nothing_can_be_made_of_ends_its_own_job_for_good_and_no_other(
    conn: Connection, sandbox: Sandbox
) -> None:
    refs = await tasks(conn, '{"n": 1}', *PAYLOADS.values(), '{"n": 2}')
    assert await sandbox.invoke(job_handler(spec(), well), *refs) == {"started": len(refs)}
    ended = [await job(conn, r.job_id) for r in refs]
    assert [j.result for j in (ended[0], ended[-1])] == [{"n": 1}, {"n": 2}]
    for what, dead in zip(PAYLOADS, ended[1:-1], strict=True):
        assert (dead.status, dead.attempts) == (JobStatus.DEAD, 1), what
        assert (dead.last_error or "").startswith("InvalidPayload: "), what
        assert len(dead.last_error or "") < 1000, what
    assert sum((await alerts(conn)).values()) == len(PAYLOADS)


@pytest.mark.parametrize("text", [f'{{"n": {HUGE}}}', DEEP, "[1]", "5", "null"])
async def test_a_result_or_progress_of_any_shape_is_read_and_listed(conn: Connection, text: str) -> None:
    odd = await put(conn, TEST_TYPE, payload=text, progress=text)
    await conn.execute(
        "UPDATE jobs SET status = 3, result = $2, finished_at = now() WHERE job_id = $1", odd, text
    )
    beside = await new(conn)
    listed = {j.job_id: j for j in await queue.list_jobs(conn)}
    assert set(listed) == {odd, beside}
    for value in (listed[odd].result, listed[odd].progress):
        assert value is None or isinstance(value, dict)


async def test_every_time_of_a_job_is_one_that_can_be_read(conn: Connection) -> None:
    columns = await conn.fetch(
        "SELECT attname FROM pg_attribute WHERE attrelid = 'jobs'::regclass AND atttypid = 'timestamptz'::regtype AND attnum > 0"
    )
    assert len(columns) == 10
    busy, over = await running(conn), await running(conn)
    await queue.complete(conn, over, {})
    for (column,) in columns:
        job_id = over.job_id if column == "finished_at" else busy.job_id
        for when in ("infinity", "20000-01-01", "0044-01-01 BC"):
            with pytest.raises(asyncpg.CheckViolationError, match="jobs_times_are_days"):
                await conn.execute(f"UPDATE jobs SET {column} = '{when}' WHERE job_id = $1", job_id)


async def test_the_id_that_pages_begin_after_is_no_jobs(conn: Connection) -> None:
    with pytest.raises(asyncpg.CheckViolationError, match="jobs_id_is_not_nil"):
        await conn.execute("INSERT INTO jobs (job_id, job_type) VALUES ($1, 1)", UUID(int=0))


@pytest.mark.parametrize("when", ["-infinity", "infinity", "4713-01-01 BC", "1999-12-31", "200000-01-01"])
async def test_a_time_no_calendar_of_ours_has_is_refused_by_the_table(conn: Connection, when: str) -> None:
    """A claimed row must be readable, and the age of the oldest ready job a number."""
    with pytest.raises(asyncpg.CheckViolationError, match="jobs_times_are_days"):
        await conn.execute(f"INSERT INTO jobs (job_type, run_after) VALUES (1, '{when}')")


@pytest.mark.parametrize(
    ("columns", "constraint"),
    [
        ({"priority": -1}, "jobs_priority_range"),
        ({"priority": 1001}, "jobs_priority_range"),
        ({"max_attempts": 101}, "jobs_attempts_bounded"),
        ({"max_attempts": 2_147_483_647}, "jobs_attempts_bounded"),
        ({"max_attempts": 0}, "jobs_attempts_bounded"),
    ],
)
async def test_a_number_out_of_range_is_refused_by_the_table_too(
    conn: Connection, columns: dict[str, int], constraint: str
) -> None:
    with pytest.raises(asyncpg.CheckViolationError, match=constraint):
        await put(conn, **columns)


@pytest.mark.parametrize("job_type", [-32768, 0, 32767])
async def test_counters_at_their_end_and_types_at_theirs_are_carried_through(
    conn: Connection, job_type: int
) -> None:
    """Each may stand at the most its type holds but one; everything a holder does still works."""
    most = 2_147_483_646
    job_id = await put(conn, job_type, max_attempts=100, snoozes=most, releases=19, unstarted=5)
    ref = await held(conn, job_id, started=False)
    assert (await queue.release(conn, [ref], "no"))[job_id] is JobStatus.PENDING
    await conn.execute("UPDATE jobs SET run_after = now()")
    assert await queue.snooze(conn, await held(conn, job_id), 0, "later") is JobStatus.PENDING
    assert (await job(conn, job_id)).snoozes == most + 1
    await queue.fail_permanent(conn, (await claimed(conn))[job_id], "Boom: no")
    assert await alerts(conn) == {f"job_dead:{job_type}:{job_id}": 1}


async def test_ids_have_no_end_to_run_into(conn: Connection) -> None:
    """Nothing of the queue counts its rows: every key is a uuid, or made of them."""
    keys = await conn.fetch(
        """
        SELECT a.attrelid::regclass::text AS relation, a.atttypid::regtype::text AS type
          FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
         WHERE i.indisprimary AND i.indrelid IN ('jobs'::regclass, 'job_dependencies'::regclass,
                                                 'job_attempts'::regclass, 'alert_outbox'::regclass)
        """
    )
    assert {row["type"] for row in keys} == {"uuid"}
    assert not await conn.fetchval(
        "SELECT count(*) FROM pg_class WHERE relkind = 'S' AND relname LIKE '%job%'"
    )
    top = UUID(int=2**128 - 1)
    assert await status(conn, await new(conn, job_id=top)) == "PENDING"
    assert set(await claimed(conn)) == {top}
