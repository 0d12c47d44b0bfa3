"""The answers both functions give."""

from datetime import datetime
from typing import Any, Self
from uuid import UUID

from pydantic import BaseModel, Field

from shared.jobs.models import Job
from shared.jobs.types import type_name


class JobView(BaseModel):
    """A job as its owner sees it; type and status by name."""

    job_id: UUID
    job_type: str
    status: str
    place_id: UUID | None
    graph_id: UUID | None
    priority: int
    attempts: int
    max_attempts: int
    progress: dict[str, Any] | None
    result: dict[str, Any] | None
    error: str | None = Field(description="Why the last attempt that failed did")
    cancel_requested: bool
    waiting_on: int = Field(description="Unfinished jobs this one waits for")
    run_after: datetime
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    acknowledged_at: datetime | None = Field(description="When a person said to have seen that it is DEAD")

    @classmethod
    def of(cls, job: Job) -> Self:
        """The job's view."""
        return cls(
            job_id=job.job_id,
            job_type=type_name(job.job_type),
            status=job.status.name,
            place_id=job.place_id,
            graph_id=job.graph_id,
            priority=job.priority,
            attempts=job.attempts,
            max_attempts=job.max_attempts,
            progress=job.progress,
            result=job.result,
            error=job.last_error,
            cancel_requested=job.cancel_requested_at is not None,
            waiting_on=job.waiting_on,
            run_after=job.run_after,
            created_at=job.created_at,
            started_at=job.run_started_at,
            finished_at=job.finished_at,
            acknowledged_at=job.acknowledged_at,
        )
