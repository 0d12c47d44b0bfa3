"""Connections that stay open and over which nothing comes any more: everything goes on after a bounded time, on another one."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from functions.claimer import handler as claimer_handler
from shared import db
from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import Job, JobStatus, JobType, NewJob
from shared.runtime import JobContext, Outcome, finisher, job_handler
from shared.runtime import sandbox as sandbox_module
from tests.db.faults.ends import ended_once, follow_ups, reaped
from tests.db.runtime.conftest import Sandbox
from tests.db.runtime.proxy import Action, Executing, Message, Proxy, Rule, everything, no_answers
from tests.db.runtime.test_handler import Environment, spec, tasks
from tests.db.steps import claimed, connect, job, let_lease_run_out, new, until
from tests.fakes.lambda_invoke import FakeLambda

BOUND = 15.0  # seconds for what takes a second or two on an idle machine, and without a bound for ever


@pytest.fixture
async def proxy(database: str, environment: Environment) -> AsyncIterator[Proxy]:
    """Between the sandbox and the server; limits short enough for a test."""
    made = Proxy(database)
    environment(DATABASE_URL=await made.start(), DB_COMMAND_TIMEOUT="20", DB_CONNECT_TIMEOUT="0.5")
    yield made
    await made.stop()


@pytest.fixture(autouse=True)
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finisher, "TRY_SECONDS", 1.5)
    monkeypatch.setattr(finisher, "RETRY_DELAYS", (0.1,) * 50)
    monkeypatch.setattr(db, "ROLLBACK_SECONDS", 0.3)
    monkeypatch.setattr(sandbox_module, "PROBE_SECONDS", 0.3)


def line_swallowed_at(statement: bytes, *, first_only: bool = True, answers_only: bool = False) -> Rule:
    """When this statement is executed its line falls silent: both ways, or the server's alone, which has executed it then."""
    execution = Executing(statement)
    silent: set[int] = set()

    def rule(message: Message) -> Action:
        if execution.on(message) and not (silent and first_only):
            silent.add(message.line)
        heard = answers_only and message.from_client
        return Action.SWALLOW if message.line in silent and not heard else Action.PASS

    return rule


class Waiting:
    """A handler that waits until the test has made its connection what it wants."""

    def __init__(self, follow_up: bool = False) -> None:
        self.going, self.go_on = threading.Event(), threading.Event()
        self._follow_up = follow_up

    async def __call__(self, job: Job, ctx: JobContext) -> Outcome:
        self.going.set()
        await asyncio.to_thread(self.go_on.wait, 30)
        return Outcome({"n": 1}, [NewJob(JobType.COLLECT, priority=501)] if self._follow_up else [])


@pytest.mark.parametrize("follow_up", [False, True])
@pytest.mark.parametrize("unreachable", [False, True])
async def test_an_end_over_a_line_gone_silent_is_written_over_the_next(
    conn: Connection,
    sandbox: Sandbox,
    proxy: Proxy,
    caplog: pytest.LogCaptureFixture,
    follow_up: bool,
    unreachable: bool,
) -> None:
    handle = Waiting(follow_up)
    [ref] = await tasks(conn, "{}")
    invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(), handle), ref))
    await asyncio.to_thread(handle.going.wait, 20)
    proxy.swallow()
    lines = proxy.accepted
    if not unreachable:
        proxy.serve_again()
    handle.go_on.set()
    if unreachable:

        async def tried_anew() -> bool:
            return proxy.accepted > lines + 1  # asking to cancel the lost statement opens a line too

        await until(tried_anew)
        proxy.serve_again()
    assert await asyncio.wait_for(invoking, BOUND) == {"started": 1}
    await ended_once(conn, ref, {"n": 1})
    assert await follow_ups(conn) == ({1: 1} if follow_up else {})
    if not unreachable:  # the line was given up after one try
        assert caplog.text.count("a job's end could not be written yet") == 1


@pytest.mark.parametrize("executed", [False, True])
async def test_an_end_whose_line_falls_silent_within_its_transaction_is_written_over_the_next(
    conn: Connection, sandbox: Sandbox, proxy: Proxy, environment: Environment, executed: bool
) -> None:
    """Neither is a rollback waited for over that line, nor, where the server had locked the row, that session's own end."""
    environment(DB_IDLE_TRANSACTION_SECONDS="1" if executed else "60")
    proxy.rule = line_swallowed_at(b"job_complete", answers_only=executed)
    handle = Waiting(follow_up=True)
    handle.go_on.set()
    [ref] = await tasks(conn, "{}")
    invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(), handle), ref))
    assert await asyncio.wait_for(invoking, BOUND) == {"started": 1}
    await ended_once(conn, ref, {"n": 1})
    assert await follow_ups(conn) == {1: 1}


async def test_a_heartbeat_over_a_line_gone_silent_is_made_up_for_before_the_lease_runs_out(
    conn: Connection, sandbox: Sandbox, proxy: Proxy, environment: Environment
) -> None:
    environment(JOB_LEASE_SECONDS="4")
    proxy.rule = line_swallowed_at(b"job_renew_lease")
    handle = Waiting()
    [ref] = await tasks(conn, "{}")
    invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(), handle), ref))

    async def renewed() -> Any:
        assert await queue.reap(conn, 10) == []
        return await conn.fetchval("SELECT updated_at > run_started_at FROM jobs")

    try:
        await until(renewed)
    finally:
        handle.go_on.set()
    await asyncio.wait_for(invoking, BOUND)
    await ended_once(conn, ref, {"n": 1})


async def test_heartbeats_go_on_until_the_end_is_written_however_long_that_takes(
    conn: Connection,
    sandbox: Sandbox,
    proxy: Proxy,
    environment: Environment,
) -> None:
    environment(JOB_LEASE_SECONDS="1.5")
    proxy.rule = line_swallowed_at(b"job_complete", first_only=False)
    handle = Waiting()
    handle.go_on.set()
    [ref] = await tasks(conn, "{}")
    invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(), handle), ref))

    async def lease_would_be_over() -> Any:
        assert await queue.reap(conn, 10) == []
        return await conn.fetchval("SELECT now() > run_started_at + interval '2.5 seconds' FROM jobs")

    try:
        await until(lease_would_be_over)
    finally:
        proxy.rule = everything
    assert await asyncio.wait_for(invoking, BOUND) == {"started": 1}
    await ended_once(conn, ref, {"n": 1})


async def test_a_start_never_heard_of_runs_nothing_and_its_lease_brings_the_job_back(
    conn: Connection, sandbox: Sandbox, proxy: Proxy, environment: Environment
) -> None:
    environment(DB_COMMAND_TIMEOUT="0.5", DB_STATEMENT_CACHE_SIZE="100")
    proxy.rule = line_swallowed_at(b"job_start", answers_only=True)
    handle = Waiting()
    handle.go_on.set()
    handler = job_handler(spec(), handle)
    [ref] = await tasks(conn, "{}")
    assert await asyncio.wait_for(sandbox.invoke(handler, ref), BOUND) == {"started": 0}
    assert not handle.going.is_set()
    await let_lease_run_out(conn, ref.job_id)
    assert await reaped(conn, ref)
    await conn.execute("UPDATE jobs SET run_after = now()")
    again = (await claimed(conn))[ref.job_id]
    assert await sandbox.invoke(handler, again) == {"started": 1}
    await ended_once(conn, again, {"n": 1}, attempts=[(1, "lease_expired")])


@pytest.mark.parametrize("answers_only", [False, True])
async def test_a_claimer_whose_line_goes_silent_gives_up_in_bounded_time_and_loses_nothing(
    conn: Connection,
    sandbox: Sandbox,
    proxy: Proxy,
    environment: Environment,
    invokes: FakeLambda,
    answers_only: bool,
) -> None:
    environment(DB_COMMAND_TIMEOUT="0.5")
    proxy.rule = line_swallowed_at(b"job_claim", answers_only=answers_only)
    ids = [await new(conn) for _ in range(3)]
    wake: Callable[[], Any] = lambda: sandbox.call(claimer_handler.handler, {"source": "wake"})  # noqa: E731
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(wake(), BOUND)
    assert invokes.accepted() == []
    if answers_only:  # claimed, and nobody knows
        assert {(await job(conn, job_id)).status for job_id in ids} == {JobStatus.RUNNING}
        await let_lease_run_out(conn, *ids)
        await queue.reap(conn, 10)
    report = await asyncio.wait_for(wake(), BOUND)
    assert (report["claimed"], report["invocations"]) == (3, 1)
    assert {(await job(conn, job_id)).attempts for job_id in ids} == {1}


async def test_a_transaction_whose_begin_is_never_answered_leaves_no_connection_that_takes_itself_to_be_in_one(
    conn: Connection, database: str
) -> None:
    made = Proxy(database)
    work = await connect(await made.start())

    async def write() -> None:
        async with db.transaction(work):
            raise AssertionError("it has begun")

    try:
        made.rule = no_answers
        writing = asyncio.create_task(write())

        async def begun() -> Any:
            return await conn.fetchval(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND state = 'idle in transaction'"
            )

        await until(begun)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        assert work.is_closed()
    finally:
        await made.stop()


async def test_the_limit_on_silence_is_each_transactions_own_and_holds_within_its_savepoints(
    conn: Connection,
) -> None:
    async def limit() -> object:
        return await conn.fetchval("SHOW idle_in_transaction_session_timeout")

    async def fails() -> None:
        async with db.transaction(conn):
            await conn.execute("CREATE TABLE never (n integer)")
            raise ZeroDivisionError

    before = await limit()
    async with db.transaction(conn):
        assert await limit() == "30s"
        with pytest.raises(ZeroDivisionError):
            await fails()
        assert await limit() == "30s"
        await conn.execute("CREATE TABLE made (n integer)")
    assert await limit() == before
    assert await conn.fetchval("SELECT to_regclass('never') IS NULL AND to_regclass('made') IS NOT NULL")
