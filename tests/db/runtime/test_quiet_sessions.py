"""What our sessions leave in the server: nothing. No open transaction while others work, no state, no lock on the schema."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from functions.claimer import claimer
from functions.claimer import handler as claimer_handler
from functions.reaper import handler as reaper_handler
from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import Job, NewJob
from shared.runtime import JobContext, Outcome, job_handler
from shared.settings import settings
from tests.db.runtime.conftest import Sandbox
from tests.db.runtime.test_handler import spec, tasks
from tests.db.steps import connect, connections, let_lease_run_out, new, running, status
from tests.fakes.lambda_invoke import FakeLambda

Environment = Callable[..., None]

OPEN = """
SELECT count(*) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND xact_start IS NOT NULL
"""
STATE = """
SELECT (SELECT coalesce(string_agg(name || '=' || setting, ' '), '') FROM pg_settings
         WHERE source = 'session' AND name <> 'application_name'  -- which a pooler sets for each client by itself
           AND setting IS DISTINCT FROM reset_val) AS settings,
       (SELECT count(*) FROM pg_listening_channels()) AS channels,
       (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks,
       (SELECT count(*) FROM pg_prepared_statements) AS prepared,
       (SELECT count(*) FROM pg_cursors WHERE is_holdable) AS cursors,
       pg_my_temp_schema() AS temporary
"""


async def test_no_transaction_is_open_while_handlers_are_invoked(
    database: str, environment: Environment
) -> None:
    open_then: list[int] = []

    async def look() -> int:
        watcher = await connect(database)
        try:
            return int(await watcher.fetchval(OPEN))
        finally:
            await watcher.close(timeout=5)

    def invoke(function: str, job_type: int, refs: Any) -> None:
        open_then.append(asyncio.run(look()))

    async with connections(database, 1) as (conn,):
        for _ in range(3):
            await new(conn)
        await claimer.run_once(conn, settings(), invoke, remaining=lambda: 60, poll=False)
    assert open_then == [0]


async def test_no_transaction_is_open_while_a_handler_works(
    conn: Connection, sandbox: Sandbox, environment: Environment
) -> None:
    """Neither its own connection's nor the heartbeat's, which has beaten by then."""
    environment(JOB_LEASE_SECONDS="0.6")
    working, go_on = threading.Event(), threading.Event()

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        async with ctx.reading() as work:
            await work.fetchval("SELECT 1")
        async with ctx.fenced() as work:
            await work.fetchval("SELECT 1")
        await ctx.progress(step=1)
        working.set()
        await asyncio.to_thread(go_on.wait, 60)
        return {}

    invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(), handle), *await tasks(conn, "{}")))
    try:
        await asyncio.to_thread(working.wait, 20)
        seen = []
        while len(seen) < 40:  # a beat or a progress may be under way in the very moment of one look
            seen.append(await conn.fetchval(OPEN))
        assert sorted(seen)[len(seen) // 2] == 0
    finally:
        go_on.set()
    await invoking


async def test_a_session_is_left_as_it_was_found(
    conn: Connection, sandbox: Sandbox, environment: Environment
) -> None:
    """As behind a pooler that gives the next transaction to another session; no statement stays prepared there either."""
    environment(DB_STATEMENT_CACHE_SIZE="0")
    seen: list[tuple[Any, ...]] = []

    async def handle(job: Job, ctx: JobContext) -> Outcome:
        async with ctx.fenced() as work:
            await queue.enqueue(work, NewJob(1, dedupe_key="k"))
        async with ctx.reading() as work:
            seen.append(tuple(await work.fetchrow(STATE) or ()))
        return Outcome({}, [NewJob(1)])

    handler = job_handler(spec(), handle)
    for _ in range(3):
        await sandbox.invoke(handler, *await tasks(conn, "{}", "{}"))
        await sandbox.call(claimer_handler.handler, {"source": "wake"})
        await sandbox.call(reaper_handler.handler, {})
    assert len(set(map(str, seen))) == 1
    settings_, *rest = seen[0]
    assert (settings_, rest) == ("", [0, 0, 0, 0, 0])


async def test_everything_works_while_a_backup_holds_its_locks_on_all_tables(
    conn: Connection, sandbox: Sandbox, database: str, invokes: FakeLambda
) -> None:
    """pg_dump holds ACCESS SHARE on every table; whoever changed the schema would wait for it, and everybody for them."""
    async with connections(database, 1) as (backup,):
        transaction = backup.transaction(isolation="repeatable_read")
        await transaction.start()
        tables = await backup.fetch(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        await backup.execute(f"LOCK TABLE {', '.join(r['relname'] for r in tables)} IN ACCESS SHARE MODE")
        known = await new(conn)
        claimer_handler._registered = False
        assert (await sandbox.call(claimer_handler.handler, {"source": "wake"}))["invocations"] == 1
        assert await status(conn, known) == "RUNNING"
        expired = await running(conn, max_attempts=1)
        await let_lease_run_out(conn, expired.job_id)
        assert (await sandbox.call(reaper_handler.handler, {}))["reaped"] == {"DEAD": 1}

        async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
            return {}

        refs = await tasks(conn, "{}")
        await sandbox.invoke(job_handler(spec(), handle), *refs)
        assert await status(conn, refs[0].job_id) == "DONE"
        await transaction.rollback()
