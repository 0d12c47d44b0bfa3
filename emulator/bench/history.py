"""What a claim costs beside a million finished jobs and half a million delayed ones, against a table that holds nothing else.

The statements that fill the table and the sample are those of `tests/db/jobs/test_plans.py` too.
"""

import json
from contextlib import AsyncExitStack
from typing import Any
from uuid import uuid4

import asyncpg

from emulator.bench import workload
from emulator.bench.measure import Goal, Measure, Say, Series
from emulator.bench.server import BenchServer
from shared.db import Connection
from shared.jobs.sql import SQL

FINISHED = """
INSERT INTO jobs (job_type, status, attempts, result, finished_at, created_at, dedupe_key, place_id)
SELECT 1 + n % 3, CASE WHEN n % 10 = 0 THEN 5 ELSE 3 END, 1, '{}', now() - interval '1 second' * n, now() - interval '20 days',
       'old:' || n % 50000, CASE WHEN n % 2 = 0 THEN md5((n % 1000)::text)::uuid END
  FROM generate_series(1, $1::integer) n
"""
DELAYED = """
INSERT INTO jobs (job_type, priority, run_after, dedupe_key)
SELECT 1 + n % 3, (ARRAY[10, 100])[1 + n % 2], now() + interval '1 hour' + interval '1 second' * n, 'later:' || n
  FROM generate_series(1, $1::integer) n
"""
_READY = "INSERT INTO jobs (job_type) SELECT 1 + n % 3 FROM generate_series(1, 300) n"
_FILL_SECONDS = 900.0


async def sample(conn: Connection, statement: str, *values: Any) -> tuple[int, float]:
    """Pages touched and milliseconds of one execution, taken back afterwards."""
    transaction = conn.transaction()
    await transaction.start()
    explain = f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {statement}"
    [plan] = json.loads(await conn.fetchval(explain, *values))
    await transaction.rollback()
    node = plan["Plan"]
    return node["Shared Hit Blocks"] + node["Shared Read Blocks"], plan["Execution Time"]


async def claim(server: BenchServer, finished: int, delayed: int, samples: int, say: Say) -> list[Measure]:
    """Pages and milliseconds of claims of ten and of a hundred, with the history and without, in turns."""
    say(f"claim beside {finished:,} finished and {delayed:,} delayed jobs: filling the table")
    async with AsyncExitStack() as stack:
        conns = []
        for size in ((finished, delayed), (0, 0)):
            conn = await asyncpg.connect(await stack.enter_async_context(server.database()))
            stack.push_async_callback(conn.close)
            await _fill(conn, *size)
            conns.append(conn)
        measures = []
        for limit in (10, workload.BATCH):
            taken: list[list[tuple[int, float]]] = [[], []]
            for _ in range(samples):
                for conn, seen in zip(conns, taken, strict=True):
                    seen.append(await sample(conn, SQL.claim, limit, uuid4(), workload.LEASE))
            for index, unit, most in ((0, "pages", 1.2), (1, "ms", 1.5)):
                with_history, without = (Series([float(s[index]) for s in seen]) for seen in taken)
                measures.append(
                    Measure(
                        f"claim {limit} beside a history",
                        unit,
                        with_history,
                        without,
                        "empty table",
                        Goal(most, False),
                    )
                )
                told = with_history.median, without.median
                say(f"  claim {limit}: {told[0]:g} {unit}, {told[1]:g} without the history")
    return measures


async def _fill(conn: Connection, finished: int, delayed: int) -> None:
    await conn.execute("UPDATE job_type_settings SET max_in_flight = $1", workload.IN_FLIGHT)
    if finished:
        await conn.execute(FINISHED, finished, timeout=_FILL_SECONDS)
        await conn.execute(DELAYED, delayed, timeout=_FILL_SECONDS)
    await conn.execute(_READY)
    await conn.execute("VACUUM ANALYZE jobs", timeout=_FILL_SECONDS)
    await conn.execute("CHECKPOINT", timeout=_FILL_SECONDS)
