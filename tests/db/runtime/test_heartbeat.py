"""The heartbeat: early enough, by the type's own lease, and the last thing to stop."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import Job
from shared.runtime import JobContext, job_handler
from tests.db.runtime.conftest import Sandbox
from tests.db.runtime.test_handler import spec, tasks
from tests.db.steps import connections, job, status, until

Environment = Callable[..., None]

NOTE = """
CREATE TABLE beats_seen (left_of_it interval);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN INSERT INTO beats_seen VALUES (OLD.lease_until - clock_timestamp()); RETURN NEW; END $$;
CREATE TRIGGER note BEFORE UPDATE ON jobs FOR EACH ROW
    WHEN (OLD.status = 2 AND NEW.status = 2 AND NEW.lease_until > OLD.lease_until AND OLD.run_started_at IS NOT NULL)
    EXECUTE FUNCTION note();
"""


async def test_every_beat_comes_while_half_of_the_lease_is_left(
    conn: Connection, sandbox: Sandbox, environment: Environment
) -> None:
    """It comes after a third: two more tries fit into what is left."""
    environment(JOB_LEASE_SECONDS="3")
    await conn.execute(NOTE)
    go_on = threading.Event()

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        await asyncio.to_thread(go_on.wait, 60)
        return {}

    invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(), handle), *await tasks(conn, "{}")))

    async def beaten() -> bool:
        return bool(await conn.fetchval("SELECT count(*) >= 3 FROM beats_seen"))

    try:
        await until(beaten, 30)
    finally:
        go_on.set()
    await invoking
    # Two seconds are left when it is due; a machine that is busy takes its part of them.
    left = await conn.fetchval("SELECT max(left_of_it) FROM beats_seen")
    assert 1.5 < left.total_seconds() <= 2.05
    assert (await conn.fetchval("SELECT min(left_of_it) FROM beats_seen")).total_seconds() > 0


async def test_a_type_has_a_lease_of_its_own(conn: Connection, sandbox: Sandbox) -> None:
    seen: list[float] = []

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        assert job.lease_until is not None
        assert job.run_started_at is not None
        seen.append((job.lease_until - job.run_started_at).total_seconds())
        return {}

    for lease in (15.0, 77.0, 600.0):
        await sandbox.invoke(job_handler(spec(lease=lease), handle), *await tasks(conn, "{}"))
    assert seen == [15.0, 77.0, 600.0]


async def test_a_job_that_waits_for_its_end_to_be_written_keeps_its_lease(
    conn: Connection, sandbox: Sandbox, environment: Environment
) -> None:
    """Its handler is done; the connection is another's of the batch. The heartbeat stops after the last end, not before."""
    environment(JOB_LEASE_SECONDS="1.5")
    taken, go_on = asyncio.Event(), threading.Event()

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        if ctx.payload.do == "hold":
            async with ctx.reading():
                taken.set()
                await asyncio.to_thread(go_on.wait, 60)
        else:
            await taken.wait()
        return {}

    done, holder = await tasks(conn, '{"do": "well"}', '{"do": "hold"}')
    invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(), handle), done, holder))

    async def well_past_its_lease() -> bool:
        assert await queue.reap(conn, 10) == []
        return bool(
            await conn.fetchval(
                "SELECT now() > run_started_at + interval '3 seconds' FROM jobs WHERE job_id = $1",
                done.job_id,
            )
        )

    try:
        await until(well_past_its_lease, 30)
        assert await status(conn, done.job_id) == "RUNNING"
    finally:
        go_on.set()
    await invoking
    assert [await status(conn, r.job_id) for r in (done, holder)] == ["DONE", "DONE"]


async def test_a_cancel_is_heard_by_a_handler_that_is_busy_to_its_end(
    conn: Connection, sandbox: Sandbox, environment: Environment, database: str
) -> None:
    """The loop is free, the job long: the word comes with a beat, and the claim of another is never needed for it."""
    environment(JOB_LEASE_SECONDS="1.5")

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        await asyncio.sleep(60)
        return {}

    async with connections(database, 1) as (person,):
        [ref] = await tasks(conn, "{}")
        invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(), handle), ref))

        async def started() -> bool:
            return (await job(conn, ref.job_id)).run_started_at is not None

        await until(started)
        await queue.cancel(person, ref.job_id)
        await invoking
    assert await status(conn, ref.job_id) == "CANCELLED"
