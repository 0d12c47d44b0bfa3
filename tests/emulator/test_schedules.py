"""Schedules fire as EventBridge Scheduler would, and what it would not take is refused."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest

from emulator.schedule_expression import Rate, ScheduleError, parse
from emulator.schedules import Schedules
from emulator.template import Schedule


@pytest.mark.parametrize(
    ("expression", "every"),
    [
        ("rate(1 minute)", timedelta(minutes=1)),
        ("rate(5 minutes)", timedelta(minutes=5)),
        ("rate(1 hour)", timedelta(hours=1)),
        ("rate(2 days)", timedelta(days=2)),
    ],
)
def test_a_rate_is_whole_minutes_hours_or_days(expression, every):
    assert parse(expression) == Rate(every)


@pytest.mark.parametrize(
    "expression",
    [
        "rate(10 seconds)",
        "rate(1 minutes)",
        "rate(5 minute)",
        "rate(0 minutes)",
        "rate(1.5 hours)",
        "at(2026-01-01T00:00:00)",
        "cron(0 0 * * *)",
        "cron(0 0 * * * *)",
        "cron(0 0 ? * ? *)",
        "cron(60 0 * * ? *)",
        "cron(0 24 * * ? *)",
        "cron(0 0 L * ? *)",
        "cron(0 0 ? * 2#1 *)",
        "cron(5-1 0 * * ? *)",
        "every minute",
    ],
)
def test_what_aws_or_the_emulator_does_not_take_is_refused_with_its_text(expression):
    with pytest.raises(ScheduleError) as caught:
        parse(expression)
    assert expression in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "after", "due"),
    [
        ("cron(0 18 * * ? *)", "2026-11-30T17:59:59", "2026-11-30T18:00"),
        ("cron(0 18 * * ? *)", "2026-11-30T18:00:00", "2026-12-01T18:00"),
        ("cron(*/20 * * * ? *)", "2026-11-30T23:45:00", "2026-12-01T00:00"),
        ("cron(15,45 9-10 ? * MON-FRI *)", "2026-11-27T10:45:00", "2026-11-30T09:15"),
        ("cron(0 0 1 JAN ? *)", "2026-11-30T00:00:00", "2027-01-01T00:00"),
        ("cron(30 4 29 2 ? *)", "2026-11-30T00:00:00", "2028-02-29T04:30"),
        ("cron(0 0 ? * SUN 2027)", "2026-11-30T00:00:00", "2027-01-03T00:00"),
    ],
)
def test_a_cron_is_due_at_its_next_time(expression, after, due):
    moment = datetime.fromisoformat(after).replace(tzinfo=UTC)
    assert parse(expression).after(moment) == datetime.fromisoformat(due).replace(tzinfo=UTC)


def test_a_cron_whose_years_are_over_is_never_due():
    assert parse("cron(0 0 1 1 ? 2020)").after(datetime(2026, 1, 1, tzinfo=UTC)) is None


async def fired(schedule, speed, count, eventually):
    events = []
    schedules = Schedules((schedule,), lambda name, payload: events.append((name, payload)), speed=speed)
    schedules.start()
    at_once = await eventually(lambda: len(events) >= count)
    await schedules.stop()
    return at_once and events


async def test_a_rate_fires_at_the_start_with_its_input(eventually):
    schedule = Schedule("s", "f", "rate(1 day)", '{"source": "schedule"}')
    assert await fired(schedule, 1, 1, eventually) == [("f", b'{"source": "schedule"}')]


async def test_speed_makes_a_rate_fire_more_often(eventually):
    events = await fired(Schedule("s", "f", "rate(1 minute)", None), 6000, 5, eventually)
    assert json.loads(events[0][1])["source"] == "aws.scheduler"


async def test_speed_makes_a_cron_fire_sooner(eventually):
    assert await fired(Schedule("s", "f", "cron(* * * * ? *)", "{}"), 6000, 3, eventually)


async def test_a_stack_sends_its_schedules_events(make_stack, records, lines_of, eventually):
    await make_stack(run_schedules=True, environment={"RECORDS": str(records)})
    (line,) = await eventually(lambda: lines_of(records))
    assert json.loads(line)["event"] == {"record": "schedule"}


class SteppingClock(datetime):
    """A wall clock that is right when it is first read, and days off, back and forth, whenever it is read again."""

    reads = 0

    @classmethod
    def now(cls, tz=None):
        cls.reads += 1
        return datetime(2026, 3, 1, 0, 0, 30, tzinfo=tz) + timedelta(days=(0, -3, 5)[min(cls.reads - 1, 2)])


@pytest.mark.parametrize("expression", ["rate(1 minute)", "cron(* * * * ? *)"])
async def test_a_clock_that_steps_back_or_forth_fires_nothing_twice_and_leaves_nothing_out(
    expression, eventually, monkeypatch
):
    """Two hundred turns a real second pass whatever the wall clock says meanwhile; none comes in a burst."""
    monkeypatch.setattr("emulator.schedules.datetime", SteppingClock)
    monkeypatch.setattr(SteppingClock, "reads", 0)
    loop, times = asyncio.get_running_loop(), []
    schedules = Schedules(
        (Schedule("s", "f", expression, "{}"),), lambda *_: times.append(loop.time()), speed=1200
    )
    schedules.start()
    await eventually(lambda: len(times) >= 6)
    await schedules.stop()
    assert SteppingClock.reads <= 1
    assert (len(times) - 2) * 0.05 <= times[-1] - times[0]
