"""A job's life as data: which operation may take it from which status to which.

The chart in `docs/ARCHITECTURE.md` and the model that the queue is tested against are held against this table. It decides nothing
by itself: the statements in `sql/` do.
"""

from collections.abc import Collection
from typing import NamedTuple, TypeAlias

from shared.jobs.models import JobStatus

# None stands for no row: not enqueued yet, or pruned.
State: TypeAlias = JobStatus | None


class Transition(NamedTuple):
    """One way a job may change. `settle` is what an end does to the jobs that waited on it, in the same transaction."""

    operation: str
    source: State
    target: State
    condition: str


_PENDING, _RUNNING, _DONE, _DEAD, _CANCELLED = JobStatus

TRANSITIONS: tuple[Transition, ...] = (
    Transition("enqueue", None, _PENDING, "no active job has its key"),
    Transition("claim", _PENDING, _RUNNING, "due, waits on nothing, its type is not paused and has room"),
    Transition("start", _RUNNING, _RUNNING, "the ref holds it and has not started it"),
    Transition("renew_lease", _RUNNING, _RUNNING, "the ref holds it"),
    Transition("set_progress", _RUNNING, _RUNNING, "the ref holds it and its lease has not run out"),
    Transition(
        "cancel", _RUNNING, _RUNNING, "it is asked to stop, and keeps its key and its slot until it has"
    ),
    Transition("complete", _RUNNING, _DONE, "the ref holds it, asked to stop or not"),
    Transition("fail", _RUNNING, _PENDING, "attempts are left"),
    Transition(
        "snooze", _RUNNING, _PENDING, "first snoozed less than 72 hours ago; the attempt is given back"
    ),
    Transition(
        "release", _RUNNING, _PENDING, "not started, released fewer than 20 times in a row; given back"
    ),
    Transition("reap", _RUNNING, _PENDING, "the lease ran out; attempts are left, or it never started"),
    Transition("fail", _RUNNING, _DEAD, "no attempt is left"),
    Transition("fail_permanent", _RUNNING, _DEAD, "whatever attempts are left"),
    Transition("snooze", _RUNNING, _DEAD, "first snoozed 72 hours ago, and no attempt is left"),
    Transition("release", _RUNNING, _DEAD, "released 20 times before, and no attempt is left"),
    Transition("reap", _RUNNING, _DEAD, "the lease ran out and no attempt is left"),
    Transition("cancelled", _RUNNING, _CANCELLED, "asked to stop; its holder says it has"),
    Transition("fail", _RUNNING, _CANCELLED, "asked to stop"),
    Transition("fail_permanent", _RUNNING, _CANCELLED, "asked to stop"),
    Transition("snooze", _RUNNING, _CANCELLED, "asked to stop"),
    Transition("release", _RUNNING, _CANCELLED, "asked to stop"),
    Transition("reap", _RUNNING, _CANCELLED, "asked to stop, and the lease ran out"),
    Transition("cancel", _PENDING, _CANCELLED, "at once"),
    Transition("settle", _PENDING, _CANCELLED, "a required dependency was cancelled"),
    Transition("settle", _PENDING, _DEAD, "a required dependency died; the root alone alerts"),
    Transition(
        "requeue", _DEAD, _PENDING, "no active job has its key, nothing else it died of is still dead"
    ),
    Transition("prune", _DONE, None, "over for longer than retention"),
    Transition("prune", _DEAD, None, "over for longer than retention and acknowledged"),
    Transition("prune", _CANCELLED, None, "over for longer than retention"),
)


def allowed(operation: str, source: State, target: State) -> bool:
    """Whether the table has that change."""
    return any(t[:3] == (operation, source, target) for t in TRANSITIONS)


def reachable(operations: Collection[str], source: State) -> set[State]:
    """The states a job may be found in after these operations, in any order, and what they settle; its own included."""
    steps = [t for t in TRANSITIONS if t.operation in operations or t.operation == "settle"]
    found: set[State] = {source}
    while further := {t.target for t in steps if t.source in found} - found:
        found |= further
    return found
