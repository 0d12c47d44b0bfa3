"""Events that come twice and late, ends that meet a renewal, heartbeats that must outlast the ends."""

import asyncio
import signal
import threading
import time
from typing import Any

import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import Job, JobStatus
from shared.runtime import JobContext, job_handler
from tests.db.faults.conftest import Processes
from tests.db.faults.ends import ended_once, follow_ups, reaped, taken_again
from tests.db.runtime.conftest import Sandbox
from tests.db.runtime.test_handler import Environment, spec, tasks
from tests.db.steps import (
    LEASE,
    NO_JITTER,
    alerts,
    connections,
    job,
    let_lease_run_out,
    running,
    status,
    until,
    until_blocked,
)


@pytest.mark.parametrize("end", ["complete", "fail", "snooze", "progress"])
async def test_an_end_that_waits_behind_a_renewal_of_its_lease_is_written(
    conn: Connection, database: str, end: str
) -> None:
    """A renewal moves the row to where the end did not find it."""
    ref = await running(conn)
    async with connections(database, 1) as (beating,):
        renewing = beating.transaction()
        await renewing.start()
        assert await queue.renew_lease(beating, [ref], 2 * LEASE) == {ref.job_id: False}

        async def written() -> object:
            match end:
                case "complete":
                    return await queue.complete(conn, ref, {"n": 1})
                case "fail":
                    return await queue.fail(conn, ref, "no", policy=NO_JITTER)
                case "snooze":
                    return await queue.snooze(conn, ref, 60, "quota")
                case _:
                    return await queue.set_progress(conn, ref, {"n": 1})

        ending = asyncio.create_task(written())
        await until_blocked(beating, conn)
        await renewing.commit()
        assert await ending
    found = await job(conn, ref.job_id)
    said = {
        "complete": found.result == {"n": 1},
        "fail": found.last_error == "no",
        "snooze": found.snoozes == 1,
        "progress": found.progress == {"n": 1},
    }
    assert said[end]


async def test_one_event_in_two_sandboxes_at_once_runs_each_of_its_jobs_once(
    conn: Connection, processes: Processes
) -> None:
    both = [processes(), processes()]
    warm = await tasks(conn, "{}", "{}")
    await asyncio.gather(*(process.invoke(ref) for process, ref in zip(both, warm, strict=True)))
    refs = await tasks(conn, *(f'{{"n": {n}}}' for n in range(1, 9)))
    answers = await asyncio.gather(*(process.invoke(*refs) for process in both))
    assert sum(answer["started"] for answer in answers) == len(refs)
    for n, ref in enumerate(refs, 1):
        await ended_once(conn, ref, {"n": n})
    assert await follow_ups(conn) == dict.fromkeys(range(1, 9), 1)
    assert await both[0].invoke(*refs) == {"started": 0}  # and once more, when all is over
    assert await follow_ups(conn) == dict.fromkeys(range(1, 9), 1)


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
async def test_a_sandbox_ended_in_the_middle_of_its_batch_loses_none_of_its_jobs(
    conn: Connection, processes: Processes, number: signal.Signals
) -> None:
    """Neither signal leaves a sandbox alive without its heartbeat: it is gone as a whole, and the leases decide."""
    ended, other = processes(), processes()
    waits, dies, done = await tasks(
        conn, '{"do": "wait", "n": 1}', '{"do": "wait", "n": 2}', '{"n": 3}', max_attempts=2
    )
    invoking = ended.invoking(waits, dies, done, error="Runtime.ExitError")

    async def one_is_over() -> bool:
        return await status(conn, done.job_id) == "DONE"

    await until(one_is_over, 20)
    ended.signal(number)
    await invoking
    await conn.execute("UPDATE jobs SET attempts = 2 WHERE job_id = $1", dies.job_id)  # its last
    await let_lease_run_out(conn, waits.job_id, dies.job_id)
    again = await taken_again(conn, waits)
    assert await reaped(conn, dies)
    other.go()
    assert await other.invoke(again) == {"started": 1}
    await ended_once(conn, again, {"n": 1}, attempts=[(1, "lease_expired")])
    await ended_once(conn, done, {"n": 3})
    assert (await job(conn, dies.job_id)).status is JobStatus.DEAD
    assert await alerts(conn) == {f"job_dead:900:{dies.job_id}": 1}
    assert await follow_ups(conn) == {1: 1, 3: 1}


async def test_one_job_that_keeps_its_row_for_long_costs_no_other_of_the_batch_its_lease(
    conn: Connection, sandbox: Sandbox, environment: Environment
) -> None:
    environment(JOB_LEASE_SECONDS="5")
    go_on = threading.Event()

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        if ctx.payload.do == "hold":
            async with ctx.fenced() as work:
                await work.execute("SELECT pg_sleep(7)")
        else:
            await asyncio.to_thread(go_on.wait, 20)
        return {"n": ctx.payload.n}

    slow, other = await tasks(conn, '{"do": "hold", "n": 1}', '{"n": 2}')
    invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(), handle), slow, other))

    began = time.monotonic()

    async def over() -> bool:
        # While the row is surely locked. Later the slow job itself may be reaped before its end is written.
        if time.monotonic() - began < 6:
            assert await queue.reap(conn, 10) == []
        return await status(conn, slow.job_id) == "DONE"

    try:
        await until(over, 20)
    finally:
        go_on.set()
    assert await invoking == {"started": 2}
    await ended_once(conn, slow, {"n": 1})
    await ended_once(conn, other, {"n": 2})
