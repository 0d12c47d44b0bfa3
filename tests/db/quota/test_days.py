"""The vendor's day: its budget, its midnight, the calls about it."""

from datetime import datetime

import pytest

from shared import quota
from shared.quota import Limits
from tests.db.quota.steps import METER, Clock, granted, refused, room, settle, terms, the_meter

DAY = terms(100, share=0, requests_day=5)


async def test_a_days_budget_holds_over_its_minutes_and_is_new_after_pacific_midnight(clock: Clock) -> None:
    await clock.at("2026-07-01T10:00:00+00:00")
    for _ in range(5):
        await granted(clock.conn, DAY, send=True)
        await clock.passes(600)
    wait = await refused(clock.conn, DAY)
    assert wait.reason == "requests_day"
    assert wait.seconds == 20 * 3600 + 10 * 60 + 5  # to 07:00:05 of the next day
    await clock.passes(wait.seconds - 1)
    assert await room(clock.conn, DAY) == 0
    await clock.passes(12)
    assert await room(clock.conn, DAY) == 5


@pytest.mark.parametrize(
    ("before", "midnight"),
    [
        ("2026-03-08T07:30:00+00:00", "2026-03-08T08:00:00+00:00"),  # the last one of winter
        ("2026-03-09T06:30:00+00:00", "2026-03-09T07:00:00+00:00"),
        ("2026-11-01T06:30:00+00:00", "2026-11-01T07:00:00+00:00"),
        ("2026-11-02T07:30:00+00:00", "2026-11-02T08:00:00+00:00"),
    ],
)
async def test_midnight_moves_with_daylight_saving(clock: Clock, before: str, midnight: str) -> None:
    await clock.at(before)
    for _ in range(5):
        await granted(clock.conn, DAY, send=True)
    assert (await the_meter(clock.conn, DAY)).day_ends == datetime.fromisoformat(midnight)
    assert (await refused(clock.conn, DAY)).seconds == 1805
    await clock.passes(1800 + 4)
    assert await room(clock.conn, DAY) == 0
    await clock.passes(13)
    assert await room(clock.conn, DAY) == 5


async def test_calls_about_midnight_count_on_both_sides_of_it(clock: Clock) -> None:
    await clock.at("2026-07-02T06:50:00+00:00")
    await granted(clock.conn, DAY, send=True)
    await clock.at("2026-07-02T06:59:57+00:00")  # may arrive after midnight
    await granted(clock.conn, DAY, send=True)
    await clock.at("2026-07-02T07:00:03+00:00")  # may, by the vendor's clock, be before it
    assert await room(clock.conn, DAY) == 3
    await granted(clock.conn, DAY, send=True)
    await clock.at("2026-07-02T07:00:10+00:00")
    assert await room(clock.conn, DAY) == 3
    await clock.at("2026-07-02T09:00:00+00:00")  # when all are folded
    assert await room(clock.conn, DAY) == 3
    await quota.prune_quota(clock.conn, DAY)
    rows = await clock.conn.fetch("SELECT day::text, requests FROM quota_days ORDER BY day")
    assert [tuple(row) for row in rows] == [("2026-07-01", 3), ("2026-07-02", 2)]


async def test_a_day_counts_tokens_as_they_were(clock: Clock) -> None:
    how = terms(100, share=0, tokens_day=250)
    for _ in range(2):
        await settle(clock.conn, await granted(clock.conn, how, send=True), how)  # 50 of 100 each
    await clock.passes(3600)
    assert await room(clock.conn, how) == 1
    await granted(clock.conn, how, send=True)
    assert (await refused(clock.conn, how)).reason == "tokens_day"


async def test_other_vendors_days_are_those_of_utc(clock: Clock) -> None:
    other = quota.Meter("perplexity", METER.key_hash, "perplexity/sonar")
    await clock.at("2026-07-01T23:30:00+00:00")
    await quota.set_limits(clock.conn, "perplexity", other.model, Limits(requests_day=1))
    await granted(clock.conn, DAY, meter=other, send=True)
    assert (await refused(clock.conn, DAY, meter=other)).seconds == 1805


async def test_without_a_limit_for_the_day_none_holds(clock: Clock) -> None:
    how = terms(1000, share=0)
    for _ in range(50):
        await granted(clock.conn, how, send=True)
    assert (await the_meter(clock.conn, how)).limits.requests_day is None
