"""How fast jobs go in: one at a time from one and from ten connections, and ten thousand at once."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias
from uuid import uuid4

import asyncpg

from emulator.bench import workload
from emulator.bench.measure import Contender, Goal, Measure, Rounds, Say, in_turns
from emulator.bench.server import BenchServer, connections, emptied
from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import NewJob

_Insert: TypeAlias = Callable[[Connection, NewJob, str], Awaitable[None]]

# The least a job needs, into the same table with all its indexes and checks.
RAW_INSERT = "INSERT INTO jobs (job_type, payload) VALUES ($1, $2) RETURNING job_id"
RAW_BULK = """
INSERT INTO jobs (job_id, job_type, place_id, graph_id, ends_graph, priority, payload, dedupe_key, max_attempts, run_after,
                  waiting_on)
SELECT job_id, job_type, place_id, graph_id, ends_graph, priority, payload, dedupe_key, max_attempts,
       now() + make_interval(secs => delay), waiting_on
  FROM unnest($1::uuid[], $2::smallint[], $3::uuid[], $4::uuid[], $5::boolean[], $6::smallint[], $7::jsonb[], $8::text[],
              $9::integer[], $10::double precision[], $11::integer[])
       AS n(job_id, job_type, place_id, graph_id, ends_graph, priority, payload, dedupe_key, max_attempts, delay, waiting_on)
"""


async def one_at_a_time(server: BenchServer, rounds: Rounds, seconds: float, say: Say) -> list[Measure]:
    """Jobs a second, each contender for so many seconds a round."""
    measures = []
    async with server.database() as url:
        for clients in (1, 10):
            name = f"enqueue, {clients} connection{'s' if clients > 1 else ''}"
            say(name)
            conns = await connections(url, clients)
            try:
                found = await in_turns(
                    rounds,
                    {"ours": _singly(conns, seconds, _ours), "raw": _singly(conns, seconds, _raw)},
                    say,
                )
            finally:
                for conn in conns:
                    await conn.close()
            measures.append(Measure(name, "jobs/s", found["ours"], found["raw"], "INSERT", Goal(0.6)))
    return measures


async def _ours(conn: Connection, job: NewJob, text: str) -> None:
    await queue.enqueue(conn, job, notify=False)


async def _raw(conn: Connection, job: NewJob, text: str) -> None:
    await conn.fetchval(RAW_INSERT, job.job_type, text)


def _singly(conns: list[Connection], seconds: float, insert: _Insert) -> Contender:
    jobs = workload.jobs(1000)
    todo = [(job, workload.payload_text(n)) for n, job in enumerate(jobs)]

    async def run() -> float:
        await emptied(conns[0])
        began = time.perf_counter()
        counts = await asyncio.gather(*(work(conn, began + seconds) for conn in conns))
        return sum(counts) / (time.perf_counter() - began)

    async def work(conn: Connection, end: float) -> int:
        count = 0
        while time.perf_counter() < end:
            await insert(conn, *todo[count % len(todo)])
            count += 1
        return count

    return run


async def bulk(server: BenchServer, rounds: Rounds, count: int, say: Say) -> list[Measure]:
    """Jobs a second of `count` in one call, without and with dedupe keys."""
    say(f"enqueue {count:,} at once")
    async with server.database() as url:
        conn = await asyncpg.connect(url)
        try:
            found = await in_turns(
                rounds,
                {
                    f"{who}{' keyed' if keyed else ''}": make(conn, count, keyed)
                    for keyed in (False, True)
                    for who, make in (("ours", _our_bulk), ("raw", _raw_bulk))
                },
                say,
            )
        finally:
            await conn.close()
    name = f"enqueue {count:,} at once"
    keyed = f"{name}, keyed"
    return [
        Measure(name, "jobs/s", found["ours"], found["raw"], "INSERT … unnest", Goal(0.6)),
        Measure(keyed, "jobs/s", found["ours keyed"], found["raw keyed"], "INSERT … unnest, keyed"),
        Measure(keyed, "jobs/s", found["ours keyed"], found["ours"], "ours without keys", Goal(0.5)),
    ]


def _our_bulk(conn: Connection, count: int, keyed: bool) -> Contender:
    todo = workload.jobs(count, keyed=keyed)

    async def run() -> float:
        await emptied(conn)
        began = time.perf_counter()
        await queue.enqueue_many(conn, todo, notify=False)
        return count / (time.perf_counter() - began)

    return run


def _raw_bulk(conn: Connection, count: int, keyed: bool) -> Contender:
    columns = [
        [uuid4() for _ in range(count)],
        [workload.FIRST_TYPE] * count,
        [None] * count,
        [None] * count,
        [False] * count,
        [100] * count,
        [workload.payload_text(n) for n in range(count)],
        [job.dedupe_key for job in workload.jobs(count, keyed=keyed)],
        [3] * count,
        [0.0] * count,
        [0] * count,
    ]

    async def run() -> float:
        await emptied(conn)
        began = time.perf_counter()
        await conn.execute(RAW_BULK, *columns)
        return count / (time.perf_counter() - began)

    return run
