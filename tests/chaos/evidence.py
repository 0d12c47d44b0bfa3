"""What the database says at the end, read at once: rows by job."""

import asyncio
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from shared.jobs.models import JobStatus
from tests.chaos.database import Database

_HELD = """
SELECT a.application_name, a.state, a.query FROM pg_stat_activity a
 WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.backend_type = 'client backend'
   AND (a.state <> 'idle' OR EXISTS (SELECT 1 FROM pg_locks l WHERE l.pid = a.pid AND l.relation = 'jobs'::regclass))
"""


@dataclass
class Evidence:
    """Rows as they are when all is over. `numbers` gives a job's number by its id."""

    jobs: dict[UUID, Any]
    numbers: dict[UUID, int]
    by_number: dict[int, list[UUID]]
    changes: dict[UUID, list[Any]]
    attempts: dict[UUID, list[Any]]
    starts: Counter[tuple[UUID, UUID]]
    ledger: dict[UUID, list[Any]]
    requeued: set[UUID]
    edges: list[Any]
    alerts: list[Any]
    posts: list[Any]
    held: list[Any] = field(default_factory=list)

    def status(self, n: int) -> JobStatus | None:
        """Of a job by its number; None when there is none."""
        found = self.by_number.get(n, [])
        return JobStatus(self.jobs[found[0]]["status"]) if found else None


async def gather(database: Database) -> Evidence:
    """Everything, once nothing moves any more."""
    jobs = {
        row["job_id"]: row
        for row in await database.fetch(
            "SELECT job_id, job_type, status, attempts, max_attempts, worker_id, lease_until, waiting_on, snoozes, dedupe_key,"
            " last_error, cancel_requested_at, (payload ->> 'n')::integer AS n, payload ->> 'region_code' AS region,"
            " result ->> 'worker' AS worker, (result ->> 'n')::integer AS result_n FROM jobs"
        )
    }
    by_number: dict[int, list[UUID]] = defaultdict(list)
    for job_id, row in jobs.items():
        by_number[row["n"]].append(job_id)
    # A backend whose client was killed needs a moment to notice.
    ends = time.monotonic() + 60
    while (held := await database.fetch(_HELD)) and time.monotonic() < ends:  # noqa: ASYNC110
        await asyncio.sleep(0.2)
    starts = await database.fetch("SELECT job_id, worker_id FROM chaos_starts")
    return Evidence(
        jobs,
        {job_id: row["n"] for job_id, row in jobs.items()},
        dict(by_number),
        _grouped(await database.fetch("SELECT * FROM chaos_changes ORDER BY nth")),
        _grouped(await database.fetch("SELECT * FROM job_attempts ORDER BY ended_at")),
        Counter((row["job_id"], row["worker_id"]) for row in starts),
        _grouped(await database.fetch("SELECT * FROM chaos_ledger")),
        {row["job_id"] for row in await database.fetch("SELECT job_id FROM chaos_requeued")},
        await database.fetch("SELECT * FROM job_dependencies"),
        await database.fetch("SELECT * FROM alert_outbox"),
        await database.fetch("SELECT * FROM chaos_posts"),
        held,
    )


def _grouped(rows: list[Any]) -> dict[UUID, list[Any]]:
    found: dict[UUID, list[Any]] = defaultdict(list)
    for row in rows:
        found[row["job_id"]].append(row)
    return found
