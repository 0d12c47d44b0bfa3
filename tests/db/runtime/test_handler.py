"""One invocation of a job type's handler: what becomes of each job of the batch."""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from pydantic import ValidationError

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.errors import LeaseLost, PermanentJobError, Snooze
from shared.jobs.models import Dependency, Job, JobRef, JobStatus, JobType, NewJob
from shared.jobs.spec import JobSpec, Payload
from shared.runtime import JobContext, Outcome, job_handler
from shared.runtime.events import jobs_event
from tests.db.runtime.conftest import TEST_TYPE, Sandbox
from tests.db.steps import alerts, claimed, job, let_lease_run_out, put, status, until
from tests.fakes.lambda_invoke import FakeLambda

Environment = Callable[..., None]


class TaskPayload(Payload):
    """What a test's job is told to do."""

    do: str = "well"
    n: int = 0


def spec(**numbers: Any) -> JobSpec:
    return JobSpec(
        type=TEST_TYPE, name="TEST", function="job-test", payload_model=TaskPayload, batch_size=10, **numbers
    )


async def tasks(conn: Connection, *payloads: str, **columns: Any) -> list[JobRef]:
    """Jobs of the test's type with these payloads, claimed; their refs in order."""
    ids = [await put(conn, TEST_TYPE, payload=p, **columns) for p in payloads]
    refs = await claimed(conn)
    return [refs[i] for i in ids]


async def error_of(conn: Connection, ref: JobRef) -> str:
    return (await job(conn, ref.job_id)).last_error or ""


async def test_a_handler_gets_its_job_and_payload_and_its_result_ends_the_job(
    conn: Connection, sandbox: Sandbox
) -> None:
    seen: list[Any] = []

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        seen.append((job.job_id, job.attempts, ctx.payload, ctx.remaining() > 200))
        return {"n": ctx.payload.n + 1}

    [ref] = await tasks(conn, '{"n": 41}')
    assert await sandbox.invoke(job_handler(spec(), handle), ref) == {"started": 1}
    assert seen == [(ref.job_id, 1, TaskPayload(n=41), True)]
    found = await job(conn, ref.job_id)
    assert (found.status, found.result) == (JobStatus.DONE, {"n": 42})
    assert found.invocation_id is not None


async def test_a_batchs_jobs_run_beside_each_other(conn: Connection, sandbox: Sandbox) -> None:
    together = 0
    all_here = asyncio.Event()

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        nonlocal together
        together += 1
        if together == 5:
            all_here.set()
        await all_here.wait()
        return {}

    refs = await tasks(conn, *["{}"] * 5)
    assert await sandbox.invoke(job_handler(spec(deadline=20), handle), *refs) == {"started": 5}
    assert {await status(conn, r.job_id) for r in refs} == {"DONE"}


async def test_every_way_to_end_is_written_and_none_touches_another(
    conn: Connection, sandbox: Sandbox, environment: Environment
) -> None:
    environment(JOB_DEADLINE_SECONDS="1.5")

    async def handle(job: Job, ctx: JobContext) -> Any:
        match ctx.payload.do:
            case "well":
                return {"fine": True}
            case "fail":
                raise RuntimeError("no such page")
            case "permanent":
                raise PermanentJobError("place is gone")
            case "snooze":
                raise Snooze(90, "quota")
            case "never":
                raise Snooze(float("inf"), "quota")
            case "overrun":
                await asyncio.sleep(60)
            case "timeout":
                raise TimeoutError("their server")
            case "own timeout":
                await asyncio.wait_for(asyncio.sleep(60), 0.05)
            case "exit":
                raise SystemExit(3)
            case "cancel":
                raise asyncio.CancelledError
            case "list":
                return [1]
            case "nothing":
                return None
            case "odd":
                return {"a": "x\x00", "n": float("nan"), "big": "y" * 300_000}
            case "fenced":
                async with ctx.fenced() as conn:
                    await conn.execute("SELECT 1 / 0")
        return {}

    kinds = ["well", "fail", "permanent", "snooze", "never", "overrun", "timeout", "own_timeout", "exit"]
    kinds += ["cancel", "list", "nothing", "odd", "fenced"]
    told = [f'{{"do": "{kind.replace("_", " ")}"}}' for kind in kinds]
    refs = await tasks(conn, *told, '{"do": 7}', '{"colour": "red"}', "[]")
    handler = job_handler(spec(), handle)
    assert await sandbox.invoke(handler, *refs) == {"started": len(refs)}
    ended = {
        k: await job(conn, r.job_id)
        for k, r in zip([*kinds, "bad type", "extra", "no object"], refs, strict=True)
    }
    assert {k: j.status.name for k, j in ended.items()} == {
        "well": "DONE",
        "fail": "PENDING",
        "permanent": "DEAD",
        "snooze": "PENDING",
        "never": "PENDING",
        "overrun": "PENDING",
        "timeout": "PENDING",
        "own_timeout": "PENDING",
        "exit": "PENDING",
        "cancel": "PENDING",
        "list": "PENDING",
        "nothing": "PENDING",
        "odd": "DONE",
        "fenced": "PENDING",
        "bad type": "DEAD",
        "extra": "DEAD",
        "no object": "DEAD",
    }
    says = {k: j.last_error or "" for k, j in ended.items()}
    assert says["fail"] == "RuntimeError: no such page"
    assert says["permanent"] == "PermanentJobError: place is gone"
    assert says["never"].startswith("ValueError: ")
    assert says["overrun"].startswith("JobDeadlineExceeded: ")
    assert says["timeout"] == "TimeoutError: their server"
    assert says["own_timeout"] == "TimeoutError"
    assert "SystemExit" in says["exit"]
    assert says["list"].startswith("TypeError: ")
    assert says["fenced"].startswith("DivisionByZeroError: ")
    assert says["bad type"].startswith("InvalidPayload: do: ")
    assert says["extra"].startswith("InvalidPayload: colour: ")
    assert says["no object"] == "InvalidPayload: payload: Must be a JSON object"
    assert (ended["snooze"].attempts, ended["snooze"].snoozes, ended["fail"].attempts) == (0, 1, 1)
    assert "dropped" in (ended["odd"].result or {})
    assert sum((await alerts(conn)).values()) == 4
    assert (await queue.ops(conn))["deadline_1h"] == 1


async def test_the_functions_own_time_shortens_the_deadline(conn: Connection, sandbox: Sandbox) -> None:
    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        await asyncio.sleep(60)
        return {}

    [ref] = await tasks(conn, "{}")
    began = time.monotonic()
    await sandbox.invoke(job_handler(spec(), handle), ref, seconds=21.2)
    assert time.monotonic() - began < 15
    assert (await error_of(conn, ref)).startswith("JobDeadlineExceeded: ")


async def test_a_duplicate_event_starts_nothing(conn: Connection, sandbox: Sandbox) -> None:
    runs: list[UUID] = []

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        runs.append(job.job_id)
        return {}

    refs = await tasks(conn, "{}", "{}")
    handler = job_handler(spec(), handle)
    assert await sandbox.invoke(handler, *refs, refs[0]) == {"started": 2}
    assert await sandbox.invoke(handler, *refs) == {"started": 0}
    assert len(runs) == 2


async def test_an_event_that_comes_after_its_lease_was_lost_starts_nothing(
    conn: Connection, sandbox: Sandbox
) -> None:
    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        return {"ran": True}

    [late] = await tasks(conn, "{}")
    await let_lease_run_out(conn, late.job_id)
    await queue.reap(conn, 10)
    handler = job_handler(spec(), handle)
    assert await sandbox.invoke(handler, late) == {"started": 0}
    again = (await claimed(conn))[late.job_id]
    assert await sandbox.invoke(handler, late) == {"started": 0}
    assert await sandbox.invoke(handler, again) == {"started": 1}


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"version": 2, "job_type": TEST_TYPE, "jobs": []},
        {"version": 1, "job_type": TEST_TYPE, "jobs": []},
        {"version": 1, "job_type": TEST_TYPE, "jobs": [{"job_id": "x"}]},
        jobs_event(1, [JobRef(UUID(int=1), UUID(int=2), 1)]),
    ],
)
async def test_an_event_of_another_shape_or_type_is_an_error(sandbox: Sandbox, event: dict[str, Any]) -> None:
    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        return {}

    with pytest.raises((ValidationError, ValueError)):
        await sandbox.call(job_handler(spec(), handle), event)


async def test_a_handler_that_blocks_the_event_loop_keeps_its_lease(
    conn: Connection, sandbox: Sandbox, environment: Environment
) -> None:
    environment(JOB_LEASE_SECONDS="1.5")
    go_on = threading.Event()

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        go_on.wait(20)
        return {}

    [ref] = await tasks(conn, "{}")
    invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(), handle), ref))

    async def ran() -> Any:
        return await conn.fetchval(
            "SELECT now() > run_started_at + interval '2.5 seconds' FROM jobs WHERE run_started_at IS NOT NULL"
        )

    async def holds() -> bool:
        assert await queue.reap(conn, 10) == []
        return bool(await ran())

    await until(holds, 15)
    go_on.set()
    await invoking
    assert await status(conn, ref.job_id) == "DONE"


async def test_a_lost_lease_stops_the_handler_and_nothing_is_written(
    conn: Connection, sandbox: Sandbox, environment: Environment
) -> None:
    environment(JOB_LEASE_SECONDS="1.5")
    stopped: list[str] = []

    async def handle(job: Job, ctx: JobContext) -> Any:
        if ctx.payload.do == "well":
            return {}
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            stopped.append(ctx.payload.do)
            if ctx.payload.do == "insist":
                return Outcome({"late": True}, [NewJob(JobType.COLLECT)])
            raise

    refs = await tasks(conn, '{"do": "wait"}', '{"do": "insist"}', "{}")
    invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(), handle), *refs))
    await until(lambda: _is(conn, refs[2], "DONE"))
    # Another took them over: a reaper that found the leases run out, and a claim.
    await conn.execute(
        "UPDATE jobs SET worker_id = gen_random_uuid(), attempts = 2, lease_until = now() + interval '1 hour' WHERE status = 2"
    )
    before = [await job(conn, r.job_id) for r in refs]
    assert await invoking == {"started": 3}
    assert sorted(stopped) == ["insist", "wait"]
    assert [await job(conn, r.job_id) for r in refs] == before
    assert await conn.fetchval("SELECT count(*) FROM jobs") == 3
    assert await alerts(conn) == {}


async def _is(conn: Connection, ref: JobRef, name: str) -> bool:
    return await status(conn, ref.job_id) == name


async def test_a_cancel_stops_the_handler_at_the_next_heartbeat(
    conn: Connection, sandbox: Sandbox, environment: Environment
) -> None:
    environment(JOB_LEASE_SECONDS="1.5")
    cleaned: list[int] = []

    async def handle(job: Job, ctx: JobContext) -> Any:
        try:
            await asyncio.sleep(60)
        finally:
            cleaned.append(ctx.payload.n)

    refs = await tasks(conn, '{"n": 1}', '{"n": 2}')
    invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(deadline=3), handle), *refs))

    async def started() -> Any:
        return await conn.fetchval("SELECT count(*) = 2 FROM jobs WHERE run_started_at IS NOT NULL")

    await until(started)
    await queue.cancel(conn, refs[0].job_id)
    await until(lambda: _is(conn, refs[0], "CANCELLED"), 5)
    assert cleaned == [1]
    assert await status(conn, refs[1].job_id) == "RUNNING"
    await invoking
    assert await alerts(conn) == {}
    assert (await error_of(conn, refs[1])).startswith("JobDeadlineExceeded")


async def test_a_job_asked_to_stop_before_it_started_is_never_handled(
    conn: Connection, sandbox: Sandbox
) -> None:
    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        raise AssertionError("it ran")

    [ref] = await tasks(conn, "{}")
    await queue.cancel(conn, ref.job_id)
    await sandbox.invoke(job_handler(spec(), handle), ref)
    assert await status(conn, ref.job_id) == "CANCELLED"


async def test_fenced_writes_go_in_while_the_lease_holds_and_raise_lease_lost_after(
    conn: Connection, sandbox: Sandbox, database: str
) -> None:
    await conn.execute("CREATE TABLE written (n integer)")
    raised: list[str] = []

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        async with ctx.fenced() as work:
            await work.execute("INSERT INTO written VALUES (1)")
        async with ctx.reading() as work:
            await work.execute("UPDATE jobs SET worker_id = gen_random_uuid() WHERE job_id = $1", job.job_id)
        try:
            async with ctx.fenced() as work:
                await work.execute("INSERT INTO written VALUES (2)")
        except LeaseLost as lost:
            raised.append(str(lost))
            raise
        return {}

    [ref] = await tasks(conn, "{}")
    await sandbox.invoke(job_handler(spec(), handle), ref)
    assert len(raised) == 1
    assert [r["n"] for r in await conn.fetch("SELECT n FROM written")] == [1]
    assert await status(conn, ref.job_id) == "RUNNING"
    assert await queue.attempts(conn, ref.job_id) == []


async def test_a_fenced_write_that_fails_leaves_nothing_and_the_connection_serves_on(
    conn: Connection, sandbox: Sandbox
) -> None:
    await conn.execute("CREATE TABLE written (n integer)")

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        try:
            async with ctx.fenced() as work:
                await work.execute("INSERT INTO written VALUES (1)")
                await work.execute("SELECT 1 / 0")
        except asyncpg.DivisionByZeroError:
            pass
        async with ctx.fenced() as work:
            await work.execute("INSERT INTO written VALUES (2)")
        return {}

    [ref] = await tasks(conn, "{}")
    await sandbox.invoke(job_handler(spec(), handle), ref)
    assert await status(conn, ref.job_id) == "DONE"
    assert [r["n"] for r in await conn.fetch("SELECT n FROM written")] == [2]


async def test_a_deadline_in_the_middle_of_a_query_rolls_it_back_and_is_written(
    conn: Connection, sandbox: Sandbox, environment: Environment
) -> None:
    environment(JOB_DEADLINE_SECONDS="0.7")
    await conn.execute("CREATE TABLE written (n integer)")

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        async with ctx.fenced() as work:
            await work.execute("INSERT INTO written VALUES (1)")
            await work.execute("SELECT pg_sleep(30)")
        return {}

    refs = await tasks(conn, "{}", "{}")
    await sandbox.invoke(job_handler(spec(), handle), *refs)
    for ref in refs:
        assert (await error_of(conn, ref)).startswith("JobDeadlineExceeded")
    assert await conn.fetchval("SELECT count(*) FROM written") == 0


async def test_follow_ups_go_in_with_the_end_and_wake_the_claimer(
    conn: Connection, sandbox: Sandbox, invokes: FakeLambda
) -> None:
    async def handle(job: Job, ctx: JobContext) -> Outcome:
        return Outcome({}, [NewJob(JobType.COLLECT, dedupe_key="next")])

    [ref] = await tasks(conn, "{}")
    await sandbox.invoke(job_handler(spec(), handle), ref)
    assert await queue.find_active(conn, "next") is not None
    assert [(c.function, c.kind, c.payload) for c in invokes.calls] == [
        ("web4ai-claimer", "Event", {"source": "wake"})
    ]


async def test_nothing_is_woken_when_nothing_is_to_do(
    conn: Connection, sandbox: Sandbox, invokes: FakeLambda
) -> None:
    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        return {}

    await sandbox.invoke(job_handler(spec(), handle), *await tasks(conn, "{}"))
    assert invokes.calls == []


@pytest.mark.parametrize("answer", [500, 429, -1])
async def test_a_wake_that_fails_fails_no_job(
    conn: Connection, sandbox: Sandbox, invokes: FakeLambda, answer: int
) -> None:
    invokes.answers["*"] = answer

    async def handle(job: Job, ctx: JobContext) -> Outcome:
        return Outcome({}, [NewJob(JobType.COLLECT)])

    [ref] = await tasks(conn, "{}")
    await sandbox.invoke(job_handler(spec(), handle), ref)
    assert await status(conn, ref.job_id) == "DONE"


async def test_a_follow_up_that_cannot_go_in_fails_its_own_job_alone(
    conn: Connection, sandbox: Sandbox
) -> None:
    bad: Mapping[str, Any] = {
        "payload": [NewJob(JobType.COLLECT, {"speed": 1})],
        "type": [NewJob(4711)],
        "dependency": [NewJob(JobType.BUILD, depends_on=[Dependency(UUID(int=5))])],
        "place": [NewJob(JobType.COLLECT, place_id="not an id")],  # type: ignore[arg-type]
        "priority": [NewJob(JobType.COLLECT, priority=None)],  # type: ignore[arg-type]
        "text": ["not a job"],
    }

    async def handle(job: Job, ctx: JobContext) -> Outcome:
        return Outcome({"ok": True}, bad.get(ctx.payload.do, [NewJob(JobType.COLLECT, dedupe_key="good")]))

    refs = await tasks(conn, "{}", *[f'{{"do": "{k}"}}' for k in bad], "{}")
    await sandbox.invoke(job_handler(spec(), handle), *refs)
    assert [await status(conn, r.job_id) for r in refs] == ["DONE", *["PENDING"] * len(bad), "DONE"]
    assert await conn.fetchval("SELECT count(*) FROM jobs WHERE job_type = 1") == 1
    assert (await error_of(conn, refs[1])).startswith("InvalidPayload: payload.speed")


async def test_progress_is_written_at_most_once_a_second_and_the_last_word_wins(
    conn: Connection, sandbox: Sandbox
) -> None:
    await conn.execute(
        "CREATE TABLE said (progress jsonb);"
        "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " INSERT INTO said VALUES (NEW.progress); PERFORM pg_sleep(0.5); RETURN NEW; END $$;"
        "CREATE TRIGGER note BEFORE UPDATE ON jobs FOR EACH ROW"
        " WHEN (NEW.progress IS DISTINCT FROM OLD.progress) EXECUTE FUNCTION note();"
    )
    go_on = threading.Event()

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        for n in range(40):
            await ctx.progress(step=n, of=40)
            await asyncio.sleep(0.002)
        await asyncio.to_thread(go_on.wait, 20)
        return {}

    [ref] = await tasks(conn, "{}")
    invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(), handle), ref))

    async def last() -> bool:
        return ((await job(conn, ref.job_id)).progress or {}).get("step") == 39

    try:
        await until(last, 5)
    finally:
        go_on.set()
    await invoking
    assert await conn.fetchval("SELECT count(*) FROM said") <= 3


async def test_odd_and_huge_progress_never_fails_the_job(conn: Connection, sandbox: Sandbox) -> None:
    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        await ctx.progress(a="\x00\ud800", n=float("nan"), o=object(), big="x" * 100_000)
        await asyncio.sleep(0.1)
        return {"ok": True}

    [ref] = await tasks(conn, "{}")
    await sandbox.invoke(job_handler(spec(), handle), ref)
    found = await job(conn, ref.job_id)
    assert found.status is JobStatus.DONE
    assert "dropped" in (found.progress or {})
