"""Jobs that wait on others: each edge is settled once, by whatever ends the dependency, however the two meet."""

import asyncio
from uuid import UUID, uuid4

import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.errors import InvalidPayload
from shared.jobs.models import Dependency, JobType, NewJob
from tests.db.steps import (
    LEASE,
    alerts,
    claimed,
    connections,
    held,
    job,
    make_ready,
    new,
    running,
    status,
    until_blocked,
    waiting_on,
)


async def edges_of(conn: Connection, job_id: UUID) -> list[tuple[bool, UUID | None]]:
    rows = await conn.fetch("SELECT settled_at, killed_by FROM job_dependencies WHERE job_id = $1", job_id)
    return [(row["settled_at"] is not None, row["killed_by"]) for row in rows]


async def test_a_dependent_is_not_claimed_before_its_last_dependency_ended(conn: Connection) -> None:
    first, second = await new(conn), await new(conn)
    last = await waiting_on(conn, first, second)
    refs = await claimed(conn)
    assert set(refs) == {first, second}
    assert (await job(conn, last)).waiting_on == 2
    await queue.complete(conn, refs[first], {})
    assert (await job(conn, last)).waiting_on == 1
    assert await claimed(conn) == {}
    await queue.complete(conn, refs[second], {})
    assert set(await claimed(conn)) == {last}


async def test_when_the_last_edge_is_settled_run_after_is_now(conn: Connection) -> None:
    ref = await running(conn)
    last = await waiting_on(conn, ref.job_id, delay=3600)
    await queue.complete(conn, ref, {})
    found = await job(conn, last)
    assert found.run_after == (await job(conn, ref.job_id)).finished_at
    assert set(await claimed(conn)) == {last}


@pytest.mark.parametrize("required", [False, True])
async def test_a_job_may_wait_on_one_that_is_over_already(conn: Connection, required: bool) -> None:
    ref = await running(conn)
    await queue.complete(conn, ref, {})
    last = await waiting_on(conn, ref.job_id, required=required)
    assert set(await claimed(conn)) == {last}
    assert await edges_of(conn, last) == [(True, None)]


@pytest.mark.parametrize(("ending", "expected"), [("dead", "DEAD"), ("cancelled", "CANCELLED")])
@pytest.mark.parametrize("late", [False, True])
async def test_a_required_dependency_takes_its_dependents_with_it(
    conn: Connection, ending: str, expected: str, late: bool
) -> None:
    ref = await running(conn)
    last = None if late else await waiting_on(conn, ref.job_id, required=True)
    if ending == "dead":
        await queue.fail_permanent(conn, ref, "Boom: no")
    else:
        await queue.cancel(conn, ref.job_id)
        await queue.cancelled(conn, ref)
    if last is None:
        last = await waiting_on(conn, ref.job_id, required=True)
    found = await job(conn, last)
    assert found.status.name == expected
    assert found.finished_at is not None
    assert await edges_of(conn, last) == [(True, ref.job_id)]
    if ending == "dead":
        assert found.last_error == f"DependencyDead: COLLECT {ref.job_id} is DEAD: Boom: no"
    assert await alerts(conn) == ({f"job_dead:COLLECT:{ref.job_id}": 1} if ending == "dead" else {})


@pytest.mark.parametrize("ending", ["done", "dead", "cancelled"])
async def test_an_optional_dependency_counts_as_finished_however_it_ends(
    conn: Connection, ending: str
) -> None:
    ref = await running(conn)
    last = await waiting_on(conn, ref.job_id)
    match ending:
        case "done":
            await queue.complete(conn, ref, {})
        case "dead":
            await queue.fail_permanent(conn, ref, "Boom: no")
        case _:
            await queue.cancel(conn, ref.job_id)
            await queue.cancelled(conn, ref)
    assert set(await claimed(conn)) == {last}


async def test_a_failure_with_attempts_left_settles_nothing(conn: Connection) -> None:
    ref = await running(conn)
    last = await waiting_on(conn, ref.job_id, required=True)
    await queue.fail(conn, ref, "Boom: no")
    assert await edges_of(conn, last) == [(False, None)]
    assert await status(conn, last) == "PENDING"


async def test_a_chain_of_three_dies_of_its_root_with_one_alert(conn: Connection) -> None:
    ref = await running(conn)
    second = await waiting_on(conn, ref.job_id, required=True)
    third = await waiting_on(conn, second, required=True, job_type=JobType.AI_CHECK)
    await queue.fail_permanent(conn, ref, "Boom: no")
    assert [await status(conn, j) for j in (second, third)] == ["DEAD", "DEAD"]
    assert await edges_of(conn, third) == [(True, ref.job_id)]
    assert (await job(conn, third)).last_error == (
        f"DependencyDead: BUILD {second} is DEAD: DependencyDead: COLLECT {ref.job_id} is DEAD: Boom: no"
    )
    assert await alerts(conn) == {f"job_dead:COLLECT:{ref.job_id}": 1}


async def test_an_optional_edge_stops_the_dying(conn: Connection) -> None:
    ref = await running(conn)
    second = await waiting_on(conn, ref.job_id, required=True)
    third = await waiting_on(conn, second, required=False)
    await queue.fail_permanent(conn, ref, "Boom: no")
    assert await status(conn, second) == "DEAD"
    assert set(await claimed(conn)) == {third}


async def test_a_very_long_chain_of_reasons_stays_bounded(conn: Connection) -> None:
    ref = await running(conn)
    last = ref.job_id
    for _ in range(40):
        last = await waiting_on(conn, last, required=True)
    await queue.fail_permanent(conn, ref, "x" * 2000)
    assert await status(conn, last) == "DEAD"
    assert len((await job(conn, last)).last_error or "") == 2000


async def test_a_diamond_waits_for_both_sides_and_dies_once(conn: Connection) -> None:
    ref = await running(conn)
    left = await waiting_on(conn, ref.job_id, required=True)
    right = await waiting_on(conn, ref.job_id, required=True)
    last = await waiting_on(conn, left, right, required=True)
    await queue.fail_permanent(conn, ref, "Boom: no")
    assert [await status(conn, j) for j in (left, right, last)] == ["DEAD"] * 3
    assert await edges_of(conn, last) == [(True, ref.job_id)] * 2
    assert (await job(conn, last)).waiting_on == 0
    assert await alerts(conn) == {f"job_dead:COLLECT:{ref.job_id}": 1}


async def test_a_diamond_runs_when_both_sides_are_done(conn: Connection) -> None:
    ref = await running(conn)
    left, right = await waiting_on(conn, ref.job_id), await waiting_on(conn, ref.job_id)
    last = await waiting_on(conn, left, right)
    await queue.complete(conn, ref, {})
    refs = await claimed(conn)
    assert set(refs) == {left, right}
    done = await queue.complete_refs(conn, [(refs[left], {}), (refs[right], {})])
    assert done.work_ready
    assert set(await claimed(conn)) == {last}


async def test_two_dependencies_ending_at_once_both_count(database: str) -> None:
    async with connections(database, 3) as (one, two, watcher):
        first, second = await new(one), await new(one)
        refs = await claimed(one)
        last = await waiting_on(one, first, second)
        transaction = one.transaction()
        await transaction.start()
        assert await queue.complete(one, refs[first], {})
        other = asyncio.create_task(queue.complete(two, refs[second], {}))
        await until_blocked(watcher, two)
        await transaction.commit()
        assert await other
        assert set(await claimed(one)) == {last}


async def test_a_dependency_that_ends_while_the_edge_is_put_in_is_waited_for(database: str) -> None:
    """The enqueuer comes first: the completion waits for the edge and settles it."""
    async with connections(database, 3) as (ender, enqueuer, watcher):
        ref = await running(ender)
        transaction = enqueuer.transaction()
        await transaction.start()
        last = await waiting_on(enqueuer, ref.job_id)
        ending = asyncio.create_task(queue.complete(ender, ref, {}))
        await until_blocked(watcher, ender)
        await transaction.commit()
        assert await ending
        assert set(await claimed(ender)) == {last}


async def test_an_edge_put_in_while_its_dependency_is_ending_is_settled_at_once(database: str) -> None:
    """The completion comes first: the enqueuer waits for it and finds the job over."""
    async with connections(database, 3) as (ender, enqueuer, watcher):
        ref = await running(ender)
        transaction = ender.transaction()
        await transaction.start()
        assert await queue.complete(ender, ref, {})
        enqueueing = asyncio.create_task(waiting_on(enqueuer, ref.job_id))
        await until_blocked(watcher, enqueuer)
        await transaction.commit()
        last = await enqueueing
        assert set(await claimed(ender)) == {last}


async def test_an_edge_onto_a_job_whose_end_is_rolled_back_stays_open(database: str) -> None:
    async with connections(database, 3) as (ender, enqueuer, watcher):
        ref = await running(ender)
        transaction = ender.transaction()
        await transaction.start()
        await queue.fail_permanent(ender, ref, "Boom: no")
        enqueueing = asyncio.create_task(waiting_on(enqueuer, ref.job_id, required=True))
        await until_blocked(watcher, enqueuer)
        await transaction.rollback()
        last = await enqueueing
        assert (await job(ender, last)).waiting_on == 1
        await queue.complete(ender, ref, {})
        assert set(await claimed(ender)) == {last}


async def test_many_enqueuers_and_the_end_of_their_dependency_lose_no_dependent(database: str) -> None:
    async with connections(database, 6) as (ender, *enqueuers):
        for _ in range(15):
            ref = await running(ender)
            enqueueing = [asyncio.create_task(waiting_on(conn, ref.job_id)) for conn in enqueuers]
            await queue.complete(ender, ref, {})
            dependents = await asyncio.gather(*enqueueing)
            refs = await claimed(ender)
            assert set(refs) == set(dependents)
            await queue.complete_refs(ender, [(r, {}) for r in refs.values()])


async def test_ending_a_job_and_cancelling_it_with_its_dependents_never_deadlock(database: str) -> None:
    """Whoever ends a job holds it and wants its dependents; whoever cancels wants both: whatever their ids' order."""
    async with connections(database, 3) as (ender, canceller, watcher):
        for last in (UUID(int=1), UUID(int=2**128 - 1)):
            ref = await running(ender)
            await waiting_on(ender, ref.job_id, job_id=last)
            transaction = ender.transaction()
            await transaction.start()
            assert await queue.hold(ender, ref)
            cancelling = asyncio.create_task(queue.cancel_many(canceller, [ref.job_id, last]))
            await until_blocked(watcher, canceller)
            assert await queue.complete(ender, ref, {})
            await transaction.commit()
            statuses = await cancelling
            assert {s.name for s in statuses.values()} == {"DONE", "CANCELLED"}


async def test_ending_a_job_and_waiting_on_it_and_its_dependent_never_deadlock(database: str) -> None:
    async with connections(database, 3) as (ender, enqueuer, watcher):
        for middle in (UUID(int=1), UUID(int=2**128 - 1)):
            ref = await running(ender)
            await waiting_on(ender, ref.job_id, job_id=middle)
            transaction = ender.transaction()
            await transaction.start()
            assert await queue.hold(ender, ref)
            enqueueing = asyncio.create_task(waiting_on(enqueuer, ref.job_id, middle))
            await until_blocked(watcher, enqueuer)
            assert await queue.complete(ender, ref, {})
            await transaction.commit()
            assert (await job(ender, await enqueueing)).waiting_on == 1


async def test_a_follow_up_key_and_a_dependency_taken_crosswise_never_deadlock(database: str) -> None:
    """The enqueuer wants a key and waits on A; the end of A wants the same key for its follow-up."""
    async with connections(database, 3) as (ender, enqueuer, watcher):
        ref = await running(ender)
        transaction = ender.transaction()
        await transaction.start()
        assert await queue.hold(ender, ref)
        enqueueing = asyncio.create_task(waiting_on(enqueuer, ref.job_id, dedupe_key="k"))
        await until_blocked(watcher, enqueuer)
        await queue.complete(ender, ref, {})
        follow_up = await queue.enqueue(ender, NewJob(JobType.BUILD, dedupe_key="k"))
        assert follow_up.created
        await transaction.commit()
        assert await enqueueing == follow_up.job_id


async def test_an_ending_jobs_key_and_what_waits_on_it_taken_crosswise_never_deadlock(database: str) -> None:
    """The enqueuer holds what waits on A and wants A's key; the end of A gives the key free and wants what waits."""
    async with connections(database, 3) as (ender, enqueuer, watcher):
        for end in ("done", "dead", "cancelled"):
            ref = await running(ender, dedupe_key="k")
            middle = await waiting_on(ender, ref.job_id)
            if end == "cancelled":
                await queue.cancel(ender, ref.job_id)
            transaction = enqueuer.transaction()
            await transaction.start()
            await enqueuer.execute("SELECT 1 FROM jobs WHERE job_id = $1 FOR SHARE", middle)
            ending = asyncio.create_task(
                queue.complete(ender, ref, {})
                if end == "done"
                else queue.fail_permanent(ender, ref, "Boom: no")
            )
            await until_blocked(watcher, ender)
            assert await waiting_on(enqueuer, middle, dedupe_key="k") == ref.job_id
            await transaction.commit()
            await ending
            assert await status(ender, ref.job_id) == end.upper()


@pytest.mark.parametrize("step", ["start", "renew"])
async def test_the_rows_of_a_batch_and_a_key_of_one_of_them_taken_crosswise_never_deadlock(
    database: str, step: str
) -> None:
    """The enqueuer waits on the second of a batch and wants the first one's key, while the batch is started or renewed."""
    async with connections(database, 3) as (worker, enqueuer, watcher):
        first = await new(worker, job_id=UUID(int=1), dedupe_key="k")
        second = await new(worker, job_id=UUID(int=2))
        refs = list((await claimed(worker)).values())
        if step == "renew":
            await queue.start(worker, refs, "i", LEASE)
        async with enqueuer.transaction():
            await enqueuer.execute("SELECT 1 FROM jobs WHERE job_id = $1 FOR SHARE", second)
            going = asyncio.create_task(
                queue.start(worker, refs, "i", LEASE)
                if step == "start"
                else queue.renew_lease(worker, refs, LEASE)
            )
            await until_blocked(watcher, worker)
            assert await waiting_on(enqueuer, second, dedupe_key="k") == first
        assert len(await going) == 2


async def test_a_batch_may_wait_on_its_own(conn: Connection) -> None:
    ids = [uuid4() for _ in range(3)]
    await queue.enqueue_many(
        conn,
        [
            NewJob(JobType.BUILD, job_id=ids[2], depends_on=[Dependency(ids[0]), Dependency(ids[1])]),
            NewJob(JobType.COPY, job_id=ids[1], depends_on=[Dependency(ids[0])]),
            NewJob(JobType.COLLECT, job_id=ids[0]),
        ],
    )
    assert [(await job(conn, i)).waiting_on for i in ids] == [0, 1, 2]


async def test_who_waits_on_one_of_the_batch_that_met_an_active_job_waits_on_that_one(
    conn: Connection,
) -> None:
    active = await new(conn, dedupe_key="k")
    mine = uuid4()
    results = await queue.enqueue_many(
        conn,
        [
            NewJob(JobType.COLLECT, dedupe_key="k", job_id=mine),
            NewJob(JobType.BUILD, depends_on=[Dependency(mine), Dependency(active, required=True)]),
        ],
    )
    last = results[1].job_id
    assert (await job(conn, last)).waiting_on == 1
    rows = await conn.fetch("SELECT depends_on, required FROM job_dependencies WHERE job_id = $1", last)
    assert [tuple(row) for row in rows] == [(active, True)]
    await queue.complete(conn, await held(conn, active), {})
    assert set(await claimed(conn)) == {last}


async def test_a_job_that_met_an_active_one_takes_no_dependencies_with_it(conn: Connection) -> None:
    active, other = await new(conn, JobType.BUILD, dedupe_key="k"), await new(conn)
    assert await waiting_on(conn, other, dedupe_key="k") == active
    assert (await job(conn, active)).waiting_on == 0
    assert await conn.fetchval("SELECT count(*) FROM job_dependencies") == 0


async def test_jobs_that_wait_on_each_other_are_refused(conn: Connection) -> None:
    ids = [uuid4() for _ in range(3)]
    circle = [
        NewJob(JobType.BUILD, job_id=ids[n], depends_on=[Dependency(ids[(n + 1) % 3])]) for n in range(3)
    ]
    with pytest.raises(InvalidPayload, match="wait on each other"):
        await queue.enqueue_many(conn, circle)
    with pytest.raises(InvalidPayload, match="wait on each other"):
        await queue.enqueue(conn, NewJob(JobType.BUILD, job_id=ids[0], depends_on=[Dependency(ids[0])]))
    assert await conn.fetchval("SELECT count(*) FROM jobs") == 0


async def test_a_dependency_named_twice_is_one_edge_and_required_wins(conn: Connection) -> None:
    first = await new(conn)
    result = await queue.enqueue(
        conn, NewJob(JobType.BUILD, depends_on=[Dependency(first), Dependency(first, required=True)])
    )
    assert (await job(conn, result.job_id)).waiting_on == 1
    assert await conn.fetchval("SELECT required FROM job_dependencies")


async def test_cancelling_a_waiting_job_leaves_its_dependency_alone(conn: Connection) -> None:
    ref = await running(conn)
    middle = await waiting_on(conn, ref.job_id, required=True)
    last = await waiting_on(conn, middle)
    await queue.cancel(conn, middle)
    assert await status(conn, middle) == "CANCELLED"
    assert await queue.complete(conn, ref, {})
    assert await status(conn, middle) == "CANCELLED"
    assert set(await claimed(conn)) == {last}


async def test_a_dependent_that_is_over_is_not_touched_by_a_second_death(conn: Connection) -> None:
    first, second = await new(conn), await new(conn)
    refs = await claimed(conn)
    last = await waiting_on(conn, first, second, required=True)
    await queue.fail_permanent(conn, refs[first], "One: no")
    before = await job(conn, last)
    await queue.fail_permanent(conn, refs[second], "Two: no")
    after = await job(conn, last)
    assert (after.status, after.last_error, after.finished_at) == (
        before.status,
        before.last_error,
        before.finished_at,
    )
    assert sorted(await alerts(conn)) == sorted(f"job_dead:COLLECT:{j}" for j in (first, second))


async def test_recount_wakes_a_waiter_that_a_lost_settlement_forgot(conn: Connection) -> None:
    ref = await running(conn)
    settled, drifted = await waiting_on(conn, ref.job_id), await waiting_on(conn, ref.job_id)
    gone = await new(conn, delay=60)
    orphan = await waiting_on(conn, gone)
    # As if: the end was written past the functions; a count went wrong; the row waited on was deleted by hand.
    await conn.execute(
        "UPDATE jobs SET status = 3, result = '{}', worker_id = NULL, lease_until = NULL,"
        " finished_at = now() - interval '2 minutes' WHERE job_id = $1",
        ref.job_id,
    )
    await conn.execute("UPDATE jobs SET waiting_on = 5 WHERE job_id = $1", drifted)
    await conn.execute("DELETE FROM jobs WHERE job_id = $1", gone)
    await conn.execute("UPDATE jobs SET updated_at = now() - interval '2 minutes' WHERE status = 1")
    assert await queue.recount(conn) > 0
    await conn.execute("UPDATE jobs SET updated_at = now() - interval '2 minutes' WHERE status = 1")
    await queue.recount(conn)
    await make_ready(conn, settled)
    assert set(await claimed(conn)) == {settled, drifted, orphan}


async def test_recount_leaves_alone_who_waits_rightly(conn: Connection) -> None:
    ref = await running(conn)
    last = await waiting_on(conn, ref.job_id)
    await conn.execute("UPDATE jobs SET updated_at = now() - interval '1 hour'")
    assert await queue.recount(conn) == 0
    assert (await job(conn, last)).waiting_on == 1
