"""Each operation of the queue twice: as it is called on PostgreSQL, and as the model answers it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.errors import JobConflict, UnknownDependency
from shared.jobs.holding import Completion
from shared.jobs.models import Job, JobRef, NewJob
from tests.db.jobs.model import Model
from tests.db.steps import NO_JITTER

LEASE = 3600.0


class Op(NamedTuple):
    """One call.

    `name` says which operations of the state table it is. `run` calls the queue. `expect` puts the model through the same and
    gives the answer it should be; it is told what was said, which names a claim's worker, and whether others were at work.
    """

    name: str
    run: Callable[[Connection], Awaitable[Any]]
    expect: Callable[[Model, Any, bool], Any]


def enqueue(*jobs: NewJob) -> Op:
    async def run(conn: Connection) -> Any:
        try:
            if len(jobs) == 1:
                return [await queue.enqueue(conn, jobs[0])]
            return await queue.enqueue_many(conn, jobs)
        except UnknownDependency:
            return "unknown dependency"

    return Op("enqueue", run, lambda model, said, racing: model.enqueue(jobs))


def claim(limit: int) -> Op:
    def expect(model: Model, said: Any, racing: bool) -> Any:
        model.claim(limit, said, racing)
        return said

    return Op("claim", lambda conn: queue.claim(conn, limit, LEASE), expect)


def start(*refs: JobRef) -> Op:
    async def run(conn: Connection) -> set[JobRef]:
        return {job.ref for job in await queue.start(conn, refs, "invocation", LEASE)}

    return Op("start", run, lambda model, said, racing: model.start(refs))


def renew_lease(*refs: JobRef) -> Op:
    return Op(
        "renew_lease",
        lambda conn: queue.renew_lease(conn, refs, LEASE),
        lambda model, said, racing: model.renew_lease(refs),
    )


def set_progress(ref: JobRef) -> Op:
    return Op(
        "set_progress",
        lambda conn: queue.set_progress(conn, ref, {"by": str(ref.worker_id)}),
        lambda model, said, racing: model.set_progress(ref),
    )


def complete(*refs: JobRef) -> Op:
    async def run(conn: Connection) -> set[UUID]:
        return set((await queue.complete_refs(conn, [(r, {"by": str(r.worker_id)}) for r in refs])).job_ids)

    return Op("complete", run, lambda model, said, racing: model.complete(refs))


def complete_with(job: Job, follow_ups: Sequence[NewJob]) -> Op:
    """`job` is the one that its start returned."""

    async def run(conn: Connection) -> set[UUID]:
        end = Completion(job, {"by": str(job.worker_id)}, follow_ups)
        return set((await queue.complete_many(conn, [end])).job_ids)

    return Op("complete enqueue", run, lambda model, said, racing: model.complete([job.ref], follow_ups))


def fail(ref: JobRef, *, permanent: bool = False) -> Op:
    end = queue.fail_permanent if permanent else queue.fail
    return Op(
        "fail_permanent" if permanent else "fail",
        lambda conn: end(conn, ref, f"Boom: {ref.worker_id}", policy=NO_JITTER),
        lambda model, said, racing: model.fail(ref, permanent),
    )


def snooze(ref: JobRef, delay: float) -> Op:
    return Op(
        "snooze",
        lambda conn: queue.snooze(conn, ref, delay, "later", policy=NO_JITTER),
        lambda model, said, racing: model.snooze(ref, delay),
    )


def release(*refs: JobRef) -> Op:
    return Op(
        "release",
        lambda conn: queue.release(conn, refs, "not invoked", policy=NO_JITTER),
        lambda model, said, racing: model.release(refs),
    )


def cancelled(ref: JobRef) -> Op:
    return Op(
        "cancelled",
        lambda conn: queue.cancelled(conn, ref),
        lambda model, said, racing: model.cancelled(ref),
    )


def reap(page: int) -> Op:
    async def run(conn: Connection) -> dict[UUID, Any]:
        reaped = await queue.reap(conn, page, policy=NO_JITTER)
        assert [r for r in reaped if r.problem] == []
        return {r.job_id: r.status for r in reaped}

    def expect(model: Model, said: Any, racing: bool) -> Any:
        model.reap(said, racing)
        return said

    return Op("reap", run, expect)


def cancel(*job_ids: UUID) -> Op:
    return Op(
        "cancel",
        lambda conn: queue.cancel_many(conn, job_ids),
        lambda model, said, racing: model.cancel(job_ids),
    )


def requeue(job_id: UUID) -> Op:
    async def run(conn: Connection) -> Any:
        try:
            result = await queue.requeue(conn, job_id)
        except JobConflict:
            return "conflict"
        return result and (set(result.revived), set(result.not_revived))

    return Op("requeue", run, lambda model, said, racing: model.requeue(job_id))


def prune() -> Op:
    return Op("prune", lambda conn: queue.prune(conn, 30), lambda model, said, racing: model.prune())
