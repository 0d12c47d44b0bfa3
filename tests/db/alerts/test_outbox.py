"""An alert stands exactly if the death it tells of stands, whatever breaks in between."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from uuid import UUID

import asyncpg
import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import JobRef, JobType
from tests.db import steps
from tests.db.alerts.flusher_process import STATEMENTS
from tests.fakes.moments import Moments
from tests.fakes.postgres_proxy import PostgresProxy

Death = Callable[[Connection, JobRef], Awaitable[object]]


async def fail(conn: Connection, ref: JobRef) -> object:
    return await queue.fail(conn, ref, "Boom: no")


async def fail_permanent(conn: Connection, ref: JobRef) -> object:
    return await queue.fail_permanent(conn, ref, "Boom: never")


async def reap(conn: Connection, ref: JobRef) -> object:
    return await queue.reap(conn, 10)


DEATHS: list[Death] = [fail, fail_permanent, reap]


@pytest.fixture
async def conn(direct_database: str) -> AsyncIterator[Connection]:
    connection = await steps.connect(direct_database)
    yield connection
    await connection.close(timeout=5)


async def dying(conn: Connection, death: Death) -> tuple[JobRef, UUID]:
    """A job on its last attempt, its lease over if a reaper is to find it; and one that dies with it."""
    ref = await steps.running(conn, JobType.COPY, max_attempts=1)
    dependent = await steps.waiting_on(conn, ref.job_id, required=True)
    if death is reap:
        await steps.let_lease_run_out(conn, ref.job_id)
    return ref, dependent


async def stands(conn: Connection, ref: JobRef, dependent: UUID) -> bool:
    """Whether the death stands; checks that all that belongs to it does, or none of it."""
    dead = await steps.status(conn, ref.job_id) == "DEAD"
    assert await steps.alerts(conn) == ({f"job_dead:COPY:{ref.job_id}": 1} if dead else {})
    assert await steps.status(conn, dependent) == ("DEAD" if dead else "PENDING")
    assert len(await queue.attempts(conn, ref.job_id)) == dead
    return dead


@pytest.mark.parametrize("death", DEATHS)
async def test_a_death_that_is_rolled_back_leaves_no_alert(conn: Connection, death: Death) -> None:
    ref, dependent = await dying(conn, death)
    block = conn.transaction()
    await block.start()
    await death(conn, ref)
    assert await stands(conn, ref, dependent)
    await block.rollback()
    assert not await stands(conn, ref, dependent)
    await death(conn, ref)
    assert await stands(conn, ref, dependent)


@pytest.mark.parametrize("death", DEATHS)
async def test_a_connection_cut_at_any_point_of_a_death_leaves_both_or_neither(
    conn: Connection, direct_database: str, death: Death
) -> None:
    outcomes = []
    for index in range(100):
        await conn.execute("DELETE FROM job_dependencies; DELETE FROM job_attempts")
        await conn.execute("DELETE FROM jobs; DELETE FROM alert_outbox")
        ref, dependent = await dying(conn, death)
        moments = Moments(lambda at, name, index=index: at == index)
        with PostgresProxy(direct_database, moments, STATEMENTS).running() as proxy:
            work = asyncio.create_task(_alone(proxy.url, death, ref))
            await _over(work, moments)
            if work.done():  # it met its end before this moment came
                await work
                break
            moments.go_on(dead=True)
            with pytest.raises((OSError, asyncpg.PostgresError, asyncpg.InterfaceError)):
                await work
        # The server may still be at it, or have learned of the cut and rolled back.
        await steps.until(lambda: _idle(conn))
        outcomes.append(await stands(conn, ref, dependent))
        await death(conn, ref)  # whoever comes next: a handler that retries, or the next round
        assert await stands(conn, ref, dependent)
    assert outcomes == sorted(outcomes), "once the death stands it stands"
    assert {*outcomes} == {False, True}


async def _alone(url: str, death: Death, ref: JobRef) -> None:
    conn = await asyncpg.connect(url)
    try:
        await death(conn, ref)
    finally:
        conn.terminate()  # not politely: its farewell would be one more moment


async def _over(work: "asyncio.Task[None]", moments: Moments) -> None:
    """Wait until the work is done, or the world has halted."""

    async def either() -> bool:
        return work.done() or moments.halted.is_set()

    await steps.until(either)


async def _idle(conn: Connection) -> bool:
    """No other session of the database is at anything; a pooler keeps idle ones."""
    return bool(
        await conn.fetchval(
            "SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'"
        )
    )


@pytest.mark.parametrize("death", [fail, fail_permanent])
@pytest.mark.parametrize("locked", ["job", "dependent", "alert"])
async def test_a_backend_killed_while_it_waits_in_the_midst_of_a_death_leaves_neither(
    conn: Connection, direct_database: str, death: Death, locked: str
) -> None:
    ref, dependent = await dying(conn, death)
    async with steps.connections(direct_database, 2) as (holder, victim):
        block = holder.transaction()
        await block.start()
        if locked == "alert":
            await holder.execute(
                "SELECT alert_raise('job_dead', 'other', '{}', $1, interval '1 hour')",
                f"job_dead:COPY:{ref.job_id}",
            )
        else:
            held = ref.job_id if locked == "job" else dependent
            await holder.execute("SELECT 1 FROM jobs WHERE job_id = $1 FOR UPDATE", held)
        work = asyncio.create_task(death(victim, ref))
        await steps.until_blocked(conn, victim)
        await conn.execute("SELECT pg_terminate_backend($1)", victim.get_server_pid())
        with pytest.raises((OSError, asyncpg.PostgresError, asyncpg.InterfaceError)):
            await work
        await block.rollback()
        assert not await stands(conn, ref, dependent)
        await death(holder, ref)
        assert await stands(conn, ref, dependent)
