"""A sandbox killed on its way to the vendor."""

import asyncio
import sys
from pathlib import Path

from shared import quota
from shared.db import Connection
from shared.quota import Reservation, Wait
from tests.db.quota.steps import ledger, month, reserve, terms

ROOT = Path(__file__).resolve().parents[3]


async def killed(database: str, state: str) -> str:
    """The reservation of a sandbox that was killed when it had come so far."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.db.quota.sandbox",
        database,
        state,
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    said = await process.stdout.readline()
    process.kill()
    await process.wait()
    return said.decode().strip()


async def test_what_a_killed_sandbox_never_sent_is_given_back_by_itself(
    database: str, conn: Connection
) -> None:
    how = terms(1, share=0)
    await killed(database, "reserved")
    assert isinstance(await reserve(conn, how), Wait)
    await conn.execute("DELETE FROM quota_waiters")
    await conn.execute("UPDATE quota_reservations SET lease_until = now() - interval '2.1 seconds'")
    assert isinstance(await reserve(conn, how), Reservation)
    assert await ledger(conn) == []
    assert await month(conn) == 0


async def test_what_a_killed_sandbox_sent_counts_to_the_end_of_its_window_and_is_paid(
    database: str, conn: Connection
) -> None:
    how = terms(1, share=0)
    reservation_id = await killed(database, "sent")
    assert isinstance(await reserve(conn, how), Wait)
    assert (await quota.prune_quota(conn, how)).unknown == 0  # it may still run, for all we know

    await conn.execute("UPDATE quota_slots SET slot = slot - interval '1001 seconds'")
    await conn.execute(
        "UPDATE quota_reservations SET sent_at = sent_at - interval '1001 seconds' WHERE reservation_id = $1",
        reservation_id,
    )
    await conn.execute("DELETE FROM quota_waiters")
    assert isinstance(await reserve(conn, how), Reservation)
    assert (await quota.prune_quota(conn, how)).unknown == 1
    assert (await quota.prune_quota(conn, how)).unknown == 0
    assert await ledger(conn) == [("unknown", 0.01, True)]
    assert await month(conn) == 0.01
