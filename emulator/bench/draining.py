"""How fast ready jobs are worked off: claim, start, complete, in batches of at most a hundred, in one process.

The time is from the order to a worker process that has its connections until it has found nothing left to claim.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg

from emulator.bench import workload
from emulator.bench.measure import Contender, Goal, Measure, Rounds, Say, in_turns
from emulator.bench.server import BenchServer, emptied
from shared.db import Connection

_ROOT = Path(__file__).resolve().parent.parent.parent

FILL = """
INSERT INTO jobs (job_type, payload)
SELECT $1 + n % $2, p.text::jsonb FROM unnest($3::text[]) WITH ORDINALITY AS p(text, n)
"""
UNFINISHED = "SELECT count(*) FILTER (WHERE status <> 3) AS unfinished, count(*) AS jobs FROM jobs"


class Worker:
    """A process of `emulator.bench.worker`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def drain(self, way: str, connections: int) -> float:
        """Seconds until nothing is left. Raises `RuntimeError` when the process has died."""
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018 - made with pipes
        self._process.stdin.write(json.dumps({"way": way, "connections": connections}).encode() + b"\n")
        await self._process.stdin.drain()
        line = await self._process.stdout.readline()
        if not line:
            raise RuntimeError(
                f"the worker ended with {await self._process.wait()} while it drained by {way}"
            )
        return float(json.loads(line)["seconds"])


@asynccontextmanager
async def worker(url: str) -> AsyncIterator[Worker]:
    """A worker process on a database, which speaks on this one's standard error."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "emulator.bench.worker", url),
        cwd=_ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={"PYTHONPATH": str(_ROOT), "POWERTOOLS_LOG_LEVEL": "ERROR", "TZ": "UTC"},
    )
    try:
        yield Worker(process)
    finally:
        assert process.stdin is not None  # noqa: S101 - made with a pipe
        process.stdin.close()
        await process.wait()


async def filled(conn: Connection, count: int, types: int = 1) -> None:
    """`count` ready jobs and nothing else, known to the planner; the claimer counts as woken, so nobody invokes it."""
    await emptied(conn)
    await conn.execute("UPDATE beats SET woken_at = now() + interval '1 day' WHERE name = 'claimer'")
    await conn.execute(FILL, workload.FIRST_TYPE, types, [workload.payload_text(n) for n in range(count)])
    await conn.execute("VACUUM ANALYZE jobs")
    await conn.execute("CHECKPOINT")


async def drain(
    server: BenchServer, rounds: Rounds, count: int, say: Say, types: Sequence[int] = (1, workload.TYPES)
) -> list[Measure]:
    """Jobs a second through the queue's functions and through the runtime, beside the same statements alone."""
    measures = []
    async with server.database() as url, worker(url) as process:
        conn = await asyncpg.connect(url)
        try:
            for kinds in types:
                measures += await _drain(conn, process, rounds, count, kinds, say)
        finally:
            await conn.close()
    return measures


async def _drain(
    conn: Connection, process: Worker, rounds: Rounds, count: int, types: int, say: Say
) -> list[Measure]:
    say(f"drain {count:,} jobs of {types} type{'s' if types > 1 else ''}")

    def by(way: str, connections: int) -> Contender:
        async def run() -> float:
            await filled(conn, count, types)
            seconds = await process.drain(way, connections)
            row = await conn.fetchrow(UNFINISHED)
            if row is None or (row["unfinished"], row["jobs"]) != (0, count):
                raise RuntimeError(f"drained by {way}, {row} is left")
            return count / seconds

        return run

    contenders = {f"{way} {n}": by(way, n) for way in ("functions", "statements") for n in (1, 2)} | {
        "runtime 1": by("runtime", 1)
    }
    if types == 1:
        contenders["least 1"] = by("least", 1)
    found = await in_turns(rounds, contenders, say)

    def told(way: str, n: int, limit: str, limit_name: str, goal: Goal | None = None) -> Measure:
        kinds = f"{types} type{'s' if types > 1 else ''}, {n} connection{'s' if n > 1 else ''}"
        name = {
            "functions": "drain",
            "runtime": "drain through the runtime",
            "statements": "three statements",
        }[way]
        return Measure(
            f"{name}, {kinds}", "jobs/s", found[f"{way} {n}"], found[f"{limit} {n}"], limit_name, goal
        )

    measures = [told("functions", n, "statements", "three statements", Goal(0.8)) for n in (1, 2)]
    measures.append(told("runtime", 1, "statements", "three statements"))
    if types == 1:
        measures.append(told("statements", 1, "least", "shortest SQL"))
    return measures
