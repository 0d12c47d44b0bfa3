"""The handler of the run's own jobs, under the product's runtime."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from shared.jobs.errors import PermanentJobError, Snooze
from shared.jobs.models import Job
from shared.jobs.types import spec_of
from shared.runtime import JobContext, Outcome, job_handler
from tests.chaos.plan import QUICK_TYPE, SLOW_TYPE, Kind, Plan, new_job, plan_of

_STARTED = """
INSERT INTO chaos_starts VALUES ($1, $2, $3) RETURNING EXISTS (SELECT 1 FROM chaos_requeued WHERE job_id = $1)
"""


class PlannedFailure(Exception):
    """What a job was to fail of."""


async def handle(job: Job, ctx: JobContext) -> Mapping[str, Any] | Outcome:
    """Do what the job's plan says."""
    plan = plan_of(ctx.payload.seed, ctx.payload.n)
    async with ctx.reading() as conn:
        requeued = await conn.fetchval(_STARTED, *job.ref)
    await _work(plan, ctx)
    if plan.kind is Kind.DOOMED or (plan.kind is Kind.FLAKY and job.attempts <= plan.times):
        raise PlannedFailure(f"attempt {job.attempts}")
    if plan.kind is Kind.PERMANENT or (plan.kind is Kind.REQUEUE and (plan.dies_again or not requeued)):
        raise PermanentJobError("planned")
    if plan.kind is Kind.SNOOZE and job.snoozes < plan.times:
        raise Snooze(0.5, "planned")
    # Read and then written, with no key to help: only the fence keeps a second one out.
    async with ctx.fenced() as conn:
        if not await conn.fetchval("SELECT count(*) FROM chaos_ledger WHERE job_id = $1", job.job_id):
            await conn.execute("INSERT INTO chaos_ledger VALUES ($1, $2, $3)", *job.ref)
    follow_ups = [new_job(ctx.payload.seed, n) for n in plan.followers]
    return Outcome({"n": plan.n, "worker": str(job.worker_id)}, follow_ups)


async def _work(plan: Plan, ctx: JobContext) -> None:
    if plan.blocks:
        time.sleep(plan.work)  # noqa: ASYNC251 - what the heartbeat's own thread is for
        return
    ends = time.monotonic() + plan.work
    while plan.kind is Kind.CANCEL or time.monotonic() < ends:
        await asyncio.sleep(min(0.3, plan.work))
        if plan.job_type == SLOW_TYPE:
            await ctx.progress(left=round(ends - time.monotonic(), 1))


quick = job_handler(spec_of(QUICK_TYPE), handle)
slow = job_handler(spec_of(SLOW_TYPE), handle)
