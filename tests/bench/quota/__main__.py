"""What the quota governor costs, and what its alternatives would: `python -m tests.bench.quota`.

One key and one model for everybody, limits that are never met, fifty connections, a durable server with default settings.
"""

import argparse
import asyncio
import random
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from statistics import quantiles
from typing import Any

import asyncpg
from pydantic import SecretStr

from emulator.bench.server import BenchServer, bench_server, connections
from shared import quota
from shared.db import Connection
from shared.providers.calls import ProviderCall
from tests.bench.quota.variants import VARIANTS

CONNECTIONS = 50
RATE = 200  # calls a second
CALL_SECONDS = (0.5, 3.0)  # how long a call of the provider takes
TERMS = quota.Terms(quota.Limits(10**8, 10**12, 10**9, 10**15, 0.3), budget_usd=1e6)
METER = quota.Meter.of("gemini", SecretStr("bench"), "gemini-3.8-flash")
ESTIMATE = quota.Estimate(12_000, 0.01)
CALL = ProviderCall("gemini", METER.model, "ok", 1500, 2_000, 1_000, 0.006)

# A history of a year: two million calls, four hundred days, and jobs that waited and never came.
HISTORY = """
INSERT INTO usage (provider, model, outcome, input_tokens, output_tokens, cost_usd, created_at)
SELECT 'gemini', 'gemini-3.8-flash', 'ok', 2000, 1000, 0.006, now() - make_interval(secs => 15 * n)
  FROM generate_series(1, 2000000) n;
INSERT INTO quota_meters (provider, key_hash, model, day_zone)
SELECT 'gemini', 'old' || n, 'gemini-3.8-flash', 'America/Los_Angeles' FROM generate_series(1, 40) n;
INSERT INTO quota_days (meter_id, day, requests)
SELECT m, current_date - n, 5000 FROM generate_series(1, 41) m, generate_series(1, 400) n;
INSERT INTO quota_waiters (meter_id, waiter_id, interactive, tokens, reason, due_at)
SELECT 1 + n % 41, gen_random_uuid(), false, 100, 'requests_minute', now() - make_interval(mins => 1 + n)
  FROM generate_series(1, 50000) n;
INSERT INTO quota_months (month, stripe, usd)
SELECT date_trunc('month', now() - make_interval(months => n))::date, s, 1
  FROM generate_series(1, 24) n, generate_series(0, 15) s;
VACUUM ANALYZE
"""

Timed = dict[str, list[float]]


async def _timed(timings: Timed, name: str, work: Awaitable[Any]) -> Any:
    began = time.perf_counter()
    found = await work
    timings[name].append((time.perf_counter() - began) * 1000)
    return found


async def _reserved(conn: Connection, work: quota.Work) -> quota.Reservation:
    """Tried again while the lock is not to be had, as a gate does, but without its pause: that is part of the figure."""
    while True:
        found = await quota.reserve(conn, METER, work, ESTIMATE, terms=TERMS)
        if isinstance(found, quota.Reservation):
            return found
        assert isinstance(found, quota.Wait), found
        assert found.reason == "busy", found


async def _settled(conn: Connection, reservation: quota.Reservation) -> bool:
    return await quota.settle(conn, reservation, CALL, terms=TERMS, tokens=3_000, cost_usd=0.006)


async def paced(url: str, seconds: float, rate: int = RATE) -> tuple[Timed, float]:
    """Calls that begin at random moments, `rate` a second; milliseconds of each statement, and the rate that came about."""
    pool: asyncio.Queue[Connection] = asyncio.Queue()
    opened = await connections(url, CONNECTIONS)
    for conn in opened:
        pool.put_nowait(conn)
    timings: Timed = defaultdict(list)
    for conn in opened:  # so that its plans are made
        found = await _reserved(conn, quota.Work.BATCH)
        await quota.mark_sent(conn, found, terms=TERMS)
        await _settled(conn, found)

    async def on_any(work: Callable[[Connection], Awaitable[Any]], name: str) -> Any:
        conn = await pool.get()
        try:
            return await _timed(timings, name, work(conn))
        finally:
            pool.put_nowait(conn)

    async def call(number: int) -> None:
        work = quota.Work.INTERACTIVE if number % 2 else quota.Work.BATCH
        await on_any(
            lambda c: c.fetchval("SELECT 1"), "nothing"
        )  # what the machine is good for at this moment
        found = await on_any(lambda c: _reserved(c, work), "reserve")
        assert await on_any(lambda c: quota.mark_sent(c, found, terms=TERMS), "mark_sent")
        await asyncio.sleep(random.uniform(*CALL_SECONDS))
        assert await on_any(lambda c: _settled(c, found), "settle")

    began = time.perf_counter()
    due, tasks = began, []
    while due < began + seconds:
        due += random.expovariate(rate)
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        tasks.append(asyncio.create_task(call(len(tasks))))
    achieved = len(tasks) / (time.perf_counter() - began)
    await asyncio.gather(*tasks)
    for conn in opened:
        await conn.close()
    return timings, achieved


async def flat_out(url: str, seconds: float, *, whole: bool) -> float:
    """Calls a second that fifty connections get through without a pause: reservations alone, or whole calls."""
    opened = await connections(url, CONNECTIONS)
    ends = time.perf_counter() + seconds
    done = 0

    async def work(conn: Connection) -> None:
        nonlocal done
        while time.perf_counter() < ends:
            found = await _reserved(conn, quota.Work.INTERACTIVE)
            if whole:
                await quota.mark_sent(conn, found, terms=TERMS)
                await _settled(conn, found)
            else:
                await quota.give_back(conn, found, terms=TERMS)
            done += 1

    await asyncio.gather(*(work(conn) for conn in opened))
    for conn in opened:
        await conn.close()
    return done / seconds


async def upkeep(url: str, stop: asyncio.Event) -> None:
    """What the reaper does every minute, more often here."""
    conn = await asyncpg.connect(url)
    while not stop.is_set():
        await quota.prune_quota(conn, TERMS)
        try:
            await asyncio.wait_for(stop.wait(), 10)
        except TimeoutError:
            continue
    await conn.close()


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _row(name: str, timings: Timed, achieved: float) -> str:
    cells = []
    for part in ("nothing", "reserve", "mark_sent", "settle"):
        cut = quantiles(timings[part], n=1000)
        cells.append(f"{cut[499]:.2f} / {cut[989]:.2f} / {max(timings[part]):.0f}")
    return f"| {name} | {achieved:.0f} | {' | '.join(cells)} |"


async def _paced_row(
    server: BenchServer, name: str, seconds: float, setup: str = "", *, held: bool = False
) -> None:
    async with server.database() as url:
        conn = await asyncpg.connect(url)
        if setup:
            for statement in filter(str.strip, setup.split(";\n")):
                await conn.execute(statement, timeout=600)
        stop = asyncio.Event()
        pruning = asyncio.create_task(upkeep(url, stop))
        await paced(url, 3)  # connections, plans and caches
        if held:
            await conn.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            await conn.fetchval("SELECT count(*) FROM quota_meters")
        timings, achieved = await paced(url, seconds)
        _say(_row(name, timings, achieved))
        stop.set()
        await pruning
        await conn.close()


async def _variant_row(server: BenchServer, name: str, seconds: float) -> None:
    async with server.database() as url:
        conn = await asyncpg.connect(url)
        await VARIANTS[name](conn)
        await conn.close()
        await flat_out(url, 1, whole=True)
        reserving = await flat_out(url, seconds, whole=False)
        calls = await flat_out(url, seconds, whole=True)
        await paced(url, 2)
        timings, achieved = await paced(url, seconds)
        _say(_row(f"{name}: {reserving:.0f} reservations/s, {calls:.0f} whole calls/s", timings, achieved))


async def _main(args: argparse.Namespace) -> None:
    head = "| | calls/s | SELECT 1 ms p50 / p99 / max | reserve | mark_sent | settle |\n|---|---|---|---|---|---|"
    async with bench_server() as server:
        _say(f"{RATE} calls a second, {CONNECTIONS} connections, {args.seconds:g} s each\n\n{head}")
        if args.only in (None, "paced"):
            await _paced_row(server, "empty", args.seconds)
            await _paced_row(server, "two million calls of history", args.seconds, HISTORY)
            await _paced_row(server, "a snapshot held open all the time", args.seconds, held=True)
        if args.only in (None, "variants"):
            _say(f"\nWithout a pause, and then at {RATE} a second\n\n{head}")
            for name in VARIANTS:
                await _variant_row(server, name, args.seconds)


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.quota", description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0, help="of each measurement (default 30)")
    parser.add_argument("--only", choices=("paced", "variants"))
    asyncio.run(_main(parser.parse_args()))


if __name__ == "__main__":
    main()
