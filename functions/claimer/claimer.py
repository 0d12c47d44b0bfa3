"""The polling shim: claims batches of ready jobs and invokes their handlers asynchronously."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeAlias

import asyncpg

from shared.db import CONNECTION_FAILURES, Connection
from shared.jobs import queue
from shared.jobs.errors import UnknownJobType
from shared.jobs.holding import Policy
from shared.jobs.models import ClaimedJob, JobRef
from shared.jobs.sql import SQL
from shared.jobs.types import known_types, spec_of
from shared.logging import logger
from shared.settings import Settings

# Invokes the function of that name with refs of that type. Raises when Lambda did not take the event.
Invoke: TypeAlias = Callable[[str, int, Sequence[JobRef]], None]


@dataclass
class Report:
    """What one run did."""

    claimed: int = 0
    invocations: int = 0
    released: int = 0
    unknown: int = 0
    rounds: int = 0
    by_type: dict[int, int] = field(default_factory=dict)


async def run_once(
    conn: Connection, config: Settings, invoke: Invoke, *, remaining: Callable[[], float], poll: bool
) -> Report:
    """Claim and invoke while there is work and time; with `poll`, go on looking every CLAIMER_POLL_SECONDS.

    `remaining` gives the seconds this run may still take. Several at once are safe.
    """
    report = Report()
    policy = Policy(alert_window=config.alert_dedupe_minutes * 60)
    while True:
        report.rounds += 1
        await conn.execute(SQL.claimer_beat)
        claimed = await queue.claim(conn, config.claim_limit, config.claim_lease_seconds)
        report.claimed += len(claimed)
        if claimed:
            await _dispatch(conn, claimed, config, policy, invoke, report)
            if remaining() > 0:
                continue
        pause = config.claimer_poll_seconds
        if not poll or pause <= 0 or remaining() < pause:
            return report
        await asyncio.sleep(pause)


async def _dispatch(
    conn: Connection,
    claimed: Sequence[ClaimedJob],
    config: Settings,
    policy: Policy,
    invoke: Invoke,
    report: Report,
) -> None:
    by_type: dict[int, list[JobRef]] = {}
    for job in claimed:
        by_type.setdefault(job.job_type, []).append(job.ref)
        report.by_type[job.job_type] = report.by_type.get(job.job_type, 0) + 1
    batches: list[tuple[str, int, list[JobRef]]] = []
    unknown: list[tuple[JobRef, UnknownJobType]] = []
    for job_type, refs in by_type.items():
        try:
            spec = spec_of(job_type)
        except UnknownJobType as error:
            logger.error(
                "unknown job type", extra={"job_type": job_type, "jobs": len(refs), "known": known_types()}
            )
            unknown += [(ref, error) for ref in refs]
            continue
        name = config.function_prefix + spec.function
        size = spec.batch_size
        batches += [(name, job_type, refs[i : i + size]) for i in range(0, len(refs), size)]

    loop = asyncio.get_running_loop()
    refused: dict[str, list[JobRef]] = {}

    async def hand_over(function: str, job_type: int, refs: list[JobRef]) -> None:
        try:
            await loop.run_in_executor(pool, invoke, function, job_type, refs)
        except Exception as error:  # noqa: BLE001 - whatever kept the event out, the jobs go back
            logger.warning("could not invoke", extra={"function": function, "error": type(error).__name__})
            refused.setdefault(f"InvokeFailed: {function}: {type(error).__name__}", []).extend(refs)
        else:
            report.invocations += 1

    # Threads of its own: the loop's default executor has only a few more than the sandbox has processors.
    with ThreadPoolExecutor(min(config.claimer_invoke_concurrency, max(1, len(batches)))) as pool:
        await asyncio.gather(*(hand_over(*batch) for batch in batches))
    for reason, refs in refused.items():
        report.released += len(await queue.release(conn, refs, reason, policy=policy))
    # A rolling deployment may bring the type: retried like any failure, then DEAD, where a person sees it.
    report.unknown += len(unknown)
    for ref, why in unknown:
        try:
            await queue.fail(conn, ref, why, policy=policy)
        except CONNECTION_FAILURES:
            raise
        except asyncpg.PostgresError as error:  # its lease decides; the rest must not wait for that
            logger.error(
                "a job of an unknown type could not be failed",
                extra={"job_id": str(ref.job_id), "error": type(error).__name__},
            )
