"""What an operation costs does not grow with the table: pages read, time taken, and the plans by which it goes.

Databases hold the same few jobs to work on, and beside them more or less of a history, of delayed jobs and of deaths nobody
looked at. Every sample is rolled back, and samples are taken of one after the other in turns, so that a busy machine slows all.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from statistics import median
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import asyncpg
import pytest

from emulator.bench.history import DELAYED, FINISHED, sample
from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import JobRef
from shared.jobs.sql import SQL
from tests.conftest import Server
from tests.db.steps import LEASE, claimed, let_lease_run_out, new

DEATHS = """
INSERT INTO jobs (job_type, status, attempts, last_error, finished_at)
SELECT 1, 4, 3, 'Boom: no', now() - interval '40 days' FROM generate_series(1, $1::integer)
"""
OLD = """
INSERT INTO jobs (job_type, status, attempts, result, finished_at)
SELECT 1, 3, 1, '{}', now() - interval '40 days' FROM generate_series(1, 100)
"""
EXPLAIN = (
    "LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;"
    " SET auto_explain.log_format = json; SET auto_explain.log_level = notice"
)


class Call(NamedTuple):
    """A statement with its values, and the indexes it goes by."""

    statement: str
    values: tuple[Any, ...]
    indexes: frozenset[str]


class Stock:
    """A database with refs to work on: some to start, some to complete; three leases have run out."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        self.calls: dict[str, Call] = {}

    async def fill(self, finished: int, delayed: int, deaths: int) -> None:
        conn = self.conn
        await conn.execute("UPDATE job_type_settings SET max_in_flight = NULL WHERE job_type <> 2")
        if finished:
            await conn.execute(FINISHED, finished, timeout=600)
            await conn.execute(DELAYED, delayed, timeout=600)
            await conn.execute(DEATHS, deaths)
        await conn.execute(OLD)
        for _ in range(13):
            await new(conn)
        refs = list((await claimed(conn)).values())
        await queue.start(conn, refs[5:], "invocation", LEASE)
        await let_lease_run_out(conn, *[r.job_id for r in refs[10:]])
        for n in range(30):
            await new(conn, 1 + n % 3, dedupe_key=f"taken:{n}")
        await conn.execute("VACUUM ANALYZE jobs", timeout=600)
        self.calls = _calls(refs)

    async def sample(self, call: Call) -> tuple[int, float]:
        """Pages touched and milliseconds of one execution, taken back afterwards."""
        return await sample(self.conn, call.statement, *call.values)

    async def plans(self, call: Call) -> list[dict[str, Any]]:
        """Every plan node of the call and of all the statements inside its functions."""
        said: list[str] = []

        def hear(_: object, message: Any) -> None:
            said.append(message.message)

        await self.conn.execute(EXPLAIN)
        self.conn.add_log_listener(hear)
        transaction = self.conn.transaction()
        await transaction.start()
        await self.conn.fetch(call.statement, *call.values)
        await transaction.rollback()
        await asyncio.sleep(0)  # listeners are called by the loop
        self.conn.remove_log_listener(hear)
        await self.conn.execute("SET auto_explain.log_min_duration = -1")
        return [node for text in said for node in _nodes(json.loads(text[text.index("{") :])["Plan"])]


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from _nodes(inner)


def _columns(refs: list[JobRef]) -> tuple[list[UUID], list[UUID], list[int]]:
    return [r.job_id for r in refs], [r.worker_id for r in refs], [r.attempt for r in refs]


def _calls(refs: list[JobRef]) -> dict[str, Call]:
    def call(statement: str, *values: Any, by: tuple[str, ...]) -> Call:
        return Call(statement, values, frozenset(by))

    many = 20
    batch = [
        [uuid4() for _ in range(many)],
        [1] * many,
        [None] * many,
        [None] * many,
        [False] * many,
        [100] * many,
        ["{}"] * many,
        [f"taken:{n}" if n % 2 else f"free:{n}" for n in range(many)],
        [3] * many,
        [0.0] * many,
        [0] * many,
    ]

    def one(key: str) -> tuple[Any, ...]:
        return uuid4(), 1, None, None, False, 100, "{}", key, 3, 0.0, 0, False

    return {
        "claim": call(SQL.claim, 10, uuid4(), LEASE, by=("jobs_ready", "jobs_running")),
        "start": call(SQL.start, *_columns(refs[:5]), "again", LEASE, by=("jobs_pkey",)),
        "renew_lease": call(SQL.renew_lease, *_columns(refs[5:10]), LEASE, False, by=("jobs_pkey",)),
        "complete": call(
            SQL.complete,
            *_columns(refs[5:10]),
            ["{}"] * 5,
            by=("jobs_pkey", "jobs_ready", "job_dependencies_open"),
        ),
        "fail": call(SQL.fail, *refs[5], "Boom: no", True, 0.0, 60.0, by=("jobs_pkey",)),
        "reap": call(SQL.reap, UUID(int=0), 100, 0.0, 60.0, by=("jobs_running", "jobs_pkey")),
        "prune": call(SQL.prune, 30 * 86400.0, 500, by=("jobs_over", "jobs_acknowledged", "jobs_pkey")),
        "enqueue a free key": call(SQL.enqueue, *one("free"), by=("jobs_one_active_a_key",)),
        "enqueue a taken key": call(SQL.enqueue, *one("taken:1"), by=("jobs_one_active_a_key",)),
        "enqueue many": call(SQL.enqueue_many, *batch, by=("jobs_one_active_a_key",)),
        "find the active of keys": call(SQL.active_of_keys, batch[7][:4], by=("jobs_one_active_a_key",)),
        "backlog": call("SELECT job_backlog('{1,2,3}')", by=("jobs_ready",)),
    }


@asynccontextmanager
async def stocked(server: Server, finished: int, delayed: int, deaths: int) -> AsyncIterator[Stock]:
    name = f"stock_{uuid4().hex}"
    server.execute(f"CREATE DATABASE {name} TEMPLATE {server.template}")
    conn = await asyncpg.connect(server.database_url(name))
    try:
        stock = Stock(conn)
        await stock.fill(finished, delayed, deaths)
        yield stock
    finally:
        await conn.close(timeout=5)
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


Costs = dict[str, list[tuple[float, float]]]


async def costs(server: Server, *sizes: tuple[int, int, int], samples: int = 15) -> Costs:
    """Of each operation the medians of pages and milliseconds in a database of each size, its plans in the last held."""
    async with AsyncExitStack() as stack:
        stocks = [await stack.enter_async_context(stocked(server, *size)) for size in sizes]
        found: Costs = {}
        for name, call in stocks[-1].calls.items():
            taken: list[list[tuple[int, float]]] = [[] for _ in stocks]
            for _ in range(samples):
                for stock, seen in zip(stocks, taken, strict=True):
                    seen.append(await stock.sample(stock.calls[name]))
            found[name] = [(median(p for p, _ in seen), median(t for _, t in seen)) for seen in taken]
            nodes = await stocks[-1].plans(call)
            used = {index for node in nodes for index in _indexes(node)}
            assert call.indexes <= used, f"{name} goes by {used}"
            assert [n["Relation Name"] for n in nodes if n["Node Type"] == "Seq Scan"] == [], name
        return found


def _indexes(node: dict[str, Any]) -> list[str]:
    return [node[key] for key in ("Index Name",) if key in node] + node.get("Conflict Arbiter Indexes", [])


# A table with a history, if a short one: its indexes are trees by now, which an empty table's are not.
YOUNG = (40_000, 20_000, 2_000)


@pytest.mark.slow
@pytest.mark.timeout(1200)
async def test_a_million_finished_and_half_a_million_delayed_jobs_make_nothing_dearer(
    postgres_server: Server,
) -> None:
    found = await costs(postgres_server, (0, 0, 0), YOUNG, (1_000_000, 500_000, 20_000), samples=25)
    for name, ((_, sooner), (before, _), (after, later)) in found.items():
        # A tree twenty-five times as large is one level higher: a page more for each way down it, four instead of three. These do
        # hardly anything but go down, once and more for every row.
        pages = {"prune": 4 / 3 * 1.2, "enqueue many": 4 / 3}.get(name, 1.2)
        assert after <= pages * before + 5, f"{name}: {before:g} → {after:g} pages"
        assert later <= 1.5 * sooner + 0.2, f"{name}: {sooner:.2f} → {later:.2f} ms"


async def test_a_history_and_many_delayed_jobs_make_nothing_dearer(postgres_server: Server) -> None:
    """Pages alone, which no busy machine can change: a level more in each index, and nothing read of what is over or not due."""
    found = await costs(postgres_server, (0, 0, 0), YOUNG, samples=5)
    for name, ((before, _), (after, _)) in found.items():
        assert after <= 2 * before + 15, f"{name}: {before:g} → {after:g} pages"
