"""Google's channel against the Places API in a process of its own: compared with, never kept."""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from functions.collect.channels import Asking, ChannelOutcome, Rejected
from functions.collect.channels.google_places import GooglePlacesChannel, until_reset
from shared.settings import Settings
from tests.channels import PLACE_ID, OpenGate, asking
from tests.fakes.vendor_process import requests_of, script, vendor_process

KEY = "AIza-n0body-at-all"
IDENTIFIER = "ChIJN1t_tDeuEmsRUsoyG83frY4"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with vendor_process("google_places") as address:
        yield address


def ask_for(
    url: str, *, key: str | None = KEY, timeout: float = 10.0, seconds: float = 1.4, **known: Any
) -> Asking:
    """In the seconds of the default there is no time for another try."""
    settings = Settings(
        google_places_api_key=SecretStr(key) if key else None,
        google_places_base_url=url,
        channel_timeout=timeout,
    )
    known = {"phones": ["02-555-0142"], "addresses": ["서울 성동구 달그릇길 12"]} | known
    return asking(settings, names=["달그릇국수"], seconds=seconds, **known)


async def outcome_of(url: str, *scenarios: str, **how: Any) -> ChannelOutcome:
    script(url, *scenarios)
    return await GooglePlacesChannel().collect(ask_for(url, **how))


def compared(outcome: ChannelOutcome) -> dict[str, Any]:
    return {fact.key: fact.value for fact in outcome.facts if not fact.storable}


async def test_the_identifier_alone_may_be_kept_and_the_rest_is_only_compared(url: str) -> None:
    outcome = await outcome_of(url, "ok")
    assert (outcome.outcome, outcome.code, outcome.http_status, outcome.whole) == ("ok", None, 200, True)
    assert [(fact.key, fact.value) for fact in outcome.facts if fact.storable] == [
        ("google_place_id", IDENTIFIER)
    ]
    said = compared(outcome)
    hours = said.pop("hours")
    assert (hours["days"]["mon"], hours["days"]["sun"]) == ([], [["11:30", "21:00"]])
    assert said == {
        "road_address": "서울특별시 성동구 달그릇길 12 1층",
        "phone": "+8225550142",
        "geo": {"lat": 37.544521, "lon": 127.055732},
        "website": "https://dal.example/",
    }
    page = f"https://www.google.com/maps/place/?q=place_id:{IDENTIFIER}"
    assert {(fact.channel, fact.structured, fact.source_url, fact.confidence) for fact in outcome.facts} == {
        ("google_places", False, page, 0.855)  # 0.95 for number and building, of which 0.9
    }


async def test_of_other_businesses_not_even_the_name_is_told(url: str) -> None:
    outcome = await outcome_of(url, "elsewhere")
    assert (outcome.outcome, outcome.code, outcome.facts) == ("empty", "not_this_place", [])
    assert outcome.rejected == [Rejected("other_branch")]
    assert "해운대" not in str(outcome.diagnostic())


async def test_no_value_of_google_stands_in_the_result_or_the_log(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    outcome = await outcome_of(url, "differs")
    assert compared(outcome)["website"] == "https://secret-of-google.example/"
    told = str(outcome.diagnostic()) + caplog.text
    assert not [word for word in ("secret-of-google", "0999", "555") if word in told]


async def test_one_call_asks_for_the_place_in_korean_near_where_it_is(url: str) -> None:
    await outcome_of(url, "ok", geo=(37.5445, 127.0557))
    [request] = requests_of(url)
    assert (request.method, request.path) == ("POST", "/v1/places:searchText")
    assert request.headers["x-goog-api-key"] == KEY
    assert request.headers["x-goog-fieldmask"].split(",") == [
        "places.id",
        "places.displayName",
        "places.formattedAddress",
        "places.location",
        "places.businessStatus",
        "places.nationalPhoneNumber",
        "places.websiteUri",
        "places.regularOpeningHours.periods",
    ]
    assert request.json == {
        "textQuery": "달그릇국수 서울특별시 성동구 달그릇길 12",
        "languageCode": "ko",
        "regionCode": "KR",
        "pageSize": 5,
        "locationBias": {
            "circle": {"center": {"latitude": 37.5445, "longitude": 127.0557}, "radius": 1000.0}
        },
    }


async def test_without_a_position_or_an_address_the_name_is_asked_for(url: str) -> None:
    await outcome_of(url, "ok", addresses=[])
    [request] = requests_of(url)
    assert request.json["textQuery"] == "달그릇국수"
    assert "locationBias" not in request.json


async def test_what_an_answered_call_costs_is_on_record(url: str) -> None:
    [usage] = (await outcome_of(url, "ok")).usage
    assert (usage.provider, usage.outcome, usage.cost_usd, usage.place_id) == (
        "google_places",
        "ok",
        0.035,
        PLACE_ID,
    )
    assert len((await outcome_of(url, "texts")).usage) == 1
    assert (await outcome_of(url, "denied")).usage == []


async def test_nothing_found_is_an_empty_object(url: str) -> None:
    outcome = await outcome_of(url, "empty")
    assert (outcome.outcome, outcome.code, outcome.rejected, outcome.whole) == ("empty", None, [], True)


@pytest.mark.parametrize(
    ("scenario", "note"), [("closed", "business_closed"), ("suspended", "business_suspended")]
)
async def test_a_business_that_google_calls_closed_is_told_of(url: str, scenario: str, note: str) -> None:
    assert (await outcome_of(url, scenario)).notes == [note]


async def test_an_older_entry_and_a_business_that_was_here_before_close_nothing(url: str) -> None:
    reopened = await outcome_of(url, "reopened")
    assert [fact.value for fact in reopened.facts if fact.storable] == [IDENTIFIER]
    assert reopened.notes == []
    before = await outcome_of(url, "before")
    assert (before.outcome, before.notes) == ("ok", [])


async def test_a_page_on_a_social_network_is_no_other_website(url: str) -> None:
    assert "website" not in compared(await outcome_of(url, "social"))


async def test_half_a_place_is_compared_by_what_it_has(url: str) -> None:
    outcome = await outcome_of(url, "bare")
    assert compared(outcome).keys() == {"road_address"}
    assert (await outcome_of(url, "blank")).code == "not_this_place"


async def test_values_of_other_types_than_documented_are_left_out(url: str) -> None:
    outcome = await outcome_of(url, "wrong_types")
    assert [fact.key for fact in outcome.facts] == ["road_address"]
    assert outcome.notes == []
    odd = await outcome_of(url, "odd_id")
    assert {fact.source_url for fact in odd.facts} == {None}
    assert "google_place_id" not in {fact.key for fact in odd.facts}


@pytest.mark.parametrize(
    ("scenario", "code", "status", "retryable"),
    [
        ("bad_key", "auth", 400, False),
        ("bad_mask", "bad_request", 400, False),
        ("denied", "auth", 403, False),
        ("minute", "rate_limited", 429, True),
        ("day", "quota_day", 429, False),
        ("day_violated", "quota_day", 429, False),
        ("overloaded", "http_status", 503, True),
        ("good_denied", "auth", 200, False),
        ("good_internal", "bad_answer", 200, True),
        ("one_place", "bad_answer", 200, True),
        ("texts", "bad_answer", 200, True),
        ("html", "bad_answer", 200, True),
        ("cut", "protocol", None, True),
        ("redirect", "http_status", 302, False),
        ("bomb", "too_large", 200, False),
    ],
)
async def test_a_refusal_is_told_by_one_code(
    url: str, scenario: str, code: str, status: int | None, retryable: bool
) -> None:
    outcome = await outcome_of(url, scenario)
    assert (outcome.outcome, outcome.code, outcome.retryable) == ("failed", code, retryable)
    assert outcome.http_status == status
    assert (outcome.facts, outcome.whole) == ([], False)


async def test_a_slow_answer_is_not_waited_for(url: str) -> None:
    outcome = await outcome_of(url, "hangs", timeout=0.2)
    assert (outcome.outcome, outcome.code) == ("failed", "timeout")


async def test_quotas_close_the_vendor_for_as_long_as_they_last(url: str) -> None:
    gates = {name: OpenGate() for name in ("minute", "minute_after", "day")}
    for name, gate in gates.items():
        await outcome_of(url, name, gate=gate)
    assert gates["minute"].closed == {"google_places": ("rate_limited", timedelta(seconds=60))}
    assert gates["minute_after"].closed == {"google_places": ("rate_limited", timedelta(seconds=7))}
    code, how_long = gates["day"].closed["google_places"]
    assert code == "quota_day"
    assert timedelta(0) < how_long <= timedelta(days=1)


@pytest.mark.parametrize(
    ("now", "hours"),
    [
        (datetime(2026, 11, 30, 7, tzinfo=UTC), 1),
        (datetime(2026, 11, 30, 8, tzinfo=UTC), 24),
        (datetime(2026, 11, 30, 20, tzinfo=UTC), 12),
    ],
)
def test_a_day_of_quota_ends_at_midnight_in_california(now: datetime, hours: int) -> None:
    assert until_reset(now) == timedelta(hours=hours)


async def test_a_passing_failure_is_asked_about_once_more(url: str) -> None:
    outcome = await outcome_of(url, "overloaded", "ok", seconds=20.0)
    assert (outcome.outcome, len(requests_of(url))) == ("ok", 2)


async def test_the_key_is_in_no_result_and_no_log(
    url: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    outcome = await outcome_of(url, "quoting")
    assert outcome.code == "auth"
    out, err = capfd.readouterr()
    told = [str(outcome.diagnostic()), repr(outcome), caplog.text, out, err]
    assert not [text for text in told if KEY in text]


@pytest.mark.parametrize(
    ("how", "reason"),
    [({}, None), ({"key": None}, "no_key"), ({"phones": [], "addresses": []}, "no_address")],
)
def test_it_is_skipped_without_a_key_or_anything_to_tell_the_place_by(
    how: dict[str, Any], reason: str | None
) -> None:
    assert GooglePlacesChannel().skipped(ask_for("http://127.0.0.1:9", **how)) == reason
