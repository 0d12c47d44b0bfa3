"""What ops sees, and what the reaper clears away."""

from datetime import timedelta
from uuid import uuid4

from shared import quota
from shared.quota import Estimate, Limits, Use, Work, prune_quota, quota_state
from tests.db.quota.steps import (
    METER,
    OTHER_KEY,
    Clock,
    call,
    granted,
    jobs,
    refused,
    settle,
    terms,
    the_meter,
)

HOW = terms(4, 1_000, share=0.25, requests_day=100, budget_usd=5.0)


async def test_a_meter_shows_what_counts_of_what_and_whose_it_is(clock: Clock) -> None:
    await clock.at("2026-07-01T12:00:00+00:00")
    await granted(clock.conn, HOW, Work.INTERACTIVE, estimate=Estimate(300), send=True)
    await clock.passes(70)
    await granted(clock.conn, HOW, Work.INTERACTIVE, estimate=Estimate(200), send=True)
    await granted(clock.conn, HOW, Work.BATCH, estimate=Estimate(100))
    seen = await the_meter(clock.conn, HOW)
    assert seen.minute == Use(requests=2, tokens=300, batch_requests=1, batch_tokens=100)
    assert seen.day == Use(requests=3, tokens=600, batch_requests=1, batch_tokens=100)
    assert seen.limits == Limits(4, 1_000, 100, None, 0.25)
    assert seen.batch_limits == Limits(3, 750, 75, None, 0.25)
    assert (seen.key_hash, seen.closed_until) == (METER.key_hash, None)


async def test_who_waits_and_for_what_is_seen(clock: Clock) -> None:
    for _ in range(4):
        await granted(clock.conn, HOW, Work.INTERACTIVE, send=True)
    began = clock.now
    for work, job in zip((Work.BATCH, Work.BATCH, Work.INTERACTIVE), jobs(3), strict=True):
        await refused(clock.conn, HOW, work, job_id=job)
        await clock.passes(1)
    seen = await the_meter(clock.conn, HOW)
    assert (seen.waiting_batch, seen.waiting_interactive) == (2, 1)
    assert (seen.waiting_since, seen.waiting_for) == (began, "requests_minute")
    assert seen.next_turn_at == began + timedelta(seconds=66)
    await clock.passes(66 + 11)  # none came
    assert (await the_meter(clock.conn, HOW)).waiting_batch == 0


async def test_money_is_seen_with_its_budget(clock: Clock) -> None:
    await settle(clock.conn, await granted(clock.conn, HOW, send=True), HOW, call(cost=0.25))
    await granted(clock.conn, HOW)
    state = await quota_state(clock.conn, HOW)
    assert (state.spent_usd, state.reserved_usd, state.budget_usd) == (0.25, 0.01, 5.0)
    assert str(state.month) == "2026-07-01"


async def test_keys_nobody_uses_any_more_are_not_shown(clock: Clock) -> None:
    await granted(clock.conn, HOW, send=True, meter=OTHER_KEY)
    await clock.passes(3 * 86400)
    await granted(clock.conn, HOW, send=True)
    assert [m.key_hash for m in (await quota_state(clock.conn, HOW)).meters] == [
        OTHER_KEY.key_hash,
        METER.key_hash,
    ]
    await prune_quota(clock.conn, HOW)
    assert [m.key_hash for m in (await quota_state(clock.conn, HOW)).meters] == [METER.key_hash]


async def test_pruning_deletes_what_is_over_and_nothing_that_counts(clock: Clock) -> None:
    over = await granted(clock.conn, HOW, send=True)
    await settle(clock.conn, over, HOW)
    await granted(clock.conn, HOW)  # never sent
    await refused(clock.conn, terms(1), job_id=uuid4())
    await quota.close(clock.conn, OTHER_KEY, seconds=60, code="quota_minute", detail="429", terms=HOW)
    assert await prune_quota(clock.conn, HOW) == (0, 0)
    await clock.passes(121)
    before = await the_meter(clock.conn, HOW)
    running = await granted(clock.conn, HOW, send=True)
    assert await prune_quota(clock.conn, HOW) == (0, 1)  # the settled one
    assert (await the_meter(clock.conn, HOW)).day.requests == before.day.requests + 1
    await clock.passes(30)
    assert await prune_quota(clock.conn, HOW) == (0, 1)  # the one that was not sent
    await clock.passes(3700)
    assert await prune_quota(clock.conn, HOW) == (
        1,
        1,
    )  # the waiter's turn; the call nobody settled is unknown
    assert not await settle(clock.conn, running, HOW)
    await clock.passes(86_400)
    assert await prune_quota(clock.conn, HOW) == (0, 1)
    for table in ("quota_reservations", "quota_waiters", "quota_slots", "quota_closures"):
        assert await clock.conn.fetchval(f"SELECT count(*) FROM {table}") == 0, table
    await clock.passes(45 * 86_400)
    await prune_quota(clock.conn, HOW)
    assert await clock.conn.fetchval("SELECT count(*) FROM quota_days") == 0


async def test_pruning_goes_on_until_all_is_gone_in_batches(clock: Clock) -> None:
    await granted(clock.conn, HOW)
    await clock.conn.execute(
        "INSERT INTO quota_reservations (reservation_id, meter_id, interactive, tokens, lease_until, sent_at, settled_at)"
        " SELECT gen_random_uuid(), 1, false, 1, at, at, at FROM generate_series(1, 2500),"
        " (SELECT $1::timestamptz - interval '1 hour' AS at) past",
        clock.now,
    )
    assert (await prune_quota(clock.conn, HOW)).removed == 2500
    assert await clock.conn.fetchval("SELECT count(*) FROM quota_reservations") == 1
