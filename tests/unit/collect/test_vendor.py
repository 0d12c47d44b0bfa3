"""Asking a vendor, whoever it is: bounded in time and size, asked again once, and never a word of its key."""

import json
import logging
import socket
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from functions.collect.channels import Asking, ChannelOutcome, Rejected
from functions.collect.channels.vendor import (
    Answer,
    Vendor,
    VendorFailure,
    asked,
    missing_key,
    until_midnight,
    wait_of,
)
from functions.collect.keys import ChannelKeys
from shared.places.models import NewFact
from shared.settings import Settings
from tests.channels import OpenGate, asking
from tests.fakes.vendor_process import requests_of, script, vendor_process

KEY = SecretStr("k3y+of/n0body==")
PHONE = NewFact(key="phone", value="+8225550142", channel="plain")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with vendor_process("plain") as address:
        yield address


def ask_for(seconds: float = 1.0, timeout: float = 10.0, gate: OpenGate | None = None) -> Asking:
    """With the second of the default there is no time for another try."""
    settings = Settings(channel_timeout=timeout, kakao_api_key=KEY)
    return asking(settings, names=["달그릇국수"], gate=gate, seconds=seconds)


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> VendorFailure | None:
    try:
        error = json.loads(body)["error"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return VendorFailure("auth" if status == 401 else "bad_request", error["message"])


def vendor_of(url: str, ask: Asking, **more: Any) -> Vendor:
    return Vendor("plain", url, ask, secrets=[KEY], refusal=refusal, **more)


async def answer_of(url: str, ask: Asking, **params: str) -> Answer:
    async with vendor_of(url, ask) as vendor:
        return await vendor.get("/search", params)


async def outcome_of(url: str, ask: Asking) -> ChannelOutcome:
    async def work(outcome: ChannelOutcome) -> None:
        async with vendor_of(url, ask) as vendor:
            (await vendor.get("/search", {"q": "국수", "key": KEY.get_secret_value()})).object()

    return await asked(ask, [KEY], work)


async def test_a_question_goes_out_as_written_and_the_answer_comes_back_whole(url: str) -> None:
    script(url, "ok")
    ask = ask_for()
    async with vendor_of(url + "/", ask, headers={"Authorization": "Key 1"}, every=0.25) as vendor:
        answer = await vendor.get("/search", {"q": "국수 & 밥", "page": 2}, **{"X-Fields": "a,b"})
        await vendor.post("/json", {"b_no": ["1"]}, params={"p": "1"})
        await vendor.post("/form", form={"data": "[out:json];"})
        assert (vendor.status, vendor.calls) == (200, 3)
    assert answer.object() == {"greeting": "어서 오세요"}
    get, post, form = requests_of(url)
    assert (get.method, get.path) == ("GET", "/search?q=%EA%B5%AD%EC%88%98+%26+%EB%B0%A5&page=2")
    assert {
        name: get.headers[name] for name in ("authorization", "x-fields", "accept-encoding", "accept")
    } == {
        "authorization": "Key 1",
        "x-fields": "a,b",
        "accept-encoding": "identity",
        "accept": "application/json",
    }
    assert (post.method, post.path, post.json) == ("POST", "/json?p=1", {"b_no": ["1"]})
    assert (form.body, form.headers["content-type"]) == (
        b"data=%5Bout%3Ajson%5D%3B",
        "application/x-www-form-urlencoded",
    )
    assert isinstance(ask.gate, OpenGate)
    assert ask.gate.turns == [("plain", 0.25)] * 3


@pytest.mark.parametrize(
    ("scenario", "code", "status", "retryable"),
    [
        ("html", "bad_answer", 200, True),
        ("html_as_json", "bad_answer", 200, True),
        ("xml", "bad_answer", 200, True),
        ("no_body", "bad_answer", 200, True),
        ("half_json", "bad_answer", 200, True),
        ("not_an_object", "bad_answer", 200, True),
        ("not_utf8", "bad_answer", 200, True),
        ("deep", "bad_answer", 200, True),
        ("cut", "protocol", None, True),
        ("dropped", "protocol", None, True),
        ("too_large", "too_large", 200, False),
        ("bomb", "too_large", 200, False),
        ("brotli", "bad_encoding", 200, False),
        ("redirect", "http_status", 302, False),
        ("not_found", "http_status", 404, False),
        ("unavailable", "http_status", 503, True),
        ("gateway", "http_status", 502, True),
        ("unauthorized", "auth", 401, False),
        ("forbidden", "auth", 403, False),
        ("bad_request", "bad_request", 400, False),
        ("throttled", "rate_limited", 429, True),
        ("refused_in_200", "bad_request", 200, False),
    ],
)
async def test_whatever_goes_wrong_has_a_code_and_ends_the_channel_alone(
    url: str, scenario: str, code: str, status: int | None, retryable: bool
) -> None:
    script(url, scenario)
    outcome = await outcome_of(url, ask_for())
    assert (outcome.outcome, outcome.code, outcome.http_status) == ("failed", code, status)
    assert (outcome.retryable, outcome.whole) == (retryable, False)
    assert [request.path.partition("?")[0] for request in requests_of(url)] == ["/search"]


@pytest.mark.parametrize("scenario", ["hangs", "drips"])
async def test_an_answer_that_does_not_end_is_left_at_the_total_time(url: str, scenario: str) -> None:
    script(url, scenario)
    began = time.monotonic()
    outcome = await outcome_of(url, ask_for(timeout=0.3))
    assert time.monotonic() - began < 1.0
    assert (outcome.code, outcome.retryable) == ("timeout", True)


async def test_what_is_left_of_the_channels_time_bounds_a_call_too(url: str) -> None:
    script(url, "hangs")
    began = time.monotonic()
    outcome = await outcome_of(url, ask_for(seconds=0.2))
    assert time.monotonic() - began < 1.0
    assert outcome.code == "timeout"


async def test_without_any_time_nobody_is_asked(url: str) -> None:
    script(url, "ok")
    ask = ask_for(seconds=0.0)
    outcome = await outcome_of(url, ask)
    assert (outcome.code, outcome.retryable, requests_of(url)) == ("out_of_time", True, [])
    assert isinstance(ask.gate, OpenGate)
    assert ask.gate.turns == []


def _closed_port() -> str:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{held.getsockname()[1]}"


async def test_a_name_a_certificate_and_a_connection_that_fail_are_told_apart(url: str) -> None:
    for address, code, retryable in [
        ("http://vendor.invalid", "dns", True),
        (url.replace("http:", "https:"), "tls", False),
        (_closed_port(), "connection", True),
    ]:
        outcome = await outcome_of(address, ask_for())
        assert (outcome.code, outcome.retryable, outcome.http_status) == (code, retryable, None)


async def test_a_passing_failure_is_asked_about_once_more_and_another_is_not(url: str) -> None:
    for scripted, calls, code in [
        (("unavailable", "ok"), 2, None),
        (("cut", "cut"), 2, "protocol"),
        (("unauthorized", "ok"), 1, "auth"),
        (("throttled", "ok"), 1, "rate_limited"),
    ]:
        script(url, *scripted)
        outcome = await outcome_of(url, ask_for(seconds=20.0))
        assert (outcome.code, len(requests_of(url))) == (code, calls), scripted


async def test_an_outcome_without_findings_is_empty_and_says_what_it_turned_away(url: str) -> None:
    async def nothing(outcome: ChannelOutcome) -> None: ...

    async def namesakes(outcome: ChannelOutcome) -> None:
        outcome.rejected.append(Rejected("other_branch", "달그릇국수 부산점"))

    async def half(outcome: ChannelOutcome) -> None:
        outcome.facts.append(PHONE)
        raise VendorFailure("timeout", "later")

    async def whole(outcome: ChannelOutcome) -> None:
        outcome.facts.append(PHONE)

    told = [await asked(ask_for(), [KEY], work) for work in (nothing, namesakes, half, whole)]
    assert [(one.outcome, one.code, one.whole) for one in told] == [
        ("empty", None, True),
        ("empty", "not_this_place", True),
        ("partial", "timeout", False),
        ("ok", None, True),
    ]


@pytest.mark.parametrize(
    ("scenario", "seconds"),
    [
        ("throttled", 60),
        ("throttled_for_seconds", 7),
        ("throttled_till_a_past_date", 0),
        ("throttled_for_years", 86_400),
        ("throttled_in_words", 60),
    ],
)
async def test_too_many_questions_close_the_vendor_for_everybody_as_long_as_it_asks(
    url: str, scenario: str, seconds: int
) -> None:
    script(url, scenario)
    gate = OpenGate()
    await outcome_of(url, ask_for(gate=gate))
    assert gate.closed == {"plain": ("rate_limited", timedelta(seconds=seconds))}
    again = await outcome_of(url, ask_for(gate=gate))
    assert (again.code, len(requests_of(url))) == ("rate_limited", 1)


def test_a_wait_is_read_as_seconds_or_as_a_date() -> None:
    soon = (datetime.now(UTC) + timedelta(seconds=100)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    assert 90 < wait_of({"retry-after": soon}) <= 100
    assert [wait_of({"retry-after": text}, 5.0) for text in ("3", " 3 ", "-3", "", "1.5", "٣")] == [
        3,
        3,
        5,
        5,
        5,
        3,
    ]


def test_a_korean_vendors_day_ends_at_midnight_in_seoul() -> None:
    assert until_midnight(datetime(2026, 11, 30, 14, 59, 30, tzinfo=UTC)) == timedelta(seconds=30)
    assert until_midnight(datetime(2026, 11, 30, 15, 0, tzinfo=UTC)) == timedelta(days=1)
    assert timedelta() < until_midnight() <= timedelta(days=1)


def _everything(caplog: pytest.LogCaptureFixture) -> str:
    return "\n".join(f"{record.getMessage()} {vars(record)}" for record in caplog.records)


async def test_a_key_that_the_vendor_quotes_is_in_no_outcome_and_no_log(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    script(url, "quotes_the_key")
    key = KEY.get_secret_value()
    outcome = await outcome_of(url, ask_for())
    with pytest.raises(VendorFailure) as caught:
        async with vendor_of(url, ask_for(), headers={"Authorization": f"Key {key}"}) as vendor:
            await vendor.get("/search", {"key": key})
    assert key in requests_of(url)[1].headers["authorization"]
    told = f"{outcome} {outcome.diagnostic()} {caught.value!r} {_everything(caplog)}"
    for spelling in (key, "k3y%2Bof%2Fn0body%3D%3D", "k3y%2Bof/n0body", r"k3y+of\/n0body", "n0body"):
        assert spelling not in told
    assert "Key ***" in str(caught.value)
    assert "auth: None" in caplog.records[-2].said  # type: ignore[attr-defined]


async def test_a_key_written_in_escapes_or_cut_off_by_its_reader_is_not_told_either(url: str) -> None:
    def beginning(status: int, headers: Mapping[str, str], body: bytes) -> VendorFailure:
        return VendorFailure("auth", json.loads(body)["error"]["message"][:10])

    for scenario, reader, told in [
        ("escapes_the_key", refusal, "auth: Key ***"),
        ("quotes_the_key", beginning, "auth: Key *** /s"),
    ]:
        script(url, scenario)
        headers = {"Authorization": f"Key {KEY.get_secret_value()}"}
        async with Vendor("plain", url, ask_for(), secrets=[KEY], refusal=reader, headers=headers) as vendor:
            with pytest.raises(VendorFailure) as caught:
                await vendor.get("/search", {"q": "국수"})
        assert str(caught.value) == told


async def test_the_http_library_does_not_log_the_address_even_where_everything_is_logged(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    script(url, "ok")
    await answer_of(url, ask_for(), key=KEY.get_secret_value())
    assert "n0body" in requests_of(url)[0].path
    assert "n0body" not in _everything(caplog)
    assert not [record for record in caplog.records if record.name.startswith(("httpx", "httpcore"))]


async def test_failures_are_logged_with_the_channel_the_place_and_the_vendors_words(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    script(url, "refused_in_200")
    await outcome_of(url, ask_for())
    [record] = caplog.records
    said = {name: getattr(record, name) for name in ("channel", "code", "http_status", "said")}
    assert said == {
        "channel": "plain",
        "code": "bad_request",
        "http_status": 200,
        "said": "bad_request: not today",
    }


async def test_a_key_that_cannot_be_one_or_be_read_is_a_failure_and_a_missing_one_is_skipped(
    url: str,
) -> None:
    script(url, "ok")
    plain = asking(Settings(), names=["달그릇국수"])
    broken = asking(Settings(), names=["달그릇국수"], keys=ChannelKeys(problem="the secret cannot be read"))
    assert missing_key(plain, None) == missing_key(plain, KEY, None) == "no_key"
    assert missing_key(plain, KEY) is None
    assert missing_key(broken, None) is None

    async def work(outcome: ChannelOutcome) -> None:
        raise AssertionError("asked without a key")

    for key in (None, SecretStr(""), SecretStr("two words"), SecretStr("한글"), SecretStr("line\n")):
        outcome = await asked(broken, [KEY, key], work)
        assert (outcome.outcome, outcome.code, outcome.retryable) == ("failed", "auth", False)
