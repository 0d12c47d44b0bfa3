"""What a web search is good for: the place's own pages, for its owner to confirm, and nothing else."""

import logging
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from functions.collect.channels import Asking, ChannelOutcome
from functions.collect.channels.perplexity import PRICE_USD, PerplexityChannel
from functions.collect.channels.perplexity.pages import own_profile, own_website
from functions.collect.collect import collect
from functions.collect.keys import ChannelKeys
from shared.jobs.models import JobType
from shared.places import repository
from shared.settings import Settings
from tests.channels import PLACE_ID, OpenGate, asking
from tests.fakes.vendor_process import requests_of, script, vendor_process
from tests.job_run import add_place, connected, outcome_of, settings_for

KEY = "pplx-test-0f2e4d6c8b0a"
PLACE: dict[str, Any] = {"phones": ["02-555-0142"], "addresses": ["서울 성동구 달그릇길 12"]}
OURS = "https://pages.example"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with vendor_process("perplexity_search") as address:
        yield address


def ask_for(url: str, *, timeout: float = 5.0, key: str | None = KEY, **known: Any) -> Asking:
    """With the second of the default there is no time for another try."""
    settings = Settings(
        perplexity_api_key=SecretStr(key) if key else None,
        perplexity_base_url=url,
        channel_timeout=timeout,
        site_origin=OURS,
    )
    return asking(settings, **{"names": ["달그릇국수"], "seconds": 1.2, **(known or PLACE)})


async def searched(url: str, scenario: str, **known: Any) -> ChannelOutcome:
    script(url, scenario)
    return await PerplexityChannel().collect(ask_for(url, **known))


async def test_own_site_and_profiles_are_found_and_nothing_is_believed(url: str) -> None:
    outcome = await searched(url, "ok")
    assert (outcome.outcome, outcome.code, outcome.http_status) == ("ok", None, 200)
    assert [(fact.key, fact.value, fact.source_url, fact.confidence) for fact in outcome.facts] == [
        ("website", "https://dalgeureut.example/", "https://dalgeureut.example/menu", 0.3),
        (
            "sns",
            ["https://place.map.kakao.com/1234567", "https://www.instagram.com/dalgeureut/"],
            "https://www.instagram.com/dalgeureut/",
            0.3,
        ),
    ]
    assert {(fact.channel, fact.storable, fact.structured) for fact in outcome.facts} == {
        ("perplexity", True, False)
    }
    assert not outcome.whole  # what a search does not find today is not gone


async def test_a_page_with_name_number_and_address_is_a_little_surer(url: str) -> None:
    outcome = await searched(url, "carries_all")
    assert [(fact.key, fact.confidence) for fact in outcome.facts] == [("website", 0.4), ("sns", 0.3)]


async def test_one_search_asks_for_name_address_and_number_in_korea(url: str) -> None:
    await searched(url, "nothing")
    (request,) = requests_of(url)
    assert (request.method, request.path) == ("POST", "/search")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.json == {
        "query": "달그릇국수 서울특별시 성동구 달그릇길 12 02-555-0142",
        "max_results": 20,
        "country": "KR",
    }


async def test_a_website_that_the_owner_gave_is_not_looked_for(url: str) -> None:
    outcome = await searched(url, "ok", website="https://own.example", **PLACE)
    assert [fact.key for fact in outcome.facts] == ["sns"]


@pytest.mark.parametrize("scenario", ["nothing", "others_alone", "namesakes", "our_own_page", "odd_types"])
async def test_pages_of_others_of_namesakes_and_of_ours_give_nothing(url: str, scenario: str) -> None:
    outcome = await searched(url, scenario)
    assert (outcome.outcome, outcome.code, outcome.facts) == ("empty", None, [])


async def test_half_a_result_is_enough_when_it_says_enough(url: str) -> None:
    outcome = await searched(url, "half")
    assert [fact.value for fact in outcome.facts] == ["https://dalgeureut.example/"]


async def test_a_number_that_all_branches_answer_tells_no_page_apart(url: str) -> None:
    outcome = await searched(url, "a_chains_number", phones=["1588-0142"])
    assert (outcome.outcome, outcome.facts) == ("empty", [])


@pytest.mark.parametrize(
    ("known", "key", "reason"),
    [
        ({"phones": ["02-555-0142"]}, KEY, None),
        ({"addresses": ["서울 성동구 달그릇길 12"]}, KEY, None),
        ({"geo": (37.5, 127.0)}, KEY, "no_address"),
        (PLACE, None, "no_key"),
    ],
)
def test_without_a_key_or_a_sign_of_the_place_nobody_is_asked(
    known: dict[str, Any], key: str | None, reason: str | None
) -> None:
    assert PerplexityChannel().skipped(ask_for("http://127.0.0.1:1", key=key, **known)) == reason


async def test_keys_that_cannot_be_read_are_a_failure_and_cost_nothing() -> None:
    ask = ask_for(
        "http://127.0.0.1:1", key=None, keys=ChannelKeys(problem="the secret cannot be read"), **PLACE
    )
    assert PerplexityChannel().skipped(ask) is None
    outcome = await PerplexityChannel().collect(ask)
    assert (outcome.outcome, outcome.code, outcome.usage) == ("failed", "auth", [])


@pytest.mark.parametrize(
    ("scenario", "code", "status", "retryable"),
    [
        ("quotes_the_key", "auth", 401, False),
        ("quotes_the_key_in_200", "auth", 200, False),
        ("unpaid", "quota_day", 402, False),
        ("forbidden", "auth", 403, False),
        ("forbidden_for_want_of_credit", "quota_day", 403, False),
        ("throttled", "rate_limited", 429, True),
        ("throttled_for_want_of_credit", "quota_day", 429, False),
        ("throttled_without_a_word", "rate_limited", 429, True),
        ("forbidden_without_a_word", "auth", 403, False),
        ("bad_request", "bad_request", 400, False),
        ("not_valid", "bad_request", 422, False),
        ("not_found", "http_status", 404, False),
        ("unavailable", "http_status", 503, True),
        ("overloaded", "http_status", 529, True),
        ("failed_in_200", "bad_answer", 200, True),
        ("throttled_in_200", "rate_limited", 200, True),
        ("unpaid_in_200", "quota_day", 200, False),
        ("forbidden_in_200", "auth", 200, False),
        ("late_in_200", "timeout", 200, True),
        ("invalid_in_200", "bad_request", 200, False),
        ("html", "bad_answer", 200, True),
        ("html_as_json", "bad_answer", 200, True),
        ("no_body", "bad_answer", 200, True),
        ("half_json", "bad_answer", 200, True),
        ("not_an_object", "bad_answer", 200, True),
        ("no_results", "bad_answer", 200, True),
        ("results_of_another_kind", "bad_answer", 200, True),
        ("cut", "protocol", None, True),
        ("redirect", "http_status", 302, False),
    ],
)
async def test_every_refusal_has_its_code_and_no_word_of_the_key(
    url: str,
    caplog: pytest.LogCaptureFixture,
    scenario: str,
    code: str,
    status: int | None,
    retryable: bool,
) -> None:
    caplog.set_level(logging.DEBUG)
    outcome = await searched(url, scenario)
    assert (outcome.outcome, outcome.code, outcome.retryable) == ("failed", code, retryable)
    assert outcome.http_status == status
    assert [(row.outcome, row.cost_usd) for row in outcome.usage] == [(code, None)]
    logged = [str(vars(record)) for record in caplog.records]
    for told in (repr(outcome), str(outcome.diagnostic()), *logged):
        assert KEY not in told
    assert scenario != "quotes_the_key_in_200" or any("Bearer ***" in line for line in logged)


@pytest.mark.parametrize("scenario", ["hangs", "drips"])
async def test_a_slow_vendor_costs_the_calls_time_and_no_more(url: str, scenario: str) -> None:
    outcome = await searched(url, scenario, timeout=0.2, **PLACE)
    assert (outcome.outcome, outcome.code, outcome.retryable) == ("failed", "timeout", True)
    assert outcome.milliseconds < 1_000


async def test_a_passing_failure_is_asked_about_once_more_and_both_calls_are_on_record(url: str) -> None:
    script(url, "failed_in_200", "ok")
    outcome = await PerplexityChannel().collect(ask_for(url, seconds=5.0, **PLACE))
    assert outcome.outcome == "ok"
    assert [(row.provider, row.model, row.place_id) for row in outcome.usage] == [
        ("perplexity", "search", PLACE_ID)
    ] * 2
    assert [(row.outcome, row.cost_usd) for row in outcome.usage] == [("retried", None), ("ok", PRICE_USD)]
    assert PRICE_USD == 0.005  # five dollars a thousand


async def test_what_a_search_cost_is_on_the_ledger_of_its_job_and_what_it_found_waits_for_the_owner(
    url: str, database: str, tmp_path: Path
) -> None:
    script(url, "ok")
    settings = settings_for(
        database, tmp_path, perplexity_api_key=KEY, perplexity_base_url=url, site_origin=OURS
    )
    intake = {"name": "달그릇국수", "category": "Restaurant", "address": "서울 성동구 달그릇길 12"}
    async with connected(database) as conn:
        place_id = await add_place(conn, {**intake, "phone": "02-555-0142"})
        result = (await outcome_of(collect, settings, JobType.COLLECT, place_id)).result
        rows = await conn.fetch("SELECT u.*, j.job_type FROM usage u JOIN jobs j USING (job_id)")
        found = [fact for fact in await repository.all_facts(conn, place_id) if fact.channel == "perplexity"]
    assert (result["channels"]["perplexity"]["outcome"], result["channels"]["osm"]["code"]) == (
        "ok",
        "no_key",
    )
    assert [(row["provider"], row["outcome"], row["cost_usd"]) for row in rows] == [
        ("perplexity", "ok", Decimal("0.005000"))
    ]
    assert (rows[0]["place_id"], rows[0]["job_type"]) == (place_id, JobType.COLLECT)
    assert {(fact.key, fact.confirmed) for fact in found} == {("website", False), ("sns", False)}


@pytest.mark.parametrize(
    ("scenario", "code", "seconds"),
    [
        ("throttled", "rate_limited", 9),
        ("throttled_in_200", "rate_limited", 60),
        ("unpaid", "quota_day", 3600),
        ("unpaid_in_200", "quota_day", 3600),
    ],
)
async def test_a_refusal_of_everybody_keeps_all_from_asking(
    url: str, scenario: str, code: str, seconds: int
) -> None:
    gate = OpenGate()
    await searched(url, scenario, gate=gate, **PLACE)
    again = await searched(url, "ok", gate=gate, **PLACE)
    assert gate.closed == {"perplexity": (code, timedelta(seconds=seconds))}
    assert (again.code, again.usage, requests_of(url)) == (code, [], [])


@pytest.mark.parametrize(
    ("page", "site"),
    [
        ("https://dalgeureut.example", "https://dalgeureut.example/"),
        ("http://www.dalgeureut.example/ko/menu", "http://www.dalgeureut.example/"),
        ("https://달그릇.한국/메뉴", "https://xn--2i0by7g8sg.xn--3e0b707e/"),
        ("https://dalgeureut.example:8443/", "https://dalgeureut.example:8443/"),
        ("https://dalgeureut.example/a/b/c", None),
        ("https://dalgeureut.example/?page_id=3", None),
        ("https://notnaver.com/", "https://notnaver.com/"),
        ("https://m.search.naver.com/", None),
        ("https://pages.example/dalgeureut/", None),
        ("https://localhost/", None),
        ("https://10.0.0.1/", None),
        ("https://[::1]/", None),
        ("javascript:alert(1)", None),
    ],
)
def test_what_is_a_businesss_own_website(page: str, site: str | None) -> None:
    assert own_website(page, OURS) == site


@pytest.mark.parametrize(
    ("page", "own"),
    [
        ("https://www.instagram.com/dal.geureut/", True),
        ("https://instagram.com/dalgeureut/reels/", False),
        ("https://www.instagram.com/reel/C0ffee/", False),
        ("https://facebook.com/dalgeureut", True),
        ("https://facebook.com/sharer.php?u=1", False),
        ("https://x.com/dalgeureut", True),
        ("https://x.com/search", False),
        ("https://x.com/dalgeureut/status/1", False),
        ("https://www.youtube.com/@dalgeureut", True),
        ("https://www.threads.com/@dalgeureut", True),
        ("https://blog.naver.com/dalgeureut", True),
        ("https://blog.naver.com/dalgeureut/223456789", False),
        ("https://m.place.naver.com/restaurant/1234567/home", True),
        ("https://map.naver.com/p/entry/place/1234567", True),
        ("https://pf.kakao.com/_AbCdE", True),
        ("https://www.tripadvisor.com/Restaurant_Review-1", False),
        ("https://dalgeureut.example/", False),
    ],
)
def test_what_is_a_page_of_its_own_on_a_social_network(page: str, own: bool) -> None:
    assert (own_profile(page) is not None) == own
