"""Follow-ups, and that a change of a place is never lost, however it meets the job that is running."""

import asyncio
from uuid import UUID

import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.errors import InvalidPayload
from shared.jobs.holding import Completion
from shared.jobs.models import JobRef, JobType, NewJob
from shared.jobs.refresh import enqueue_refresh, refresh_key
from tests.db.steps import claimed, connections, held, job, new, place, running, status, until_blocked


async def change_facts(conn: Connection, place_id: UUID) -> int:
    version: int = await conn.fetchval(
        "UPDATE places SET facts_version = facts_version + 1, page_version = page_version + 1"
        " WHERE place_id = $1 RETURNING facts_version",
        place_id,
    )
    return version


async def facts_version(conn: Connection, place_id: UUID) -> int:
    version: int = await conn.fetchval("SELECT facts_version FROM places WHERE place_id = $1", place_id)
    return version


async def complete_copy(conn: Connection, ref: JobRef, seen: int | None) -> queue.Completed:
    result = {} if seen is None else {"facts_version": seen}
    return await queue.complete_many(
        conn, [Completion(await job(conn, ref.job_id), result, watches="facts_version")]
    )


async def test_follow_ups_are_enqueued_with_the_end(conn: Connection) -> None:
    ref = await running(conn)
    follow_up = NewJob(JobType.BUILD, dedupe_key="b")
    done = await queue.complete_many(conn, [Completion(await job(conn, ref.job_id), {}, [follow_up])])
    assert done.job_ids == {ref.job_id}
    assert done.work_ready
    assert await queue.find_active(conn, "b") is not None


async def test_the_loser_of_a_race_enqueues_nothing_and_the_winners_do(conn: Connection) -> None:
    ids = [await new(conn) for _ in range(3)]
    refs = await claimed(conn)
    jobs = [await job(conn, i) for i in ids]
    await queue.fail_permanent(conn, refs[ids[1]], "Boom: no")
    completions = [
        Completion(j, {"n": n}, [NewJob(JobType.BUILD, dedupe_key=f"b{n}")]) for n, j in enumerate(jobs)
    ]
    done = await queue.complete_many(conn, completions)
    assert done.job_ids == {ids[0], ids[2]}
    assert [bool(await queue.find_active(conn, f"b{n}")) for n in range(3)] == [True, False, True]


async def test_a_follow_up_that_is_refused_leaves_the_job_running(conn: Connection) -> None:
    ref = await running(conn)
    bad = Completion(await job(conn, ref.job_id), {}, [NewJob(JobType.COLLECT, {"speed": 1})])
    with pytest.raises(InvalidPayload):
        await queue.complete_many(conn, [bad])
    assert await status(conn, ref.job_id) == "RUNNING"


async def test_a_follow_up_may_take_the_key_its_own_job_gives_free(conn: Connection) -> None:
    ref = await running(conn, dedupe_key="k")
    again = NewJob(JobType.COLLECT, dedupe_key="k", delay=60)
    await queue.complete_many(conn, [Completion(await job(conn, ref.job_id), {}, [again])])
    active = await queue.find_active(conn, "k")
    assert active is not None
    assert active.job_id != ref.job_id


@pytest.mark.parametrize("graph", [False, True])
async def test_a_completion_that_finds_newer_facts_enqueues_its_successor(
    conn: Connection, graph: bool
) -> None:
    place_id = await place(conn)
    key = f"COPY:{place_id}:some-graph" if graph else refresh_key(JobType.COPY, place_id)
    ref = await running(conn, JobType.COPY, place_id=place_id, dedupe_key=key)
    seen = await facts_version(conn, place_id)
    newer = await change_facts(conn, place_id)
    assert (await complete_copy(conn, ref, seen)).work_ready
    successor = await queue.find_active(conn, refresh_key(JobType.COPY, place_id))
    assert successor is not None
    assert (successor.job_type, successor.payload) == (JobType.COPY, {"facts_version": newer})


@pytest.mark.parametrize("seen", ["same", "newer", "nothing"])
async def test_nothing_follows_when_nothing_changed_or_nothing_was_read(conn: Connection, seen: str) -> None:
    place_id = await place(conn)
    ref = await running(conn, JobType.COPY, place_id=place_id)
    version = await facts_version(conn, place_id)
    await complete_copy(conn, ref, {"same": version, "newer": version + 1, "nothing": None}[seen])
    assert await queue.find_active(conn, refresh_key(JobType.COPY, place_id)) is None


async def test_a_deleted_place_has_no_successor(conn: Connection) -> None:
    place_id = await place(conn)
    ref = await running(conn, JobType.COPY, place_id=place_id)
    await change_facts(conn, place_id)
    await conn.execute("UPDATE places SET deleted_at = now()")
    await complete_copy(conn, ref, 1)
    assert await conn.fetchval("SELECT count(*) FROM jobs") == 1


async def test_a_change_enqueues_the_text_and_after_it_the_page(conn: Connection) -> None:
    place_id = await place(conn)
    copy, build = await enqueue_refresh(conn, place_id, facts_version=2)
    assert set(await claimed(conn)) == {copy}
    assert (await job(conn, build)).waiting_on == 1
    assert (await job(conn, copy)).payload == {"facts_version": 2}


async def test_a_second_change_joins_the_refresh_that_is_active(conn: Connection) -> None:
    place_id = await place(conn)
    ids = await enqueue_refresh(conn, place_id)
    assert await enqueue_refresh(conn, place_id) == ids
    await held(conn, ids[0])
    assert await enqueue_refresh(conn, place_id) == ids


async def test_a_new_text_alone_is_put_before_a_page_nobody_waits_for(conn: Connection) -> None:
    place_id = await place(conn)
    build = await new(conn, JobType.BUILD, place_id=place_id, dedupe_key=refresh_key(JobType.BUILD, place_id))
    copy, same = await enqueue_refresh(conn, place_id)
    assert same == build
    assert set(await claimed(conn)) == {copy, build}


async def change(conn: Connection, place_id: UUID) -> int:
    """As the places repository does: hold the refreshes, then change, in one transaction."""
    await enqueue_refresh(conn, place_id)
    return await change_facts(conn, place_id)


async def assert_somebody_will_see(conn: Connection, place_id: UUID, version: int) -> None:
    """Run COPYs as handlers do, reading the facts at their start, until none is left: the last one saw the change."""
    seen = 0
    while True:
        refs = dict((await claimed(conn)).items())
        copies = [j for j in [await job(conn, i) for i in refs] if j.job_type == JobType.COPY]
        if not copies:
            break
        for found in copies:
            seen = await facts_version(conn, place_id)
            await complete_copy(conn, refs[found.job_id], seen)
    assert seen >= version


async def test_a_change_that_comes_before_the_completion_is_seen_by_it(database: str) -> None:
    async with connections(database, 3) as (worker, owner, watcher):
        place_id = await place(worker)
        copy, _ = await enqueue_refresh(worker, place_id)
        ref = await held(worker, copy)
        seen = await facts_version(worker, place_id)
        transaction = owner.transaction()
        await transaction.start()
        version = await change(owner, place_id)
        completing = asyncio.create_task(complete_copy(worker, ref, seen))
        await until_blocked(watcher, worker)
        await transaction.commit()
        assert (await completing).job_ids == {copy}
        await assert_somebody_will_see(watcher, place_id, version)


async def test_a_change_that_comes_while_the_completion_commits_starts_its_own_refresh(database: str) -> None:
    async with connections(database, 3) as (worker, owner, watcher):
        place_id = await place(worker)
        copy, _ = await enqueue_refresh(worker, place_id)
        ref = await held(worker, copy)
        seen = await facts_version(worker, place_id)
        transaction = worker.transaction()
        await transaction.start()
        await complete_copy(worker, ref, seen)

        async def change_in_one() -> int:
            async with owner.transaction():
                return await change(owner, place_id)

        changing = asyncio.create_task(change_in_one())
        await until_blocked(watcher, owner)
        await transaction.commit()
        await assert_somebody_will_see(watcher, place_id, await changing)


async def test_a_change_that_finds_the_text_enqueued_by_another_at_that_moment_joins_it(
    database: str,
) -> None:
    """Between looking for the active text and inserting one, a completion enqueues its successor."""
    async with connections(database, 3) as (worker, owner, watcher):
        place_id = await place(worker)
        transaction = worker.transaction()
        await transaction.start()
        theirs = await new(
            worker, JobType.COPY, place_id=place_id, dedupe_key=refresh_key(JobType.COPY, place_id)
        )
        refreshing = asyncio.create_task(enqueue_refresh(owner, place_id))
        await until_blocked(watcher, owner)
        await transaction.commit()
        copy, build = await refreshing
        assert copy == theirs
        depends_on = await watcher.fetchval(
            "SELECT depends_on FROM job_dependencies WHERE job_id = $1", build
        )
        assert depends_on == theirs


async def test_no_change_is_lost_in_a_storm_of_changes_and_completions(database: str) -> None:
    async with connections(database, 4) as (worker, *owners):
        place_id = await place(worker)
        done = asyncio.Event()

        async def owner_of(conn: Connection) -> None:
            for _ in range(12):
                async with conn.transaction():
                    await change(conn, place_id)

        async def work() -> None:
            while not done.is_set():
                for job_id, ref in (await claimed(worker)).items():
                    if (await job(worker, job_id)).job_type == JobType.COPY:
                        seen = await facts_version(worker, place_id)
                        await complete_copy(worker, ref, seen)
                    else:
                        await queue.complete(worker, ref, {})
                await asyncio.sleep(0)

        working = asyncio.create_task(work())
        await asyncio.gather(*map(owner_of, owners))
        done.set()
        await working
        last = await facts_version(worker, place_id)
        results = await worker.fetch("SELECT result FROM jobs WHERE job_type = 3 AND status = 3")
        active = await worker.fetchval("SELECT count(*) FROM jobs WHERE job_type = 3 AND status = 1")
        assert active or any(str(last) in r["result"] for r in results)
        await assert_somebody_will_see(worker, place_id, last if active else 0)
