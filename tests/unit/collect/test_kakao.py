"""Kakao Local against a stand-in in its own process: who is taken for the place, what is kept, what an error becomes."""

import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import SecretStr

from functions.collect.channels import Asking, ChannelOutcome
from functions.collect.channels.kakao import KakaoChannel
from functions.collect.channels.vendor import until_midnight
from functions.collect.keys import ChannelKeys
from shared.settings import Settings
from tests.channels import OpenGate, asking
from tests.fakes.vendor_process import requests_of, script, vendor_process

KEY = "kakao-key-of-nobody"
HERE = {"phones": ["02-555-0142"], "addresses": ["서울 성동구 달그릇길 12"]}
PIN = (37.5446, 127.0559)
URL = "http://place.map.kakao.com/26338954"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with vendor_process("kakao") as address:
        yield address


def ask_about(url: str, name: str = "달그릇국수", seconds: float = 1.0, **known: Any) -> Asking:
    settings = Settings(kakao_api_key=SecretStr(KEY), kakao_base_url=url)
    return asking(settings, names=[name], seconds=seconds, **(known or HERE))


async def outcome_of(url: str, scenario: str, **known: Any) -> ChannelOutcome:
    script(url, scenario)
    return await KakaoChannel().collect(ask_about(url, **known))


def values(outcome: ChannelOutcome) -> dict[str, Any]:
    return {fact.key: fact.value for fact in outcome.facts}


def asked(url: str) -> list[dict[str, str]]:
    return [
        {name: value for name, [value] in parse_qs(urlsplit(request.path).query).items()}
        for request in requests_of(url)
    ]


async def test_the_place_is_told_from_its_namesakes_and_what_is_said_of_it_waits_for_its_owner(
    url: str,
) -> None:
    outcome = await outcome_of(url, "ok")
    assert (outcome.outcome, outcome.code, outcome.http_status, outcome.pages) == ("ok", None, 200, 1)
    assert (outcome.whole, outcome.retryable) == (True, False)
    assert values(outcome) == {
        "phone": "+8225550142",
        "road_address": "서울특별시 성동구 달그릇길 12",
        "lot_address": "서울특별시 성동구 성수동2가 300-1",
        "geo": {"lat": 37.5446, "lon": 127.0559},
        "category": "Restaurant",
    }
    assert {(fact.channel, fact.source_url, fact.storable, fact.structured) for fact in outcome.facts} == {
        ("kakao", URL, True, False)
    }
    assert {fact.confidence for fact in outcome.facts} == {0.95}


async def test_the_name_is_asked_for_in_its_district_with_the_key_in_a_header(url: str) -> None:
    await outcome_of(url, "ok")
    assert asked(url) == [{"query": "서울특별시 성동구 달그릇국수", "size": "15", "page": "1"}]
    [request] = requests_of(url)
    assert request.headers["authorization"] == f"KakaoAK {KEY}"
    assert KEY not in request.path


async def test_around_a_known_pin_the_name_alone_is_asked_for(url: str) -> None:
    outcome = await outcome_of(url, "ok", geo=PIN)
    assert asked(url) == [
        {"query": "달그릇국수", "size": "15", "page": "1", "x": "127.0559", "y": "37.5446", "radius": "2000"}
    ]
    assert values(outcome)["phone"] == "+8225550142"


async def test_a_pin_that_is_wrong_is_followed_by_a_question_in_the_district(url: str) -> None:
    outcome = await outcome_of(url, "ok", geo=(37.60, 127.0), **HERE)
    assert [question["query"] for question in asked(url)] == ["달그릇국수", "서울특별시 성동구 달그릇국수"]
    assert (outcome.outcome, outcome.pages) == ("ok", 2)
    assert {fact.confidence for fact in outcome.facts} == {0.95}


async def test_a_place_on_the_second_page_is_found_and_there_is_no_third(url: str) -> None:
    outcome = await outcome_of(url, "on_the_second_page")
    assert (outcome.outcome, outcome.pages, outcome.whole) == ("ok", 2, True)
    endless = await outcome_of(url, "endless", phones=HERE["phones"])
    assert (endless.outcome, endless.code, endless.pages, endless.whole) == (
        "empty",
        "not_this_place",
        2,
        False,
    )
    assert [question["page"] for question in asked(url)] == ["1", "2"]


async def test_nothing_found_is_empty_and_others_found_are_named_with_the_reason(url: str) -> None:
    nothing = await outcome_of(url, "nothing")
    assert (nothing.outcome, nothing.code, nothing.whole, nothing.rejected) == ("empty", None, True, [])
    others = await outcome_of(url, "only_others", phones=HERE["phones"])
    assert (others.outcome, others.code) == ("empty", "not_this_place")
    assert others.diagnostic()["rejected"] == [
        {"reason": "other_phone", "name": "달그릇국수 부산점"},
        {"reason": "other_phone", "name": "달그릇국수"},
    ]


@pytest.mark.parametrize(
    ("scenario", "key", "value"),
    [
        ("branch_in_name", "name", "달그릇국수 본점"),
        ("renamed", "name", "은하국수"),
        ("moved", "road_address", "서울특별시 마포구 양화로 45"),
        ("no_phone", "phone", None),
        ("unknown_category", "category", None),
        ("no_building_number", "road_address", None),
        ("numbers_for_texts", "geo", {"lat": 37.5446, "lon": 127.0559}),
        ("numbers_for_texts", "phone", None),
        ("swapped_axes", "geo", {"lat": 37.5446, "lon": 127.0559}),
        ("in_the_sea", "geo", None),
        ("control_signs", "name", None),
        ("control_signs", "road_address", "서울특별시 성동구 달그릇길 12"),
        ("no_meta", "phone", "+8225550142"),
        ("null_meta", "phone", "+8225550142"),
    ],
)
async def test_what_is_said_is_normalised_or_dropped_and_never_invented(
    url: str, scenario: str, key: str, value: Any
) -> None:
    outcome = await outcome_of(url, scenario)
    assert outcome.outcome == "ok"
    assert values(outcome).get(key) == value


async def test_a_page_is_linked_only_where_it_is_one(url: str) -> None:
    outcome = await outcome_of(url, "script_for_page")
    assert {fact.source_url for fact in outcome.facts} == {None}


@pytest.mark.parametrize("scenario", ["empty_texts", "empty_entry", "nested_texts"])
async def test_an_entry_without_a_name_is_nobody(url: str, scenario: str) -> None:
    outcome = await outcome_of(url, scenario)
    assert (outcome.outcome, outcome.code, outcome.facts) == ("empty", "not_this_place", [])
    assert outcome.diagnostic()["rejected"] == [{"reason": "other_name"}]


@pytest.mark.parametrize(
    ("scenario", "code", "status", "retryable"),
    [
        ("wrong_key", "auth", 401, False),
        ("unknown_key", "auth", 401, False),
        ("map_off", "auth", 403, False),
        ("map_off_by_number", "auth", 403, False),
        ("no_permission", "auth", 403, False),
        ("bad_parameter", "bad_request", 400, False),
        ("bad_argument", "bad_request", 400, False),
        ("quota", "quota_day", 429, False),
        ("quota_by_number", "quota_day", 400, False),
        ("throttled", "rate_limited", 429, True),
        ("too_many", "rate_limited", 429, True),
        ("internal", "http_status", 400, True),
        ("maintenance", "http_status", 503, True),
        ("platform_timeout", "timeout", 400, True),
        ("refused_in_200", "auth", 200, False),
        ("unknown_error_in_200", "bad_answer", 200, True),
        ("unknown_error", "http_status", 418, False),
        ("no_documents", "bad_answer", 200, True),
        ("null_documents", "bad_answer", 200, True),
        ("documents_by_name", "bad_answer", 200, True),
        ("null_entry", "bad_answer", 200, True),
        ("not_an_object", "bad_answer", 200, True),
        ("html", "bad_answer", 200, True),
        ("xml", "bad_answer", 200, True),
        ("half_json", "bad_answer", 200, True),
        ("deep", "bad_answer", 200, True),
        ("cut", "protocol", None, True),
        ("unavailable", "http_status", 503, True),
    ],
)
async def test_an_error_has_its_code_whatever_its_form(
    url: str, scenario: str, code: str, status: int | None, retryable: bool
) -> None:
    outcome = await outcome_of(url, scenario)
    assert (outcome.outcome, outcome.code, outcome.http_status) == ("failed", code, status)
    assert (outcome.retryable, outcome.whole, outcome.facts) == (retryable, False, [])


async def test_an_answer_that_drips_is_left_in_time(url: str) -> None:
    script(url, "drips")
    settings = Settings(kakao_api_key=SecretStr(KEY), kakao_base_url=url, channel_timeout=0.2)
    outcome = await KakaoChannel().collect(asking(settings, names=["달그릇국수"], seconds=1.0, **HERE))
    assert (outcome.code, outcome.retryable) == ("timeout", True)
    assert outcome.milliseconds < 1000


@pytest.mark.parametrize(
    ("scenario", "code", "seconds"),
    [("throttled", "rate_limited", 3), ("too_many", "rate_limited", 60), ("quota", "quota_day", None)],
)
async def test_a_used_up_quota_keeps_everybody_away_until_it_is_there_again(
    url: str, scenario: str, code: str, seconds: int | None
) -> None:
    script(url, scenario)
    gate = OpenGate()
    for _ in range(2):
        outcome = await KakaoChannel().collect(ask_about(url, gate=gate, **HERE))
        assert outcome.code == code
    assert len(requests_of(url)) == 1
    [(channel, (closed_by, how_long))] = gate.closed.items()
    assert (channel, closed_by) == ("kakao", code)
    expected = timedelta(seconds=seconds) if seconds else until_midnight()
    assert abs(how_long - expected) < timedelta(seconds=5)


async def test_the_key_is_in_nothing_that_is_kept_or_logged(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    outcome = await outcome_of(url, "wrong_key")
    assert KEY in requests_of(url)[0].headers["authorization"]
    logged = " ".join(f"{record.getMessage()} {vars(record)}" for record in caplog.records)
    assert "wrong appKey(***) format" in logged
    assert KEY not in f"{outcome} {outcome.diagnostic()} {logged}"


def test_it_is_asked_only_with_a_key_and_with_something_to_tell_the_place_by() -> None:
    channel = KakaoChannel()
    assert channel.skipped(ask_about("")) is None
    assert channel.skipped(asking(Settings(), names=["달그릇국수"], **HERE)) == "no_key"
    assert channel.skipped(ask_about("", website="https://example.com/")) == "no_address"
    unread = asking(Settings(), names=["달그릇국수"], keys=ChannelKeys(problem="cannot be read"), **HERE)
    assert channel.skipped(unread) is None
