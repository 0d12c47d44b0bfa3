"""Connections that die, handlers that do not stop, databases that refuse: what a sandbox makes of them."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import Job
from shared.runtime import JobContext, job_handler
from shared.runtime.events import jobs_event
from tests.conftest import Server
from tests.db.runtime.conftest import TEST_TYPE, Sandbox
from tests.db.runtime.proxy import Proxy, everything, no_answers
from tests.db.runtime.test_handler import Environment, error_of, spec, tasks
from tests.db.steps import connections, job, status, until

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def database(postgres_server: Server) -> Iterator[str]:
    """Past any pooler: it is the sandbox's own session that dies here, and a pooler would give it another unasked."""
    with postgres_server.fresh() as name:
        yield postgres_server.database_url(name)


async def well(job: Job, ctx: JobContext) -> dict[str, Any]:
    return {"n": ctx.payload.n}


async def kill_others(conn: Connection) -> int:
    """End every other connection to the test's database, as a failover or a proxy does; how many."""
    killed: int = await conn.fetchval(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
    )

    async def gone() -> Any:
        return not await conn.fetchval(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )

    await until(gone)
    return killed


@pytest.mark.parametrize("pause", [0.0, 1.05])
async def test_a_connection_that_died_between_invocations_fails_no_job(
    conn: Connection, sandbox: Sandbox, pause: float
) -> None:
    handler = job_handler(spec(), well)
    for n in range(2):
        refs = await tasks(conn, f'{{"n": {n}}}')
        assert await sandbox.invoke(handler, *refs) == {"started": 1}
        assert await status(conn, refs[0].job_id) == "DONE"
        assert await kill_others(conn) == 1
        await asyncio.sleep(pause)  # frozen for longer than a connection is trusted, or not


async def test_a_connection_that_dies_while_the_handler_works_is_made_anew_for_the_end(
    conn: Connection, sandbox: Sandbox
) -> None:
    going, go_on = threading.Event(), threading.Event()

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        going.set()
        await asyncio.to_thread(go_on.wait, 20)
        return {"n": 1}

    [ref] = await tasks(conn, "{}")
    invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(), handle), ref))
    await asyncio.to_thread(going.wait, 20)
    await kill_others(conn)
    go_on.set()
    assert await invoking == {"started": 1}
    assert (await job(conn, ref.job_id)).result == {"n": 1}


async def test_an_end_cut_off_in_the_middle_is_written_once(
    conn: Connection, sandbox: Sandbox, database: str
) -> None:
    async with connections(database, 1) as (holder,):
        [ref] = await tasks(conn, '{"n": 5}')
        # Somebody holds the row: the end waits, and is cut off while it waits.
        going, go_on = threading.Event(), threading.Event()

        async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
            going.set()
            await asyncio.to_thread(go_on.wait, 20)
            return {"n": 5}

        invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(), handle), ref))
        await asyncio.to_thread(going.wait, 20)
        transaction = holder.transaction()
        await transaction.start()
        await holder.execute("SELECT 1 FROM jobs WHERE job_id = $1 FOR UPDATE", ref.job_id)
        go_on.set()

        async def cut() -> Any:
            return await conn.fetchval(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                " AND query LIKE '%job_complete%'"
            )

        await until(cut)
        await transaction.rollback()
        assert await invoking == {"started": 1}
        assert (await job(conn, ref.job_id)).result == {"n": 5}
        assert await queue.attempts(conn, ref.job_id) == []


@pytest.mark.parametrize("ending", ["well", "fail"])
async def test_an_end_that_was_written_and_never_heard_of_is_not_written_again(
    conn: Connection, sandbox: Sandbox, environment: Environment, database: str, ending: str
) -> None:
    proxy = Proxy(database)
    environment(DATABASE_URL=await proxy.start(), DB_STATEMENT_CACHE_SIZE="100")
    deaf = False

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        proxy.rule = no_answers if deaf else everything
        if ctx.payload.do == "fail":
            raise RuntimeError("no")
        return {"n": 1}

    handler = job_handler(spec(), handle)
    try:
        # The first invocation prepares the statements: the second's end is one message and one answer.
        for deaf in (False, True):
            [ref] = await tasks(conn, f'{{"do": "{ending}"}}')
            invoking = asyncio.create_task(sandbox.invoke(handler, ref))
            expected = "DONE" if ending == "well" else "PENDING"

            async def written(ref: Any = ref, expected: str = expected) -> bool:
                return await status(conn, ref.job_id) == expected

            await until(written)
            if deaf:
                proxy.rule = everything
                proxy.cut()
            await invoking
            found = await job(conn, ref.job_id)
            assert (found.status.name, found.attempts) == (expected, 1)
            assert len(await queue.attempts(conn, ref.job_id)) == (ending == "fail")
    finally:
        await proxy.stop()


async def test_heartbeats_go_on_after_their_connection_died(
    conn: Connection, sandbox: Sandbox, environment: Environment
) -> None:
    environment(JOB_LEASE_SECONDS="3")
    go_on = threading.Event()

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        await asyncio.to_thread(go_on.wait, 30)
        return {}

    [ref] = await tasks(conn, "{}")
    invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(), handle), ref))

    async def beaten() -> Any:
        return await conn.fetchval("SELECT updated_at > run_started_at FROM jobs")

    try:
        await until(beaten)
        await kill_others(conn)
        await conn.execute("UPDATE jobs SET updated_at = run_started_at")
        await until(beaten)
        assert await queue.reap(conn, 10) == []
    finally:
        go_on.set()
    await invoking
    assert await status(conn, ref.job_id) == "DONE"


async def test_a_transaction_a_handler_leaves_open_takes_no_end_with_it(
    conn: Connection, sandbox: Sandbox
) -> None:
    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        if ctx.payload.do == "hold":
            async with ctx.reading() as work:
                await work.execute("BEGIN")
        return {"n": ctx.payload.n}

    refs = await tasks(conn, '{"do": "hold", "n": 1}', '{"n": 2}')
    assert await sandbox.invoke(job_handler(spec(), handle), *refs) == {"started": 2}
    assert [(await job(conn, r.job_id)).result for r in refs] == [{"n": 1}, {"n": 2}]
    assert (
        await conn.fetchval("SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'") == 0
    )


async def test_an_end_the_database_refuses_leaves_the_others_and_the_next_invocation_alone(
    conn: Connection, sandbox: Sandbox
) -> None:
    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        if ctx.payload.do == "fail":
            raise RuntimeError("no")
        return {}

    refs = await tasks(conn, '{"do": "fail"}', '{"n": 13}', "{}", "{}")
    bad = [str(r.job_id) for r in refs[:2]]
    await conn.execute(
        f"""
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF NEW.job_id = ANY ('{{{",".join(bad)}}}') AND NEW.status <> 2 THEN RAISE 'not this one'; END IF;
           RETURN NEW; END $$;
        CREATE TRIGGER refuse BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION refuse();
        """
    )
    handler = job_handler(spec(), handle)
    assert await sandbox.invoke(handler, *refs) == {"started": 4}
    assert [await status(conn, r.job_id) for r in refs] == ["RUNNING", "RUNNING", "DONE", "DONE"]
    assert await sandbox.invoke(handler, *await tasks(conn, "{}")) == {"started": 1}


async def test_a_handler_that_keeps_the_connection_and_does_not_stop_keeps_no_other_from_its_end(
    conn: Connection, database: str, environment: Environment
) -> None:
    [stuck, fine] = await tasks(conn, '{"do": "hold"}', '{"n": 4}')
    code = _run_sandbox([stuck, fine])
    assert code == 70
    assert await status(conn, fine.job_id) == "DONE"


async def test_a_handler_that_ignores_its_stop_ends_the_sandbox(
    conn: Connection, environment: Environment
) -> None:
    refs = await tasks(conn, '{"do": "ignore"}', '{"n": 4}')
    code = _run_sandbox(refs)
    assert code == 70
    assert (await error_of(conn, refs[0])).startswith("JobDeadlineExceeded")
    assert (await job(conn, refs[1].job_id)).result == {"n": 4}


SANDBOX = """
import asyncio, json, sys
from shared.runtime import attempt, job_handler
from tests.db.runtime.conftest import LambdaContext
from tests.db.runtime.test_handler import spec

async def handle(job, ctx):
    if ctx.payload.do == "well":
        await asyncio.sleep(0.3)
        return {"n": ctx.payload.n}
    async def insist():
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                pass
    if ctx.payload.do == "hold":
        async with ctx.reading():
            await insist()
    await insist()

print(job_handler(spec(), handle)(json.loads(sys.argv[1]), LambdaContext("request", 900)))
"""


def _run_sandbox(refs: list[Any]) -> int:
    event = json.dumps(jobs_event(TEST_TYPE, refs))
    environment = {**os.environ, "JOB_DEADLINE_SECONDS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", SANDBOX, event], env=environment, timeout=60, check=False, capture_output=True
    )
    return done.returncode
