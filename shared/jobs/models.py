"""The queue's vocabulary: types, states, refs, jobs as they go in and as they stand."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Any, NamedTuple
from uuid import UUID


class JobType(IntEnum):
    """The product's own types. A further type is registered by its `JobSpec` alone and needs no name here."""

    COLLECT = 1
    VISION = 2
    COPY = 3
    BUILD = 4
    AI_CHECK = 5


class JobStatus(IntEnum):
    """`jobs.status`. Active means PENDING or RUNNING; DEAD is the dead letter."""

    PENDING = 1
    RUNNING = 2
    DONE = 3
    DEAD = 4
    CANCELLED = 5


class JobRef(NamedTuple):
    """One claim of one job. `worker_id` is fresh for every claim call, so a ref never comes back."""

    job_id: UUID
    worker_id: UUID
    attempt: int


@dataclass(frozen=True)
class Dependency:
    """To wait until `job_id` has ended; if `required`, to die with it or be cancelled with it."""

    job_id: UUID
    required: bool = False


@dataclass(frozen=True)
class NewJob:
    """A job to enqueue. `delay` is in seconds from now; `max_attempts` None takes the type's own."""

    job_type: int
    payload: dict[str, Any] = field(default_factory=dict)
    place_id: UUID | None = None
    graph_id: UUID | None = None
    ends_graph: bool = False
    dedupe_key: str | None = None
    priority: int = 100
    delay: float = 0.0
    max_attempts: int | None = None
    depends_on: Sequence[Dependency] = ()
    job_id: UUID | None = None


class EnqueueResult(NamedTuple):
    """`created` is False when an active job with the same key stood already; `job_id` is then that one's."""

    job_id: UUID
    created: bool


class ClaimedJob(NamedTuple):
    """What a claim hands to the claimer: enough to invoke a handler, nothing more."""

    ref: JobRef
    job_type: int


class Job(NamedTuple):
    """A row of `jobs`. Times are aware; `payload`, `result` and `progress` are decoded JSON."""

    job_id: UUID
    place_id: UUID | None
    graph_id: UUID | None
    ends_graph: bool
    job_type: int
    status: JobStatus
    priority: int
    payload: dict[str, Any]
    result: dict[str, Any] | None
    progress: dict[str, Any] | None
    dedupe_key: str | None
    attempts: int
    max_attempts: int
    worker_id: UUID | None
    lease_until: datetime | None
    run_after: datetime
    claimed_at: datetime | None
    run_started_at: datetime | None
    invocation_id: str | None
    finished_at: datetime | None
    cancel_requested_at: datetime | None
    first_snoozed_at: datetime | None
    snoozes: int
    releases: int
    unstarted: int
    acknowledged_at: datetime | None
    last_error: str | None
    waiting_on: int
    created_at: datetime
    updated_at: datetime

    @property
    def ref(self) -> JobRef:
        """The ref under which the job is held. Raises `ValueError` when nobody holds it."""
        if self.worker_id is None:
            raise ValueError(f"job {self.job_id} is {self.status.name}: nobody holds it")
        return JobRef(self.job_id, self.worker_id, self.attempts)

    @property
    def active(self) -> bool:
        """Whether the job is PENDING or RUNNING."""
        return self.status in (JobStatus.PENDING, JobStatus.RUNNING)


class ReapedJob(NamedTuple):
    """A lease that ran out. `problem` is set, and `status` unchanged, when the row could not be written."""

    job_id: UUID
    job_type: int
    status: JobStatus
    last_error: str | None
    problem: str | None


class DependencyState(NamedTuple):
    """A job that another waits on, or waited on. `job_type` and `status` are None when it was pruned meanwhile."""

    job_id: UUID
    job_type: int | None
    status: JobStatus | None
    required: bool


class Attempt(NamedTuple):
    """An attempt that did not end DONE."""

    attempt: int
    invocation_id: str | None
    claimed_at: datetime | None
    run_started_at: datetime | None
    ended_at: datetime
    outcome: str
    error: str | None
