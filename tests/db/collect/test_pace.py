"""The gate of the channels over PostgreSQL: turns that many sandboxes take at once, and vendors that are closed to all."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from functions.collect.channels.vendor import VendorFailure
from functions.collect.pace import Pace
from shared.db import Connection
from shared.jobs.models import Job, JobType
from shared.runtime import JobContext
from shared.runtime.sandbox import SandboxConnection
from shared.settings import Settings
from tests.conftest import Server
from tests.job_run import connected, settings_for, started

HOUR = timedelta(hours=1)


@pytest.fixture(scope="module")
def url(postgres_server: Server) -> Iterator[str]:
    """One database for the file: every test has vendors of its own."""
    with postgres_server.fresh() as name:
        yield postgres_server.test_url(name)


@pytest.fixture
async def conn(url: str) -> AsyncIterator[Connection]:
    async with connected(url) as connection:
        yield connection


@asynccontextmanager
async def _sandbox(job: Job, settings: Settings) -> AsyncIterator[Pace]:
    """The gate as another sandbox has it, over a connection of its own."""
    work = SandboxConnection(settings)
    try:
        yield Pace(JobContext(job, None, settings, work, 60.0))  # type: ignore[arg-type]
    finally:
        await work.close()


@pytest.fixture
async def gates(url: str, tmp_path: Path) -> AsyncIterator[list[Pace]]:
    settings = settings_for(url, tmp_path)
    async with started(settings, JobType.COLLECT, None) as (job, _), AsyncExitStack() as stack:
        yield [await stack.enter_async_context(_sandbox(job, settings)) for _ in range(20)]


@pytest.fixture
def gate(gates: list[Pace]) -> Pace:
    return gates[0]


async def row(conn: Connection, channel: str) -> dict[str, Any]:
    """The vendor's row, its times in seconds from now."""
    found = await conn.fetchrow(
        """SELECT extract(epoch FROM next_at - clock_timestamp())::float8 AS turn, closed_code,
                  extract(epoch FROM closed_until - clock_timestamp())::float8 AS closed
             FROM channel_pace WHERE channel = $1""",
        channel,
    )
    return dict(found) if found else {}


async def pass_time(conn: Connection, channel: str, seconds: float) -> None:
    """Every time of the vendor's row comes nearer."""
    await conn.execute(
        """UPDATE channel_pace SET next_at = next_at - make_interval(secs => $2),
                                   closed_until = closed_until - make_interval(secs => $2) WHERE channel = $1""",
        channel,
        seconds,
    )


async def test_twenty_sandboxes_at_once_get_turns_of_equal_distance(gates: list[Pace]) -> None:
    began = time.monotonic()
    waits = sorted(await asyncio.gather(*(gate.turn("twenty", every=60.0, at_most=3600.0) for gate in gates)))
    took = time.monotonic() - began
    assert waits[0] == 0.0
    # Each was told at another moment of the time all of it took; the turns themselves are exactly a minute apart.
    for number, wait in enumerate(waits):
        assert number * 60 - took <= wait <= number * 60


async def test_of_more_than_can_have_their_turn_in_time_the_rest_is_refused_and_takes_none(
    gates: list[Pace], conn: Connection
) -> None:
    told = await asyncio.gather(
        *(gate.turn("crowded", every=60.0, at_most=290.0) for gate in gates), return_exceptions=True
    )
    refused = [one for one in told if isinstance(one, VendorFailure)]
    assert sorted(round(one / 60) for one in told if isinstance(one, float)) == [0, 1, 2, 3, 4]
    assert len(refused) == 15
    assert {(one.code, one.retryable, one.closes) for one in refused} == {("rate_limited", True, None)}
    assert 240 < (await row(conn, "crowded"))["turn"] <= 300


async def test_turns_that_nobody_took_are_not_saved_up(gate: Pace, conn: Connection) -> None:
    await gate.turn("rested", every=10.0, at_most=60.0)
    await pass_time(conn, "rested", 3600)
    assert await gate.turn("rested", every=10.0, at_most=60.0) == 0.0
    assert 9 < await gate.turn("rested", every=10.0, at_most=60.0) <= 10


async def test_vendors_do_not_wait_for_each_other(gate: Pace) -> None:
    for vendor in ("one", "another"):
        assert await gate.turn(vendor, every=60.0, at_most=1.0) == 0.0


async def test_a_vendor_without_a_limit_is_asked_at_once_and_leaves_no_row(
    gate: Pace, conn: Connection
) -> None:
    assert [await gate.turn("free", every=0.0, at_most=1.0) for _ in range(3)] == [0.0] * 3
    assert await row(conn, "free") == {}


@pytest.mark.parametrize(("code", "retryable"), [("rate_limited", True), ("quota_day", False)])
@pytest.mark.parametrize("every", [0.0, 1.0])
async def test_a_closed_vendor_is_closed_to_every_sandbox_until_it_opens(
    gates: list[Pace], conn: Connection, code: Any, retryable: bool, every: float
) -> None:
    vendor = f"closed {code} {every}"
    await gates[0].close(vendor, code, HOUR)
    before = await row(conn, vendor)
    for gate in gates[:3]:
        with pytest.raises(VendorFailure, match=r"closed for everybody, 3(600|599|59\d) s to go") as caught:
            await gate.turn(vendor, every=every, at_most=60.0)
        assert (caught.value.code, caught.value.retryable, caught.value.closes) == (code, retryable, None)
    assert (await row(conn, vendor))["turn"] <= before["turn"]
    await pass_time(conn, vendor, 3601)
    assert await gates[1].turn(vendor, every=every, at_most=60.0) == 0.0


async def test_closing_again_may_lengthen_and_never_shortens(gate: Pace, conn: Connection) -> None:
    await gate.close("twice", "quota_day", HOUR)
    await gate.close("twice", "rate_limited", timedelta(seconds=3))
    kept = await row(conn, "twice")
    assert (kept["closed_code"], round(kept["closed"], -2)) == ("quota_day", 3600)
    await gate.close("twice", "rate_limited", 2 * HOUR)
    longer = await row(conn, "twice")
    assert (longer["closed_code"], round(longer["closed"], -2)) == ("rate_limited", 7200)


async def test_twenty_sandboxes_that_close_at_once_leave_the_longest(
    gates: list[Pace], conn: Connection
) -> None:
    await asyncio.gather(
        *(gate.close("stormed", "rate_limited", number * HOUR) for number, gate in enumerate(gates, 1))
    )
    assert round((await row(conn, "stormed"))["closed"], -2) == 20 * 3600


async def test_a_vendor_that_was_paced_before_can_be_closed_and_goes_on_as_paced(
    gate: Pace, conn: Connection
) -> None:
    await gate.turn("paced", every=60.0, at_most=600.0)
    await gate.turn("paced", every=60.0, at_most=600.0)
    await gate.close("paced", "rate_limited", timedelta(seconds=30))
    await pass_time(conn, "paced", 31)
    assert 85 < await gate.turn("paced", every=60.0, at_most=600.0) <= 89


async def test_a_code_that_this_version_does_not_know_is_a_limit(gate: Pace, conn: Connection) -> None:
    await gate.close("newer", "rate_limited", HOUR)
    await conn.execute("UPDATE channel_pace SET closed_code = 'of_a_newer_version' WHERE channel = 'newer'")
    with pytest.raises(VendorFailure) as caught:
        await gate.turn("newer", every=0.0, at_most=60.0)
    assert (caught.value.code, caught.value.retryable) == ("rate_limited", True)


async def test_waiting_holds_no_connection_and_no_lock(gate: Pace, conn: Connection) -> None:
    await gate.turn("held", every=60.0, at_most=600.0)
    held = await conn.fetchval(
        """SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'"""
    )
    assert held == 0
    async with conn.transaction():
        await conn.execute("SELECT 1 FROM channel_pace WHERE channel = 'held' FOR UPDATE NOWAIT")
