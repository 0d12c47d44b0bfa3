"""Work that follows from a change of a place, outside its generation."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

from shared.db import Connection
from shared.jobs.enqueueing import enqueue_many
from shared.jobs.models import Dependency, Job, JobType, NewJob
from shared.jobs.sql import SQL
from shared.jobs.types import type_name


def refresh_key(job_type: int, place_id: UUID) -> str:
    """The key of a place's refreshes of one type."""
    return f"{type_name(job_type)}:{place_id}"


async def enqueue_refresh(
    conn: Connection, place_id: UUID, *, facts_version: int | None = None
) -> list[UUID]:
    """COPY and, after it, BUILD for a place whose facts are about to change, in the caller's transaction.

    Call it before the change: the active refreshes it meets are kept from ending until the change has committed, so their
    completion sees the newer version and enqueues the successor. Returns the two ids, COPY's first.
    """
    payload = {} if facts_version is None else {"facts_version": facts_version}
    keys = [refresh_key(JobType.COPY, place_id), refresh_key(JobType.BUILD, place_id)]
    while True:
        copy_id = uuid4()
        held = {row["dedupe_key"]: row["job_id"] for row in await conn.fetch(SQL.hold_active_of_keys, keys)}
        copy = held.get(keys[0])
        new = []
        if copy is None:
            new.append(NewJob(JobType.COPY, payload, place_id, dedupe_key=keys[0], job_id=copy_id))
        if keys[1] not in held:
            after = (Dependency(copy or copy_id),)
            new.append(NewJob(JobType.BUILD, payload, place_id, dedupe_key=keys[1], depends_on=after))
        if not new:
            return [held[keys[0]], held[keys[1]]]
        results = await enqueue_many(conn, new)
        if all(r.created for r in results):
            found = dict(zip((n.dedupe_key for n in new), (r.job_id for r in results), strict=True))
            return [copy or found[keys[0]], held.get(keys[1]) or found[keys[1]]]
        # Another enqueued one of them meanwhile: hold that one too.


async def enqueue_successor(conn: Connection, job: Job, watches: str, result: Mapping[str, Any]) -> int:
    """A refresh of the job's type when its place's counter has moved past what the result says it saw; how many.

    Runs in the completion's transaction. A result that does not carry the counter (nothing was read) has no successor.
    """
    seen = result.get(watches)
    if job.place_id is None or not isinstance(seen, int):
        return 0
    now = await conn.fetchrow(SQL.place_versions, job.place_id)
    if now is None or now[watches] <= seen:
        return 0
    payload = {"facts_version": now["facts_version"]}
    new = [NewJob(job.job_type, payload, job.place_id, dedupe_key=refresh_key(job.job_type, job.place_id))]
    return sum(r.created for r in await enqueue_many(conn, new))
