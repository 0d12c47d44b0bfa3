"""The month's money."""

import asyncio

from shared.db import Connection
from shared.quota import BudgetSpent, Estimate, Reservation, Wait, prune_quota, quota_state
from tests.db.quota.steps import (
    OTHER_MODEL,
    Clock,
    call,
    granted,
    jobs,
    ledger,
    month,
    refused,
    reserve,
    settle,
    terms,
    the_meter,
)
from tests.db.steps import connections

BUDGET = terms(1000, share=0, budget_usd=0.05)


async def test_what_is_reserved_sent_and_spent_counts_against_the_budget(clock: Clock) -> None:
    await granted(clock.conn, BUDGET)  # 0.01 reserved
    await granted(clock.conn, BUDGET, send=True, meter=OTHER_MODEL)  # 0.01 under way
    spent = await granted(clock.conn, BUDGET, send=True)
    await settle(clock.conn, spent, BUDGET, call(cost=0.025))
    refusal = await reserve(clock.conn, BUDGET)
    assert isinstance(refusal, BudgetSpent)
    assert refusal.detail == "0.05 of 0.05 USD are spent or under way"
    assert await granted(clock.conn, BUDGET, estimate=Estimate(1, 0.005))  # a cheaper one fits


async def test_what_was_estimated_too_dear_makes_room_when_it_is_settled(clock: Clock) -> None:
    held = await granted(clock.conn, BUDGET, send=True, estimate=Estimate(1, 0.05))
    assert isinstance(await reserve(clock.conn, BUDGET), BudgetSpent)
    await settle(clock.conn, held, BUDGET, call(cost=0.01))
    assert isinstance(await reserve(clock.conn, BUDGET), Reservation)


async def test_past_the_budget_calls_of_unknown_price_are_not_made_either(clock: Clock) -> None:
    unpriced = Estimate(10)
    assert isinstance(await reserve(clock.conn, BUDGET, estimate=unpriced), Reservation)
    await settle(clock.conn, await granted(clock.conn, BUDGET, send=True), BUDGET, call(cost=0.06))
    assert isinstance(await reserve(clock.conn, BUDGET, estimate=unpriced), BudgetSpent)


async def test_a_budget_of_nothing_buys_nothing_and_no_budget_is_no_limit(clock: Clock) -> None:
    assert isinstance(await reserve(clock.conn, terms(budget_usd=0.0), estimate=Estimate(1)), BudgetSpent)
    dear = Estimate(1, 99_000.0)
    assert isinstance(await reserve(clock.conn, terms(), estimate=dear), Reservation)


async def test_the_budget_is_new_with_the_month_in_utc_and_a_call_is_of_the_month_it_was_sent_in(
    clock: Clock,
) -> None:
    await clock.at("2026-07-31T23:59:58+00:00")
    held = await granted(clock.conn, BUDGET, send=True, estimate=Estimate(1, 0.05))
    assert isinstance(await reserve(clock.conn, BUDGET), BudgetSpent)
    await clock.passes(5)
    assert isinstance(await reserve(clock.conn, BUDGET), Reservation)
    await settle(clock.conn, held, BUDGET, call(cost=0.04))
    assert await month(clock.conn) == 0
    in_july = "SELECT sum(usd)::float8 FROM quota_months WHERE month = '2026-07-01'"
    assert await clock.conn.fetchval(in_july) == 0.04
    assert await clock.conn.fetchval("SELECT created_at < '2026-08-01Z' FROM usage")


async def test_the_months_sum_is_the_ledgers(clock: Clock) -> None:
    for made in (call(cost=0.001), call("timeout", None, None), call(cost=None), call("server", 0, 0.0)):
        await settle(clock.conn, await granted(clock.conn, BUDGET, send=True), BUDGET, made)
    await granted(clock.conn, BUDGET, send=True)  # never settled
    await clock.passes(1001)
    assert (await prune_quota(clock.conn, BUDGET)).unknown == 1
    assert ("unknown", 0.01, True) in await ledger(clock.conn)
    assert await month(clock.conn) == 0.031
    assert await clock.conn.fetchval("SELECT sum(cost_usd)::float8 FROM usage") == 0.031


async def test_who_waited_leaves_the_queue_when_the_money_is_gone(clock: Clock) -> None:
    how = terms(1, share=0, budget_usd=0.05)
    job = jobs(1)[0]
    held = await granted(clock.conn, how, send=True)
    await refused(clock.conn, how, job_id=job)
    await settle(clock.conn, held, how, call(cost=1.0))
    assert isinstance(await reserve(clock.conn, how, job_id=job), BudgetSpent)
    assert (await the_meter(clock.conn, how)).waiting_batch == 0


async def test_many_at_once_do_not_spend_the_last_of_it_twice(database: str, conn: Connection) -> None:
    await granted(conn, BUDGET)
    async with connections(database, 10) as many:
        found = await asyncio.gather(*(reserve(one, BUDGET) for one in many))
    assert sum(isinstance(one, Reservation) for one in found) == 4
    assert sum(isinstance(one, BudgetSpent) for one in found) == 6
    assert not any(isinstance(one, Wait) for one in found)
    assert (await quota_state(conn, BUDGET)).reserved_usd == 0.05
