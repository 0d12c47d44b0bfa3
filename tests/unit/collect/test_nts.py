"""The tax office's channel against its interface in a process of its own."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from functions.collect.channels import Asking, ChannelOutcome
from functions.collect.channels.nts import NtsChannel
from shared.settings import Settings
from tests.channels import OpenGate, asking
from tests.fakes.vendor_process import requests_of, script, vendor_process

KEY = "a+b/c=="
ENCODED = "a%2Bb%2Fc%3D%3D"
NUMBER = "124-81-00998"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with vendor_process("nts") as address:
        yield address


def ask_for(
    url: str,
    *,
    key: str | None = KEY,
    number: str | None = NUMBER,
    gate: OpenGate | None = None,
    timeout: float = 10.0,
    seconds: float = 1.4,
) -> Asking:
    """In the seconds of the default there is no time for another try."""
    settings = Settings(nts_key=SecretStr(key) if key else None, nts_base_url=url, channel_timeout=timeout)
    facts = {"business_number": number} if number else {}
    return asking(settings, names=["달그릇국수"], facts=facts, gate=gate, seconds=seconds)


async def outcome_of(url: str, *scenarios: str, **how: Any) -> ChannelOutcome:
    script(url, *scenarios)
    return await NtsChannel().collect(ask_for(url, **how))


@pytest.mark.parametrize(
    ("scenario", "status", "notes"),
    [
        ("ok", "active", []),
        ("alone", "active", []),
        ("suspended", "suspended", ["business_suspended"]),
        ("closed", "closed", ["business_closed"]),
    ],
)
async def test_the_register_says_whether_the_business_lives(
    url: str, scenario: str, status: str, notes: list[str]
) -> None:
    outcome = await outcome_of(url, scenario)
    assert (outcome.outcome, outcome.code, outcome.http_status, outcome.whole) == ("ok", None, 200, True)
    [fact] = outcome.facts
    assert (fact.key, fact.value, fact.channel, fact.storable, fact.structured, fact.confidence) == (
        "business_status",
        status,
        "nts",
        True,
        False,
        1.0,
    )
    assert outcome.notes == notes


async def test_a_number_nobody_has_is_mistyped_and_says_nothing_of_the_place(url: str) -> None:
    outcome = await outcome_of(url, "unregistered")
    assert (outcome.outcome, outcome.code) == ("empty", "not_this_place")
    assert (outcome.facts, outcome.notes, outcome.retryable) == ([], [], False)


@pytest.mark.parametrize("given", [KEY, ENCODED])
async def test_one_question_about_the_confirmed_number_with_a_key_encoded_once(url: str, given: str) -> None:
    gate = OpenGate()
    await outcome_of(url, "ok", key=given, gate=gate)
    [request] = requests_of(url)
    assert (request.method, request.path) == ("POST", f"/status?serviceKey={ENCODED}&returnType=JSON")
    assert request.json == {"b_no": ["1248100998"]}
    assert gate.turns == [("nts", 0.05)]


@pytest.mark.parametrize(
    ("scenario", "code", "retryable"),
    [
        ("another", "bad_answer", True),
        ("none", "bad_answer", True),
        ("unknown_status", "bad_answer", True),
        ("blank", "bad_answer", True),
        ("number_for_text", "bad_answer", True),
        ("malformed", "bad_request", False),
        ("internal", "http_status", True),
        ("internal_good", "http_status", True),
        ("younger_4", "auth", False),
        ("younger_10", "quota_day", False),
        ("xml_30", "auth", False),
        ("html", "bad_answer", True),
        ("dropped", "protocol", True),
    ],
)
async def test_anything_but_the_status_is_a_failure_and_no_closed_business(
    url: str, scenario: str, code: str, retryable: bool
) -> None:
    outcome = await outcome_of(url, scenario)
    assert (outcome.outcome, outcome.code, outcome.retryable) == ("failed", code, retryable)
    assert (outcome.facts, outcome.notes, outcome.whole) == ([], [], False)


async def test_a_slow_answer_is_not_waited_for(url: str) -> None:
    outcome = await outcome_of(url, "drips", timeout=0.2)
    assert (outcome.outcome, outcome.code) == ("failed", "timeout")


@pytest.mark.parametrize("scenario", ["xml_22", "younger_10"])
async def test_the_days_quota_closes_the_register_for_everybody(url: str, scenario: str) -> None:
    gate = OpenGate()
    await outcome_of(url, scenario, gate=gate)
    assert gate.closed["nts"][0] == "quota_day"


async def test_the_key_is_in_no_result_and_no_log(
    url: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    outcome = await outcome_of(url, "quoting")
    assert outcome.code == "auth"
    out, err = capfd.readouterr()
    told = [str(outcome.diagnostic()), repr(outcome), caplog.text, out, err]
    assert not [text for text in told if KEY in text or ENCODED in text]


@pytest.mark.parametrize(
    ("how", "reason"),
    [({}, None), ({"key": None}, "no_key"), ({"number": None}, "no_business_number")],
)
def test_it_is_skipped_without_a_key_or_a_number(how: dict[str, Any], reason: str | None) -> None:
    assert NtsChannel().skipped(ask_for("http://127.0.0.1:9", **how)) == reason
