"""When work that went on without a provider is to be tried again, and as what."""

from datetime import UTC, datetime, timedelta

from shared.jobs.errors import PermanentJobError
from shared.jobs.models import Job, NewJob
from shared.jobs.refresh import refresh_key
from shared.providers.failures import FailureCode, ProviderFailure
from shared.quota import NoQuotaError

LATER_PRIORITY = 500  # a repetition yields to every onboarding
# Seconds at least, when the vendor names no longer time: the next minute's window, an hour of the day's, the ten minutes money
# is counted over; a vendor that is down is given five minutes.
_LATER: dict[FailureCode, float] = {
    "quota_minute": 60.0,
    "quota_day": 3600.0,
    "spend_limit": 600.0,
    "timeout": 300.0,
    "connection": 300.0,
    "server": 300.0,
}
_PATIENCE = timedelta(hours=71)  # an hour less than the queue's own
_LONGEST = 86400.0  # seconds; a page does not wait for weeks because a vendor once said so


def later_of(failure: ProviderFailure) -> float | None:
    """Seconds after which the same work may find the provider again; None where time alone mends nothing.

    Who was refused by the governor has a turn and comes when it is due.
    """
    if isinstance(failure, NoQuotaError):
        return failure.retry_after
    least = _LATER.get(failure.code)
    return None if least is None else min(max(failure.retry_after or 0.0, least), _LONGEST)


def may_wait(job: Job) -> bool:
    """Whether the job may be snoozed once more. What still waits after three days would die of it, and nothing is broken."""
    first = job.first_snoozed_at
    return first is None or datetime.now(UTC) - first < _PATIENCE


def refresh_of(job: Job, job_type: int, delay: float = 0.0, *, priority: int = LATER_PRIORITY) -> NewJob:
    """A refresh of the job's place; unless a priority is given, it yields to everything else."""
    if job.place_id is None:
        raise PermanentJobError("the job names a place")
    key = refresh_key(job_type, job.place_id)
    return NewJob(job_type, {}, job.place_id, dedupe_key=key, priority=priority, delay=delay)
