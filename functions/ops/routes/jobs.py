"""Jobs, for the operator."""

from enum import StrEnum
from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Query
from pydantic import BaseModel

from shared.http_api.auth import current_admin
from shared.http_api.cursors import decode_cursor, encode_cursor
from shared.http_api.database import database, wake_after_commit
from shared.http_api.entry import new_router
from shared.http_api.errors import ApiError, not_found
from shared.http_api.shapes import JobView
from shared.jobs import queue
from shared.jobs.models import JobStatus
from shared.jobs.types import spec_named

router = new_router()


class StatusName(StrEnum):
    """`JobStatus` by name."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    DONE = "DONE"
    DEAD = "DEAD"
    CANCELLED = "CANCELLED"


class JobPage(BaseModel):
    """Jobs, newest first; `next` is the `cursor` of the page after, null at the end."""

    jobs: list[JobView]
    next: str | None


class Requeued(BaseModel):
    """The job, waiting again; the dependents that came back with it, and those another job keeps from it, by which."""

    job: JobView
    revived: list[UUID]
    not_revived: dict[UUID, UUID | None]


@router.get("/jobs", summary="Jobs", tags=["jobs"])
async def list_jobs(
    status: Annotated[StatusName | None, Query()] = None,
    job_type: Annotated[str | None, Query(max_length=40)] = None,
    place_id: Annotated[UUID | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(max_length=200)] = None,
) -> JobPage:
    """Newest first, filtered by what is given."""
    current_admin()
    number = None if job_type is None else spec_named(job_type).type
    async with database() as conn:
        jobs = await queue.list_jobs(
            conn,
            status=None if status is None else JobStatus[status.value],
            job_type=number,
            place_id=place_id,
            after=decode_cursor(cursor),
            limit=limit + 1,
        )
    shown = jobs[:limit]
    more = encode_cursor(shown[-1].created_at, shown[-1].job_id) if len(jobs) > limit else None
    return JobPage(jobs=[JobView.of(job) for job in shown], next=more)


@router.post("/jobs/<job_id>/requeue", summary="Try a dead job again", tags=["jobs"])
async def requeue_job(job_id: UUID) -> Requeued:
    """DEAD to PENDING with fresh attempts. 409 when it is not DEAD, or another job stands in the way."""
    current_admin()
    async with database() as conn:
        result = await queue.requeue(conn, job_id)
        if result is None:
            job = await queue.get(conn, job_id)
            if job is None:
                raise not_found("job")
            raise ApiError(409, "not_dead", f"The job is {job.status.name}, only a DEAD one is requeued")
        await wake_after_commit(conn)
    return Requeued(job=JobView.of(result.job), revived=result.revived, not_revived=result.not_revived)


@router.post("/jobs/<job_id>/acknowledge", summary="A dead job was seen", tags=["jobs"])
async def acknowledge_job(job_id: UUID) -> JobView:
    """It may be pruned once the retention is over; to say so again changes nothing. 409 when it is not DEAD."""
    current_admin()
    async with database() as conn:
        await queue.acknowledge(conn, job_id)
        job = await queue.get(conn, job_id)
    if job is None:
        raise not_found("job")
    if job.status is not JobStatus.DEAD:
        raise ApiError(409, "not_dead", f"The job is {job.status.name}, only a DEAD one is acknowledged")
    return JobView.of(job)


@router.post("/jobs/<job_id>/cancel", summary="Cancel a job", tags=["jobs"])
async def cancel_job(job_id: UUID) -> JobView:
    """A pending job ends at once, a running one is asked to stop. 409 when it had ended otherwise."""
    current_admin()
    async with database() as conn:
        job = await queue.cancel(conn, job_id)
    if job is None:
        raise not_found("job")
    if job.status in (JobStatus.DONE, JobStatus.DEAD):
        raise ApiError(409, "already_over", f"The job is {job.status.name}")
    return JobView.of(job)
