"""Sandboxes frozen past their lease and continued: another has had their jobs, and they must write nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import JobRef, JobStatus
from tests.db.faults.conftest import Process, Processes
from tests.db.faults.ends import alone, ended_once, follow_ups, reaped, taken_again
from tests.db.runtime.proxy import Action, Executing, Message, Proxy
from tests.db.runtime.test_handler import tasks
from tests.db.steps import alerts, connections, let_lease_run_out, running, until, waiting_on


async def until_started(conn: Connection, *refs: JobRef) -> None:
    async def all_started() -> Any:
        return await conn.fetchval(
            "SELECT count(*) = cardinality($1::uuid[]) FROM jobs WHERE job_id = ANY ($1::uuid[]) AND run_started_at IS NOT NULL",
            [r.job_id for r in refs],
        )

    await until(all_started, 20)


async def frozen_in_its_handler(conn: Connection, process: Process, ref: JobRef) -> "asyncio.Task[Any]":
    """The sandbox, stopped while its handler waits, its lease run out."""
    invoking = process.invoking(ref)
    await until_started(conn, ref)
    process.freeze()
    await let_lease_run_out(conn, ref.job_id)
    return invoking


async def test_one_frozen_past_its_lease_and_continued_writes_nothing_and_serves_on(
    conn: Connection, processes: Processes
) -> None:
    frozen, other = processes(), processes()
    [ref] = await tasks(conn, '{"do": "wait", "n": 7}')
    invoking = await frozen_in_its_handler(conn, frozen, ref)
    again = await taken_again(conn, ref)
    other.go()
    assert await other.invoke(again) == {"started": 1}
    before = await ended_once(conn, again, {"n": 7}, attempts=[(1, "lease_expired")])
    frozen.go()
    frozen.thaw()
    assert await invoking == {"started": 1}
    assert await ended_once(conn, again, {"n": 7}, attempts=[(1, "lease_expired")]) == before
    assert await follow_ups(conn) == {7: 1}
    assert await alerts(conn) == {}
    [next_ref] = await tasks(conn, '{"n": 8}')
    assert await frozen.invoke(next_ref) == {"started": 1}
    await ended_once(conn, next_ref, {"n": 8})


async def test_ones_heartbeat_learns_that_the_lease_is_lost_and_the_others_of_the_batch_go_on(
    conn: Connection, processes: Processes
) -> None:
    frozen, other = processes(JOB_LEASE_SECONDS="3"), processes()
    lost, kept = await tasks(conn, '{"do": "wait", "n": 1}', '{"do": "wait", "n": 2}')
    invoking = frozen.invoking(lost, kept)
    await until_started(conn, lost, kept)
    frozen.freeze()
    await let_lease_run_out(conn, lost.job_id)
    again = await taken_again(conn, lost)
    other.go()
    assert await other.invoke(again) == {"started": 1}
    frozen.thaw()

    async def told() -> bool:
        return frozen.stopped(1)

    await until(told)
    assert not frozen.stopped(2)
    frozen.go()
    assert await invoking == {"started": 2}
    await ended_once(conn, again, {"n": 1}, attempts=[(1, "lease_expired")])
    await ended_once(conn, kept, {"n": 2})
    assert await follow_ups(conn) == {1: 1, 2: 1}


async def test_one_frozen_between_the_claim_and_the_start_starts_nothing(
    conn: Connection, processes: Processes
) -> None:
    frozen, other = processes(), processes()
    [first] = await tasks(conn, "{}")
    assert await frozen.invoke(first) == {"started": 1}
    [ref] = await tasks(conn, '{"n": 3}')
    frozen.freeze()
    invoking = frozen.invoking(ref)
    await let_lease_run_out(conn, ref.job_id)
    again = await taken_again(conn, ref, attempt=1)
    assert await other.invoke(again) == {"started": 1}
    frozen.thaw()
    assert await invoking == {"started": 0}
    await ended_once(conn, again, {"n": 3}, attempts=[(1, "given_back")])
    assert await follow_ups(conn) == {3: 1}


class FreezesAt:
    """A rule that freezes a sandbox when the server has answered the execution of a statement, before the sandbox hears it."""

    def __init__(self, statement: bytes) -> None:
        self.process: Process | None = None
        self.frozen = asyncio.Event()
        self._execution = Executing(statement)

    def __call__(self, message: Message) -> Action:
        answered = self._execution.on(message) and not message.from_client and message.kind == "D"
        if answered and self.process is not None and not self.frozen.is_set():
            self.process.freeze()
            self.frozen.set()
        return Action.PASS


@pytest.fixture
async def freezing(
    database: str, processes: Processes, statement: bytes
) -> AsyncIterator[tuple[FreezesAt, Callable[..., Process]]]:
    """Makes a sandbox that is frozen at that statement."""
    rule = FreezesAt(statement)
    proxy = Proxy(database, rule)
    url = await proxy.start()

    def make(**variables: str) -> Process:
        rule.process = processes(DATABASE_URL=url, **variables)
        return rule.process

    yield rule, make
    await proxy.stop()


in_its_transaction = pytest.mark.parametrize(
    "statement",
    [b"job_complete", pytest.param(b"INSERT INTO jobs", marks=pytest.mark.slow)],
    ids=["the job is DONE", "the follow-up is in"],
)
Freezing = tuple[FreezesAt, Callable[..., Process]]


@in_its_transaction
async def test_one_frozen_in_its_completions_transaction_keeps_the_rows_no_longer_than_the_server_allows(
    conn: Connection, processes: Processes, freezing: Freezing
) -> None:
    rule, make = freezing
    process, other = make(JOB_LEASE_SECONDS="0.5", DB_IDLE_TRANSACTION_SECONDS="2"), processes()
    [ref] = await tasks(conn, '{"n": 4}')
    invoking = process.invoking(ref)
    await asyncio.wait_for(rule.frozen.wait(), 20)
    locked = "SELECT count(*) FROM (SELECT FROM jobs WHERE status = 2 FOR UPDATE SKIP LOCKED) free"
    assert await conn.fetchval(locked) == 0
    await until(lambda: reaped(conn, ref))
    again = await taken_again(conn, ref)
    assert await other.invoke(again) == {"started": 1}
    process.thaw()
    assert await invoking == {"started": 1}
    await ended_once(conn, again, {"n": 4}, attempts=[(1, "lease_expired")])
    assert await follow_ups(conn) == {4: 1}


@in_its_transaction
async def test_one_frozen_there_whose_lease_still_holds_ends_its_job_when_it_goes_on(
    conn: Connection, freezing: Freezing
) -> None:
    """The server has ended the session; that is the connection's failure, not the job's."""
    rule, make = freezing
    process = make(DB_IDLE_TRANSACTION_SECONDS="0.2")
    [ref] = await tasks(conn, '{"n": 5}')
    invoking = process.invoking(ref)
    await asyncio.wait_for(rule.frozen.wait(), 20)
    await alone(conn)
    process.thaw()
    assert await invoking == {"started": 1}
    await ended_once(conn, ref, {"n": 5})
    assert await follow_ups(conn) == {5: 1}


async def test_one_row_behind_a_silent_transaction_does_not_hold_up_the_reaper(
    conn: Connection, database: str
) -> None:
    """It may be the job's own row, which is passed by, or one that a death takes along."""
    root, fine, busy = await running(conn, max_attempts=1), await running(conn), await running(conn)
    await waiting_on(conn, root.job_id, required=True)
    await let_lease_run_out(conn, root.job_id, fine.job_id, busy.job_id)
    async with connections(database, 1) as (silent,):
        held = silent.transaction()
        await held.start()
        await silent.execute("SELECT 1 FROM jobs WHERE waiting_on > 0 OR job_id = $1 FOR UPDATE", busy.job_id)
        found = {job.job_id: job for job in await asyncio.wait_for(queue.reap(conn, 10), 5)}
        assert found[fine.job_id].status is JobStatus.PENDING
        assert (found[root.job_id].problem or "").startswith("55P03")
        assert busy.job_id not in found
        await held.rollback()
    assert {job.job_id: job.status for job in await queue.reap(conn, 10)} == {
        root.job_id: JobStatus.DEAD,
        busy.job_id: JobStatus.PENDING,
    }
