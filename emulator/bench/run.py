"""The whole run: every part on one server, one after the other; the document that tells what came out."""

import os
import platform
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import asyncpg

from emulator.bench import draining, enqueueing
from emulator.bench.measure import Measure, Say
from emulator.bench.server import BenchServer, bench_server


@dataclass(frozen=True)
class Plan:
    """How much is measured: jobs a round, or seconds a contender and round."""

    rounds: int
    singles_s: float
    bulk: int
    drained: int


FULL = Plan(rounds=5, singles_s=0.7, bulk=10_000, drained=10_000)
QUICK = Plan(rounds=3, singles_s=0.2, bulk=2_000, drained=1_000)
TINY = Plan(rounds=1, singles_s=0.05, bulk=100, drained=200)

Part: TypeAlias = Callable[[BenchServer, Plan, Say], Awaitable[list[Measure]]]


async def _enqueue(server: BenchServer, plan: Plan, say: Say) -> list[Measure]:
    return await enqueueing.one_at_a_time(server, plan.rounds, plan.singles_s, say)


async def _bulk(server: BenchServer, plan: Plan, say: Say) -> list[Measure]:
    return await enqueueing.bulk(server, plan.rounds, plan.bulk, say)


async def _drain(server: BenchServer, plan: Plan, say: Say) -> list[Measure]:
    return await draining.drain(server, plan.rounds, plan.drained, say)


PARTS: dict[str, Part] = {"enqueue": _enqueue, "bulk": _bulk, "drain": _drain}


async def run(plan: Plan, say: Say, parts: Sequence[str] = tuple(PARTS)) -> dict[str, Any]:
    """Measure the parts and return the document."""
    began = time.monotonic()
    async with bench_server() as server:
        machine = await described(server)
        measures = [measure for name in parts for measure in await PARTS[name](server, plan, say)]
    return document(machine, measures, plan, time.monotonic() - began)


def document(
    machine: dict[str, Any], measures: Sequence[Measure], plan: Plan, elapsed: float
) -> dict[str, Any]:
    """`{"machine", "rounds", "measures": [...], "goals_met", "elapsed_s"}`."""
    judged = [measure.met for measure in measures if measure.met is not None]
    return {
        "machine": machine,
        "rounds": plan.rounds,
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
