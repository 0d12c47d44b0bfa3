"""What a holder of jobs does: claim, start, keep the lease, and end each attempt exactly once.

Every function here is fenced by the whole ref: for a holder that lost its lease it changes nothing and says so.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import asyncpg

from shared.db import Connection, transaction
from shared.jobs.enqueueing import enqueue_many
from shared.jobs.jsontext import error_text, progress_text, result_text
from shared.jobs.models import ClaimedJob, Job, JobRef, JobStatus, NewJob
from shared.jobs.refresh import enqueue_successor
from shared.jobs.rows import jobs_of
from shared.jobs.sql import SQL

JITTER = 0.2  # of the backoff, so that jobs that failed together do not come back together
SNOOZE_SECONDS = 72 * 3600.0  # in all, since a job was first snoozed; job_snooze holds it
ALERT_WINDOW = 3600.0  # seconds; ALERT_DEDUPE_MINUTES


@dataclass(frozen=True)
class Policy:
    """How failures are treated: `jitter` as a share of the backoff, `alert_window` in seconds."""

    jitter: float = JITTER
    alert_window: float = ALERT_WINDOW


DEFAULT_POLICY = Policy()


async def claim(conn: Connection, limit: int, lease: float) -> list[ClaimedJob]:
    """Claim up to `limit` ready jobs for a worker id made for this call; `lease` in seconds."""
    worker = uuid4()
    try:
        rows = await conn.fetch(SQL.claim, limit, worker, lease)
    except asyncpg.LockNotAvailableError:  # somebody keeps a type's row: the other types do not wait for them
        rows = await conn.fetch(SQL.claim_without_waiting, limit, worker, lease)
    return [ClaimedJob(JobRef(row[0], worker, row[2]), row[1]) for row in rows]


async def start(conn: Connection, refs: Sequence[JobRef], invocation_id: str, lease: float) -> list[Job]:
    """Start what is still held and has not started; the jobs, with their payloads."""
    return jobs_of(await conn.fetch(SQL.start, *_columns(refs), invocation_id, lease))


async def renew_lease(
    conn: Connection, refs: Sequence[JobRef], lease: float, *, wait: bool = True
) -> dict[UUID, bool]:
    """The jobs still owned, each with whether it is asked to stop. Without `wait` those somebody keeps locked are left out."""
    rows = await conn.fetch(SQL.renew_lease, *_columns(refs), lease, wait)
    return {row["job_id"]: row["cancel_requested"] for row in rows}


async def set_progress(conn: Connection, ref: JobRef, progress: Mapping[str, Any]) -> bool:
    """Whether it was written: only while the lease holds."""
    return await conn.fetchval(SQL.set_progress, *ref, progress_text(progress)) is True


async def hold(conn: Connection, ref: JobRef) -> bool:
    """Lock the job's row for the rest of the transaction; False when it is no longer this ref's."""
    return await conn.fetchval(SQL.hold, *ref) is not None


class Completion(NamedTuple):
    """One job's end: its result, and what to enqueue in the same transaction. `watches` as in the type's `JobSpec`."""

    job: Job
    result: Mapping[str, Any]
    follow_ups: Sequence[NewJob] = ()
    watches: str | None = None


@dataclass(frozen=True)
class Completed:
    """Which jobs ended DONE by this call, and whether there is work to wake a claimer for."""

    job_ids: frozenset[UUID]
    work_ready: bool


async def complete(conn: Connection, ref: JobRef, result: Mapping[str, Any]) -> bool:
    """Whether the job ended DONE by this call, dependents settled."""
    return ref.job_id in (await complete_refs(conn, [(ref, result)])).job_ids


async def complete_refs(conn: Connection, done: Iterable[tuple[JobRef, Mapping[str, Any]]]) -> Completed:
    """End a batch of jobs that enqueue nothing, in one round trip."""
    done = list(done)
    refs = [ref for ref, _ in done]
    if len({ref.job_id for ref in refs}) < len(refs):
        raise ValueError("a job may be completed once in a call")
    rows = await conn.fetch(SQL.complete, *_columns(refs), [result_text(result) for _, result in done])
    return Completed(frozenset(row["job_id"] for row in rows), any(row["work_ready"] for row in rows))


async def complete_many(conn: Connection, completions: Sequence[Completion]) -> Completed:
    """End a batch with all that follows from it, in one transaction.

    Only what the winners follow up is enqueued. A job that watches a counter of its place and saw an older value than stands
    there now gets a successor, so that a change made while it ran is never lost.
    """
    pairs = [(c.job.ref, c.result) for c in completions]
    if not any(c.follow_ups or (c.watches and c.job.place_id) for c in completions):
        return await complete_refs(conn, pairs)
    async with transaction(conn):
        ended = await complete_refs(conn, pairs)
        won = [c for c in completions if c.job.job_id in ended.job_ids]
        enqueued = sum(
            r.created for r in await enqueue_many(conn, [job for c in won for job in c.follow_ups])
        )
        # In order of the places, whose rows the successors lock.
        for c in sorted(won, key=lambda c: str(c.job.place_id)):
            if c.watches:
                enqueued += await enqueue_successor(conn, c.job, c.watches, c.result)
    return Completed(ended.job_ids, ended.work_ready or enqueued > 0)


async def fail(
    conn: Connection, ref: JobRef, error: BaseException | str, *, policy: Policy = DEFAULT_POLICY
) -> JobStatus | None:
    """PENDING after the backoff, DEAD with its alert when attempts are spent, CANCELLED if that was asked; None: not ours."""
    return _status(
        await conn.fetchval(SQL.fail, *ref, error_text(error), False, policy.jitter, policy.alert_window)
    )


async def fail_permanent(
    conn: Connection, ref: JobRef, error: BaseException | str, *, policy: Policy = DEFAULT_POLICY
) -> JobStatus | None:
    """DEAD at once, whatever attempts are left; None: not ours."""
    return _status(
        await conn.fetchval(SQL.fail, *ref, error_text(error), True, policy.jitter, policy.alert_window)
    )


async def snooze(
    conn: Connection, ref: JobRef, delay: float, reason: str, *, policy: Policy = DEFAULT_POLICY
) -> JobStatus | None:
    """PENDING in `delay` seconds, the attempt given back; a failure once 72 hours have been snoozed. None: not ours."""
    row = (*ref, min(delay, SNOOZE_SECONDS), error_text(reason), policy.jitter, policy.alert_window)
    return _status(await conn.fetchval(SQL.snooze, *row))


async def release(
    conn: Connection, refs: Sequence[JobRef], reason: str, *, policy: Policy = DEFAULT_POLICY
) -> dict[UUID, JobStatus]:
    """Give back what could not be invoked; the jobs that were still ours and had not started."""
    rows = await conn.fetch(
        SQL.release, *_columns(refs), error_text(reason), policy.jitter, policy.alert_window
    )
    return {row["job_id"]: JobStatus(row["status"]) for row in rows}


async def cancelled(conn: Connection, ref: JobRef) -> JobStatus | None:
    """CANCELLED: the work that was asked to stop has stopped. None: not ours, or nobody asked."""
    return _status(await conn.fetchval(SQL.cancelled, *ref))


def _columns(refs: Sequence[JobRef]) -> tuple[list[UUID], list[UUID], list[int]]:
    if not refs:
        return [], [], []
    job_ids, workers, attempts = zip(*refs, strict=True)
    return list(job_ids), list(workers), list(attempts)


def _status(value: int | None) -> JobStatus | None:
    return None if value is None else JobStatus(value)
