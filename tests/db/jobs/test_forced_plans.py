"""No plan the server may choose makes an operation take more than it was asked for, or anything twice."""

from collections.abc import Iterator
from uuid import UUID

import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.sql import SQL
from tests.db.jobs.test_claim import fill
from tests.db.steps import LEASE, connections, let_lease_run_out

METHODS = (
    "hashjoin",
    "mergejoin",
    "nestloop",
    "material",
    "memoize",
    "indexscan",
    "indexonlyscan",
    "sort",
    "hashagg",
)
ALONE = [
    {other for other in METHODS if other != method} for method in ("nestloop", "mergejoin", "hashjoin")
] + [{method} for method in METHODS]


def settings_of(off: set[str]) -> Iterator[str]:
    """Those methods off, in the session; rows look few, so that loops look cheap."""
    yield from (f"SET enable_{method} = off" for method in off)
    yield "SET plan_cache_mode = force_custom_plan"
    yield "SET cpu_tuple_cost = 1000"


@pytest.mark.parametrize("off", ALONE, ids=lambda off: "without " + " ".join(sorted(off)))
async def test_a_claim_a_reap_and_a_prune_take_no_more_than_they_were_asked_for(
    direct_database: str, off: set[str]
) -> None:
    async with connections(direct_database, 1) as (conn,):
        await fill(conn, 40)
        await fill(conn, 40, job_type=3)
        await conn.execute("ANALYZE jobs")
        for setting in settings_of(off):
            await conn.execute(setting)
        seen: set[UUID] = set()
        for limit in (1, 7, 20):
            claims = await queue.claim(conn, limit, LEASE)
            assert len(claims) == limit
            seen |= {c.ref.job_id for c in claims}
        assert len(seen) == 28
        assert await conn.fetchval("SELECT max(attempts) FROM jobs") == 1
        await reap_and_prune(conn, seen)


async def reap_and_prune(conn: Connection, running: set[UUID]) -> None:
    await let_lease_run_out(conn, *running)
    page = await conn.fetch(SQL.reap, UUID(int=0), 5, 0.0, 60.0)
    assert len(page) == len({r["job_id"] for r in page}) == 5
    await conn.execute("UPDATE jobs SET unstarted = 5 WHERE status = 2")
    assert len(await queue.reap(conn, 4)) == 23
    await conn.execute(
        "UPDATE jobs SET status = 3, result = '{}', finished_at = now() - interval '40 days' WHERE status = 1"
    )
    assert await conn.fetchval(SQL.prune, 30 * 86400.0, 6) == 6
    assert await conn.fetchval("SELECT count(*) FROM jobs") == 74
