"""The life of a reservation: made, sent, settled; or given back."""

import asyncio
from dataclasses import replace
from uuid import uuid4

import pytest

from shared import quota
from shared.db import Connection
from shared.quota import Estimate, Limits, QuotaInTransactionError, Reservation, Terms, Work
from tests.db.quota.steps import (
    COUNTS,
    METER,
    OTHER_KEY,
    OTHER_MODEL,
    Clock,
    call,
    granted,
    ledger,
    month,
    refused,
    reserve,
    room,
    settle,
    terms,
    the_meter,
)
from tests.db.steps import connect


async def test_a_minute_holds_as_many_as_it_may_and_no_more_until_they_count_no_more(clock: Clock) -> None:
    how = terms(3, share=0)
    for _ in range(3):
        await granted(clock.conn, how, send=True)
    wait = await refused(clock.conn, how, job_id=uuid4())
    assert wait.reason == "requests_minute"
    assert wait.seconds == COUNTS

    await clock.passes(wait.seconds - 0.001)
    assert await room(clock.conn, how) == 0
    await clock.passes(0.001)
    assert await room(clock.conn, how) == 2  # one is kept for the turn of who asked
    await clock.passes(11)
    assert await room(clock.conn, how) == 3


async def test_who_is_no_job_is_told_when_and_takes_no_turn(clock: Clock) -> None:
    how = terms(1, share=0)
    await granted(clock.conn, how, send=True)
    assert [(await refused(clock.conn, how)).seconds for _ in range(3)] == [COUNTS] * 3
    await clock.passes(COUNTS)
    assert await room(clock.conn, how) == 1


async def test_without_limits_there_is_room(clock: Clock) -> None:
    how = Terms(Limits(tokens_minute=200))
    for _ in range(2):
        await granted(clock.conn, how, send=True)
    wait = await refused(clock.conn, how, job_id=uuid4())
    assert (wait.reason, wait.seconds) == ("tokens_minute", COUNTS)
    assert isinstance(await reserve(clock.conn, Terms(Limits())), Reservation)


async def test_models_and_keys_are_counted_apart(clock: Clock) -> None:
    how = terms(1, share=0)
    for meter in (METER, OTHER_MODEL, OTHER_KEY):
        await granted(clock.conn, how, meter=meter)
        assert (await refused(clock.conn, how, meter=meter)).meter == meter


async def test_tokens_are_counted_at_their_estimate_and_then_as_they_were(clock: Clock) -> None:
    how = terms(100, 1_000, share=0)
    first = await granted(clock.conn, how, estimate=Estimate(800), send=True)
    assert (await refused(clock.conn, how, estimate=Estimate(201))).reason == "tokens_minute"
    await settle(clock.conn, first, how, call(tokens=150))
    await clock.passes(COUNTS / 2)
    assert (await the_meter(clock.conn, how)).minute.tokens == 150
    second = await granted(clock.conn, how, estimate=Estimate(850), send=True)
    await settle(clock.conn, second, how, call(tokens=2_000))
    await clock.passes(COUNTS / 2)
    assert (await refused(clock.conn, how, estimate=Estimate(1))).reason == "tokens_minute"


async def test_an_estimate_beyond_a_whole_window_takes_a_whole_window(clock: Clock) -> None:
    how = terms(100, 1_000, share=0.4)
    large = Estimate(50_000)
    assert (await granted(clock.conn, how, Work.BATCH, estimate=large)).estimate.tokens == 600
    assert (await granted(clock.conn, how, Work.INTERACTIVE, estimate=Estimate(400))).estimate.tokens == 400
    await clock.passes(COUNTS)
    assert (await granted(clock.conn, how, Work.INTERACTIVE, estimate=large)).estimate.tokens == 1_000


async def test_what_is_not_sent_within_its_lease_is_given_back_and_cannot_be_sent(clock: Clock) -> None:
    how = terms(1, share=0)
    held = await granted(clock.conn, how)
    await clock.passes(how.lease + 1.9)
    assert await room(clock.conn, how) == 0  # whoever marked it in its last moment may not have committed
    await clock.passes(0.2)
    assert await room(clock.conn, how) == 1
    assert not await quota.mark_sent(clock.conn, held, terms=how)
    assert await room(clock.conn, how) == 1


async def test_what_is_sent_counts_from_then_not_from_when_it_was_reserved(clock: Clock) -> None:
    how = terms(1, share=0)
    held = await granted(clock.conn, how)
    await clock.passes(9)
    assert await quota.mark_sent(clock.conn, held, terms=how)
    await clock.passes(COUNTS - 0.001)
    assert await room(clock.conn, how) == 0
    await clock.passes(0.002)
    assert await room(clock.conn, how) == 1


async def test_a_reservation_is_sent_once(clock: Clock) -> None:
    held = await granted(clock.conn, send=True)
    assert not await quota.mark_sent(clock.conn, held, terms=terms())
    assert (await the_meter(clock.conn)).minute.requests == 1


async def test_what_was_not_sent_can_be_given_back_marked_or_not(clock: Clock) -> None:
    how = terms(2, share=0, budget_usd=1.0)
    marked, unmarked = await granted(clock.conn, how, send=True), await granted(clock.conn, how)
    assert await month(clock.conn) == 0.01
    for held in (marked, unmarked):
        assert await quota.give_back(clock.conn, held, terms=how)
        assert not await quota.give_back(clock.conn, held, terms=how)
    assert await room(clock.conn, how) == 2
    assert await month(clock.conn) == 0
    assert await ledger(clock.conn) == []


async def test_what_is_settled_cannot_be_given_back(clock: Clock) -> None:
    held = await granted(clock.conn, send=True)
    await settle(clock.conn, held)
    assert not await quota.give_back(clock.conn, held, terms=terms())
    assert (await the_meter(clock.conn)).minute.requests == 1


async def test_settling_writes_the_ledger_once(clock: Clock) -> None:
    job_id, place_id = uuid4(), uuid4()
    held = await granted(clock.conn, send=True, job_id=job_id, place_id=place_id)
    await clock.passes(4)
    assert await settle(clock.conn, held)
    assert not await settle(
        clock.conn, held, made=call(cost=9.0)
    )  # its answer got lost and it was sent again
    row = await clock.conn.fetchrow("SELECT * FROM usage")
    assert row is not None
    assert (row["provider"], row["model"], row["outcome"]) == ("gemini", METER.model, "ok")
    assert (row["input_tokens"], row["output_tokens"], row["milliseconds"]) == (25, 25, 900)
    assert (float(row["cost_usd"]), row["cost_estimated"]) == (0.004, False)
    assert (row["job_id"], row["place_id"]) == (job_id, place_id)
    assert await clock.conn.fetchval("SELECT count(*) FROM usage") == 1
    assert (await the_meter(clock.conn)).minute.tokens == 50


async def test_what_the_vendor_does_not_say_stays_at_its_estimate(clock: Clock) -> None:
    silent = await granted(clock.conn, send=True)
    await settle(clock.conn, silent, made=call("timeout", None, None))
    assert await ledger(clock.conn) == [("timeout", 0.01, True)]
    assert (await the_meter(clock.conn)).minute.tokens == 100
    unpriced = await granted(clock.conn, send=True, estimate=Estimate(100))
    await settle(clock.conn, unpriced, made=call(cost=None))
    assert (await ledger(clock.conn))[1] == ("ok", None, False)
    assert await month(clock.conn) == 0.01


@pytest.mark.parametrize("nonsense", [float("nan"), float("inf"), -1.0, 1e9])
async def test_a_vendor_that_answers_nonsense_does_not_spoil_the_sums(clock: Clock, nonsense: float) -> None:
    held = await granted(clock.conn, send=True)
    made = replace(call(cost=nonsense), input_tokens=-5, output_tokens=2**40)
    assert await quota.settle(
        clock.conn, held, made, terms=terms(), tokens=made.output_tokens, cost_usd=made.cost_usd
    )
    assert await ledger(clock.conn) == [("ok", 0.01, True)]
    assert await clock.conn.fetchval("SELECT input_tokens IS NULL AND output_tokens IS NULL FROM usage")


async def test_a_call_longer_than_its_window_is_corrected_in_its_day(clock: Clock) -> None:
    held = await granted(clock.conn, send=True)
    await clock.passes(COUNTS + 20)
    await granted(clock.conn, send=True)  # folds what is over
    assert await settle(clock.conn, held)
    use = (await the_meter(clock.conn)).day
    assert (use.requests, use.tokens, use.batch_tokens) == (2, 150, 150)


async def test_what_a_crash_lost_is_charged_and_counted_when_it_is_settled(clock: Clock) -> None:
    how = terms(10, share=0)
    whole, mark = await granted(clock.conn, how, send=True), await granted(clock.conn, how)
    # As after a crash: of the one nothing is left, of the other its mark never came to be.
    await clock.conn.execute("DELETE FROM quota_reservations WHERE reservation_id = $1", whole.reservation_id)
    await clock.conn.execute("DELETE FROM quota_slots")
    await clock.conn.execute("DELETE FROM quota_months")
    for held in (whole, mark):
        assert await settle(clock.conn, held, how)
        assert not await settle(clock.conn, held, how)
    assert await month(clock.conn) == 0.008
    use = (await the_meter(clock.conn, how)).minute
    assert (use.requests, use.tokens) == (2, 100)


async def test_nothing_is_asked_inside_a_transaction(conn: Connection) -> None:
    held = await granted(conn)
    async with conn.transaction():
        for asked in (
            reserve(conn),
            quota.mark_sent(conn, held, terms=terms()),
            quota.give_back(conn, held, terms=terms()),
            settle(conn, held),
            quota.leave(conn, METER, uuid4()),
        ):
            with pytest.raises(QuotaInTransactionError):
                await asked


async def test_who_cannot_have_the_lock_is_told_to_come_back(database: str, conn: Connection) -> None:
    held = await granted(conn)
    other = await connect(database)
    try:
        transaction = other.transaction()
        await transaction.start()
        await other.execute("SELECT pg_advisory_xact_lock(1903521652, $1)", held.meter_id)
        waiting = asyncio.create_task(refused(conn))
        assert (await waiting).reason == "busy"
        await transaction.rollback()
    finally:
        await other.close()
    assert isinstance(await reserve(conn), Reservation)
