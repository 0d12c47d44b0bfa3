"""What a holder may do, and that whoever lost its lease changes nothing."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import JobRef, JobStatus, JobType
from tests.db.steps import (
    LEASE,
    NO_JITTER,
    alerts,
    claimed,
    connections,
    held,
    job,
    let_lease_run_out,
    make_ready,
    new,
    put,
    running,
    status,
    until_blocked,
)


async def snapshot(conn: Connection) -> list[Any]:
    """Everything the queue has written."""
    tables = ("jobs", "job_dependencies", "job_attempts", "alert_outbox")
    return [[tuple(r) for r in await conn.fetch(f"SELECT * FROM {t} ORDER BY 1, 2")] for t in tables]


# start


async def test_a_start_returns_the_payload_and_renews_the_lease(conn: Connection) -> None:
    job_id = await new(conn, JobType.COPY, payload={"facts_version": 3})
    ref = (await claimed(conn, lease=5))[job_id]
    [started] = await queue.start(conn, [ref], "request-1", LEASE)
    assert started.payload == {"facts_version": 3}
    assert (started.ref, started.invocation_id) == (ref, "request-1")
    assert started.run_started_at is not None
    assert started.lease_until == started.run_started_at + timedelta(seconds=LEASE)


async def test_a_second_delivery_of_the_same_event_starts_nothing(conn: Connection) -> None:
    ids = [await new(conn) for _ in range(3)]
    refs = list((await claimed(conn)).values())
    assert len(await queue.start(conn, refs[:2], "one", LEASE)) == 2
    assert [s.job_id for s in await queue.start(conn, refs, "two", LEASE)] == [refs[2].job_id]
    assert await queue.start(conn, refs, "three", LEASE) == []
    assert {(await job(conn, i)).invocation_id for i in ids} == {"one", "two"}


async def test_of_many_deliveries_at_once_one_starts_the_job(database: str) -> None:
    async with connections(database, 8) as conns:
        job_id = await new(conns[0])
        ref = (await claimed(conns[0]))[job_id]
        started = await asyncio.gather(*(queue.start(c, [ref], str(n), LEASE) for n, c in enumerate(conns)))
        assert sum(map(len, started)) == 1


async def test_a_start_after_the_lease_was_lost_starts_nothing(conn: Connection) -> None:
    job_id = await new(conn)
    late = (await claimed(conn))[job_id]
    await let_lease_run_out(conn, job_id)
    await queue.reap(conn, 10)
    assert await queue.start(conn, [late], "late", LEASE) == []
    ref = (await claimed(conn))[job_id]
    assert await queue.start(conn, [late], "late", LEASE) == []
    assert len(await queue.start(conn, [ref], "in time", LEASE)) == 1


# the fence


async def lost(conn: Connection, *, again: bool) -> JobRef:
    """A ref whose job was reaped, and claimed and started again by another, or waits."""
    ref = await running(conn, dedupe_key="k")
    await let_lease_run_out(conn, ref.job_id)
    await queue.reap(conn, 10)
    if again:
        await make_ready(conn, ref.job_id)
        await held(conn, ref.job_id)
    return ref


@pytest.mark.parametrize("again", [False, True])
async def test_the_loser_of_a_lease_writes_nothing_whatever_it_tries(conn: Connection, again: bool) -> None:
    ref = await lost(conn, again=again)
    before = await snapshot(conn)
    twisted = [ref, ref._replace(worker_id=uuid4()), ref._replace(attempt=ref.attempt + 1)]
    if again:
        mine = (await job(conn, ref.job_id)).ref
        twisted += [mine._replace(attempt=7), mine._replace(worker_id=ref.worker_id)]
    for r in twisted:
        assert await queue.start(conn, [r], "late", LEASE) == []
        assert await queue.renew_lease(conn, [r], LEASE) == {}
        assert await queue.set_progress(conn, r, {"x": 1}) is False
        assert await queue.hold(conn, r) is False
        assert await queue.complete(conn, r, {"x": 1}) is False
        assert await queue.fail(conn, r, "Boom: no") is None
        assert await queue.fail_permanent(conn, r, "Boom: no") is None
        assert await queue.snooze(conn, r, 5, "later") is None
        assert await queue.release(conn, [r], "no") == {}
        assert await queue.cancelled(conn, r) is None
    assert await snapshot(conn) == before


async def test_what_has_ended_once_is_never_ended_again(conn: Connection) -> None:
    ref = await running(conn)
    assert await queue.complete(conn, ref, {"n": 1})
    before = await snapshot(conn)
    assert not await queue.complete(conn, ref, {"n": 2})
    assert await queue.fail(conn, ref, "Boom: no") is None
    assert await queue.fail_permanent(conn, ref, "Boom: no") is None
    assert await queue.snooze(conn, ref, 5, "later") is None
    await queue.cancel(conn, ref.job_id)
    assert await queue.cancelled(conn, ref) is None
    assert await snapshot(conn) == before


async def test_of_a_reaper_and_a_completion_at_once_exactly_one_wins(database: str) -> None:
    async with connections(database, 3) as (holder, reaper, watcher):
        # The completion first: the reaper passes the held row over, and finds it over.
        ref = await running(holder)
        await let_lease_run_out(holder, ref.job_id)
        transaction = holder.transaction()
        await transaction.start()
        assert await queue.complete(holder, ref, {})
        assert await queue.reap(reaper, 10) == []
        await transaction.commit()
        assert await queue.reap(reaper, 10) == []
        assert await status(holder, ref.job_id) == "DONE"
        # The reaper first: the completion waits, and writes nothing.
        ref = await running(holder)
        await let_lease_run_out(holder, ref.job_id)
        transaction = reaper.transaction()
        await transaction.start()
        assert len(await queue.reap(reaper, 10)) == 1
        completing = asyncio.create_task(queue.complete(holder, ref, {"n": 1}))
        await until_blocked(watcher, holder)
        await transaction.commit()
        assert await completing is False
        assert (await job(holder, ref.job_id)).result is None


async def test_of_many_ends_at_once_exactly_one_is_written(database: str) -> None:
    async with connections(database, 6) as conns:
        for _ in range(8):
            ref = await running(conns[0], max_attempts=1)
            ends = await asyncio.gather(
                queue.complete(conns[0], ref, {}),
                queue.complete(conns[1], ref, {}),
                queue.fail(conns[2], ref, "Boom: no"),
                queue.fail_permanent(conns[3], ref, "Boom: no"),
                queue.snooze(conns[4], ref, 60, "later"),
                queue.fail(conns[5], ref, "Boom: no"),
            )
            assert sum(bool(e) for e in ends) == 1
        dead = await conns[0].fetchval("SELECT count(*) FROM jobs WHERE status = 4")
        assert sum((await alerts(conns[0])).values()) == dead


# renew_lease, set_progress


async def test_a_heartbeat_renews_what_is_still_owned_and_tells_who_must_stop(conn: Connection) -> None:
    a, b, c = [await new(conn) for _ in range(3)]
    refs = await claimed(conn, lease=10)
    await queue.start(conn, list(refs.values()), "i", 10)
    await queue.cancel(conn, b)
    await queue.complete(conn, refs[c], {})
    assert await queue.renew_lease(conn, list(refs.values()), LEASE) == {a: False, b: True}
    left = await conn.fetchval(
        "SELECT extract(epoch FROM lease_until - now()) FROM jobs WHERE job_id = $1", a
    )
    assert 55 < left <= LEASE


async def test_progress_is_written_only_while_the_lease_holds(conn: Connection) -> None:
    ref = await running(conn)
    assert await queue.set_progress(conn, ref, {"step": "reading"})
    await let_lease_run_out(conn, ref.job_id)
    assert not await queue.set_progress(conn, ref, {"step": "late"})
    assert (await job(conn, ref.job_id)).progress == {"step": "reading"}


async def test_progress_is_cleaned_and_bounded(conn: Connection) -> None:
    ref = await running(conn)
    assert await queue.set_progress(conn, ref, {"a\x00": "\ud800", "n": float("nan")})
    assert (await job(conn, ref.job_id)).progress == {"a\ufffd": "\ufffd", "n": None}
    assert await queue.set_progress(conn, ref, {"a": "x" * 20_000})
    assert await conn.fetchval("SELECT length(progress::text) FROM jobs") < 200


# complete


async def test_a_completion_keeps_the_result_and_frees_the_job(conn: Connection) -> None:
    ref = await running(conn)
    await queue.fail(conn, ref, "Boom: no")
    await make_ready(conn, ref.job_id)
    ref = await held(conn, ref.job_id)
    assert await queue.complete(conn, ref, {"photos": 3})
    found = await job(conn, ref.job_id)
    assert (found.status, found.result, found.last_error) == (JobStatus.DONE, {"photos": 3}, None)
    assert (found.worker_id, found.lease_until) == (None, None)
    assert found.finished_at is not None
    assert [a.outcome for a in await queue.attempts(conn, ref.job_id)] == ["failed"]


async def test_a_job_that_succeeds_at_once_leaves_no_attempt_row(conn: Connection) -> None:
    ref = await running(conn)
    await queue.complete(conn, ref, {})
    assert await queue.attempts(conn, ref.job_id) == []


async def test_a_result_is_stored_whatever_it_holds(conn: Connection) -> None:
    class Odd:
        def __str__(self) -> str:
            raise RuntimeError("no")

    ref = await running(conn)
    result = {"a": "x\x00\udfff", "n": float("inf"), "o": Odd(), "s": {1}, "big": 10**5000, 3: None}
    assert await queue.complete(conn, ref, result)
    stored = (await job(conn, ref.job_id)).result
    assert stored is not None
    assert stored["a"] == "x\ufffd\ufffd"
    assert (stored["n"], stored["s"], stored["3"]) == (None, [1], None)
    assert "Odd" in stored["o"]


async def test_a_result_too_large_is_replaced_by_a_note_of_its_size(conn: Connection) -> None:
    ref = await running(conn)
    assert await queue.complete(conn, ref, {"a": "x" * 300_000})
    assert "300008 bytes" in ((await job(conn, ref.job_id)).result or {})["dropped"]


async def test_a_batch_ends_its_winners_and_leaves_the_losers_alone(conn: Connection) -> None:
    ids = [await new(conn) for _ in range(4)]
    refs = await claimed(conn)
    await queue.complete(conn, refs[ids[1]], {"first": True})
    done = await queue.complete_refs(conn, [(refs[i], {"n": n}) for n, i in enumerate(ids)])
    assert done.job_ids == {ids[0], ids[2], ids[3]}
    assert [(await job(conn, i)).result for i in ids] == [{"n": 0}, {"first": True}, {"n": 2}, {"n": 3}]


async def test_a_job_completed_twice_in_one_call_is_refused(conn: Connection) -> None:
    ref = await running(conn)
    with pytest.raises(ValueError, match="once"):
        await queue.complete_refs(conn, [(ref, {}), (ref, {})])
    assert await status(conn, ref.job_id) == "RUNNING"


async def test_a_completion_says_whether_a_claimer_would_find_work(conn: Connection) -> None:
    ref = await running(conn)
    assert not (await queue.complete_refs(conn, [(ref, {})])).work_ready
    ref = await running(conn)
    await new(conn)
    assert (await queue.complete_refs(conn, [(ref, {})])).work_ready


async def test_a_job_asked_to_stop_that_finished_first_is_done(conn: Connection) -> None:
    ref = await running(conn)
    await queue.cancel(conn, ref.job_id)
    assert await queue.complete(conn, ref, {})
    found = await job(conn, ref.job_id)
    assert (found.status, found.cancel_requested_at) == (JobStatus.DONE, None)


# fail


@pytest.mark.parametrize(
    ("attempts", "seconds"), [(1, 5), (2, 10), (3, 20), (4, 40), (7, 320), (8, 600), (9, 600), (60, 600)]
)
async def test_the_backoff_doubles_to_ten_minutes(conn: Connection, attempts: int, seconds: int) -> None:
    assert await conn.fetchval("SELECT job_backoff($1, 0.0)", attempts) == timedelta(seconds=seconds)


async def test_a_failure_with_attempts_left_waits_for_its_backoff(conn: Connection) -> None:
    ref = await running(conn)
    assert await queue.fail(conn, ref, ValueError("no such page"), policy=NO_JITTER) is JobStatus.PENDING
    found = await job(conn, ref.job_id)
    assert (found.last_error, found.attempts) == ("ValueError: no such page", 1)
    assert found.run_after - found.updated_at == timedelta(seconds=5)
    assert await claimed(conn) == {}
    assert await alerts(conn) == {}


async def test_jitter_lengthens_the_backoff_by_its_share_at_most(conn: Connection) -> None:
    waits = [(await conn.fetchval("SELECT job_backoff(1, 0.2)")).total_seconds() for _ in range(50)]
    assert len(set(waits)) > 10
    assert all(5 <= w <= 6 for w in waits)


async def test_the_last_failure_is_dead_and_alerts_in_the_same_transaction(database: str) -> None:
    async with connections(database, 2) as (conn, other):
        place_id = uuid4()
        ref = await running(conn, max_attempts=1, place_id=place_id)
        async with conn.transaction():
            assert await queue.fail(conn, ref, "Boom: no") is JobStatus.DEAD
            assert await alerts(other) == {}
            assert await status(other, ref.job_id) == "RUNNING"
        assert await alerts(other) == {f"job_dead:COLLECT:{place_id}": 1}
        detail = await other.fetchval("SELECT detail->>'error' FROM alert_outbox")
        assert detail == "Boom: no"


async def test_a_permanent_failure_is_dead_whatever_attempts_are_left(conn: Connection) -> None:
    ref = await running(conn, max_attempts=50)
    assert await queue.fail_permanent(conn, ref, "Boom: no") is JobStatus.DEAD
    assert sum((await alerts(conn)).values()) == 1
    assert [a.outcome for a in await queue.attempts(conn, ref.job_id)] == ["dead"]


async def test_the_alerts_key_is_the_place_else_the_region_else_the_job(conn: Connection) -> None:
    place_id = uuid4()
    first = await put(conn, place_id=place_id, payload='{"region_code": "11680"}')
    second = await put(conn, payload='{"region_code": "11680"}')
    third = await put(conn, job_type=99)
    for ref in (await claimed(conn)).values():
        await queue.fail_permanent(conn, ref, "Boom: no")
    assert set(await alerts(conn)) == {
        f"job_dead:COLLECT:{place_id}",
        "job_dead:COLLECT:11680",
        f"job_dead:99:{third}",
    }
    assert {first, second, third} == {
        r["job_id"] for r in await conn.fetch("SELECT job_id FROM jobs WHERE status = 4")
    }


async def test_every_attempt_that_failed_is_kept(conn: Connection) -> None:
    job_id = await new(conn)
    for n in (1, 2, 3):
        await make_ready(conn, job_id)
        await queue.fail(conn, await held(conn, job_id), f"Boom: {n}")
    kept = await queue.attempts(conn, job_id)
    assert [(a.attempt, a.outcome, a.error) for a in kept] == [
        (1, "failed", "Boom: 1"),
        (2, "failed", "Boom: 2"),
        (3, "dead", "Boom: 3"),
    ]
    assert all(a.invocation_id == "invocation" and a.run_started_at for a in kept)


async def test_writing_an_error_never_fails(conn: Connection) -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    errors: list[BaseException | str] = [
        "a\x00b\ud800c",
        Mute(),
        ValueError("x" * 10_000),
        KeyError("\x00"),
        ValueError(),
        "",
    ]
    for error in errors:
        ref = await running(conn, max_attempts=1)
        assert await queue.fail(conn, ref, error) is JobStatus.DEAD
        text = (await job(conn, ref.job_id)).last_error
        assert text is not None
        assert len(text) <= 2000


# snooze


async def test_a_snooze_gives_the_attempt_back_and_says_what_it_waits_for(conn: Connection) -> None:
    ref = await running(conn)
    assert await queue.snooze(conn, ref, 90, "quota of gemini") is JobStatus.PENDING
    found = await job(conn, ref.job_id)
    assert (found.attempts, found.snoozes) == (0, 1)
    assert found.run_after - found.updated_at == timedelta(seconds=90)
    assert found.progress is not None
    assert found.progress["waits_for"] == "quota of gemini"
    assert found.first_snoozed_at is not None
    assert await queue.attempts(conn, ref.job_id) == []


async def test_a_job_may_be_snoozed_often_and_still_has_all_its_attempts(conn: Connection) -> None:
    job_id = await new(conn)
    for _ in range(10):
        await make_ready(conn, job_id)
        await queue.snooze(conn, await held(conn, job_id), 5, "later")
    found = await job(conn, job_id)
    assert (found.attempts, found.snoozes) == (0, 10)


async def test_after_72_hours_a_snooze_is_a_failed_attempt(conn: Connection) -> None:
    job_id = await new(conn, max_attempts=2)
    await queue.snooze(conn, await held(conn, job_id), 5, "later")
    await conn.execute("UPDATE jobs SET first_snoozed_at = now() - interval '71 hours'")
    await make_ready(conn, job_id)
    assert await queue.snooze(conn, await held(conn, job_id), 5, "later") is JobStatus.PENDING
    assert (await job(conn, job_id)).attempts == 0
    await conn.execute("UPDATE jobs SET first_snoozed_at = now() - interval '72 hours 1 second'")
    for expected in (JobStatus.PENDING, JobStatus.DEAD):
        await make_ready(conn, job_id)
        assert await queue.snooze(conn, await held(conn, job_id), 5, "later") is expected
    assert "72 hours" in ((await job(conn, job_id)).last_error or "")
    assert sum((await alerts(conn)).values()) == 1


@pytest.mark.parametrize("delay", [100 * 3600.0, 1e18])
async def test_no_snooze_reaches_beyond_the_72_hours(conn: Connection, delay: float) -> None:
    ref = await running(conn)
    assert await queue.snooze(conn, ref, delay, "later") is JobStatus.PENDING
    found = await job(conn, ref.job_id)
    assert found.first_snoozed_at is not None
    assert found.run_after - found.first_snoozed_at == timedelta(hours=72)


async def test_a_snooze_of_a_job_asked_to_stop_ends_it(conn: Connection) -> None:
    ref = await running(conn)
    await queue.cancel(conn, ref.job_id)
    assert await queue.snooze(conn, ref, 5, "later") is JobStatus.CANCELLED


# release


async def test_a_release_gives_the_attempt_back_after_a_short_delay(conn: Connection) -> None:
    job_id = await new(conn)
    ref = (await claimed(conn))[job_id]
    assert await queue.release(conn, [ref], "InvokeFailed: 429") == {job_id: JobStatus.PENDING}
    found = await job(conn, job_id)
    assert (found.attempts, found.last_error) == (0, "InvokeFailed: 429")
    assert found.run_after - found.updated_at == timedelta(seconds=2)


async def test_releases_wait_longer_and_longer_and_after_twenty_count_as_failures(conn: Connection) -> None:
    job_id = await new(conn, max_attempts=2)
    waits, statuses = [], []
    for _ in range(22):
        await make_ready(conn, job_id)
        ref = (await claimed(conn))[job_id]
        statuses.append((await queue.release(conn, [ref], "InvokeFailed: 429", policy=NO_JITTER))[job_id])
        found = await job(conn, job_id)
        waits.append((found.run_after - found.updated_at).total_seconds())
    assert waits[:7] == [2, 4, 8, 16, 32, 60, 60]
    assert statuses == [JobStatus.PENDING] * 21 + [JobStatus.DEAD]
    assert sum((await alerts(conn)).values()) == 1


async def test_a_start_begins_the_count_of_releases_anew(conn: Connection) -> None:
    job_id = await new(conn)
    await queue.release(conn, [(await claimed(conn))[job_id]], "no")
    await make_ready(conn, job_id)
    await held(conn, job_id)
    assert (await job(conn, job_id)).releases == 0


async def test_what_a_handler_has_started_is_not_released(conn: Connection) -> None:
    """The invoke timed out and yet arrived."""
    ref = await running(conn)
    assert await queue.release(conn, [ref], "InvokeFailed: timeout") == {}
    assert await status(conn, ref.job_id) == "RUNNING"


async def test_a_release_of_a_job_asked_to_stop_ends_it(conn: Connection) -> None:
    job_id = await new(conn)
    ref = (await claimed(conn))[job_id]
    await queue.cancel(conn, job_id)
    assert await queue.release(conn, [ref], "no") == {job_id: JobStatus.CANCELLED}


# cancel


async def test_a_pending_job_is_cancelled_at_once_and_its_key_is_free(conn: Connection) -> None:
    job_id = await new(conn, dedupe_key="k")
    found = await queue.cancel(conn, job_id)
    assert found is not None
    assert found.status is JobStatus.CANCELLED
    assert await new(conn, dedupe_key="k") != job_id
    assert await alerts(conn) == {}


async def test_a_running_job_keeps_its_key_and_slot_until_it_has_stopped(conn: Connection) -> None:
    await conn.execute("UPDATE job_type_settings SET max_in_flight = 1 WHERE job_type = 2")
    ref = await running(conn, JobType.VISION, dedupe_key="k")
    other = await new(conn, JobType.VISION)
    found = await queue.cancel(conn, ref.job_id)
    assert found is not None
    assert found.status is JobStatus.RUNNING
    assert found.cancel_requested_at is not None
    assert await new(conn, JobType.VISION, dedupe_key="k") == ref.job_id
    assert await claimed(conn) == {}
    assert await queue.cancelled(conn, ref) is JobStatus.CANCELLED
    assert set(await claimed(conn)) == {other}
    assert await new(conn, JobType.VISION, dedupe_key="k") != ref.job_id
    assert await alerts(conn) == {}
    assert [a.outcome for a in await queue.attempts(conn, ref.job_id)] == ["cancelled"]


async def test_asking_again_keeps_the_first_time_it_was_asked(conn: Connection) -> None:
    ref = await running(conn)
    first = await queue.cancel(conn, ref.job_id)
    again = await queue.cancel(conn, ref.job_id)
    assert first is not None
    assert again is not None
    assert first.cancel_requested_at == again.cancel_requested_at


async def test_nobody_may_say_cancelled_who_was_not_asked(conn: Connection) -> None:
    ref = await running(conn)
    assert await queue.cancelled(conn, ref) is None
    assert await status(conn, ref.job_id) == "RUNNING"


@pytest.mark.parametrize("write", ["fail", "permanent"])
async def test_a_failure_of_a_job_asked_to_stop_is_its_cancellation_without_alert(
    conn: Connection, write: str
) -> None:
    ref = await running(conn, max_attempts=1)
    await queue.cancel(conn, ref.job_id)
    end = queue.fail if write == "fail" else queue.fail_permanent
    assert await end(conn, ref, "Boom: no") is JobStatus.CANCELLED
    assert await alerts(conn) == {}


async def test_what_is_over_stays_as_it_is(conn: Connection) -> None:
    ref = await running(conn)
    await queue.complete(conn, ref, {})
    found = await queue.cancel(conn, ref.job_id)
    assert found is not None
    assert found.status is JobStatus.DONE
    assert await queue.cancel(conn, uuid4()) is None
    assert await queue.cancel_many(conn, [UUID(int=0)]) == {}


async def test_a_places_jobs_are_cancelled_together_without_alerts(conn: Connection) -> None:
    place_id = uuid4()
    runs = await running(conn, place_id=place_id)
    waits, other = await new(conn, place_id=place_id), await new(conn)
    assert await queue.cancel_place(conn, place_id) == {
        runs.job_id: JobStatus.RUNNING,
        waits: JobStatus.CANCELLED,
    }
    assert await status(conn, other) == "PENDING"
    assert await alerts(conn) == {}


async def test_a_claim_and_a_cancel_at_once_leave_a_job_that_ends(database: str) -> None:
    async with connections(database, 2) as (claimer, canceller):
        for _ in range(15):
            job_id = await new(claimer)
            refs, _ = await asyncio.gather(claimed(claimer), queue.cancel(canceller, job_id))
            if job_id in refs:
                assert await queue.renew_lease(claimer, [refs[job_id]], LEASE) == {job_id: True}
                assert await queue.cancelled(claimer, refs[job_id])
            assert await status(claimer, job_id) == "CANCELLED"
