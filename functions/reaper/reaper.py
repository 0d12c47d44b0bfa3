"""Returns jobs whose lease ran out, watches over queue, claimer and channels, has old places collected again, prunes."""

import json
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import asyncpg

from functions.reaper.channels import watch_channels
from functions.reaper.recollection import recollect
from shared.alerts import outbox
from shared.collecting.outcomes import prune_outcomes
from shared.db import CONNECTION_FAILURES, Connection
from shared.jobs import queue
from shared.jobs.holding import Policy
from shared.jobs.models import JobStatus
from shared.jobs.sql import SQL
from shared.jobs.types import type_name
from shared.logging import logger
from shared.quota import Terms, prune_quota
from shared.settings import Settings

# The claimer beats with every claim, so every few seconds; five missed schedules are no hiccup.
CLAIMER_SILENT_SECONDS = 300.0


@dataclass
class Report:
    """What one run did; `reaped` counts by the status the jobs were given, `problems` are rows it could not write.

    `failed` names the parts of the round that the database refused: reap, recount, watch, channels, recollect, prune, quota.
    """

    reaped: dict[str, int] = field(default_factory=dict)
    problems: int = 0
    recounted: int = 0
    recollected: int = 0  # collections enqueued because the last one is long ago
    pruned: int = 0  # jobs, and outcomes of channels
    alerts: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    unknown_calls: int = 0  # of AI vendors, that nobody wrote down: their sandbox was killed
    wake: bool = False


async def run_once(conn: Connection, config: Settings) -> Report:
    """One round. Each part commits on its own, and what one meets undoes nothing and keeps no other from its work."""
    report = Report()
    parts: dict[str, Callable[[Connection, Settings, Report], Awaitable[None]]] = {
        "reap": _reap,
        "recount": _recount,
        "watch": _watch,
        "channels": _channels,
        "recollect": _recollect,
        "prune": _prune,
        "quota": _quota,
    }
    for name, part in parts.items():
        try:
            await part(conn, config, report)
        except CONNECTION_FAILURES:
            raise
        except asyncpg.PostgresError as error:
            report.failed.append(name)
            logger.error(
                "a part of the reaper's round failed", extra={"part": name, "error": type(error).__name__}
            )
    await conn.execute(SQL.beat, "reaper", json.dumps({"reaped": report.reaped, "pruned": report.pruned}))
    return report


async def _reap(conn: Connection, config: Settings, report: Report) -> None:
    policy = Policy(alert_window=config.alert_dedupe_minutes * 60)
    reaped = await queue.reap(conn, config.reaper_page, policy=policy)
    for job in reaped:
        fields = {"job_id": str(job.job_id), "job_type": type_name(job.job_type), "status": job.status.name}
        if job.problem:
            report.problems += 1
            logger.error("a lease ran out and could not be reaped", extra={**fields, "problem": job.problem})
        else:
            logger.warning("a lease ran out", extra=fields)
    report.reaped = dict(Counter(job.status.name for job in reaped if not job.problem))
    report.wake = bool(reaped)


async def _recount(conn: Connection, config: Settings, report: Report) -> None:
    report.recounted = await queue.recount(conn)
    report.wake = report.wake or report.recounted > 0


async def _prune(conn: Connection, config: Settings, report: Report) -> None:
    report.pruned = await queue.prune(conn, config.job_retention_days)
    report.pruned += await prune_outcomes(conn)


async def _channels(conn: Connection, config: Settings, report: Report) -> None:
    report.alerts += await watch_channels(conn, config)


async def _recollect(conn: Connection, config: Settings, report: Report) -> None:
    report.recollected = await recollect(conn, config.recollect_days, config.reaper_page)
    report.wake = report.wake or report.recollected > 0


async def _quota(conn: Connection, config: Settings, report: Report) -> None:
    report.unknown_calls = (await prune_quota(conn, Terms.of(config))).unknown


async def _watch(conn: Connection, config: Settings, report: Report) -> None:
    """Conditions are raised every round while they last: the outbox tells of each once a window."""
    await conn.execute(SQL.returned, "reaper")
    # Both stand still while the whole system is stopped; only what this function was there to see counts.
    ready = (await queue.signals(conn))["oldest_pending_sec"]
    watched = await conn.fetchval(SQL.watched, "reaper")
    waited = ready if watched is None else min(ready, watched)
    silent = await conn.fetchval(SQL.silence, "claimer", "reaper")
    dead = await queue.vacuum(conn)
    found = {
        "queue_stalled": {"oldest_pending_sec": round(ready)}
        if waited > config.queue_stalled_seconds
        else None,
        "claimer_missing": {"silent_sec": round(silent)} if (silent or 0) > CLAIMER_SILENT_SECONDS else None,
        "vacuum_held": {
            "oldest_transaction_sec": round(dead.oldest_transaction_sec),
            "dead_rows": dead.dead_rows,
        }
        if dead.held
        else None,
    }
    for kind, detail in found.items():
        if detail is None:
            await outbox.recovered(conn, kind)
            continue
        window = config.alert_dedupe_minutes * 60
        title = kind.replace("_", " ")
        await outbox.raise_alert(conn, kind, title, detail, key=kind, window_seconds=window)
        report.alerts.append(kind)
    if any(status == JobStatus.DEAD.name for status in report.reaped):
        report.alerts.append("job_dead")
