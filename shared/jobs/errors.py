"""What can go wrong with a job, by name."""

import math
from uuid import UUID


class JobError(Exception):
    """Base of the queue's own errors."""


class InvalidPayload(JobError, ValueError):
    """A job that must not be enqueued; the message names the field and the rule."""


class UnknownJobType(JobError, ValueError):
    """No module of `shared/jobs/types` registers that type."""


class JobConflict(JobError):
    """A requeue that another job stands in the way of; `other` names it."""

    def __init__(self, message: str, other: UUID | None) -> None:
        super().__init__(message)
        self.other = other


class UnknownDependency(JobError, LookupError):
    """A job was to wait on one that does not exist."""


class LeaseLost(JobError):
    """The job is no longer this worker's: whatever it would write is not written."""


class PermanentJobError(Exception):
    """Raised by a handler: no further attempt can help; the job is DEAD at once."""


class JobDeadlineExceeded(Exception):
    """The job ran longer than its type's deadline."""


class Snooze(Exception):
    """Raised by a handler: try again in `delay` seconds, without spending the attempt, for `reason`.

    A delay that is no time to wait raises `ValueError`, which fails the attempt like any other error of the handler's.
    """

    def __init__(self, delay: float, reason: str) -> None:
        if not 0 <= delay < math.inf:
            raise ValueError(f"a job can be snoozed for 0 seconds or more, not {delay:g}")
        super().__init__(f"{reason} (in {delay:g} s)")
        self.delay = delay
        self.reason = reason
