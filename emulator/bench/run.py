"""The whole run: every part on one server, one after the other; the document that tells what came out."""

import os
import platform
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import asyncpg

from emulator.bench import draining, enqueueing, history, traffic, waking
from emulator.bench.measure import Measure, Rounds, Say
from emulator.bench.server import BenchServer, bench_server, temporary_folder


@dataclass(frozen=True)
class Plan:
    """How much is measured: jobs a round, or seconds a contender and round."""

    rounds: Rounds
    types: tuple[int, ...]  # of how many types the drained jobs are
    singles_s: float
    bulk: int
    drained: int
    wakes: int
    finished: int
    delayed: int
    claims: int  # samples of each size and table
    thousand: int  # jobs of which the cost of a thousand is told
    sandboxes: int  # at work on those


FULL = Plan(
    Rounds(5, 60.0),
    (1, 5),
    0.7,
    10_000,
    10_000,
    wakes=250,
    finished=1_000_000,
    delayed=500_000,
    claims=25,
    thousand=500,
    sandboxes=4,
)
QUICK = Plan(
    Rounds(2, 2.0),
    (1,),
    0.2,
    2_000,
    500,
    wakes=20,
    finished=10_000,
    delayed=5_000,
    claims=7,
    thousand=50,
    sandboxes=2,
)

Part: TypeAlias = Callable[[BenchServer, Plan, Say], Awaitable[list[Measure]]]


async def _enqueue(server: BenchServer, plan: Plan, say: Say) -> list[Measure]:
    return await enqueueing.one_at_a_time(server, plan.rounds, plan.singles_s, say)


async def _bulk(server: BenchServer, plan: Plan, say: Say) -> list[Measure]:
    return await enqueueing.bulk(server, plan.rounds, plan.bulk, say)


async def _drain(server: BenchServer, plan: Plan, say: Say) -> list[Measure]:
    return await draining.drain(server, plan.rounds, plan.drained, say, plan.types)


async def _wake(server: BenchServer, plan: Plan, say: Say) -> list[Measure]:
    with temporary_folder() as folder:
        return await waking.wake(server, folder, plan.wakes, say)


async def _claim(server: BenchServer, plan: Plan, say: Say) -> list[Measure]:
    return await history.claim(server, plan.finished, plan.delayed, plan.claims, say)


async def _cost(server: BenchServer, plan: Plan, say: Say) -> list[Measure]:
    with temporary_folder() as folder:
        return await traffic.thousand(server, folder, plan.thousand, say, sandboxes=plan.sandboxes)


PARTS: dict[str, Part] = {
    "enqueue": _enqueue,
    "bulk": _bulk,
    "drain": _drain,
    "wake": _wake,
    "claim": _claim,
    "cost": _cost,
}


async def measured(
    server: BenchServer, plan: Plan, say: Say, parts: Sequence[str] = tuple(PARTS)
) -> list[Measure]:
    """Measure the parts on a running server."""
    began = time.monotonic()
    measures = []
    for name in parts:
        measures += await PARTS[name](server, plan, say)
        say(f"  ({time.monotonic() - began:.0f} s so far)")
    return measures


async def run(plan: Plan, say: Say, parts: Sequence[str] = tuple(PARTS)) -> dict[str, Any]:
    """Measure the parts on a server of their own and return the document. Raises `PostgresError`."""
    began = time.monotonic()
    async with bench_server() as server:
        machine = await described(server)
        measures = await measured(server, plan, say, parts)
    return document(machine, measures, plan, time.monotonic() - began)


def document(
    machine: dict[str, Any], measures: Sequence[Measure], plan: Plan, elapsed: float
) -> dict[str, Any]:
    """`{"machine", "rounds", "measures": [...], "goals_met", "elapsed_s"}`."""
    judged = [measure.met for measure in measures if measure.met is not None]
    return {
        "machine": machine,
        "rounds": plan.rounds.most,
        "measures": [measure.document() for measure in measures],
        "goals_met": f"{sum(judged)} of {len(judged)}",
        "elapsed_s": round(elapsed, 1),
    }


async def described(server: BenchServer) -> dict[str, Any]:
    """What the figures depend on: processors, versions, the server's settings, and how busy the machine was at the start."""
    return {
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "asyncpg": asyncpg.__version__,
        "postgresql": await server.settings(),
    }
