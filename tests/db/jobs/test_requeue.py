"""Requeueing the dead, with all that died of them."""

import asyncio
from uuid import uuid4

import pytest

from shared.db import Connection
from shared.jobs import graphs, queue
from shared.jobs.errors import JobConflict
from shared.jobs.models import JobStatus, JobType
from tests.db.steps import (
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


async def test_a_dead_job_runs_again_from_the_beginning(conn: Connection) -> None:
    job_id = await new(conn, max_attempts=2, priority=7)
    for _ in range(2):
        await make_ready(conn, job_id)
        await queue.fail(conn, await held(conn, job_id), "Boom: no")
    assert await status(conn, job_id) == "DEAD"
    await queue.acknowledge(conn, job_id)
    result = await queue.requeue(conn, job_id)
    assert result is not None
    found = result.job
    assert (found.status, found.attempts, found.last_error) == (JobStatus.PENDING, 0, None)
    assert (found.finished_at, found.acknowledged_at, found.priority) == (None, None, 7)
    assert (result.revived, result.not_revived) == ([], {})
    assert set(await claimed(conn)) == {job_id}


@pytest.mark.parametrize("state", ["PENDING", "RUNNING", "DONE", "CANCELLED", "absent"])
async def test_what_is_not_dead_is_not_requeued(conn: Connection, state: str) -> None:
    if state == "absent":
        assert await queue.requeue(conn, uuid4()) is None
        return
    job_id = await new(conn)
    if state in ("RUNNING", "DONE"):
        ref = await held(conn, job_id)
        if state == "DONE":
            await queue.complete(conn, ref, {})
    elif state == "CANCELLED":
        await queue.cancel(conn, job_id)
    before = await job(conn, job_id)
    assert before.status.name == state
    assert await queue.requeue(conn, job_id) is None
    assert await job(conn, job_id) == before


async def test_a_live_job_with_the_key_is_a_conflict_that_names_it(conn: Connection) -> None:
    ref = await running(conn, dedupe_key="k")
    await queue.fail_permanent(conn, ref, "Boom: no")
    rival = await new(conn, dedupe_key="k")
    with pytest.raises(JobConflict, match=str(rival)) as caught:
        await queue.requeue(conn, ref.job_id)
    assert caught.value.other == rival
    assert await status(conn, ref.job_id) == "DEAD"
    await queue.cancel(conn, rival)
    assert await queue.requeue(conn, ref.job_id) is not None


async def test_a_rival_that_ends_while_the_requeue_waits_for_its_key_is_no_conflict(database: str) -> None:
    async with connections(database, 3) as (rival, conn, watcher):
        ref = await running(conn, dedupe_key="k")
        await queue.fail_permanent(conn, ref, "Boom: no")
        transaction = rival.transaction()
        await transaction.start()
        theirs = await new(rival, dedupe_key="k")
        requeueing = asyncio.create_task(queue.requeue(conn, ref.job_id))
        await until_blocked(watcher, conn)
        await queue.cancel(rival, theirs)
        await transaction.commit()
        assert await requeueing is not None


async def test_a_requeue_opens_a_new_alert_window(conn: Connection) -> None:
    ref = await running(conn)
    await queue.fail_permanent(conn, ref, "Boom: no")
    await queue.requeue(conn, ref.job_id)
    await queue.fail_permanent(conn, await held(conn, ref.job_id), "Boom: no")
    assert await conn.fetchval("SELECT count(*) FROM alert_outbox") == 2
    assert sum((await alerts(conn)).values()) == 2


async def test_dependents_that_died_of_it_come_back_and_wait_again(conn: Connection) -> None:
    ref = await running(conn)
    second = await waiting_on(conn, ref.job_id, required=True)
    third = await waiting_on(conn, second, required=True, job_type=JobType.AI_CHECK)
    await queue.fail_permanent(conn, ref, "Boom: no")
    result = await queue.requeue(conn, ref.job_id)
    assert result is not None
    assert set(result.revived) == {second, third}
    assert [(await job(conn, j)).waiting_on for j in (second, third)] == [1, 1]
    for job_id in (ref.job_id, second, third):
        refs = await claimed(conn)
        assert set(refs) == {job_id}
        await queue.complete(conn, refs[job_id], {})


async def test_a_chain_may_die_and_come_back_again_and_again(conn: Connection) -> None:
    ref = await running(conn)
    second = await waiting_on(conn, ref.job_id, required=True)
    third = await waiting_on(conn, second, required=True)
    for deaths in (1, 2, 3):
        await queue.fail_permanent(conn, ref, "Boom: no")
        assert [await status(conn, j) for j in (second, third)] == ["DEAD", "DEAD"]
        assert sum((await alerts(conn)).values()) == deaths
        await queue.requeue(conn, ref.job_id)
        ref = await held(conn, ref.job_id)


async def test_one_that_died_of_another_is_blocked_and_the_root_is_named(conn: Connection) -> None:
    ref = await running(conn)
    second = await waiting_on(conn, ref.job_id, required=True)
    third = await waiting_on(conn, second, required=True)
    await queue.fail_permanent(conn, ref, "Boom: no")
    for job_id in (second, third):
        with pytest.raises(JobConflict, match=str(ref.job_id)) as caught:
            await queue.requeue(conn, job_id)
        assert caught.value.other == ref.job_id
    assert [await status(conn, j) for j in (ref.job_id, second, third)] == ["DEAD"] * 3


async def test_a_dependent_whose_key_is_taken_is_reported_and_what_waits_on_it_stays_dead_with_it(
    conn: Connection,
) -> None:
    ref = await running(conn)
    second = await waiting_on(conn, ref.job_id, required=True, dedupe_key="k")
    third = await waiting_on(conn, second, required=True)
    beside = await waiting_on(conn, ref.job_id, required=True)
    await queue.fail_permanent(conn, ref, "Boom: no")
    rival = await new(conn, dedupe_key="k", delay=60)
    result = await queue.requeue(conn, ref.job_id)
    assert result is not None
    assert result.revived == [beside]
    assert result.not_revived == {second: rival, third: second}
    assert [await status(conn, j) for j in (second, third)] == ["DEAD", "DEAD"]
    # Later its key is free: it waits on the root, which is active, and what died with it follows.
    await queue.cancel(conn, rival)
    result = await queue.requeue(conn, second)
    assert result is not None
    assert result.revived == [third]
    assert [(await job(conn, j)).waiting_on for j in (second, third)] == [1, 1]
    await queue.complete(conn, await held(conn, ref.job_id), {})
    assert set(await claimed(conn)) == {second, beside}


async def test_one_left_behind_runs_at_once_when_its_root_is_done_by_then(conn: Connection) -> None:
    ref = await running(conn)
    second = await waiting_on(conn, ref.job_id, required=True, dedupe_key="k")
    third = await waiting_on(conn, second, required=True)
    await queue.fail_permanent(conn, ref, "Boom: no")
    rival = await new(conn, dedupe_key="k", delay=60)
    await queue.requeue(conn, ref.job_id)
    await queue.complete(conn, await held(conn, ref.job_id), {})
    await queue.cancel(conn, rival)
    assert await queue.requeue(conn, second) is not None
    refs = await claimed(conn)
    assert set(refs) == {second}
    assert (await job(conn, third)).waiting_on == 1


async def test_one_that_died_of_two_comes_back_with_the_second(conn: Connection) -> None:
    first, second = await new(conn), await new(conn)
    refs = await claimed(conn)
    both = await waiting_on(conn, first, second, required=True)
    after = await waiting_on(conn, both, required=True)
    await queue.fail_permanent(conn, refs[first], "One: no")
    await queue.fail_permanent(conn, refs[second], "Two: no")
    result = await queue.requeue(conn, first)
    assert result is not None
    assert result.revived == []
    assert result.not_revived == {both: second, after: both}
    result = await queue.requeue(conn, second)
    assert result is not None
    assert set(result.revived) == {both, after}
    assert (await job(conn, both)).waiting_on == 2
    refs = await claimed(conn)
    await queue.complete_refs(conn, [(r, {}) for r in refs.values()])
    assert set(await claimed(conn)) == {both}


async def test_a_job_reached_by_a_long_and_a_short_way_waits_for_both(conn: Connection) -> None:
    ref = await running(conn)
    second = await waiting_on(conn, ref.job_id, required=True)
    third = await waiting_on(conn, second, required=True)
    last = await waiting_on(conn, ref.job_id, third, required=True)
    await queue.fail_permanent(conn, ref, "Boom: no")
    result = await queue.requeue(conn, ref.job_id)
    assert result is not None
    assert set(result.revived) == {second, third, last}
    assert [(await job(conn, j)).waiting_on for j in (second, third, last)] == [1, 1, 2]


async def test_one_that_was_cancelled_meanwhile_is_not_revived(conn: Connection) -> None:
    ref, other = await running(conn), await new(conn, delay=60)
    both = await waiting_on(conn, ref.job_id, other, required=True)
    await queue.fail_permanent(conn, ref, "Boom: no")
    await queue.cancel(conn, other)
    result = await queue.requeue(conn, ref.job_id)
    assert result is not None
    assert result.not_revived == {both: other}
    assert await status(conn, both) == "DEAD"


async def test_a_revived_job_still_waits_on_what_has_not_ended(conn: Connection) -> None:
    ref, other = await running(conn), await new(conn, delay=60)
    both = await waiting_on(conn, ref.job_id, other, required=True)
    await queue.fail_permanent(conn, ref, "Boom: no")
    await queue.requeue(conn, ref.job_id)
    assert (await job(conn, both)).waiting_on == 2


async def test_an_optional_dependent_is_not_touched(conn: Connection) -> None:
    ref = await running(conn)
    after = await waiting_on(conn, ref.job_id)
    await queue.fail_permanent(conn, ref, "Boom: no")
    await queue.complete(conn, await held(conn, after), {})
    result = await queue.requeue(conn, ref.job_id)
    assert result is not None
    assert result.revived == []
    assert await status(conn, after) == "DONE"


async def test_two_requeues_at_once_bring_it_back_once(database: str) -> None:
    async with connections(database, 6) as conns:
        ref = await running(conns[0])
        second = await waiting_on(conns[0], ref.job_id, required=True)
        await queue.fail_permanent(conns[0], ref, "Boom: no")
        results = await asyncio.gather(*(queue.requeue(c, ref.job_id) for c in conns))
        assert [r.revived for r in results if r is not None] == [[second]]


async def test_a_dead_build_of_a_graph_brings_its_check_back_unless_a_new_graph_runs(
    conn: Connection,
) -> None:
    place_id = uuid4()
    graph = await graphs.start_graph(conn, place_id)
    by_type = {j.job_type: j.job_id for j in graph.jobs}
    await queue.complete(conn, await held(conn, by_type[JobType.COLLECT]), {})
    refs = await claimed(conn)
    await queue.complete_refs(conn, [(refs[by_type[t]], {}) for t in (JobType.VISION, JobType.COPY)])
    build = by_type[JobType.BUILD]
    ref = await held(conn, build)
    await queue.fail_permanent(conn, ref, "Boom: no")
    assert await status(conn, by_type[JobType.AI_CHECK]) == "DEAD"
    second = await graphs.start_graph(conn, place_id)
    assert second.created
    result = await queue.requeue(conn, build)
    assert result is not None
    [other] = [j.job_id for j in second.jobs if j.job_type == JobType.AI_CHECK]
    assert result.not_revived == {by_type[JobType.AI_CHECK]: other}
    await queue.cancel_graph(conn, second.graph_id)
    assert await queue.requeue(conn, by_type[JobType.AI_CHECK]) is not None
