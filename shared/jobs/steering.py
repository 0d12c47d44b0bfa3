"""What people do to jobs: look, cancel, requeue, acknowledge, pause a type."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from shared.db import Connection, transaction
from shared.jobs.errors import JobConflict
from shared.jobs.models import Attempt, DependencyState, Job, JobStatus
from shared.jobs.rows import job_of, jobs_of
from shared.jobs.sql import SQL
from shared.jobs.types import specs
from shared.settings import settings


async def get(conn: Connection, job_id: UUID) -> Job | None:
    """One job, or None."""
    row = await conn.fetchrow(SQL.get, job_id)
    return None if row is None else job_of(row)


async def find_active(conn: Connection, dedupe_key: str) -> Job | None:
    """The active job of a key, or None."""
    row = await conn.fetchrow(SQL.find_active, dedupe_key)
    return None if row is None else job_of(row)


async def find_latest(conn: Connection, dedupe_key: str) -> Job | None:
    """The newest job of a key in any status, or None."""
    row = await conn.fetchrow(SQL.find_latest, dedupe_key)
    return None if row is None else job_of(row)


async def attempts(conn: Connection, job_id: UUID) -> list[Attempt]:
    """The attempts that did not end DONE, oldest first."""
    return [Attempt(*row) for row in await conn.fetch(SQL.attempts, job_id)]


async def dependencies(conn: Connection, job_id: UUID) -> list[DependencyState]:
    """What the job waits on or waited on, oldest first."""
    return [
        DependencyState(
            row["depends_on"],
            row["job_type"],
            None if row["status"] is None else JobStatus(row["status"]),
            row["required"],
        )
        for row in await conn.fetch(SQL.dependencies, job_id)
    ]


async def list_jobs(
    conn: Connection,
    *,
    status: JobStatus | None = None,
    job_type: int | None = None,
    place_id: UUID | None = None,
    after: tuple[datetime, UUID] | None = None,
    limit: int = 50,
) -> list[Job]:
    """One page, newest first; `after` is (created_at, job_id) of the last job seen."""
    seen: tuple[datetime | None, UUID | None] = after or (None, None)
    return jobs_of(await conn.fetch(SQL.list_jobs, status, job_type, place_id, *seen, limit))


async def cancel(conn: Connection, job_id: UUID) -> Job | None:
    """A pending job ends CANCELLED at once, a running one is asked to stop, a finished one stays; the job as it is now."""
    await cancel_many(conn, [job_id])
    return await get(conn, job_id)


async def cancel_many(conn: Connection, job_ids: Sequence[UUID]) -> dict[UUID, JobStatus]:
    """The same for many in one transaction; the status each has now."""
    return {row["job_id"]: JobStatus(row["status"]) for row in await conn.fetch(SQL.cancel, list(job_ids))}


async def cancel_graph(conn: Connection, graph_id: UUID) -> dict[UUID, JobStatus]:
    """Cancel what of a graph is active."""
    return await cancel_many(conn, [row["job_id"] for row in await conn.fetch(SQL.active_of_graph, graph_id)])


async def cancel_place(conn: Connection, place_id: UUID) -> dict[UUID, JobStatus]:
    """Cancel what of a place is active, without alerts."""
    return await cancel_many(conn, [row["job_id"] for row in await conn.fetch(SQL.active_of_place, place_id)])


@dataclass(frozen=True)
class RequeueResult:
    """The job, the dependents that came back with it, and those that could not, each with the job that stands in its way:
    an active one with its key, or another dead one it waited on."""

    job: Job
    revived: list[UUID]
    not_revived: dict[UUID, UUID | None]


async def requeue(conn: Connection, job_id: UUID) -> RequeueResult | None:
    """DEAD → PENDING with fresh attempts; dependents that died of it come back. None when it is not DEAD.

    Raises `JobConflict`, naming the job in the way: an active one with the same key, or the dead root this one died of.
    """
    async with transaction(conn):
        rows = await conn.fetch(SQL.requeue, job_id)
        if not rows:
            return None
        first = rows[0]
        if first["outcome"] == "conflict":
            raise JobConflict(
                f"job {first['other']} is active with the same key: let it end or cancel it", first["other"]
            )
        if first["outcome"] == "blocked":
            raise JobConflict(
                f"it died of job {first['other']}: requeue that one, this follows", first["other"]
            )
        if settings().queue_notify:
            await conn.execute(SQL.notify)
    job = await get(conn, job_id)
    if job is None:
        return None
    return RequeueResult(
        job,
        [row["job_id"] for row in rows if row["outcome"] == "revived"],
        {row["job_id"]: row["other"] for row in rows if row["outcome"] in ("conflict", "blocked")},
    )


async def acknowledge(conn: Connection, job_id: UUID) -> bool:
    """A person has seen this DEAD job: it may be pruned after retention. False when it is not DEAD or was seen already."""
    return await conn.fetchval(SQL.acknowledge, job_id) is True


async def register_types(conn: Connection) -> None:
    """A settings row for every registered type that has none."""
    rows = [(spec.type, spec.name, spec.max_in_flight) for spec in specs().values()]
    await conn.executemany(SQL.register_type, rows)


async def pause(conn: Connection, job_type: int, paused: bool) -> bool:
    """Stop or resume claiming of a type, running jobs go on. False: the type has no settings row."""
    return await conn.fetchval(SQL.pause, job_type, paused) is True


async def type_settings(conn: Connection) -> list[dict[str, Any]]:
    """Each type's `job_type`, `name`, `paused`, `max_in_flight`, and how many are `running`."""
    return [dict(row) for row in await conn.fetch(SQL.type_settings)]


async def counts(conn: Connection) -> dict[str, int | bool]:
    """Jobs a status by name; `done_estimated` says whether DONE is beyond what is counted exactly."""
    row = await conn.fetchrow(SQL.counts)
    return {} if row is None else dict(row)


async def ops(conn: Connection) -> dict[str, Any]:
    """`counts` and `signals`."""
    return {**await counts(conn), **await signals(conn)}


async def signals(conn: Connection) -> dict[str, Any]:
    """What tells a stall from a quiet hour: dead_1h, stuck_running, oldest_pending_sec (0 when nothing is ready), deadline_1h.

    Counts nothing but what is in trouble, so that it may be asked every minute.
    """
    row = await conn.fetchrow(SQL.ops)
    return dict(row) if row else {}
