"""What a vendor refused is closed for everybody, exactly that, until the time it named."""

from datetime import datetime

import pytest

from shared import quota
from shared.quota import Terms, Work
from tests.db.quota.steps import (
    METER,
    OTHER_KEY,
    OTHER_MODEL,
    Clock,
    granted,
    jobs,
    refused,
    room,
    terms,
    the_meter,
)

HOW = terms(10)


async def close(
    clock: Clock, seconds: float | None, code: str = "quota_minute", how: Terms = HOW, **more: bool
) -> None:
    await quota.close(
        clock.conn, METER, seconds=seconds, code=code, detail=f"HTTP 429 {code}", terms=how, **more
    )


async def test_a_model_is_closed_until_the_time_named_and_no_other(clock: Clock) -> None:
    await close(clock, 33.2)
    wait = await refused(clock.conn, HOW, Work.INTERACTIVE)
    assert (wait.reason, wait.code, wait.detail) == ("closed", "quota_minute", "HTTP 429 quota_minute")
    assert wait.seconds == pytest.approx(33.2)
    assert await room(clock.conn, HOW, meter=OTHER_MODEL) > 0
    assert await room(clock.conn, HOW, meter=OTHER_KEY) > 0
    await clock.passes(33.1)
    assert await room(clock.conn, HOW) == 0
    await clock.passes(0.2)
    assert await room(clock.conn, HOW, Work.INTERACTIVE) > 0


async def test_a_whole_key_is_closed_with_all_its_models_and_no_other_key(clock: Clock) -> None:
    await granted(clock.conn, HOW, meter=OTHER_MODEL)
    await close(clock, 600, "spend_limit", whole_key=True)
    for meter in (METER, OTHER_MODEL):
        assert (await refused(clock.conn, HOW, meter=meter)).code == "spend_limit"
    assert await room(clock.conn, HOW, meter=OTHER_KEY) > 0
    assert (await the_meter(clock.conn, HOW, OTHER_MODEL)).key_closed


async def test_closing_again_never_shortens_and_a_later_end_says_its_own_reason(clock: Clock) -> None:
    await close(clock, 100, "quota_day")
    await close(clock, 10, "quota_minute")
    seen = await refused(clock.conn, HOW, Work.INTERACTIVE)
    assert (seen.seconds, seen.code) == (100, "quota_day")
    await close(clock, 200, "quota_minute")
    seen = await refused(clock.conn, HOW)
    assert (seen.seconds, seen.code) == (200, "quota_minute")


async def test_the_longer_of_a_models_and_a_keys_closure_counts(clock: Clock) -> None:
    await close(clock, 100)
    await close(clock, 50, "spend_limit", whole_key=True)
    assert (await refused(clock.conn, HOW)).seconds == 100


async def test_what_was_reserved_before_is_not_sent_into_a_closed_key(clock: Clock) -> None:
    held = await granted(clock.conn, HOW)
    await close(clock, 30)
    assert not await quota.mark_sent(clock.conn, held, terms=HOW)
    await clock.passes(30.001)
    assert await room(clock.conn, HOW) == 7  # and its room is nobody's


@pytest.mark.parametrize(
    ("now", "until"),
    [
        ("2026-07-01T12:00:00+00:00", "2026-07-02T07:00:05+00:00"),  # in summer Pacific midnight is at 7
        ("2026-12-01T12:00:00+00:00", "2026-12-02T08:00:05+00:00"),
        ("2026-03-08T09:30:00+00:00", "2026-03-09T07:00:05+00:00"),  # the day of 23 hours
        ("2026-11-01T08:30:00+00:00", "2026-11-02T08:00:05+00:00"),  # the day of 25
        # Refused just after midnight: that was about the day before.
        ("2026-07-02T07:00:30+00:00", "2026-07-02T07:01:30+00:00"),
    ],
)
async def test_a_refusal_for_the_day_closes_until_the_vendors_midnight(
    clock: Clock, now: str, until: str
) -> None:
    await clock.at(now)
    await granted(clock.conn, HOW)
    await close(clock, None, "quota_day")
    assert (await the_meter(clock.conn, HOW)).closed_until == datetime.fromisoformat(until)


async def test_absurd_times_are_bounded(clock: Clock) -> None:
    await close(clock, float("inf"))
    assert (await refused(clock.conn, HOW)).seconds == 31 * 86400
    await quota.close(
        clock.conn, OTHER_MODEL, seconds=-5, code="quota_minute", detail="\0" + "x" * 999, terms=HOW
    )
    assert await room(clock.conn, HOW, meter=OTHER_MODEL) > 0


async def test_a_person_reopens(clock: Clock) -> None:
    await close(clock, 1000)
    assert not await quota.reopen(clock.conn, "gemini", METER.key_hash)
    assert await quota.reopen(clock.conn, "gemini", METER.key_hash, METER.model)
    assert not await quota.reopen(clock.conn, "gemini", METER.key_hash, METER.model)
    assert await room(clock.conn, HOW) == 7


async def test_at_the_reopening_nobody_comes_in_a_crowd(clock: Clock) -> None:
    await close(clock, 30)
    told = [(await refused(clock.conn, HOW, Work.INTERACTIVE, job_id=job)).seconds for job in jobs(5)]
    assert told == [30, 36, 42, 48, 54]  # ten a minute
    first = jobs(1)[0]
    assert (await refused(clock.conn, HOW, Work.BATCH, job_id=first)).seconds == 30
    assert (await refused(clock.conn, HOW, Work.BATCH, job_id=first)).seconds == 30  # and keeps its turn
