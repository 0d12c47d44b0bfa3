"""Naver's local search against a stand-in in its own process: it is compared with, and nothing of it is kept."""

import logging
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import SecretStr

from functions.collect.channels import Asking, ChannelOutcome
from functions.collect.channels.naver import NaverChannel
from functions.collect.channels.vendor import until_midnight
from functions.collect.collect import collect
from functions.collect.keys import ChannelKeys
from shared.jobs.models import JobType
from shared.settings import Settings
from tests.channels import OpenGate, asking
from tests.fakes.vendor_process import requests_of, script, vendor_process
from tests.job_run import add_place, connected, settings_for
from tests.job_run import outcome_of as outcome_of_job

KEY_ID, KEY = "naver-id-of-nobody", "naver-secret-of-nobody"
PIN = (37.5446, 127.0559)
HERE = {"addresses": ["서울 성동구 달그릇길 12"]}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with vendor_process("naver") as address:
        yield address


def ask_about(url: str, api: str = "hub", timeout: float = 10.0, **known: Any) -> Asking:
    settings = Settings(
        naver_client_id=SecretStr(KEY_ID),
        naver_client_secret=SecretStr(KEY),
        naver_api=api,
        naver_hub_base_url=url,
        naver_developers_base_url=url,
        channel_timeout=timeout,
    )
    return asking(settings, names=["달그릇국수"], seconds=1.0, **(known or HERE))


async def outcome_of(url: str, scenario: str, **known: Any) -> ChannelOutcome:
    script(url, scenario)
    return await NaverChannel().collect(ask_about(url, **known))


def values(outcome: ChannelOutcome) -> dict[str, Any]:
    return {fact.key: fact.value for fact in outcome.facts}


async def test_what_it_says_is_compared_and_none_of_it_may_be_stored_or_linked(url: str) -> None:
    outcome = await outcome_of(url, "ok")
    assert (outcome.outcome, outcome.code, outcome.http_status, outcome.pages) == ("ok", None, 200, 1)
    assert values(outcome) == {
        "road_address": "서울특별시 성동구 달그릇길 12 1층",
        "lot_address": "서울특별시 성동구 성수동2가 300-1 1층",
        "geo": {"lat": 37.5446, "lon": 127.0559},
        "category": "Restaurant",
    }
    kinds = {(fact.channel, fact.storable, fact.structured, fact.source_url) for fact in outcome.facts}
    assert kinds == {("naver", False, False, None)}


@pytest.mark.parametrize(
    ("api", "path", "headers"),
    [
        ("hub", "/search/v1/local", {"x-ncp-apigw-api-key-id": KEY_ID, "x-ncp-apigw-api-key": KEY}),
        (
            "developers",
            "/v1/search/local.json",
            {"x-naver-client-id": KEY_ID, "x-naver-client-secret": KEY},
        ),
    ],
)
async def test_each_of_the_two_services_is_asked_at_its_path_with_its_headers(
    url: str, api: str, path: str, headers: dict[str, str]
) -> None:
    script(url, "ok")
    outcome = await NaverChannel().collect(ask_about(url, api))
    assert outcome.outcome == "ok"
    [request] = requests_of(url)
    address = urlsplit(request.path)
    assert (address.path, parse_qs(address.query)) == (
        path,
        {"query": ["서울특별시 성동구 달그릇국수"], "display": ["5"], "start": ["1"], "sort": ["random"]},
    )
    sent = {name: value for name, value in request.headers.items() if name.startswith("x-n")}
    assert sent == headers
    assert KEY not in request.path


async def test_where_the_district_finds_nothing_the_name_alone_is_asked_for(url: str) -> None:
    outcome = await outcome_of(url, "outside_the_district")
    queries = [parse_qs(urlsplit(request.path).query)["query"] for request in requests_of(url)]
    assert queries == [["서울특별시 성동구 달그릇국수"], ["달그릇국수"]]
    assert (outcome.outcome, outcome.pages) == ("ok", 2)


async def test_without_a_district_the_name_is_asked_for_once(url: str) -> None:
    outcome = await outcome_of(url, "nothing", geo=PIN)
    assert len(requests_of(url)) == 1
    assert (outcome.outcome, outcome.code, outcome.whole) == ("empty", None, True)


@pytest.mark.parametrize(
    ("scenario", "count", "whole"), [("only_others", 1, True), ("five_others", 5, False)]
)
async def test_others_are_turned_away_for_a_reason_and_without_their_name(
    url: str, scenario: str, count: int, whole: bool
) -> None:
    outcome = await outcome_of(url, scenario)
    assert (outcome.outcome, outcome.code, outcome.whole) == ("empty", "not_this_place", whole)
    assert outcome.diagnostic()["rejected"][:count] == [{"reason": "other_branch"}] * count
    assert "부산" not in str(outcome.diagnostic())


@pytest.mark.parametrize(
    ("scenario", "key", "value"),
    [
        ("ok", "name", None),
        ("ok", "phone", None),
        ("elsewhere", "geo", {"lat": 37.5446, "lon": 127.1559}),
        ("elsewhere", "category", "CafeOrCoffeeShop"),
        ("entities", "name", "달그릇국수 & 은하 <본점>"),
        ("old_coordinates", "geo", None),
        ("numbers_for_texts", "geo", {"lat": 37.5446, "lon": 127.0559}),
        ("numbers_for_texts", "category", None),
        ("only_items", "road_address", "서울특별시 성동구 달그릇길 12 1층"),
    ],
)
async def test_what_is_compared_is_normalised_or_dropped(
    url: str, scenario: str, key: str, value: Any
) -> None:
    outcome = await outcome_of(url, scenario)
    assert outcome.outcome == "ok"
    assert values(outcome).get(key) == value


@pytest.mark.parametrize("scenario", ["empty_texts", "empty_entry", "nested_texts"])
async def test_an_entry_without_a_name_is_nobody(url: str, scenario: str) -> None:
    outcome = await outcome_of(url, scenario)
    assert (outcome.outcome, outcome.code, outcome.facts) == ("empty", "not_this_place", [])


@pytest.mark.parametrize(
    ("scenario", "code", "status", "retryable"),
    [
        ("not_registered", "auth", 401, False),
        ("no_permission", "auth", 403, False),
        ("quota", "quota_day", 429, False),
        ("quota_of_service", "quota_day", 429, False),
        ("bad_query", "bad_request", 400, False),
        ("bad_display", "bad_request", 400, False),
        ("system_error", "http_status", 500, True),
        ("refused_in_200", "auth", 200, False),
        ("quota_in_200", "quota_day", 200, False),
        ("unknown_error_in_200", "bad_answer", 200, True),
        ("unknown_error", "http_status", 418, False),
        ("gateway_auth", "auth", 401, False),
        ("gateway_forbidden", "auth", 403, False),
        ("gateway_bad_request", "bad_request", 400, False),
        ("gateway_not_found", "bad_request", 404, False),
        ("gateway_quota", "quota_day", 429, False),
        ("gateway_throttled", "rate_limited", 429, True),
        ("gateway_endpoint", "http_status", 503, True),
        ("too_many", "rate_limited", 429, True),
        ("no_items", "bad_answer", 200, True),
        ("null_items", "bad_answer", 200, True),
        ("null_entry", "bad_answer", 200, True),
        ("not_an_object", "bad_answer", 200, True),
        ("html", "bad_answer", 200, True),
        ("xml", "bad_answer", 200, True),
        ("half_json", "bad_answer", 200, True),
        ("cut", "protocol", None, True),
        ("gateway", "http_status", 502, True),
    ],
)
async def test_an_error_has_its_code_whatever_its_form(
    url: str, scenario: str, code: str, status: int | None, retryable: bool
) -> None:
    outcome = await outcome_of(url, scenario)
    assert (outcome.outcome, outcome.code, outcome.http_status) == ("failed", code, status)
    assert (outcome.retryable, outcome.whole, outcome.facts) == (retryable, False, [])


async def test_an_answer_that_does_not_come_is_left_in_time(url: str) -> None:
    script(url, "hangs")
    outcome = await NaverChannel().collect(ask_about(url, timeout=0.2))
    assert (outcome.code, outcome.retryable) == ("timeout", True)
    assert outcome.milliseconds < 1000


@pytest.mark.parametrize(
    ("scenario", "code"), [("quota", "quota_day"), ("gateway_throttled", "rate_limited")]
)
async def test_a_used_up_quota_keeps_everybody_away_until_it_is_there_again(
    url: str, scenario: str, code: str
) -> None:
    script(url, scenario)
    gate = OpenGate()
    for _ in range(2):
        assert (await NaverChannel().collect(ask_about(url, gate=gate, **HERE))).code == code
    assert len(requests_of(url)) == 1
    closed_by, how_long = gate.closed["naver"]
    expected = until_midnight() if code == "quota_day" else timedelta(seconds=2)
    assert closed_by == code
    assert abs(how_long - expected) < timedelta(seconds=5)


async def test_neither_its_keys_nor_its_answers_are_in_what_is_kept_or_logged(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    told = [await outcome_of(url, scenario) for scenario in ("wrong_keys", "ok", "only_others")]
    logged = " ".join(f"{record.getMessage()} {vars(record)}" for record in caplog.records)
    assert "Not Exist Client ID : *** ***" in logged
    written = logged + " ".join(str(outcome.diagnostic()) for outcome in told)
    for text in (KEY_ID, KEY, "달그릇", "은하면옥", "성수동"):
        assert text not in written


async def test_of_an_answer_only_the_disagreement_reaches_the_database(
    url: str, database: str, tmp_path: Path
) -> None:
    script(url, "elsewhere")
    intake = {"name": "달그릇국수", "category": "Restaurant", "address": "서울 성동구 달그릇길 12"}
    keys = {"naver_client_id": SecretStr(KEY_ID), "naver_client_secret": SecretStr(KEY)}
    config = settings_for(database, tmp_path, naver_hub_base_url=url, **keys)
    async with connected(database) as conn:
        place_id = await add_place(conn, intake | {"latitude": PIN[0], "longitude": PIN[1]})
        result = (await outcome_of_job(collect, config, JobType.COLLECT, place_id)).result
        stored = await conn.fetch(
            "SELECT key, value, source_url, disagrees FROM facts WHERE channel = 'naver'"
        )
        everything = [
            str(await conn.fetch(f"SELECT t::text FROM {table} t"))
            for table in ("facts", "places", "photos", "jobs", "usage")
        ]
    assert result["channels"]["naver"]["outcome"] == "ok"
    assert {(row["key"], row["value"], row["source_url"], row["disagrees"]) for row in stored} == {
        ("geo", None, None, True),
        ("category", None, None, True),
    }
    for said in ("성수동2가", "127.15", "CafeOrCoffeeShop", KEY):
        assert said not in f"{result} {everything}"


def test_it_is_asked_only_with_both_keys_and_with_an_address_or_a_pin() -> None:
    channel = NaverChannel()
    half = Settings(naver_client_id=SecretStr(KEY_ID))
    assert channel.skipped(ask_about("")) is None
    assert channel.skipped(ask_about("", geo=(37.5, 127.0))) is None
    assert channel.skipped(asking(half, names=["달그릇국수"], **HERE)) == "no_key"
    assert channel.skipped(ask_about("", phones=["02-555-0142"])) == "no_address"
    unread = asking(half, names=["달그릇국수"], keys=ChannelKeys(problem="cannot be read"), **HERE)
    assert channel.skipped(unread) is None
