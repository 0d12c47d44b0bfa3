"""Single jobs."""

from uuid import UUID

from aws_lambda_powertools.event_handler import Response

from functions.enqueue.owned import own_job, own_place
from functions.enqueue.shapes import AttemptView, DependencyView, JobDetail, JobRequest
from shared.db import transaction
from shared.field_errors import FieldError
from shared.http_api.auth import current_user
from shared.http_api.database import database, wake_after_commit
from shared.http_api.entry import new_router
from shared.http_api.errors import invalid, not_found
from shared.http_api.shapes import JobView
from shared.jobs import queue
from shared.jobs.models import NewJob
from shared.jobs.spec import JobSpec
from shared.jobs.types import spec_named
from shared.places import repository

router = new_router()
_ORDINARY = 100  # the priority of everybody's work


@router.post("/jobs", summary="Enqueue a job", tags=["jobs"], status_code=201)
async def create_job(body: JobRequest) -> Response[JobView]:
    """201 with the new job, 200 with the active one of the same key."""
    spec = spec_named(body.job_type)
    _check_place(spec, body)
    _check_member(body)
    new = NewJob(
        spec.type,
        body.payload,
        body.place_id,
        dedupe_key=_key(spec, body),
        priority=body.priority,
        delay=body.delay,
    )
    async with database() as conn:
        if body.place_id is not None:
            await own_place(conn, body.place_id)
        async with transaction(conn):
            enqueued = await queue.enqueue(conn, new)
            if body.place_id is not None:
                # Jobs before places: one that is deleted meanwhile takes this job with it.
                await repository.lock_place(conn, body.place_id)
        if enqueued.created:
            await wake_after_commit(conn)
        job = await queue.get(conn, enqueued.job_id)
    if job is None:
        raise not_found("job")
    status = 201 if enqueued.created else 200
    return Response(status_code=status, content_type="application/json", body=JobView.of(job))


@router.get("/jobs/<job_id>", summary="A job", tags=["jobs"])
async def get_job(job_id: UUID) -> JobDetail:
    """Status by name, payload, progress, result, error; its attempts, and the jobs it waits on."""
    async with database() as conn:
        job = await own_job(conn, job_id)
        return JobDetail(
            **JobView.of(job).model_dump(),
            payload=job.payload,
            attempt_history=[AttemptView.of(found) for found in await queue.attempts(conn, job_id)],
            depends_on=[DependencyView.of(found) for found in await queue.dependencies(conn, job_id)],
        )


def _check_place(spec: JobSpec, body: JobRequest) -> None:
    if spec.needs_place and body.place_id is None:
        message = f"{spec.name} is done for a place: name it"
        raise invalid([FieldError(field="place_id", rule="required", message=message)])


def _check_member(body: JobRequest) -> None:
    if current_user().is_admin:
        return
    if body.place_id is None:
        raise invalid([FieldError(field="place_id", rule="required", message="Name one of your places")])
    if body.priority < _ORDINARY:
        message = f"Must be at least {_ORDINARY}"
        raise invalid([FieldError(field="priority", rule="greater_than_equal", message=message)])


def _key(spec: JobSpec, body: JobRequest) -> str | None:
    """The job's key: of its type and place, so that nobody's key meets a job of somebody else's place."""
    if body.place_id is None:
        return body.dedupe_key
    key = f"{spec.name}:{body.place_id}"
    return key if body.dedupe_key is None else f"{key}:{body.dedupe_key}"
