"""TourAPI's channel against the service in its own process: what is asked, what is taken, what a refusal means."""

import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from pydantic import SecretStr

from functions.collect.channels import Asking, ChannelOutcome, Rejected
from functions.collect.channels.tourapi import TourApiChannel
from functions.collect.keys import ChannelKeys
from shared.settings import Settings
from tests.channels import OpenGate, asking
from tests.fakes.vendor_process import requests_of, script, vendor_process

KEY = "a+b/c=="
ENCODED = "a%2Bb%2Fc%3D%3D"
ADDRESS = "서울 성동구 달그릇길 12"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with vendor_process("tourapi") as address:
        yield address


def ask_for(
    url: str, *, key: str | None = KEY, timeout: float = 10.0, seconds: float = 1.4, **known: Any
) -> Asking:
    """In the seconds of the default there is no time for another try."""
    settings = Settings(
        tourapi_key=SecretStr(key) if key else None,
        tourapi_base_url=f"{url}/KorService2",
        channel_timeout=timeout,
    )
    known = {"phones": ["02-555-0142"], "addresses": [ADDRESS]} | known
    return asking(settings, names=["달그릇국수"], seconds=seconds, **known)


async def outcome_of(url: str, *scenarios: str, **how: Any) -> ChannelOutcome:
    script(url, *scenarios)
    return await TourApiChannel().collect(ask_for(url, **how))


def values(outcome: ChannelOutcome) -> dict[str, Any]:
    said = {fact.key: fact.value for fact in outcome.facts}
    assert len(said) == len(outcome.facts), "every key once"
    return said


def calls(url: str) -> list[str]:
    return [urlsplit(request.path).path.rpartition("/")[2] for request in requests_of(url)]


async def test_an_entry_gives_what_its_four_parts_say(url: str) -> None:
    outcome = await outcome_of(url, "ok")
    assert (outcome.outcome, outcome.code, outcome.http_status, outcome.whole) == ("ok", None, 200, True)
    said = values(outcome)
    hours = said.pop("hours")
    assert (hours["days"]["mon"], hours["days"]["tue"]) == ([["11:30", "19:00"]], [])
    assert said == {
        "road_address": "서울특별시 성동구 달그릇길 12 (성수동2가)",
        "geo": {"lat": 37.544521, "lon": 127.055732},
        "website": "https://dal.example/?a=1&b=2",
        "sns": ["https://www.instagram.com/dalgeureut"],
        "summary": "제철 채소로 국물을 낸다.\n면은 날마다 뽑는다 & 남기지 않는다.",
        "phone": "+8225550142",
        "menu": [
            {"name": "들깨국수", "price_krw": None, "note": None},
            {"name": "비빔국수", "price_krw": 9000, "note": None},
            {"name": "만두(고기, 김치)", "price_krw": None, "note": None},
            {"name": "식혜", "price_krw": None, "note": None},
        ],
        "amenities": ["parking", "takeout"],
    }
    assert {(fact.channel, fact.storable, fact.structured, fact.source_url) for fact in outcome.facts} == {
        ("tourapi", True, False, None)
    }
    assert {fact.confidence for fact in outcome.facts} == {0.68}  # 0.85 for the building, of which 0.8


async def test_only_photos_that_may_be_changed_are_taken_and_the_others_are_told_of(url: str) -> None:
    outcome = await outcome_of(url, "ok")
    assert [(photo.channel, photo.source_url, photo.confirmed) for photo in outcome.photos] == [
        ("tourapi", "http://tong.visitkorea.or.kr/cms/resource/96/1.jpg", False),
        ("tourapi", "http://tong.visitkorea.or.kr/cms/resource/96/4.jpg", False),
    ]
    assert outcome.notes == ["unread_photos"]
    untouchable = await outcome_of(url, "untouchable")
    assert (untouchable.photos, untouchable.notes) == ([], ["unread_photos"])


@pytest.mark.parametrize("given", [KEY, ENCODED, f" {KEY}\n"])
async def test_the_four_calls_ask_what_the_service_takes_with_a_key_encoded_once(
    url: str, given: str
) -> None:
    await outcome_of(url, "ok", key=given)
    sent = [urlsplit(request.path) for request in requests_of(url)]
    assert all(f"serviceKey={ENCODED}&" in parts.query for parts in sent)
    always = {"serviceKey": KEY, "MobileOS": "ETC", "MobileApp": "web4ai", "_type": "json"}
    assert [(parts.path, dict(parse_qsl(parts.query)).items() - always.items()) for parts in sent] == [
        ("/KorService2/searchKeyword2", {("keyword", "달그릇국수"), ("numOfRows", "100")}),
        ("/KorService2/detailCommon2", {("contentId", "2783366")}),
        ("/KorService2/detailIntro2", {("contentId", "2783366"), ("contentTypeId", "39")}),
        ("/KorService2/detailImage2", {("contentId", "2783366"), ("imageYN", "Y"), ("numOfRows", "20")}),
    ]


async def test_items_that_come_without_a_list_are_lists_of_one(url: str) -> None:
    outcome = await outcome_of(url, "alone")
    assert outcome.outcome == "ok"
    assert {"road_address", "website", "menu"} <= values(outcome).keys()
    assert len(outcome.photos) == 1


@pytest.mark.parametrize("scenario", ["empty", "no_data", "festival"])
async def test_no_entry_is_an_empty_outcome_after_one_call(url: str, scenario: str) -> None:
    outcome = await outcome_of(url, scenario)
    assert (outcome.outcome, outcome.code, outcome.whole, outcome.rejected) == ("empty", None, True, [])
    assert calls(url) == ["searchKeyword2"]


async def test_entries_of_other_branches_are_told_apart_and_not_read_on(url: str) -> None:
    outcome = await outcome_of(url, "namesakes")
    assert (outcome.outcome, outcome.code, outcome.facts) == ("empty", "not_this_place", [])
    assert outcome.rejected == [
        Rejected("other_branch", "달그릇국수 해운대점"),
        Rejected("other_branch", "달그릇국수 서면점"),
    ]
    assert outcome.whole
    assert calls(url) == ["searchKeyword2"]


async def test_a_search_that_was_not_read_to_its_end_lets_nothing_vanish(url: str) -> None:
    assert not (await outcome_of(url, "crowd")).whole


@pytest.mark.parametrize(
    ("kind", "hours", "amenities"),
    [
        ("12", "09:00~18:00\n연중무휴", ["parking"]),
        ("14", "10:00~17:00\n휴무: 매주 월요일", ["card_payment"]),
        ("28", "08:00~20:00", ["parking", "reservation"]),
        ("32", None, ["parking"]),
        ("38", "10:00~21:00\n휴무: 설날·추석 당일", ["restroom"]),
    ],
)
async def test_every_type_has_fields_of_its_own(
    url: str, kind: str, hours: str | None, amenities: list[str]
) -> None:
    said = values(await outcome_of(url, f"type_{kind}"))
    assert said["phone"] == "+8225550142"
    assert (said["hours"]["text"] if "hours" in said else None) == hours
    assert said["amenities"] == amenities
    assert "menu" not in said


async def test_empty_texts_say_nothing_and_no_first_image_means_no_fourth_call(url: str) -> None:
    outcome = await outcome_of(url, "blank")
    assert values(outcome) == {"road_address": "서울특별시 성동구 달그릇길 12"}
    assert calls(url) == ["searchKeyword2", "detailCommon2", "detailIntro2"]


async def test_parts_that_are_empty_leave_the_rest(url: str) -> None:
    outcome = await outcome_of(url, "gone_since")
    assert outcome.outcome == "ok"
    assert values(outcome).keys() == {"road_address", "geo"}


async def test_values_of_other_types_than_documented_are_left_out(url: str) -> None:
    outcome = await outcome_of(url, "wrong_types")
    assert (outcome.outcome, outcome.code) == (
        "empty",
        "not_this_place",
    )  # without a name only its building is left
    assert outcome.rejected == [Rejected("other_name")]


async def test_a_long_overview_ends_with_a_whole_sentence_and_a_bare_address_is_a_website(url: str) -> None:
    said = values(await outcome_of(url, "wordy"))
    assert said["website"] == "https://www.dal.example/info"
    assert len(said["summary"]) == 601
    assert said["summary"].endswith("나다.")
    assert not {"summary", "website"} & values(await outcome_of(url, "endless")).keys()


@pytest.mark.parametrize(
    ("scenario", "code", "retryable"),
    [
        ("xml_04", "http_status", True),
        ("xml_05", "timeout", True),
        ("xml_10", "bad_request", False),
        ("xml_30", "auth", False),
        ("xml_403", "auth", False),
        ("xml_22", "quota_day", False),
        ("xml_429", "rate_limited", True),
        ("json_22", "quota_day", False),
        ("text_quota", "quota_day", False),
        ("text_unauthorized", "auth", False),
        ("good_xml", "bad_answer", True),
        ("no_items", "bad_answer", True),
        ("half_json", "bad_answer", True),
        ("cut", "protocol", True),
        ("unavailable", "http_status", True),
        ("not_found", "http_status", False),
        ("too_large", "too_large", False),
    ],
)
async def test_a_refusal_is_told_by_one_code_in_whatever_form_it_comes(
    url: str, scenario: str, code: str, retryable: bool
) -> None:
    outcome = await outcome_of(url, scenario)
    assert (outcome.outcome, outcome.code, outcome.retryable) == ("failed", code, retryable)
    assert (outcome.facts, outcome.whole) == ([], False)


@pytest.mark.parametrize("scenario", ["hangs", "drips"])
async def test_a_service_that_does_not_finish_is_left_in_time(url: str, scenario: str) -> None:
    outcome = await outcome_of(url, scenario, timeout=0.2)
    assert (outcome.outcome, outcome.code, outcome.retryable) == ("failed", "timeout", True)
    assert outcome.milliseconds < 1000


async def test_the_days_quota_closes_the_service_until_midnight_and_the_seconds_for_seconds(url: str) -> None:
    gate = OpenGate()
    await outcome_of(url, "xml_22", gate=gate)
    code, how_long = gate.closed["tourapi"]
    assert code == "quota_day"
    assert timedelta(0) < how_long <= timedelta(days=1)
    again = await outcome_of(url, "ok", gate=gate)
    assert (again.outcome, again.code) == ("failed", "quota_day")
    assert calls(url) == []
    gate = OpenGate()
    await outcome_of(url, "xml_23", gate=gate)
    assert gate.closed == {"tourapi": ("rate_limited", timedelta(seconds=5))}
    assert gate.turns == [("tourapi", 0.05)]


@pytest.mark.parametrize(
    ("turns", "code", "keys"),
    [
        (["ok", "xml_22"], "quota_day", {"road_address", "geo"}),
        (["ok", "ok", "half_json"], "bad_answer", {"road_address", "geo", "website", "sns", "summary"}),
    ],
)
async def test_what_was_read_before_a_failure_is_kept(
    url: str, turns: list[str], code: str, keys: set[str]
) -> None:
    outcome = await outcome_of(url, *turns)
    assert (outcome.outcome, outcome.code, outcome.whole) == ("partial", code, False)
    assert values(outcome).keys() == keys


async def test_a_passing_failure_is_asked_about_once_more(url: str) -> None:
    outcome = await outcome_of(url, "xml_04", "ok", seconds=20.0)
    assert outcome.outcome == "ok"
    assert calls(url)[:3] == ["searchKeyword2", "searchKeyword2", "detailCommon2"]


async def test_the_key_is_in_no_result_and_no_log(
    url: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    outcome = await outcome_of(url, "quoting", key=ENCODED)
    assert outcome.code == "auth"
    out, err = capfd.readouterr()
    told = [str(outcome.diagnostic()), repr(outcome), caplog.text, out, err]
    assert not [text for text in told if KEY in text or ENCODED in text]


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({}, None),
        ({"key": None}, "no_key"),
        ({"phones": [], "addresses": []}, "no_address"),
        ({"phones": [], "addresses": [], "geo": (37.5, 127.0)}, None),
    ],
)
def test_it_is_skipped_without_a_key_or_anything_to_tell_the_place_by(
    how: dict[str, Any], reason: Any
) -> None:
    assert TourApiChannel().skipped(ask_for("http://127.0.0.1:9", **how)) == reason


async def test_keys_that_cannot_be_read_are_a_failure(url: str) -> None:
    ask = ask_for(url, key=None, keys=ChannelKeys(problem="the secret of the keys cannot be read"))
    assert TourApiChannel().skipped(ask) is None
    outcome = await TourApiChannel().collect(ask)
    assert (outcome.outcome, outcome.code) == ("failed", "auth")
