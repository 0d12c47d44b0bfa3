"""A reservation costs the same whatever history there is: pages read, and the indexes it goes by."""

from uuid import UUID

import asyncpg

from emulator.bench.history import sample
from shared.db import Connection
from shared.quota.sql import SQL
from tests.bench.quota.__main__ import HISTORY
from tests.db.quota.steps import ASKED, METER, Clock, granted, settle, terms

HOW = terms(1_000_000, 10**9, budget_usd=1000.0)
LITTLE = {"2000000": "20000", "50000": "5000"}


async def pages(conn: Connection) -> dict[str, int]:
    """Pages touched by each operation, taken back afterwards."""
    held = await granted(conn, HOW)
    sent = await granted(conn, HOW, send=True)
    limits = HOW.limits
    asked = (
        *(METER.provider, METER.key_hash, METER.model, METER.day_zone, UUID(int=1), UUID(int=2), None, False),
        *(ASKED.tokens, ASKED.cost_usd, HOW.budget_usd, limits.requests_minute, limits.tokens_minute),
        *(None, None, 0.3, HOW.window, HOW.margin, HOW.lease),
    )
    settled = (sent.reservation_id, sent.meter_id, False, 100, 0.01, None, None, "ok", 50, 25, 25, 0.004, 900)
    calls = {
        "reserve": (SQL.reserve, asked),
        "wait": (SQL.reserve, (*asked[:11], 1, *asked[12:])),
        "mark_sent": (SQL.mark_sent, (held.reservation_id, HOW.window)),
        "settle": (SQL.settle, settled),
    }
    found = {}
    for name, (statement, values) in calls.items():
        for _ in range(3):
            found[name] = (await sample(conn, statement, *values))[0]
    return found


async def test_history_and_waiters_make_nothing_dearer(direct_database: str) -> None:
    conn = await asyncpg.connect(direct_database)
    try:
        await settle(conn, await granted(conn, HOW, send=True), HOW)
        await conn.execute("VACUUM ANALYZE")
        before = await pages(conn)
        history = HISTORY
        for many, few in LITTLE.items():
            history = history.replace(many, few)
        for statement in filter(str.strip, history.split(";\n")):
            await conn.execute(statement)
        after = await pages(conn)
    finally:
        await conn.close()
    for name, touched in after.items():
        assert touched <= 1.2 * before[name] + 10, f"{name}: {before[name]} → {touched} pages"


async def test_a_window_full_of_calls_is_read_as_its_slots(clock: Clock) -> None:
    for _ in range(65):
        for _ in range(5):
            await granted(clock.conn, HOW, send=True)
        await clock.passes(1)
    assert await clock.conn.fetchval("SELECT count(*) FROM quota_slots") == 65
    assert (await pages(clock.conn))["reserve"] < 60
