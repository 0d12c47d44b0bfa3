"""The Lambda entry of a job type: start → heartbeat → deadline → finish, for a batch."""

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from shared.db import CONNECTION_FAILURES
from shared.jobs import queue
from shared.jobs.holding import Policy
from shared.jobs.models import Job, JobRef
from shared.jobs.spec import JobSpec
from shared.logging import logger
from shared.runtime.attempt import Attempt, Handle
from shared.runtime.events import JobsEvent
from shared.runtime.finisher import Finisher
from shared.runtime.heartbeat import Heartbeat, Stop
from shared.runtime.sandbox import SandboxConnection, remaining_seconds, run, sandbox_connection
from shared.settings import settings

# Kept of the function's own time for telling the handler to stop and writing how the job ended.
FUNCTION_GRACE_SECONDS = 20.0


def job_handler(spec: JobSpec, handle: Handle) -> Callable[[Any, Any], dict[str, Any]]:
    """The function Lambda calls for a type's batches.

    Each job runs beside the others, with its own deadline and its own end; one's failure never touches another's. Returns
    how many of the event's jobs were started. Raises only when nothing was started: an event of another shape or type, or no
    database. The leases then bring the jobs back.
    """

    def handler(event: Any, context: Any) -> dict[str, Any]:
        started, runaways = run(_invocation(spec, handle, event, context))
        if runaways:
            # Their handlers still run in this process; only its end stops them.
            logger.error(
                "ending the sandbox: handlers did not stop", extra={"jobs": [str(j) for j in runaways]}
            )
            sys.stdout.flush()
            os._exit(70)
        return {"started": started}

    return handler


async def _start(
    work: SandboxConnection, refs: Sequence[JobRef], invocation_id: str, lease: float
) -> list[Job]:
    """Start what is ours, on a connection made anew where the sandbox's own turns out to be dead.

    A start that was written and not heard of is not repeated: the second then finds nothing to start.
    """
    try:
        async with work.borrow() as conn:
            return await queue.start(conn, refs, invocation_id, lease)
    except CONNECTION_FAILURES as error:
        logger.info("starting again on another connection", extra={"error": type(error).__name__})
    async with work.borrow() as conn:
        return await queue.start(conn, refs, invocation_id, lease)


async def _invocation(spec: JobSpec, handle: Handle, event: Any, context: Any) -> tuple[int, list[UUID]]:
    config = settings()
    parsed = JobsEvent.model_validate(event)
    if parsed.job_type != spec.type:
        raise ValueError(f"event of job_type {parsed.job_type} for the handler of {spec.name} ({spec.type})")
    lease = config.job_lease_seconds or spec.lease
    work = sandbox_connection()
    jobs = await _start(work, parsed.refs, context.aws_request_id, lease)
    if len(jobs) < len(parsed.refs):
        logger.info("not ours to start", extra={"jobs": len(parsed.refs) - len(jobs), "job_type": spec.name})
    attempts = {job.job_id: Attempt(spec, handle, job) for job in jobs}
    loop = asyncio.get_running_loop()

    def tell(job_id: UUID, why: Stop) -> None:
        loop.call_soon_threadsafe(attempts[job_id].tell, why)

    heartbeat = Heartbeat(config, [job.ref for job in jobs], lease, tell)
    policy = Policy(alert_window=config.alert_dedupe_minutes * 60)
    finisher = Finisher(work, policy, heartbeat.forget)
    deadline = config.job_deadline_seconds or spec.deadline
    if (remaining := remaining_seconds(context)) is not None:
        deadline = min(deadline, max(1.0, remaining - FUNCTION_GRACE_SECONDS))

    async def carry(job: Job, attempt: Attempt) -> None:
        await finisher.finish(job, await attempt.run(config, work, deadline))

    if jobs:
        heartbeat.start()
        try:
            await asyncio.gather(*(carry(attempt.job, attempt) for attempt in attempts.values()))
        finally:
            await asyncio.to_thread(heartbeat.stop)
    return len(jobs), [job_id for job_id, attempt in attempts.items() if attempt.runs_on]
