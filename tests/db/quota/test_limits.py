"""Whose the room is: the reserved share, and where limits come from."""

import pytest

from shared import quota
from shared.quota import Estimate, Limits, Work
from tests.db.quota.steps import COUNTS, METER, OTHER_MODEL, Clock, granted, refused, room, terms, the_meter

BATCH, INTERACTIVE = Work.BATCH, Work.INTERACTIVE


async def test_batch_work_never_takes_the_reserved_share_and_interactive_work_may_take_all(
    clock: Clock,
) -> None:
    how = terms(10, share=0.3)
    assert await room(clock.conn, how, BATCH) == 7
    assert await room(clock.conn, how, INTERACTIVE) == 10

    for _ in range(7):
        await granted(clock.conn, how, BATCH, send=True)
    assert (await refused(clock.conn, how, BATCH)).reason == "requests_minute"
    assert await room(clock.conn, how, INTERACTIVE) == 3


async def test_interactive_work_beyond_its_share_leaves_batch_work_the_rest(clock: Clock) -> None:
    how = terms(10, share=0.3)
    for _ in range(8):
        await granted(clock.conn, how, INTERACTIVE, send=True)
    assert await room(clock.conn, how, BATCH) == 2


async def test_tokens_and_days_have_a_reserved_share_too(clock: Clock) -> None:
    hundred = Estimate(100)
    by_tokens = terms(100, 1_000, share=0.3)
    assert await room(clock.conn, by_tokens, BATCH, estimate=hundred) == 7
    assert await room(clock.conn, by_tokens, INTERACTIVE, estimate=hundred) == 10
    by_day = terms(100, share=0.5, requests_day=8)
    assert await room(clock.conn, by_day, BATCH) == 4
    assert await room(clock.conn, by_day, INTERACTIVE) == 8
    by_tokens_of_day = terms(100, share=0.5, tokens_day=800)
    assert await room(clock.conn, by_tokens_of_day, BATCH, estimate=hundred) == 4
    assert await room(clock.conn, by_tokens_of_day, INTERACTIVE, estimate=hundred) == 8


@pytest.mark.parametrize(
    ("limit", "share", "batch"), [(1, 0.3, 1), (2, 0.3, 1), (10, 0.25, 7), (10, 0.0, 10), (3, 0.99, 1)]
)
async def test_the_share_is_rounded_up_and_leaves_batch_work_one(
    clock: Clock, limit: int, share: float, batch: int
) -> None:
    assert await room(clock.conn, terms(limit, share=share), BATCH) == batch


async def test_a_batch_that_filled_its_part_leaves_the_share_free_for_the_next_minute_as_well(
    clock: Clock,
) -> None:
    how = terms(10, share=0.3)
    for _ in range(7):
        await granted(clock.conn, how, BATCH, send=True)
    await clock.passes(COUNTS)
    for _ in range(7):
        await granted(clock.conn, how, BATCH, send=True)
    assert await room(clock.conn, how, INTERACTIVE) == 3


async def test_limits_come_from_the_models_row_then_the_providers_then_the_settings(clock: Clock) -> None:
    how = terms(5, share=0)
    assert await room(clock.conn, how) == 5
    await quota.set_limits(clock.conn, "gemini", "*", Limits(requests_minute=3))
    assert await room(clock.conn, how) == 3
    await quota.set_limits(clock.conn, "gemini", METER.model, Limits(requests_minute=8, reserved_share=0.5))
    assert await room(clock.conn, how, BATCH) == 4
    assert await room(clock.conn, how, INTERACTIVE) == 8
    assert await room(clock.conn, how, meter=OTHER_MODEL) == 3
    await quota.set_limits(clock.conn, "gemini", METER.model, Limits())
    assert await room(clock.conn, how, INTERACTIVE) == 3


async def test_a_lower_limit_is_in_force_at_once_whatever_was_sent(clock: Clock) -> None:
    how = terms(5, share=0)
    for _ in range(5):
        await granted(clock.conn, how, send=True)
    await quota.set_limits(clock.conn, "gemini", METER.model, Limits(requests_minute=2))
    wait = await refused(clock.conn, how)
    await clock.passes(wait.seconds + 11)
    assert await room(clock.conn, how) == 2


async def test_what_is_published_of_a_vendor_is_known_from_the_start(clock: Clock) -> None:
    perplexity = quota.Meter("perplexity", METER.key_hash, "perplexity/sonar")
    await granted(clock.conn, terms(10), meter=perplexity)
    seen = await the_meter(clock.conn, terms(10), perplexity)
    assert (seen.limits.requests_minute, seen.batch_limits.requests_minute) == (50, 50)
