"""A worker process that drains on demand: one order a line on standard input, one answer a line on standard output.

Run as `python -m emulator.bench.worker DATABASE_URL`; the orders are the names in `WAYS`, each with the number of connections.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias
from uuid import uuid4

from emulator.bench import workload
from emulator.bench.server import connections
from shared.db import Connection
from shared.jobs import queue
from shared.jobs.holding import Completion
from shared.jobs.models import JobRef
from shared.jobs.sql import SQL

Drain: TypeAlias = Callable[[Connection], Awaitable[None]]

# The least a worker can do with the same table: no ref is checked, nothing depends on anything, no type has a limit.
LEAST_CLAIM = """
UPDATE jobs SET status = 2, worker_id = $2, attempts = attempts + 1, lease_until = now() + interval '1 minute', claimed_at = now()
 WHERE job_id = ANY (ARRAY(SELECT job_id FROM jobs WHERE status = 1 AND waiting_on = 0 AND job_type = $3 AND priority = 100
                            ORDER BY run_after LIMIT $1 FOR UPDATE SKIP LOCKED))
RETURNING job_id, payload
"""
LEAST_COMPLETE = """
UPDATE jobs SET status = 3, result = '{}', worker_id = NULL, lease_until = NULL, finished_at = now()
 WHERE job_id = ANY ($1::uuid[])
"""


async def by_functions(conn: Connection) -> None:
    """The queue's own Python functions, with jobs and refs and checked results, and nothing done in between."""
    while claimed := await queue.claim(conn, workload.BATCH, workload.LEASE):
        jobs = await queue.start(conn, [c.ref for c in claimed], "bench", workload.LEASE)
        await queue.complete_many(conn, [Completion(job, {}) for job in jobs])


async def by_statements(conn: Connection) -> None:
    """The bare loop: the same three statements, nothing made of what they return."""
    while True:
        worker = uuid4()
        claimed = await conn.fetch(SQL.claim, workload.BATCH, worker, workload.LEASE)
        if not claimed:
            return
        ids = [row[0] for row in claimed]
        refs = ids, [worker] * len(ids), [row[2] for row in claimed]
        await conn.fetch(SQL.start, *refs, "bench", workload.LEASE)
        await conn.fetch(SQL.complete, *refs, ["{}"] * len(ids))


async def by_least(conn: Connection) -> None:
    """A claim and a completion as short as SQL allows."""
    worker = uuid4()
    while claimed := await conn.fetch(LEAST_CLAIM, workload.BATCH, worker, workload.FIRST_TYPE):
        await conn.execute(LEAST_COMPLETE, [row[0] for row in claimed])


def by_runtime() -> None:
    """The handler runtime, event by event, on the sandbox's one connection; the claimer's part is done in between."""
    from shared.runtime import job_handler
    from shared.runtime.events import jobs_event
    from shared.runtime.sandbox import connection, run

    async def claim() -> list[tuple[int, dict[str, object]]]:
        async with connection() as conn:
            claimed = await queue.claim(conn, workload.BATCH, workload.LEASE)
        by_type: dict[int, list[JobRef]] = {}
        for job in claimed:
            by_type.setdefault(job.job_type, []).append(job.ref)
        return [(job_type, jobs_event(job_type, refs)) for job_type, refs in by_type.items()]

    handlers = {
        workload.FIRST_TYPE + n: job_handler(workload.spec(n), workload.no_op) for n in range(workload.TYPES)
    }
    while events := run(claim()):
        for job_type, event in events:
            handlers[job_type](event, Context())


class Context:
    """As much of Lambda's context as the runtime reads."""

    aws_request_id = "bench"

    def get_remaining_time_in_millis(self) -> int:
        """A minute, always."""
        return 60_000


WAYS: dict[str, Drain] = {"functions": by_functions, "statements": by_statements, "least": by_least}


async def _drain(url: str, way: str, count: int) -> float:
    conns = await connections(url, count)
    try:
        began = time.perf_counter()
        await asyncio.gather(*(WAYS[way](conn) for conn in conns))
        return time.perf_counter() - began
    finally:
        for conn in conns:
            await conn.close()


def main(url: str) -> None:
    """Answer orders until standard input ends."""
    os.environ["DATABASE_URL"] = url
    workload.know_types()
    for line in sys.stdin:
        order = json.loads(line)
        if order["way"] == "runtime":
            began = time.perf_counter()
            by_runtime()
            seconds = time.perf_counter() - began
        else:
            seconds = asyncio.run(_drain(url, order["way"], order["connections"]))
        sys.stdout.write(json.dumps({"seconds": seconds}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
