"""The event that invokes a handler: refs, never payloads."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from shared.jobs.models import JobRef

VERSION = 1


class _Ref(BaseModel):
    model_config = ConfigDict(extra="ignore")

    job_id: UUID
    worker_id: UUID
    attempt: int = Field(ge=1)


class JobsEvent(BaseModel):
    """`{"version": 1, "job_type": 1, "jobs": [{"job_id", "worker_id", "attempt"}]}`."""

    model_config = ConfigDict(extra="ignore")

    version: int = Field(ge=VERSION, le=VERSION)
    job_type: int
    jobs: list[_Ref] = Field(min_length=1, max_length=1000)

    @property
    def refs(self) -> list[JobRef]:
        """The refs, each job once."""
        return list({r.job_id: JobRef(r.job_id, r.worker_id, r.attempt) for r in self.jobs}.values())


def jobs_event(job_type: int, refs: Sequence[JobRef]) -> dict[str, Any]:
    """The event for one batch."""
    return {
        "version": VERSION,
        "job_type": job_type,
        "jobs": [
            {"job_id": str(r.job_id), "worker_id": str(r.worker_id), "attempt": r.attempt} for r in refs
        ],
    }
