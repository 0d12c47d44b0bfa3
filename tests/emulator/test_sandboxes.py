"""What a function sees and what becomes of it, the same under AWS's own client and under our loop."""

import asyncio
import json
import os
import sys

import pytest

from emulator.invocation import Throttled
from emulator.service import UnknownFunction

RUNTIMES = ["fallback", "awslambdaric"] if sys.platform == "linux" else ["fallback"]


@pytest.fixture(params=RUNTIMES)
def runtime(request):
    return request.param


def answer(outcome):
    assert outcome.error is None, outcome.payload
    return json.loads(outcome.payload)


async def test_a_sandbox_is_started_once_and_reused_warm(make_stack, runtime):
    stack = await make_stack(runtime=runtime)
    calls = [answer(await stack.invoke("web4ai-echo")) for _ in range(5)]
    assert [call["call"] for call in calls] == [1, 2, 3, 4, 5]
    assert len({call["pid"] for call in calls}) == 1


async def test_calls_at_the_same_time_run_in_sandboxes_of_their_own(
    make_stack, runtime, tmp_path, eventually
):
    stack = await make_stack(runtime=runtime)
    event = {"begun": str(tmp_path / "begun-"), "until": str(tmp_path / "until"), "how": "wait"}
    calls = [asyncio.ensure_future(stack.invoke("Waiting", event)) for _ in range(3)]
    await eventually(lambda: len(list(tmp_path.glob("begun-*"))) == 3)
    (tmp_path / "until").touch()
    assert [answer(outcome) for outcome in await asyncio.gather(*calls)] == ["ended"] * 3
    assert len(stack.service.pids) == 3


async def test_racing_cold_starts_are_each_used_once_and_then_stay_warm(make_stack, runtime):
    stack = await make_stack(runtime=runtime)
    first = await asyncio.gather(*(stack.invoke("Echo") for _ in range(4)))
    assert [answer(outcome)["call"] for outcome in first] == [1, 1, 1, 1]
    second = await asyncio.gather(*(stack.invoke("Echo") for _ in range(4)))
    assert {answer(o)["pid"] for o in second} == {answer(o)["pid"] for o in first}


async def test_a_function_sees_the_templates_environment_and_awss_and_no_other(
    make_stack, runtime, monkeypatch
):
    monkeypatch.setenv("DEVELOPERS_OWN", "secret")
    monkeypatch.setenv("AWS_PROFILE", "production")
    stack = await make_stack(runtime=runtime, environment={"ADDED": "yes", "BUCKET": None})
    seen = answer(await stack.invoke("Echo"))
    environment = seen["env"]
    assert environment["GREETING"] == "hello"
    assert environment["ADDED"] == "yes"
    assert environment["FUNCTION_PREFIX"] == "web4ai-"
    assert environment["AWS_LAMBDA_FUNCTION_NAME"] == "web4ai-echo"
    assert environment["AWS_EXECUTION_ENV"] == "AWS_Lambda_python3.13"
    assert environment["TZ"] == ":UTC"
    assert not {"DEVELOPERS_OWN", "AWS_PROFILE", "BUCKET", "SECRET", "VIRTUAL_ENV"} & set(environment)


async def test_the_context_tells_the_invocation_apart(make_stack, runtime):
    stack = await make_stack(runtime=runtime)
    one, two = [answer(await stack.invoke("Echo"))["context"] for _ in range(2)]
    assert one["request_id"] != two["request_id"]
    assert one["name"] == "web4ai-echo"
    assert one["arn"].endswith(":function:web4ai-echo")
    assert one["memory"] == "256"
    assert 4000 < one["remaining"] <= 5000


async def test_the_trace_of_the_chain_reaches_the_function(make_stack, runtime):
    stack = await make_stack(runtime=runtime)
    trace = answer(await stack.invoke("Echo"))["env"]["_X_AMZN_TRACE_ID"]
    assert trace.startswith("Root=1-")
    assert "Lineage=" in trace


async def test_an_exception_is_a_function_error_in_awss_shape_and_the_sandbox_lives_on(make_stack, runtime):
    stack = await make_stack(runtime=runtime)
    outcome = await stack.invoke("Failing", {"how": "raise"})
    body = json.loads(outcome.payload)
    assert outcome.error == body["errorType"] == "ValueError"
    assert body["errorMessage"] == "not this way"
    assert body["requestId"]
    assert "failing.py" in body["stackTrace"][0]
    before = set(stack.service.pids)
    answer(await stack.invoke("Failing", {"how": "well"}))
    assert set(stack.service.pids) == before


@pytest.mark.parametrize(("how", "status"), [("exit", 3), ("leave", 4)])
async def test_a_process_that_ends_is_an_exit_error_and_replaced(make_stack, runtime, how, status):
    stack = await make_stack(runtime=runtime)
    outcome = await stack.invoke("Failing", {"how": how})
    assert outcome.error == "Runtime.ExitError"
    assert f"exit status {status}" in json.loads(outcome.payload)["errorMessage"]
    assert answer(await stack.invoke("Failing", {"how": "well"})) == {"fine": True}


async def test_a_timeout_kills_the_function_and_what_it_started(make_stack, runtime, eventually):
    stack = await make_stack(runtime=runtime)
    running = asyncio.ensure_future(stack.invoke("Failing", {"how": "hang", "child": "61.25"}))
    await eventually(lambda: stack.service.pids)
    (pid,) = stack.service.pids
    outcome = await running
    assert outcome.error == "Sandbox.Timedout"
    assert json.loads(outcome.payload)["errorMessage"].endswith("Task timed out after 1.00 seconds")
    with pytest.raises(ProcessLookupError):
        await eventually(lambda: os.killpg(pid, 0))
    assert answer(await stack.invoke("Failing", {"how": "well"})) == {"fine": True}


async def test_a_result_no_json_can_hold_is_an_error(make_stack, runtime):
    stack = await make_stack(runtime=runtime)
    assert (await stack.invoke("Failing", {"how": "unserialisable"})).error == "Runtime.MarshalError"


@pytest.mark.parametrize(
    ("function", "error"), [("Broken", "Runtime.ImportModuleError"), ("Missing", "Runtime.HandlerNotFound")]
)
async def test_a_start_that_fails_says_why_each_time(make_stack, runtime, function, error):
    stack = await make_stack(runtime=runtime)
    for _ in range(2):
        assert (await stack.invoke(function)).error == error


async def test_an_answer_over_six_megabytes_is_an_error(make_stack, runtime):
    stack = await make_stack(runtime=runtime)
    assert len(answer(await stack.invoke("Echo", {"large": 6_000_000}))["text"]) == 6_000_000
    assert (await stack.invoke("Echo", {"large": 6_300_000})).error == "Function.ResponseSizeTooLarge"


async def test_events_and_answers_keep_every_character(make_stack, runtime):
    stack = await make_stack(runtime=runtime)
    event = {"text": '김밥천국 \u0000 \U0001f35c \\ "', "number": 1.5, "none": None}
    assert answer(await stack.invoke("Echo", event))["event"] == event


async def test_each_printed_line_carries_its_function_and_invocation(make_stack, runtime):
    lines = []
    stack = await make_stack(runtime=runtime, log=lines.append)
    ids = [
        answer(await stack.invoke("Echo", {"print": f"line {n}"}))["context"]["request_id"] for n in (1, 2)
    ]
    printed = {line.text: line for line in lines if line.text.startswith("line ")}
    assert [printed[f"line {n}"].request_id for n in (1, 2)] == ids
    assert printed["line 1"].function == "web4ai-echo"


async def test_a_traceback_is_logged_line_by_line(make_stack, runtime):
    lines = []
    stack = await make_stack(runtime=runtime, log=lines.append)
    await stack.invoke("Failing", {"how": "raise"})
    texts = [line.text for line in lines]
    assert any("ValueError: not this way" in text for text in texts)
    assert any(text.lstrip().startswith('File "') for text in texts)


async def test_a_frozen_sandbox_goes_on_where_it_stood(make_stack, runtime):
    stack = await make_stack(runtime=runtime, freeze=True)
    assert [answer(await stack.invoke("Echo"))["call"] for _ in range(3)] == [1, 2, 3]


async def test_an_idle_sandbox_is_ended_after_a_while(make_stack, runtime, eventually):
    stack = await make_stack(runtime=runtime, idle_s=0.01)
    await stack.invoke("Echo")
    await eventually(lambda: not stack.service.pids)
    assert answer(await stack.invoke("Echo"))["call"] == 1


async def test_the_reserved_concurrency_is_never_passed(make_stack, runtime, tmp_path, eventually):
    stack = await make_stack(runtime=runtime)
    event = {"begun": str(tmp_path / "begun-"), "until": str(tmp_path / "until")}
    running = asyncio.ensure_future(stack.invoke("Narrow", event))
    await eventually(lambda: list(tmp_path.glob("begun-*")))
    with pytest.raises(Throttled):
        await stack.invoke("Narrow", event)
    (tmp_path / "until").touch()
    assert answer(await running) == "ended"
    with pytest.raises(Throttled):
        await stack.invoke("Closed")


async def test_stopping_the_stack_ends_what_still_runs(make_stack, runtime, tmp_path, eventually, is_running):
    stack = await make_stack(runtime=runtime)
    event = {"begun": str(tmp_path / "begun-"), "until": str(tmp_path / "never")}
    running = asyncio.ensure_future(stack.invoke("Narrow", event))
    await eventually(lambda: list(tmp_path.glob("begun-*")))
    (pid,) = stack.service.pids
    await stack.stop()
    assert not is_running(pid)
    assert (await running).error == "Runtime.ExitError"


async def test_an_unknown_function_is_named(make_stack, runtime):
    stack = await make_stack(runtime=runtime)
    with pytest.raises(UnknownFunction, match="nobody"):
        await stack.invoke("nobody")
