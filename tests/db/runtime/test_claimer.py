"""The claimer: batches of refs to the handlers, and back to the queue what no handler took."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from functions.claimer import claimer
from functions.claimer import handler as claimer_handler
from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import JobStatus, JobType, NewJob
from shared.jobs.types import spec_of
from shared.jobs.wake import may_wake, wake_claimer
from shared.settings import settings
from tests.db.runtime.conftest import Sandbox
from tests.db.steps import LEASE, alerts, connections, job, make_ready, new, put, status, until
from tests.fakes.lambda_invoke import RESET, SILENCE, FakeLambda

Environment = Callable[..., None]
WAKE = {"source": "wake"}


@pytest.fixture(autouse=True)
def registers_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claimer_handler, "_registered", False)


async def test_batches_are_of_one_type_at_most_its_size_and_carry_refs_alone(
    conn: Connection, sandbox: Sandbox, invokes: FakeLambda
) -> None:
    secret = {"facts_version": 424242}
    ids = [await new(conn, JobType.COPY, payload=secret) for _ in range(12)]
    visions = [await new(conn, JobType.VISION) for _ in range(3)]
    report = await sandbox.call(claimer_handler.handler, WAKE)
    assert (report["claimed"], report["invocations"], report["released"]) == (15, 6, 0)
    assert all(c.kind == "Event" for c in invokes.calls)
    assert sorted(len(p["jobs"]) for p in invokes.accepted("web4ai-job-copy")) == [2, 5, 5]
    assert [len(p["jobs"]) for p in invokes.accepted("web4ai-job-vision")] == [1, 1, 1]
    sent = [r for p in invokes.accepted() for r in p["jobs"]]
    assert sorted(UUID(r["job_id"]) for r in sent) == sorted(ids + visions)
    assert all(set(r) == {"job_id", "worker_id", "attempt"} for r in sent)
    assert "424242" not in json.dumps(invokes.accepted())
    for payload in invokes.accepted():
        assert (payload["version"], set(payload)) == (1, {"version", "job_type", "jobs"})
        assert len(payload["jobs"]) <= spec_of(payload["job_type"]).batch_size
        for r in payload["jobs"]:
            assert (await job(conn, UUID(r["job_id"]))).ref == (
                UUID(r["job_id"]),
                UUID(r["worker_id"]),
                r["attempt"],
            )


async def test_a_wake_works_off_all_there_is_in_rounds_of_its_limit(
    conn: Connection, sandbox: Sandbox, environment: Environment
) -> None:
    environment(CLAIM_LIMIT="4")
    for _ in range(10):
        await new(conn)
    report = await sandbox.call(claimer_handler.handler, WAKE)
    assert (report["claimed"], report["rounds"], report["by_type"]) == (10, 4, {1: 10})


@pytest.mark.parametrize("answer", [500, 429, 404, RESET])
async def test_what_could_not_be_invoked_goes_back_without_an_attempt_and_the_rest_goes_on(
    conn: Connection, sandbox: Sandbox, invokes: FakeLambda, answer: int
) -> None:
    invokes.answers["web4ai-job-collect"] = answer
    refused = [await new(conn) for _ in range(7)]
    taken = await new(conn, JobType.VISION)
    report = await sandbox.call(claimer_handler.handler, WAKE)
    assert (report["released"], report["invocations"]) == (7, 1)
    for job_id in refused:
        found = await job(conn, job_id)
        assert (found.status, found.attempts, found.releases) == (JobStatus.PENDING, 0, 1)
        assert (found.last_error or "").startswith("InvokeFailed: web4ai-job-collect: ")
    assert await status(conn, taken) == "RUNNING"


@pytest.mark.slow
async def test_a_lambda_that_never_answers_is_given_up_and_the_jobs_go_back(
    conn: Connection, sandbox: Sandbox, invokes: FakeLambda
) -> None:
    invokes.answers["*"] = SILENCE
    job_id = await new(conn)
    report = await sandbox.call(claimer_handler.handler, WAKE)
    assert report["released"] == 1
    assert (await job(conn, job_id)).attempts == 0


async def test_a_type_nobody_knows_is_retried_and_dies_loudly_with_one_alert(
    conn: Connection, sandbox: Sandbox, invokes: FakeLambda
) -> None:
    job_id = await put(conn, 777)
    known = await new(conn)
    for attempt in (1, 2, 3):
        await make_ready(conn, job_id)
        report = await sandbox.call(claimer_handler.handler, WAKE)
        assert report["unknown"] == 1
        found = await job(conn, job_id)
        assert found.attempts == attempt
        assert (found.last_error or "").startswith("UnknownJobType: ")
    assert found.status is JobStatus.DEAD
    assert await alerts(conn) == {f"job_dead:777:{job_id}": 1}
    assert len(invokes.calls) == 1
    assert await status(conn, known) == "RUNNING"


@pytest.mark.parametrize("job_type", [0, -1, -32768])
async def test_a_type_number_that_none_can_have_is_claimed_and_dies_like_any_unknown(
    conn: Connection, sandbox: Sandbox, job_type: int
) -> None:
    job_id = await put(conn, job_type, max_attempts=1)
    report = await sandbox.call(claimer_handler.handler, WAKE)
    assert (report["claimed"], report["unknown"]) == (1, 1)
    found = await job(conn, job_id)
    assert found.status is JobStatus.DEAD
    assert (found.last_error or "").startswith(f"UnknownJobType: job_type {job_type} ")


async def test_several_claimers_at_once_invoke_each_job_once(database: str, environment: Environment) -> None:
    environment(CLAIM_LIMIT="7")
    invoked: list[UUID] = []

    def invoke(function: str, job_type: int, refs: Any) -> None:
        invoked.extend(r.job_id for r in refs)

    async with connections(database, 6) as conns:
        await conns[0].execute("UPDATE job_type_settings SET max_in_flight = NULL")
        ids = [
            r.job_id
            for r in await queue.enqueue_many(conns[0], [NewJob(JobType(1 + n % 5)) for n in range(200)])
        ]
        reports = await asyncio.gather(
            *(claimer.run_once(c, settings(), invoke, remaining=lambda: 60, poll=False) for c in conns)
        )
        assert sum(r.claimed for r in reports) == 200
        assert Counter(invoked) == Counter(ids)


async def test_of_many_wakes_one_is_outstanding_until_the_claimer_claims(
    database: str, environment: Environment, invokes: FakeLambda
) -> None:
    async with connections(database, 6) as conns:
        await new(conns[0])
        assert sum(await asyncio.gather(*map(wake_claimer, conns))) == 1
        assert [c.payload for c in invokes.calls] == [WAKE]
        await claimer.run_once(conns[0], settings(), lambda *_: None, remaining=lambda: 60, poll=False)
        assert await wake_claimer(conns[1])
        assert len(invokes.calls) == 2


async def test_a_wake_that_was_lost_is_forgotten_after_the_polling_interval(conn: Connection) -> None:
    assert await may_wake(conn)
    assert not await may_wake(conn)
    await conn.execute("UPDATE beats SET woken_at = woken_at - interval '6 seconds' WHERE name = 'claimer'")
    assert await may_wake(conn)


async def test_a_job_committed_after_the_claim_wakes_again(database: str, environment: Environment) -> None:
    """The claimer forgets the wake before it claims, so what it did not see asks anew."""
    async with connections(database, 2) as (conn, other):
        assert await may_wake(other)
        woken: list[bool] = []

        def remaining() -> float:
            return 60

        def invoke(function: str, job_type: int, refs: Any) -> None:
            """Handing over a batch: meanwhile somebody enqueues."""

        await new(conn)
        await claimer.run_once(conn, settings(), invoke, remaining=remaining, poll=False)
        woken.append(await may_wake(other))
        assert woken == [True]


async def test_polling_finds_what_nobody_woke_it_for_and_stops_before_its_time_is_up(
    database: str, environment: Environment
) -> None:
    environment(CLAIMER_POLL_SECONDS="0.05")
    invoked: list[UUID] = []
    left = iter([60.0] * 1000)
    done = asyncio.Event()

    def invoke(function: str, job_type: int, refs: Any) -> None:
        invoked.extend(r.job_id for r in refs)

    def remaining() -> float:
        return 0.04 if done.is_set() else next(left)

    async with connections(database, 2) as (conn, other):
        polling = asyncio.create_task(
            claimer.run_once(conn, settings(), invoke, remaining=remaining, poll=True)
        )
        late = await new(other)
        await until(lambda: _true(late in invoked))
        assert not polling.done()
        done.set()
        report = await asyncio.wait_for(polling, 5)
        assert report.claimed == 1
        assert report.rounds > 1


async def _true(value: bool) -> bool:
    return value


async def test_a_claimer_out_of_time_leaves_the_rest_to_the_next(
    conn: Connection, environment: Environment
) -> None:
    environment(CLAIM_LIMIT="3")
    for _ in range(9):
        await new(conn)
    report = await claimer.run_once(conn, settings(), lambda *_: None, remaining=lambda: -1, poll=True)
    assert (report.claimed, report.rounds) == (3, 1)


async def test_a_schedules_event_polls_and_its_handler_answers_in_time(
    conn: Connection, sandbox: Sandbox, environment: Environment
) -> None:
    environment(CLAIMER_POLL_SECONDS="0.2")
    report = await sandbox.call(claimer_handler.handler, {"source": "aws.scheduler"}, seconds=8.7)
    assert report["rounds"] > 1


async def test_the_claimer_beats_and_gives_every_type_its_row(conn: Connection, sandbox: Sandbox) -> None:
    await conn.execute("DELETE FROM job_type_settings")
    await sandbox.call(claimer_handler.handler, WAKE)
    assert await conn.fetchval(
        "SELECT now() - seen_at < interval '1 minute' FROM beats WHERE name = 'claimer'"
    )
    assert len(await queue.type_settings(conn)) == 5


async def test_the_claims_lease_covers_the_events_age_the_invoke_and_a_cold_start(
    conn: Connection, sandbox: Sandbox
) -> None:
    job_id = await new(conn)
    await sandbox.call(claimer_handler.handler, WAKE)
    found = await job(conn, job_id)
    assert found.lease_until is not None
    assert found.claimed_at is not None
    assert (found.lease_until - found.claimed_at).total_seconds() >= 90 > LEASE


async def test_a_row_of_an_unknown_type_that_cannot_be_failed_keeps_no_other_job_back(
    conn: Connection, sandbox: Sandbox, invokes: FakeLambda
) -> None:
    bad, unknown, known = await put(conn, 777), await put(conn, 778), await new(conn)
    await conn.execute(
        f"""
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF NEW.job_id = '{bad}' AND NEW.status <> 2 THEN RAISE 'not this one'; END IF; RETURN NEW; END $$;
        CREATE TRIGGER refuse BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION refuse();
        """
    )
    report = await sandbox.call(claimer_handler.handler, WAKE)
    assert (report["claimed"], report["unknown"], report["invocations"]) == (3, 2, 1)
    assert [await status(conn, j) for j in (bad, unknown, known)] == ["RUNNING", "PENDING", "RUNNING"]
    assert len(invokes.accepted("web4ai-job-collect")) == 1


async def test_a_beat_somebody_keeps_locked_holds_up_neither_claims_nor_wakes(
    conn: Connection, database: str, sandbox: Sandbox, invokes: FakeLambda
) -> None:
    async with connections(database, 1) as (holder,):
        transaction = holder.transaction()
        await transaction.start()
        await holder.execute("SELECT 1 FROM beats WHERE name = 'claimer' FOR UPDATE")
        await new(conn)
        async with asyncio.timeout(10):
            assert await may_wake(conn) is False
            report = await sandbox.call(claimer_handler.handler, WAKE)
        await transaction.rollback()
    assert (report["claimed"], report["invocations"]) == (1, 1)
    assert await may_wake(conn) is True
