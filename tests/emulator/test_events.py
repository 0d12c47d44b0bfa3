"""Asynchronous events: AWS's retries, ages, limits and loops, and what chaos does to them."""

import asyncio
import json

import pytest

from emulator.chaos import Chaos
from emulator.invocation import MAX_HOPS, RecursiveLoop, next_hop

FAST = 2000.0  # so that AWS's minutes between retries are hundredths of a second here


def send(stack, function, event):
    return stack.service.send(f"web4ai-{function}", json.dumps(event).encode())


async def test_a_failing_event_is_tried_three_times_under_one_request_id(make_stack, records, lines_of):
    stack = await make_stack(speed=FAST, environment={"RECORDS": str(records)})
    request_id = send(stack, "failing", {"how": "raise"})
    await stack.service.settled()
    assert lines_of(records) == [request_id] * 3
    (failure,) = stack.failures
    assert (failure.condition, failure.attempts) == ("RetriesExhausted", 3)
    assert json.loads(failure.payload) == {"how": "raise"}
    assert "not this way" in failure.error


async def test_without_retries_a_failing_event_is_tried_once(make_stack):
    stack = await make_stack(speed=FAST)
    await stack.service.deliver("web4ai-echo", b'{"large": 6300000}')
    assert [(f.condition, f.attempts) for f in stack.failures] == [("RetriesExhausted", 1)]


async def test_a_crash_counts_as_a_failed_attempt(make_stack, records, lines_of):
    stack = await make_stack(speed=FAST, environment={"RECORDS": str(records)})
    send(stack, "failing", {"how": "exit"})
    await stack.service.settled()
    assert len(lines_of(records)) == 3


async def test_a_throttled_event_waits_for_its_turn(make_stack, tmp_path, eventually):
    stack = await make_stack(speed=20)
    event = {"begun": str(tmp_path / "begun-"), "until": str(tmp_path / "until")}
    for _ in range(3):
        send(stack, "narrow", event)
    await eventually(lambda: list(tmp_path.glob("begun-*")))
    assert stack.service.running("web4ai-narrow") == 1
    (tmp_path / "until").touch()
    await stack.service.settled()
    assert len(list(tmp_path.glob("begun-*"))) == 3
    assert stack.failures == []


async def test_an_event_that_waited_longer_than_its_age_is_dropped(make_stack, tmp_path, eventually):
    stack = await make_stack(speed=FAST)
    event = {"begun": str(tmp_path / "begun-"), "until": str(tmp_path / "until")}
    running = asyncio.ensure_future(stack.invoke("Narrow", event))
    await eventually(lambda: list(tmp_path.glob("begun-*")))
    late = send(stack, "narrow", event)
    await stack.service.settled()
    assert [(f.request_id, f.condition, f.attempts) for f in stack.failures] == [
        (late, "EventAgeExceeded", 0)
    ]
    (tmp_path / "until").touch()
    await running
    assert len(list(tmp_path.glob("begun-*"))) == 1


async def test_with_a_reserved_concurrency_of_zero_an_event_fails_at_once(make_stack):
    stack = await make_stack()
    send(stack, "closed", {})
    assert [failure.condition for failure in stack.failures] == ["ZeroReservedConcurrency"]


async def test_chaos_repeats_loses_and_delays_events_as_told(make_stack, records, lines_of):
    chaos = Chaos()
    stack = await make_stack(chaos=chaos, environment={"RECORDS": str(records)})
    chaos.next("web4ai-echo", 0.0, 0.02)
    chaos.next("web4ai-echo")
    twice, never, once = [send(stack, "echo", {"n": n}) for n in (1, 2, 3)]
    await stack.service.settled()
    delivered = [json.loads(line)["id"] for line in lines_of(records)]
    assert sorted(delivered) == sorted([twice, twice, once])
    assert never not in delivered


def test_chaos_by_chance_is_the_same_for_the_same_seed():
    one, two = [Chaos(drop=0.2, duplicate=0.3, max_delay_s=1.0, seed=5) for _ in range(2)]
    fates = [one.deliveries("f") for _ in range(300)]
    assert fates == [two.deliveries("f") for _ in range(300)]
    assert {len(fate) for fate in fates} == {0, 1, 2}


async def test_a_function_that_calls_itself_is_stopped_after_sixteen_hops(make_stack, records, lines_of):
    stack = await make_stack(environment={"RECORDS": str(records)})
    send(stack, "chained", {"hops": 40})
    await stack.service.settled()
    assert lines_of(records) == [str(n) for n in range(1, MAX_HOPS + 1)]
    assert [failure.condition for failure in stack.failures] == ["RecursiveLoop"]


async def test_a_function_that_may_loop_is_not_stopped(make_stack, records, lines_of):
    stack = await make_stack(environment={"RECORDS": str(records)})
    send(stack, "looping", {"hops": 20})
    await stack.service.settled()
    assert len(lines_of(records)) == 20
    assert stack.failures == []


def test_each_chain_counts_each_function_on_its_own():
    trace = None
    for _ in range(MAX_HOPS):
        trace = next_hop(trace, "a", loop_allowed=False)
        trace = next_hop(trace, "b", loop_allowed=True)
    with pytest.raises(RecursiveLoop):
        next_hop(trace, "a", loop_allowed=False)
    next_hop(trace, "b", loop_allowed=True)
    next_hop(trace, "c", loop_allowed=False)
    next_hop(None, "a", loop_allowed=False)
