"""Enqueueing: one active job a key, and nothing gets in that could not run."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.errors import InvalidPayload, UnknownDependency, UnknownJobType
from shared.jobs.models import Dependency, EnqueueResult, JobStatus, JobType, NewJob
from tests.db.steps import connections, held, job, running, status, until, until_blocked


async def test_a_new_job_waits_for_its_claim(conn: Connection) -> None:
    place_id = uuid4()
    result = await queue.enqueue(
        conn, NewJob(JobType.COPY, {"facts_version": 7}, place_id, dedupe_key="k", priority=5)
    )
    found = await job(conn, result.job_id)
    assert result.created
    assert (found.status, found.attempts, found.waiting_on) == (JobStatus.PENDING, 0, 0)
    assert (found.payload, found.place_id, found.dedupe_key) == ({"facts_version": 7}, place_id, "k")
    assert (found.priority, found.max_attempts) == (5, 3)


async def test_a_delay_moves_run_after_by_the_databases_clock(conn: Connection) -> None:
    result = await queue.enqueue(conn, NewJob(JobType.COLLECT, delay=90))
    found = await job(conn, result.job_id)
    assert (found.run_after - found.created_at).total_seconds() == 90


async def test_an_active_key_inserts_nothing_and_returns_the_active_job(conn: Connection) -> None:
    first = await queue.enqueue(conn, NewJob(JobType.COLLECT, dedupe_key="k"))
    again = await queue.enqueue(conn, NewJob(JobType.COLLECT, dedupe_key="k"))
    assert (again.job_id, again.created) == (first.job_id, False)
    assert await conn.fetchval("SELECT count(*) FROM jobs") == 1


async def test_a_running_job_keeps_its_key_and_is_not_touched(conn: Connection) -> None:
    ref = await running(conn, dedupe_key="k")
    before = await job(conn, ref.job_id)
    again = await queue.enqueue(conn, NewJob(JobType.COLLECT, dedupe_key="k"))
    assert (again.job_id, again.created) == (ref.job_id, False)
    assert await job(conn, ref.job_id) == before


async def test_a_job_waiting_for_its_retry_keeps_its_key(conn: Connection) -> None:
    ref = await running(conn, dedupe_key="k")
    await queue.fail(conn, ref, "Boom: no")
    assert await queue.enqueue(conn, NewJob(JobType.COLLECT, dedupe_key="k")) == (ref.job_id, False)


@pytest.mark.parametrize("ending", ["done", "dead", "cancelled"])
async def test_a_finished_job_gives_its_key_free(conn: Connection, ending: str) -> None:
    ref = await running(conn, dedupe_key="k")
    match ending:
        case "done":
            await queue.complete(conn, ref, {})
        case "dead":
            await queue.fail_permanent(conn, ref, "Boom: no")
        case _:
            await queue.cancel(conn, ref.job_id)
            await queue.cancelled(conn, ref)
    again = await queue.enqueue(conn, NewJob(JobType.COLLECT, dedupe_key="k"))
    assert again.created
    assert again.job_id != ref.job_id


async def test_jobs_without_a_key_never_meet(conn: Connection) -> None:
    results = await queue.enqueue_many(conn, [NewJob(JobType.COLLECT)] * 3)
    assert len({r.job_id for r in results}) == 3


@pytest.mark.parametrize("many", [False, True])
async def test_a_rival_whose_job_ends_while_we_wait_for_its_key_leaves_the_key_to_us(
    database: str, many: bool
) -> None:
    """The rival's insert and its end commit while our insert waits on the key: neither an error nor None."""
    async with connections(database, 3) as (rival, ours, watcher):
        transaction = rival.transaction()
        await transaction.start()
        theirs = (await queue.enqueue(rival, NewJob(JobType.COLLECT, dedupe_key="k"))).job_id

        async def enqueue() -> EnqueueResult:
            if many:
                return (await queue.enqueue_many(ours, [NewJob(JobType.COLLECT, dedupe_key="k")]))[0]
            return await queue.enqueue(ours, NewJob(JobType.COLLECT, dedupe_key="k"))

        waiting = asyncio.create_task(enqueue())
        await until_blocked(watcher, ours)
        await queue.cancel(rival, theirs)
        await transaction.commit()
        result = await waiting
        assert result.created
        assert result.job_id != theirs


async def test_a_rival_whose_job_stays_active_wins_and_its_id_comes_back(database: str) -> None:
    async with connections(database, 3) as (rival, ours, watcher):
        transaction = rival.transaction()
        await transaction.start()
        theirs = (await queue.enqueue(rival, NewJob(JobType.COLLECT, dedupe_key="k"))).job_id
        waiting = asyncio.create_task(queue.enqueue(ours, NewJob(JobType.COLLECT, dedupe_key="k")))
        await until_blocked(watcher, ours)
        await transaction.commit()
        assert await waiting == (theirs, False)


async def test_a_key_whose_job_ends_all_the_time_never_gives_an_error_nor_none(database: str) -> None:
    async with connections(database, 5) as conns:

        async def churn(conn: Connection) -> list[Any]:
            results = []
            for _ in range(40):
                results.append(await queue.enqueue(conn, NewJob(JobType.COLLECT, dedupe_key="k")))
                await queue.cancel(conn, results[-1].job_id)
            return results

        results = [r for rows in await asyncio.gather(*map(churn, conns)) for r in rows]
        assert all(isinstance(r.job_id, UUID) for r in results)
        created = [r.job_id for r in results if r.created]
        assert await conns[0].fetchval("SELECT count(*) FROM jobs") == len(created) == len(set(created))


REFUSED: list[tuple[NewJob, type[Exception], str]] = [
    (NewJob(99), UnknownJobType, "99"),
    (NewJob(JobType.COLLECT, {"x": "a" * 300_000}), InvalidPayload, r"payload: 3\d+ bytes .* 262144"),
    (NewJob(JobType.COLLECT, {"note": "a\x00b"}), InvalidPayload, r"payload\.note: .*NUL"),
    (
        NewJob(JobType.COLLECT, {"list": ["ok", "\ud800"]}),
        InvalidPayload,
        r"payload\.list\[1\]: .*surrogate",
    ),
    (NewJob(JobType.COLLECT, {"a\x00": 1}), InvalidPayload, r"payload.*key.*NUL"),
    (NewJob(JobType.COLLECT, {"n": float("nan")}), InvalidPayload, r"payload\.n: .*finite"),
    (NewJob(JobType.COLLECT, {"n": [float("inf")]}), InvalidPayload, r"payload\.n\[0\]: .*finite"),
    (NewJob(JobType.COLLECT, {"n": object()}), InvalidPayload, r"payload\.n: object is not JSON"),
    (NewJob(JobType.COLLECT, {"n": 10**5000}), InvalidPayload, r"payload\.n: "),
    (NewJob(JobType.COLLECT, {1: 2}), InvalidPayload, r"payload: keys must be text"),
    (
        NewJob(JobType.COPY, {"facts_version": "soon"}),
        InvalidPayload,
        r"payload\.facts_version: .*integer",
    ),
    (NewJob(JobType.COLLECT, {"speed": 1}), InvalidPayload, r"payload\.speed: Extra"),
    (NewJob(JobType.COLLECT, [1]), InvalidPayload, "payload: Must be a JSON object"),  # type: ignore[arg-type]
    (NewJob(JobType.COLLECT, dedupe_key=""), InvalidPayload, "dedupe_key: "),
    (NewJob(JobType.COLLECT, dedupe_key="k" * 501), InvalidPayload, "dedupe_key: "),
    (NewJob(JobType.COLLECT, dedupe_key="a\x00b"), InvalidPayload, "dedupe_key: .*NUL"),
    (NewJob(JobType.COLLECT, dedupe_key="\udfff"), InvalidPayload, "dedupe_key: .*surrogate"),
    (NewJob(JobType.COLLECT, priority=1001), InvalidPayload, "priority: .*1001"),
    (NewJob(JobType.COLLECT, priority=-1), InvalidPayload, "priority: .*-1"),
    (NewJob(JobType.COLLECT, delay=-1), InvalidPayload, "delay: "),
    (NewJob(JobType.COLLECT, delay=float("nan")), InvalidPayload, "delay: "),
    (NewJob(JobType.COLLECT, max_attempts=0), InvalidPayload, "max_attempts: "),
    (NewJob(JobType.COLLECT, ends_graph=True), InvalidPayload, "ends_graph: "),
    (NewJob(JobType.COLLECT, depends_on=[Dependency(UUID(int=7))]), UnknownDependency, str(UUID(int=7))),
]


async def test_a_refusal_names_the_field_and_the_rule_and_inserts_nothing(conn: Connection) -> None:
    for new, error, says in REFUSED:
        with pytest.raises(error, match=says):
            await queue.enqueue(conn, new)
        with pytest.raises(error, match=says):
            await queue.enqueue_many(conn, [NewJob(JobType.COLLECT), new])
    assert await conn.fetchval("SELECT count(*) FROM jobs") == 0


async def test_a_payload_nested_without_end_is_refused(conn: Connection) -> None:
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"d": deep}
    with pytest.raises(InvalidPayload, match=r"payload.*deep"):
        await queue.enqueue(conn, NewJob(JobType.COLLECT, deep))


async def test_a_refusal_never_repeats_the_value(conn: Connection) -> None:
    with pytest.raises(InvalidPayload) as caught:
        await queue.enqueue(conn, NewJob(JobType.COPY, {"facts_version": "s3cret"}))
    assert "s3cret" not in str(caught.value)


async def test_seventy_thousand_jobs_go_in_at_once_in_order(conn: Connection) -> None:
    jobs = [NewJob(JobType.COLLECT, dedupe_key=f"k{n}") for n in range(70_000)]
    results = await queue.enqueue_many(conn, jobs)
    assert all(r.created for r in results)
    keys = dict(await conn.fetch("SELECT job_id, dedupe_key FROM jobs"))
    assert [keys[r.job_id] for r in results] == [j.dedupe_key for j in jobs]


async def test_of_two_in_a_batch_with_one_key_the_second_gets_the_firsts_id(conn: Connection) -> None:
    keys = [f"k{n % 40}" for n in range(120)]
    results = await queue.enqueue_many(
        conn, [NewJob(JobType.COLLECT, dedupe_key=key, priority=n) for n, key in enumerate(keys)]
    )
    assert [r.created for r in results] == [True] * 40 + [False] * 80
    assert [r.job_id for r in results[40:80]] == [r.job_id for r in results[:40]]
    assert (await job(conn, results[40].job_id)).priority == 0


async def test_an_empty_batch_is_nothing(conn: Connection) -> None:
    assert await queue.enqueue_many(conn, []) == []


async def test_a_batch_that_meets_active_keys_creates_the_rest(conn: Connection) -> None:
    first = await queue.enqueue(conn, NewJob(JobType.COLLECT, dedupe_key="b"))
    results = await queue.enqueue_many(conn, [NewJob(JobType.COLLECT, dedupe_key=k) for k in "cba"])
    assert [r.created for r in results] == [True, False, True]
    assert results[1].job_id == first.job_id


async def test_a_batch_rolls_back_with_the_callers_transaction(conn: Connection) -> None:
    transaction = conn.transaction()
    await transaction.start()
    await queue.enqueue_many(conn, [NewJob(JobType.COLLECT)])
    await transaction.rollback()
    assert await conn.fetchval("SELECT count(*) FROM jobs") == 0


async def test_batches_with_the_same_keys_in_opposite_order_never_deadlock(database: str) -> None:
    keys = [f"k{n}" for n in range(300)]
    async with connections(database, 4) as conns:

        async def enqueue(conn: Connection, mine: list[str], round_: int) -> int:
            jobs = [NewJob(JobType.COLLECT, dedupe_key=f"{round_}{key}") for key in mine]
            return sum(r.created for r in await queue.enqueue_many(conn, jobs))

        for round_ in range(5):
            orders = [keys, keys[::-1], keys[150:] + keys[:150], sorted(keys)]
            created = await asyncio.gather(
                *(enqueue(c, o, round_) for c, o in zip(conns, orders, strict=True))
            )
            assert sum(created) == 300


@pytest.mark.parametrize(("asked", "heard"), [(True, 1), (False, 0)])
async def test_a_batch_notifies_once_and_only_when_asked_to(
    direct_database: str, asked: bool, heard: int
) -> None:
    async with connections(direct_database, 2) as (listener, conn):
        said: list[str] = []
        await listener.add_listener("web4ai_job", lambda *args: said.append(args[3]))
        async with conn.transaction():
            await queue.enqueue_many(conn, [NewJob(JobType.COLLECT)] * 50, notify=asked)
        await conn.execute("NOTIFY web4ai_job, 'last'")

        async def last() -> bool:
            await listener.fetchval("SELECT 1")
            return "last" in said

        await until(last)
        assert said == [""] * heard + ["last"]


async def test_one_job_notifies_when_it_was_created_and_not_when_it_met_another(direct_database: str) -> None:
    async with connections(direct_database, 2) as (listener, conn):
        said: list[str] = []
        await listener.add_listener("web4ai_job", lambda *args: said.append(args[3]))
        await queue.enqueue(conn, NewJob(JobType.COLLECT, dedupe_key="k"), notify=True)
        await queue.enqueue(conn, NewJob(JobType.COLLECT, dedupe_key="k"), notify=True)
        await queue.enqueue_many(conn, [NewJob(JobType.COLLECT, dedupe_key="k")], notify=True)
        await queue.enqueue(conn, NewJob(JobType.COLLECT))
        await conn.execute("NOTIFY web4ai_job, 'last'")

        async def last() -> bool:
            await listener.fetchval("SELECT 1")
            return "last" in said

        await until(last)
        assert said == ["", "last"]


async def test_a_notification_is_heard_only_after_commit(direct_database: str) -> None:
    async with connections(direct_database, 2) as (listener, conn):
        said: list[str] = []
        await listener.add_listener("web4ai_job", lambda *args: said.append(args[3]))
        transaction = conn.transaction()
        await transaction.start()
        await queue.enqueue(conn, NewJob(JobType.COLLECT), notify=True)
        await listener.fetchval("SELECT 1")
        assert said == []
        await transaction.rollback()
        await listener.fetchval("SELECT 1")
        assert said == []


async def test_many_connections_enqueueing_one_key_make_one_job(database: str) -> None:
    async with connections(database, 10) as conns:
        results = await asyncio.gather(
            *(queue.enqueue(c, NewJob(JobType.COLLECT, dedupe_key="k")) for c in conns)
        )
        assert sum(r.created for r in results) == 1
        assert len({r.job_id for r in results}) == 1


async def test_an_id_given_by_the_caller_is_the_jobs_own(conn: Connection) -> None:
    wanted = uuid4()
    assert await queue.enqueue(conn, NewJob(JobType.COLLECT, job_id=wanted)) == (wanted, True)
    with pytest.raises(asyncpg.UniqueViolationError):
        await queue.enqueue(conn, NewJob(JobType.COLLECT, job_id=wanted))


async def test_find_active_and_find_latest_tell_a_keys_jobs_apart(conn: Connection) -> None:
    assert await queue.find_active(conn, "k") is None
    assert await queue.find_latest(conn, "k") is None
    ref = await running(conn, dedupe_key="k")
    await queue.complete(conn, ref, {"n": 1})
    assert await queue.find_active(conn, "k") is None
    latest = await queue.find_latest(conn, "k")
    assert latest is not None
    assert latest.result == {"n": 1}
    second = await queue.enqueue(conn, NewJob(JobType.COLLECT, dedupe_key="k"))
    active = await queue.find_active(conn, "k")
    assert active is not None
    assert active.job_id == second.job_id
    assert (await queue.find_latest(conn, "k")) == active
    await held(conn, second.job_id)
    assert await status(conn, second.job_id) == "RUNNING"
