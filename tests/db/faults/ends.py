"""What must be true of a job after a fault: it ended once, with its result, its attempts and its follow-ups, and nothing else."""

from collections.abc import Mapping
from typing import Any

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import Job, JobRef, JobStatus
from tests.db.steps import claimed, job, make_ready, until


async def alone(conn: Connection) -> None:
    """Wait until the server has noticed the end of every other connection to the test's database, and done what they asked."""

    async def gone() -> bool:
        return not await conn.fetchval(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )

    await until(gone)


async def reaped(conn: Connection, *refs: JobRef) -> bool:
    """Reap; whether none of these is held any more."""
    await queue.reap(conn, 100)
    for ref in refs:
        if (await job(conn, ref.job_id)).worker_id == ref.worker_id:
            return False
    return True


async def taken_again(conn: Connection, ref: JobRef, *, attempt: int = 2) -> JobRef:
    """The job whose lease has run out, taken back by the reaper and claimed anew; its new ref."""
    assert await reaped(conn, ref)
    await make_ready(conn, ref.job_id)
    again = (await claimed(conn))[ref.job_id]
    assert again.attempt == attempt
    return again


async def ended_once(
    conn: Connection, ref: JobRef, result: Mapping[str, Any], *, attempts: list[tuple[int, str]] | None = None
) -> Job:
    """The job, DONE in this attempt with at least this in its result, after just these other attempts."""
    found = await job(conn, ref.job_id)
    assert (found.status, found.attempts) == (JobStatus.DONE, ref.attempt)
    assert found.result is not None
    assert result.items() <= found.result.items()
    assert [(a.attempt, a.outcome) for a in await queue.attempts(conn, ref.job_id)] == (attempts or [])
    return found


async def follow_ups(conn: Connection) -> dict[int, int]:
    """How many follow-ups there are of each number."""
    rows = await conn.fetch(
        "SELECT priority - 500 AS n, count(*) FROM jobs WHERE job_type = 1 AND priority > 500 GROUP BY 1"
    )
    return {row["n"]: row["count"] for row in rows}
