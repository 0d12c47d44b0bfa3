"""Everything that can go wrong with a website, over real HTTP from a process of its own, by its one name."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from functions.collect.channels import ChannelOutcome
from functions.collect.channels.website import WebsiteChannel
from functions.collect.diagnostics import DIAGNOSTIC_CODES
from functions.collect.website.crawl import Limits
from shared.settings import Settings
from tests.channels import asking
from tests.fakes.site_process import requests_of, site_process

Origins = dict[str, str]


@pytest.fixture(scope="module")
def site() -> Iterator[Origins]:
    with site_process() as origins:
        yield origins


async def outcome_of(
    site: Origins, website: str, *, allow: tuple[str, ...] = (), seconds: float = 20.0, **limits: Any
) -> ChannelOutcome:
    hosts = ",".join([*(urlsplit(origin).netloc for origin in site.values()), *allow])
    ask = asking(Settings(crawl_allow=hosts), names=["온기식당"], website=website, seconds=seconds)
    return await WebsiteChannel(dataclasses.replace(Limits(), **limits)).collect(ask)


def told(outcome: ChannelOutcome) -> tuple[str, str | None, bool, int | None]:
    return outcome.outcome, outcome.code, outcome.retryable, outcome.http_status


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("status/404", ("failed", "http_status", False, 404)),
        ("status/403", ("failed", "http_status", False, 403)),
        ("status/410", ("failed", "http_status", False, 410)),
        ("status/500", ("failed", "http_status", True, 500)),
        ("status/503-600", ("failed", "http_status", True, 503)),
        ("status/429-600", ("failed", "rate_limited", True, 429)),
        ("status/304", ("failed", "http_status", False, 304)),
        ("pdf", ("failed", "bad_content_type", False, 200)),
        ("picture", ("failed", "bad_content_type", False, 200)),
        ("brotli", ("failed", "bad_encoding", False, None)),
        ("stacked", ("failed", "bad_encoding", False, None)),
        ("broken_gzip", ("failed", "bad_encoding", False, None)),
        ("declared", ("failed", "too_large", False, 200)),
        ("endless", ("failed", "too_large", False, None)),
        ("garbage", ("failed", "protocol", True, None)),
        ("cut", ("failed", "protocol", True, None)),
        ("to/http://10.0.0.1/", ("failed", "blocked_address", False, 302)),
        ("to/http://127.0.0.1/", ("failed", "blocked_address", False, 302)),
        ("to/http://169.254.169.254/latest/", ("failed", "blocked_address", False, 302)),
        ("to/http://127.0.0.1:22/", ("failed", "bad_url", False, None)),
        ("to/ftp://shop.example/", ("failed", "bad_url", False, None)),
        ("to/http://me:pw@shop.example/", ("failed", "bad_url", False, None)),
        ("to/?round", ("failed", "too_many_redirects", False, None)),
    ],
)
async def test_a_first_page_that_gives_nothing_is_one_failure_by_name(
    site: Origins, path: str, expected: tuple[str, str | None, bool, int | None]
) -> None:
    outcome = await outcome_of(site, f"{site['site']}/{path}", page_bytes=200_000)
    assert told(outcome) == expected
    assert (outcome.facts, outcome.photos, outcome.notes, outcome.whole) == ([], [], [], False)


@pytest.mark.parametrize(
    ("path", "notes"),
    [
        ("ok", []),
        ("broken_block", ["bad_markup"]),
        ("nested", ["too_deep"]),
        ("tags", ["too_large"]),
        ("cp949", ["charset_uncertain"]),
    ],
)
async def test_a_page_that_can_be_read_in_part_gives_that_part_and_a_note(
    site: Origins, path: str, notes: list[str]
) -> None:
    outcome = await outcome_of(site, f"{site['site']}/{path}/")
    assert told(outcome) == ("ok", None, False, 200)
    assert ("phone", "+82260123456") in [(fact.key, fact.value) for fact in outcome.facts if fact.structured]
    assert outcome.notes == notes
    assert outcome.whole == (not notes)


@pytest.mark.parametrize(
    ("path", "outcome", "notes"),
    [
        ("several", "empty", ["several_businesses"]),
        ("branch", "ok", []),
        ("stranger", "ok", ["business_not_recognised"]),
        ("empty", "empty", []),
    ],
)
async def test_a_site_that_is_not_surely_the_places_confirms_nothing_it_should_not(
    site: Origins, path: str, outcome: str, notes: list[str]
) -> None:
    found = await outcome_of(site, f"{site['site']}/{path}/")
    assert (found.outcome, found.notes) == (outcome, notes)
    assert any(fact.structured for fact in found.facts) == (path == "branch")


async def test_a_page_beyond_the_first_that_fails_costs_itself(site: Origins) -> None:
    outcome = await outcome_of(site, f"{site['site']}/pages/status/500?menu")
    assert told(outcome) == ("partial", "http_status", True, 500)
    assert (outcome.pages, outcome.whole, len(outcome.facts)) == (1, False, 3)


@pytest.mark.parametrize(
    ("name", "retryable", "status"),
    [("robots-no", False, None), ("robots-503", True, 503), ("robots-429", True, 429)],
)
async def test_a_site_whose_rules_keep_everybody_out_is_not_asked_for_a_page(
    site: Origins, name: str, retryable: bool, status: int | None
) -> None:
    requests_of(site[name])
    outcome = await outcome_of(site, f"{site[name]}/ok/")
    assert told(outcome) == ("failed", "robots", retryable, status)
    assert requests_of(site[name]) == ["/robots.txt"]


@pytest.mark.parametrize("path", ["silent", "drip"])
async def test_a_page_that_takes_too_long_is_a_timeout(site: Origins, path: str) -> None:
    outcome = await outcome_of(site, f"{site['site']}/{path}/", page_seconds=0.3)
    assert told(outcome) == ("failed", "timeout", True, None)


async def test_a_channel_without_time_asks_nothing_and_says_so(site: Origins) -> None:
    requests_of(site["site"])
    outcome = await outcome_of(site, f"{site['site']}/ok/", seconds=0.5)
    assert told(outcome) == ("failed", "out_of_time", True, None)
    assert (outcome.notes, requests_of(site["site"])) == (["out_of_time"], [])


async def test_an_address_that_leads_to_another_site_gives_facts_that_wait(site: Origins) -> None:
    host = f"localhost:{urlsplit(site['site']).port}"
    outcome = await outcome_of(site, f"{site['site']}/to/http://{host}/ok/", allow=(host,))
    assert told(outcome) == ("ok", None, False, 200)
    assert outcome.notes == ["another_site"]
    assert outcome.facts
    assert not any(fact.structured for fact in outcome.facts)


async def test_an_address_that_leads_to_a_social_page_ends_there(site: Origins) -> None:
    outcome = await outcome_of(site, f"{site['site']}/to/https://www.instagram.com/ongi/")
    assert told(outcome) == ("empty", None, False, 302)
    assert outcome.notes == ["another_site", "not_an_own_website"]


async def test_a_server_without_tls_and_a_closed_port_are_told_apart(site: Origins) -> None:
    secure = site["greeting"].replace("http:", "https:")
    assert told(await outcome_of(site, secure + "/")) == ("failed", "tls", False, None)
    with site_process() as gone:
        pass
    assert told(await outcome_of(gone, gone["site"] + "/")) == ("failed", "connection", True, None)


@pytest.mark.parametrize(
    ("website", "code"),
    [
        ("http://127.0.0.1/", "blocked_address"),
        ("http://[::ffff:169.254.169.254]/", "blocked_address"),
        ("http://2130706433/", "bad_url"),
        ("http://shop.example:8080/", "bad_url"),
        ("http://ongi.invalid/", "dns"),
    ],
)
async def test_what_must_not_or_cannot_be_asked_is_told_without_a_server(website: str, code: str) -> None:
    outcome = await outcome_of({}, website)
    assert (outcome.outcome, outcome.code, outcome.http_status) == ("failed", code, None)
    assert code == "dns" or not outcome.retryable


@pytest.mark.parametrize(
    ("website", "code"),
    [
        ("", "no_website"),
        ("https://blog.naver.com/ongi", "not_an_own_website"),
        ("http://ongi.example/", None),
    ],
)
def test_a_place_without_a_website_of_its_own_is_skipped(website: str, code: str | None) -> None:
    assert WebsiteChannel().skipped(asking(Settings(), names=["온기식당"], website=website)) == code


def test_every_code_of_these_tests_is_on_the_list() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    named = {code for code in DIAGNOSTIC_CODES if f'"{code}"' in source}
    vendors_only = {
        "auth", "quota_day", "bad_request", "bad_answer", "not_this_place", "business_closed", "business_suspended",
        "no_key", "no_business_number", "no_address", "unread_photos", "internal",
    }  # fmt: skip
    assert DIAGNOSTIC_CODES - named <= vendors_only
