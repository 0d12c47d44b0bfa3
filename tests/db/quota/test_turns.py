"""Who waits is told when to come back: in turn, spread over what becomes free, and not overtaken."""

import asyncio
from itertools import pairwise
from uuid import uuid4

from shared import quota
from shared.db import Connection
from shared.quota import Estimate, Reservation, Wait, Work
from tests.db.quota.steps import (
    COUNTS,
    METER,
    Clock,
    granted,
    jobs,
    refused,
    reserve,
    room,
    terms,
    the_meter,
)
from tests.db.steps import connections

INTERACTIVE = Work.INTERACTIVE
FOUR = terms(4, share=0)


async def full(clock: Clock, apart: float = 10.0, count: int = 4) -> None:
    """So many calls, sent one after the other."""
    for n in range(count):
        await granted(clock.conn, FOUR, send=True)
        await clock.passes(apart if n < count - 1 else 0)


async def test_each_waiter_is_told_when_the_next_call_becomes_free(clock: Clock) -> None:
    await full(clock)  # sent at 0, 10, 20 and 30 s; now it is 30
    told = [(await refused(clock.conn, FOUR, job_id=job)).seconds for job in jobs(4)]
    assert told == [36, 46, 56, 66]


async def test_those_beyond_a_window_come_in_the_next_one_a_limits_breadth_apart(clock: Clock) -> None:
    await full(clock, apart=0)
    told = [(await refused(clock.conn, FOUR, job_id=job)).seconds for job in jobs(7)]
    assert told == [66, 66, 66, 66, 132, 147, 162]


async def test_who_asks_again_too_early_keeps_its_turn(clock: Clock) -> None:
    await full(clock)
    first, second = jobs(2)
    for job in (first, second):
        await refused(clock.conn, FOUR, job_id=job)
    await clock.passes(20)
    assert (await refused(clock.conn, FOUR, job_id=second)).seconds == 26
    assert (await refused(clock.conn, FOUR, job_id=first)).seconds == 16


async def test_a_turn_is_kept_from_those_who_come_later_for_ten_seconds(clock: Clock) -> None:
    await full(clock)
    first, second = jobs(2)
    for job in (first, second):
        await refused(clock.conn, FOUR, job_id=job)
    await clock.passes(36)  # the first one's turn
    assert isinstance(await reserve(clock.conn, FOUR, job_id=uuid4()), Wait)
    assert isinstance(
        await reserve(clock.conn, FOUR, job_id=second), Wait
    )  # a later turn is no right to this one
    assert isinstance(await reserve(clock.conn, FOUR, job_id=first), Reservation)
    assert (await the_meter(clock.conn, FOUR)).waiting_batch == 2
    await clock.passes(10 + 10.001)  # the second's came, and it did not
    assert isinstance(await reserve(clock.conn, FOUR, job_id=uuid4()), Reservation)


async def test_who_comes_late_is_before_those_who_never_waited(clock: Clock) -> None:
    await full(clock, apart=0)
    late, other = jobs(2)
    for job in (late, other):
        await refused(clock.conn, FOUR, job_id=job)
    await clock.passes(66 + 5)
    for _ in range(2):
        await granted(clock.conn, FOUR, send=True)  # room for four, two turns kept
    assert isinstance(await reserve(clock.conn, FOUR, job_id=uuid4()), Wait)
    await granted(clock.conn, FOUR, job_id=late)
    await granted(clock.conn, FOUR, job_id=other)


async def test_what_becomes_free_before_a_turn_may_be_taken_at_once(clock: Clock) -> None:
    held = await granted(clock.conn, FOUR)
    await full(clock, apart=2, count=3)
    job = jobs(1)[0]
    assert (await refused(clock.conn, FOUR, job_id=job)).seconds == 62
    await quota.give_back(clock.conn, held, terms=FOUR)
    await granted(clock.conn, FOUR, send=True)
    await clock.passes(62)
    await granted(clock.conn, FOUR, job_id=job)  # its own is still there


async def test_interactive_work_does_not_stand_in_the_batchs_queue_and_the_batch_yields_to_it(
    clock: Clock,
) -> None:
    how = terms(4, share=0.25)
    await full(clock, count=3)  # batch work has its three, at 0, 10 and 20 s
    for job in jobs(3):
        await refused(clock.conn, how, job_id=job)
    await granted(clock.conn, how, INTERACTIVE, send=True)
    copy = jobs(1)[0]
    assert (
        await refused(clock.conn, how, INTERACTIVE, job_id=copy)
    ).seconds == 46  # as the first of the batch was told
    await clock.passes(46)
    assert isinstance(await reserve(clock.conn, how, job_id=uuid4()), Wait)
    await granted(clock.conn, how, INTERACTIVE, job_id=copy)


async def test_large_and_small_wait_for_as_much_as_they_need(clock: Clock) -> None:
    how = terms(100, 1_000, share=0)
    for tokens in (200, 300, 500):
        await granted(clock.conn, how, estimate=Estimate(tokens), send=True)
        await clock.passes(10)
    told = []
    for tokens in (400, 100, 300):
        wait = await refused(clock.conn, how, estimate=Estimate(tokens), job_id=uuid4())
        assert wait.reason == "tokens_minute"
        told.append(wait.seconds)
    # 200 are free after 36 s, 500 after 46, all after 56.
    assert told == [46, 46, 56]


async def test_who_gives_up_leaves_its_turn_to_the_others(clock: Clock) -> None:
    await full(clock)
    first, second = jobs(2)
    for job in (first, second):
        await refused(clock.conn, FOUR, job_id=job)
    await quota.leave(clock.conn, METER, first)
    assert (await refused(clock.conn, FOUR, job_id=second)).seconds == 36


async def test_for_a_day_all_wait_in_turn_as_well(clock: Clock) -> None:
    how = terms(60, share=0, requests_day=1)
    await granted(clock.conn, how, send=True)
    told = [(await refused(clock.conn, how, job_id=job)).seconds for job in jobs(3)]
    assert [seconds - told[0] for seconds in told] == [0, 1, 2]


async def test_two_queues_of_thousands_cost_what_they_must(clock: Clock) -> None:
    await full(clock, apart=0)
    await clock.conn.execute(
        "INSERT INTO quota_waiters (meter_id, waiter_id, interactive, tokens, reason, due_at)"
        " SELECT meter_id, gen_random_uuid(), false, 100, 'requests_minute', $1::timestamptz + make_interval(secs => n)"
        " FROM quota_meters, generate_series(60, 20060) n",
        clock.now,
    )
    assert (await refused(clock.conn, FOUR, job_id=uuid4())).seconds == 20060 + 15


async def test_many_waiters_all_get_through_in_turn(clock: Clock) -> None:
    how = terms(4, share=0)
    waiting = dict.fromkeys(jobs(20), 0.0)
    began = clock.now
    asked = 0
    served: list[float] = []
    while waiting:
        due = min(waiting.values())
        await clock.passes(due - (clock.now - began).total_seconds())
        for job in [job for job, at in waiting.items() if at == due]:
            asked += 1
            found = await reserve(clock.conn, how, job_id=job)
            if isinstance(found, Reservation):
                assert await quota.mark_sent(clock.conn, found, terms=how)
                served.append(due)
                del waiting[job]
            else:
                assert isinstance(found, Wait)
                waiting[job] = due + found.seconds
    assert all(later - sooner >= COUNTS for sooner, later in zip(served, served[4:], strict=False))
    assert served[-1] < 5 * COUNTS  # twenty calls at four a window: no room was left empty
    assert asked <= 3 * 20


async def test_waiters_on_many_connections_keep_their_order(database: str, conn: Connection) -> None:
    how = terms(3, share=0)
    for _ in range(3):
        await granted(conn, how, send=True)
    async with connections(database, 8) as many:
        told = await asyncio.gather(
            *(refused(one, how, job_id=job) for one, job in zip(many, jobs(8), strict=True))
        )
    seconds = sorted(wait.seconds for wait in told)
    assert seconds[2] < 67
    assert all(later - sooner > 15 for sooner, later in pairwise(seconds[2:]))
    assert await room(conn, how) == 0
