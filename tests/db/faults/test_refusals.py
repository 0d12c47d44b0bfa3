"""A database that takes no changes for a while: everybody says so, nothing is lost, and all goes on when it does again."""

import asyncio
import threading
from typing import Any

import asyncpg
import pytest
from pydantic import SecretStr

from functions.alert_flusher import handler as flusher_handler
from functions.claimer import handler as claimer_handler
from functions.enqueue import handler as enqueue_handler
from functions.reaper import handler as reaper_handler
from shared.db import CONNECTION_FAILURES, Connection
from shared.identity.tokens import issue_token
from shared.identity.users import create_user
from shared.jobs import queue
from shared.jobs.models import Job, JobType, NewJob
from shared.runtime import JobContext, Outcome, finisher, job_handler
from tests.db.faults.ends import ended_once, follow_ups
from tests.db.faults.refusing import Refusing, full, read_only
from tests.db.runtime.conftest import Sandbox
from tests.db.runtime.test_handler import Environment, spec, tasks
from tests.db.steps import alerts, let_lease_run_out, new, place, running, status, until
from tests.fakes.lambda_invoke import FakeLambda
from tests.fakes.teams import Teams
from tests.unit.api.conftest import JWT_SECRET, event

WAKE = {"source": "wake"}
REFUSALS = {
    full: asyncpg.DiskFullError,
    read_only: asyncpg.ReadOnlySQLTransactionError,
}

refusals = pytest.mark.parametrize("refusing", REFUSALS, ids=lambda made: made.__name__)


@pytest.fixture(autouse=True)
def retries_in_quick_succession(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finisher, "RETRY_DELAYS", (0.05,) * 200)


@refusals
@pytest.mark.parametrize("end", ["complete", "follow up", "fail"])
async def test_an_end_waits_until_the_database_takes_it(
    conn: Connection, sandbox: Sandbox, caplog: pytest.LogCaptureFixture, refusing: Refusing, end: str
) -> None:
    going, go_on = threading.Event(), threading.Event()

    async def handle(job: Job, ctx: JobContext) -> Outcome:
        going.set()
        await asyncio.to_thread(go_on.wait, 20)
        if end == "fail":
            raise RuntimeError("no")
        return Outcome({"n": 1}, [NewJob(JobType.COLLECT, priority=501)] if end == "follow up" else [])

    [ref] = await tasks(conn, "{}")
    invoking = asyncio.create_task(sandbox.invoke(job_handler(spec(), handle), ref))
    await asyncio.to_thread(going.wait, 20)

    async def refused() -> bool:
        return caplog.text.count("a job's end could not be written yet") >= 3

    async with refusing(conn):
        go_on.set()
        await until(refused)
        assert await status(conn, ref.job_id) == "RUNNING"
    assert await invoking == {"started": 1}
    if end == "fail":
        assert await status(conn, ref.job_id) == "PENDING"
        assert [a.outcome for a in await queue.attempts(conn, ref.job_id)] == ["failed"]
    else:
        await ended_once(conn, ref, {"n": 1})
    assert await follow_ups(conn) == ({1: 1} if end == "follow up" else {})


@refusals
async def test_a_start_that_is_refused_leaves_the_job_to_its_lease(
    conn: Connection, sandbox: Sandbox, refusing: Refusing
) -> None:
    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        return {"n": 1}

    handler = job_handler(spec(), handle)
    [ref] = await tasks(conn, "{}")
    async with refusing(conn):
        with pytest.raises(REFUSALS[refusing]):
            await sandbox.invoke(handler, ref)
    assert await sandbox.invoke(handler, ref) == {
        "started": 1
    }  # the event may come again, and did not start before
    await ended_once(conn, ref, {"n": 1})


@refusals
async def test_a_claimer_says_so_and_claims_when_it_can_again(
    conn: Connection, sandbox: Sandbox, invokes: FakeLambda, refusing: Refusing
) -> None:
    await sandbox.call(claimer_handler.handler, WAKE)
    ids = [await new(conn) for _ in range(3)]
    async with refusing(conn):
        with pytest.raises((REFUSALS[refusing], *CONNECTION_FAILURES)):  # it may have died with the failover
            await sandbox.call(claimer_handler.handler, WAKE)
        with pytest.raises(REFUSALS[refusing]):
            await sandbox.call(claimer_handler.handler, WAKE)
    assert {await status(conn, job_id) for job_id in ids} == {"PENDING"}
    report = await sandbox.call(claimer_handler.handler, WAKE)
    assert (report["claimed"], report["invocations"]) == (3, 1)


@refusals
async def test_a_reaper_says_so_prunes_what_it_may_and_reaps_when_it_can_again(
    conn: Connection, sandbox: Sandbox, refusing: Refusing
) -> None:
    dies, retried = await running(conn, max_attempts=1), await running(conn)
    await let_lease_run_out(conn, dies.job_id, retried.job_id)
    await conn.execute(
        "INSERT INTO jobs (job_type, status, result, finished_at) VALUES (1, 3, '{}', now() - interval '31 days')"
    )
    async with refusing(conn):
        for _ in range(2):
            with pytest.raises(REFUSALS[refusing]):
                await sandbox.call(reaper_handler.handler, {})
        assert {await status(conn, ref.job_id) for ref in (dies, retried)} == {"RUNNING"}
        # Only what is deleted makes room.
        assert await conn.fetchval("SELECT count(*) FROM jobs WHERE status = 3") == (refusing is read_only)
    report = await sandbox.call(reaper_handler.handler, {})
    assert report["reaped"] == {"DEAD": 1, "PENDING": 1}
    assert await alerts(conn) == {f"job_dead:COLLECT:{dies.job_id}": 1}
    for ref in (dies, retried):
        assert [a.outcome for a in await queue.attempts(conn, ref.job_id)] == ["lease_expired"]


@refusals
async def test_a_flusher_says_so_and_tells_everything_once_when_it_can_again(
    conn: Connection, sandbox: Sandbox, environment: Environment, refusing: Refusing
) -> None:
    ref = await running(conn)
    await queue.fail_permanent(conn, ref, "Gone: for good")
    with Teams().running() as teams:
        assert isinstance(teams, Teams)
        environment(TEAMS_WEBHOOK_URL=SecretStr(teams.webhook).get_secret_value())
        async with refusing(conn):
            with pytest.raises(REFUSALS[refusing]):
                await sandbox.call(flusher_handler.handler, {})
        assert teams.cards == []
        assert (await sandbox.call(flusher_handler.handler, {}))["sent"] == 1
        assert (await sandbox.call(flusher_handler.handler, {}))["posts"] == 0
        assert len(teams.cards) == 1


@refusals
async def test_an_enqueue_is_answered_with_503_and_when_to_come_back(
    conn: Connection, sandbox: Sandbox, environment: Environment, refusing: Refusing
) -> None:
    environment(JWT_SECRET=JWT_SECRET)
    user = await create_user(conn, email="admin@example.com", password_hash="-", role="admin")
    token = issue_token(user, SecretStr(JWT_SECRET), issuer="web4ai", minutes=5).text
    body = {"job_type": "COPY", "place_id": str(await place(conn))}

    async def post() -> Any:
        return await sandbox.call(
            enqueue_handler.handler, event("POST /jobs", "/jobs", token=token, body=body)
        )

    async with refusing(conn):
        for _ in range(2):
            answer = await post()
            assert answer["statusCode"] == 503, answer
            assert "takes no changes" in answer["body"]
            assert answer["headers"]["Retry-After"]
        assert await conn.fetchval("SELECT count(*) FROM jobs") == 0
    assert (await post())["statusCode"] == 201
    assert (await post())["statusCode"] == 200
