"""What a thousand jobs of one type cost: PostgreSQL's statements and round trips, Lambda's milliseconds of functions.

Once as the claimer hands them out, up to a hundred a claim and five an invocation, once one by one.
"""

from dataclasses import dataclass
from pathlib import Path

import asyncpg

from emulator.bench import workload
from emulator.bench.measure import Goal, Measure, Say, Series, until
from emulator.bench.proxy import CountingProxy, Traffic
from emulator.bench.server import BenchServer
from emulator.bench.system import JOB_TYPE, System, system
from shared.db import Connection

WARM_UP = 150  # jobs, by which the sandboxes that will be needed are up
PRODUCT_BATCH = 5  # what most of the product's types have
_WAKE = b'{"source": "wake"}'
_FILL = "INSERT INTO jobs (job_type, payload) SELECT $1, t::jsonb FROM unnest($2::text[]) t"
_NOTHING_LEFT = "SELECT NOT EXISTS (SELECT 1 FROM jobs WHERE status IN (1, 2))"


@dataclass(frozen=True)
class Cost:
    """Of a thousand jobs."""

    statements: float
    round_trips: float
    milliseconds: float
    invocations: float


async def thousand(
    server: BenchServer,
    folder: Path,
    count: int,
    say: Say,
    *,
    sandboxes: int = 4,
    batch_size: int = PRODUCT_BATCH,
) -> list[Measure]:
    """Costs of `count` jobs, told for a thousand; batched beside one by one, as many `sandboxes` at work in both."""
    say(f"cost of {count:,} jobs, batched and one by one")
    batched = await _cost(server, folder / "batched", count, sandboxes, batch_size, claim_limit=100)
    single = await _cost(server, folder / "single", count, sandboxes, batch_size=1, claim_limit=1)
    measures = []
    for name, unit, goal in (
        ("statements", "", Goal(0.25, False)),
        ("round_trips", "", None),
        ("milliseconds", "ms", None),
        ("invocations", "", None),
    ):
        ours, limit = getattr(batched, name), getattr(single, name)
        told = {"round_trips": "round trips", "milliseconds": "function time"}.get(name, name)
        say(f"  {told}: {ours:g} batched, {limit:g} one by one")
        measures.append(
            Measure(f"a thousand jobs: {told}", unit, Series([ours]), Series([limit]), "one by one", goal)
        )
    return measures


async def _cost(
    server: BenchServer, folder: Path, count: int, sandboxes: int, batch_size: int, claim_limit: int
) -> Cost:
    """Of a thousand jobs, measured with `count` in a warm system; as in the cloud, without NOTIFY."""
    async with server.database() as url, CountingProxy(url) as proxy:
        conn = await asyncpg.connect(url)
        try:
            async with system(
                folder,
                proxy.url,
                batch_size=batch_size,
                max_in_flight=sandboxes * batch_size,
                environment={"QUEUE_NOTIFY": "0", "CLAIM_LIMIT": str(claim_limit)},
            ) as running:
                await _work_off(running, conn, min(count // 2, WARM_UP))
                proxy.traffic = Traffic()
                running.durations.calls.clear()
                running.durations.milliseconds.clear()
                await _work_off(running, conn, count)
                share = 1000 / count
                return Cost(
                    proxy.traffic.statements * share,
                    proxy.traffic.round_trips * share,
                    sum(running.durations.milliseconds.values()) * share,
                    sum(running.durations.calls.values()) * share,
                )
        finally:
            await conn.close()


async def _work_off(running: System, conn: Connection, count: int) -> None:
    """So many jobs, put in at once; the claimer is woken once, and by completions from then on."""
    await conn.execute(_FILL, JOB_TYPE, [workload.payload_text(n) for n in range(count)])
    running.stack.service.send(running.claimer, _WAKE)
    await until(lambda: conn.fetchval(_NOTHING_LEFT), 0.05)
    await running.stack.service.settled()
