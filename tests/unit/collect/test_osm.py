"""OpenStreetMap: which element is the place, what its tags state, and every way its two servers refuse."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from functions.collect.channels import Asking, ChannelOutcome
from functions.collect.channels.osm import OsmChannel
from functions.collect.channels.osm.categories import category_of
from functions.collect.channels.osm.questions import overpass_query
from shared.places.normalise import SCHEMA_TYPES
from shared.settings import Settings
from tests.channels import OpenGate, asking
from tests.fakes.vendor_process import requests_of, script, vendor_process

NODE = "https://www.openstreetmap.org/node/4711"
WAY = "https://www.openstreetmap.org/way/815"
HERE = (37.544, 127.056)
PLACE: dict[str, Any] = {"phones": ["02-555-0142"], "addresses": ["서울 성동구 달그릇길 12"], "geo": HERE}


@pytest.fixture(scope="module")
def nominatim() -> Iterator[str]:
    with vendor_process("nominatim") as address:
        yield address


@pytest.fixture(scope="module")
def overpass() -> Iterator[str]:
    with vendor_process("overpass") as address:
        yield address


def ask_for(
    nominatim: str | None, overpass: str | None = None, *, timeout: float = 5.0, **known: Any
) -> Asking:
    """With the second of the default there is no time for another try."""
    settings = Settings(
        nominatim_base_url=nominatim, overpass_base_url=overpass, channel_timeout=timeout, crawl_contact="https://we.example/bot"
    )  # fmt: skip
    known = {"names": ["달그릇국수"], "seconds": 1.2, **(known or PLACE)}
    return asking(settings, **known)


async def by_name(nominatim: str, scenario: str, **known: Any) -> ChannelOutcome:
    script(nominatim, scenario)
    return await OsmChannel().collect(ask_for(nominatim, **known))


async def around(nominatim: str, overpass: str, scenario: str, **known: Any) -> ChannelOutcome:
    script(nominatim, "nothing")
    script(overpass, scenario)
    return await OsmChannel().collect(ask_for(nominatim, overpass, **known))


def values(outcome: ChannelOutcome) -> dict[str, Any]:
    assert len({fact.key for fact in outcome.facts}) == len(outcome.facts)
    return {fact.key: fact.value for fact in outcome.facts}


async def test_every_tag_that_a_key_takes_becomes_a_fact_of_the_element(nominatim: str) -> None:
    outcome = await by_name(nominatim, "ok")
    assert (outcome.outcome, outcome.code, outcome.http_status, outcome.whole) == ("ok", None, 200, True)
    found = values(outcome)
    hours = found.pop("hours")
    assert (hours["days"]["mon"], hours["days"]["sun"]) == ([], [["11:00", "21:00"]])
    assert found == {
        "name": "달그릇국수",
        "name_en": "Dalgeureut Noodles",
        "category": "Restaurant",
        "phone": "+8225550142",  # of the two numbers on the map the one that is known
        "road_address": "서울특별시 성동구 달그릇길 12",
        "geo": {"lat": 37.544, "lon": 127.056},
        "website": "https://dalgeureut.example/",
        "sns": ["https://www.facebook.com/dalgeureut/", "https://www.instagram.com/dal.geureut"],
        "amenities": ["wifi", "wheelchair_accessible", "takeout"],
    }
    assert {(f.channel, f.source_url, f.storable, f.structured) for f in outcome.facts} == {
        ("osm", NODE, True, False)
    }
    assert {fact.confidence for fact in outcome.facts} == {0.76}
    assert [(one.reason, one.name) for one in outcome.rejected] == [("other_branch", "달그릇국수 판교점")]


async def test_nominatim_is_asked_within_the_places_surroundings_by_somebody_with_a_name(
    nominatim: str,
) -> None:
    script(nominatim, "nothing")
    ask = ask_for(nominatim)
    await OsmChannel().collect(ask)
    (request,) = requests_of(nominatim)
    url = urlsplit(request.path)
    assert (request.method, url.path) == ("GET", "/search")
    assert request.headers["user-agent"] == "web4ai/1.0 (+https://we.example/bot)"
    assert {name: value for name, (value,) in parse_qs(url.query).items()} == {
        "q": "달그릇국수",
        "format": "jsonv2",
        "extratags": "1",
        "addressdetails": "1",
        "namedetails": "1",
        "countrycodes": "kr",
        "accept-language": "ko",
        "limit": "10",
        "viewbox": "127.03600,37.56400,127.07600,37.52400",
        "bounded": "1",
    }
    assert isinstance(ask.gate, OpenGate)
    assert ask.gate.turns == [("osm", 1.0)]  # a second apart, for all sandboxes together


async def test_a_place_without_a_position_is_asked_for_with_its_district(nominatim: str) -> None:
    outcome = await by_name(nominatim, "ok", addresses=["서울 성동구 달그릇길 12"])
    assert outcome.outcome == "ok"
    (request,) = requests_of(nominatim)
    query = parse_qs(urlsplit(request.path).query)
    assert query["q"] == ["달그릇국수 성동구"]
    assert "bounded" not in query


@pytest.mark.parametrize(
    ("known", "named", "reason"),
    [
        ({"phones": ["02-555-0142"]}, True, None),
        ({"geo": HERE}, True, None),
        ({"website": "https://dalgeureut.example"}, True, "no_address"),
        (PLACE, False, "no_key"),
    ],
)
def test_without_a_server_or_a_sign_of_the_place_nobody_is_asked(
    known: dict[str, Any], named: bool, reason: str | None
) -> None:
    assert OsmChannel().skipped(ask_for("http://127.0.0.1:1" if named else None, **known)) == reason


@pytest.mark.parametrize(
    ("scenario", "outcome", "code", "rejected"),
    [
        ("nothing", "empty", None, 0),
        ("streets_alone", "empty", None, 0),
        ("branches_alone", "empty", "not_this_place", 1),
    ],
)
async def test_streets_are_nobody_and_branches_somebody_else(
    nominatim: str, scenario: str, outcome: str, code: str | None, rejected: int
) -> None:
    found = await by_name(nominatim, scenario)
    assert (found.outcome, found.code, len(found.rejected)) == (outcome, code, rejected)


async def test_a_business_mapped_as_ended_is_told_of_and_gives_no_facts(nominatim: str) -> None:
    outcome = await by_name(nominatim, "ended")
    assert (outcome.outcome, outcome.code, outcome.notes) == ("empty", "business_closed", ["business_closed"])


async def test_an_end_is_believed_of_a_sure_match_alone(nominatim: str) -> None:
    outcome = await by_name(nominatim, "ended_by_its_pin")
    assert (outcome.outcome, outcome.code, outcome.notes) == ("empty", None, [])


async def test_a_business_that_is_there_goes_before_one_that_was(nominatim: str) -> None:
    outcome = await by_name(nominatim, "ended_and_followed")
    assert (outcome.outcome, outcome.notes) == ("ok", [])
    assert {fact.source_url for fact in outcome.facts} == {NODE}


async def test_what_no_key_takes_is_left_out_and_hours_beyond_a_week_stay_text(nominatim: str) -> None:
    found = values(await by_name(nominatim, "unread"))
    assert found["hours"] == {
        "days": {},
        "breaks": {},
        "last_order": {},
        "closed_nth": [],
        "holidays": None,
        "text": "Jun-Aug Mo-Su 11:00-21:00",
    }
    assert found["phone"] == "+8225550142"
    assert found["road_address"].startswith("서울특별시 성동구 달그릇길 12")
    assert found["sns"] == ["https://instagram.com/dalgeureut", "https://www.instagram.com/dalgeureut"]
    assert not {"website", "category", "amenities"} & found.keys()


@pytest.mark.parametrize(
    ("scenario", "keys"),
    [
        ("half", {"name", "category", "geo"}),
        ("empty_texts", {"name", "category", "road_address", "geo"}),
        ("odd_types", {"name", "category", "road_address", "geo"}),
    ],
)
async def test_half_empty_and_odd_answers_give_what_can_be_read_of_them(
    nominatim: str, scenario: str, keys: set[str]
) -> None:
    assert values(await by_name(nominatim, scenario)).keys() == keys


@pytest.mark.parametrize(
    ("scenario", "code", "status", "retryable"),
    [
        ("blocked", "auth", 403, False),
        ("throttled", "rate_limited", 429, True),
        ("refused", "bad_request", 400, False),
        ("refused_in_200", "bad_request", 200, False),
        ("broken_inside", "http_status", 500, True),
        ("unavailable", "http_status", 503, True),
        ("html", "bad_answer", 200, True),
        ("xml", "bad_answer", 200, True),
        ("half_json", "bad_answer", 200, True),
        ("cut", "protocol", None, True),
        ("dropped", "protocol", None, True),
        ("too_large", "too_large", 200, False),
    ],
)
async def test_every_refusal_of_nominatim_has_its_code(
    nominatim: str, scenario: str, code: str, status: int | None, retryable: bool
) -> None:
    outcome = await by_name(nominatim, scenario)
    assert (outcome.outcome, outcome.code, outcome.retryable) == ("failed", code, retryable)
    assert outcome.http_status == status
    assert not outcome.whole


@pytest.mark.parametrize("scenario", ["hangs", "drips"])
async def test_a_slow_server_costs_the_calls_time_and_no_more(nominatim: str, scenario: str) -> None:
    outcome = await by_name(nominatim, scenario, timeout=0.2, **PLACE)
    assert (outcome.outcome, outcome.code, outcome.retryable) == ("failed", "timeout", True)
    assert outcome.milliseconds < 1_000


async def test_an_object_is_no_list_of_places(nominatim: str) -> None:
    script(nominatim, "not_a_list")
    outcome = await OsmChannel().collect(ask_for(nominatim))
    assert (outcome.outcome, outcome.code) == ("failed", "bad_answer")


@pytest.mark.parametrize(
    ("scenario", "code", "seconds"),
    [
        ("blocked", "auth", 3600),
        ("throttled", "rate_limited", 60),
        ("throttled_for_seconds", "rate_limited", 17),
    ],
)
async def test_a_server_that_turns_us_away_is_left_alone_by_all(
    nominatim: str, scenario: str, code: str, seconds: int
) -> None:
    gate = OpenGate()
    await by_name(nominatim, scenario, gate=gate, **PLACE)
    again = await by_name(nominatim, "ok", gate=gate, **PLACE)
    assert gate.closed == {"osm": (code, timedelta(seconds=seconds))}
    assert (again.outcome, again.code, requests_of(nominatim)) == ("failed", code, [])


async def test_where_nominatim_knows_nothing_overpass_is_asked_around_the_place(
    nominatim: str, overpass: str
) -> None:
    gate = OpenGate()
    outcome = await around(nominatim, overpass, "ok", gate=gate, **PLACE)
    assert (outcome.outcome, outcome.http_status) == ("ok", 200)
    found = values(outcome)
    assert (found["name"], found["category"], found["phone"]) == (
        "달그릇 국수",
        "CafeOrCoffeeShop",
        "+8225550142",
    )
    assert found["road_address"] == "서울특별시 성동구 달그릇길 12"
    assert found["geo"] == {"lat": 37.5441, "lon": 127.0561}
    assert {fact.source_url for fact in outcome.facts} == {WAY}
    assert [one.name for one in outcome.rejected] == ["남의국수"]
    (request,) = requests_of(overpass)
    assert (request.method, request.path) == ("POST", "/api/interpreter")
    assert request.headers["user-agent"] == "web4ai/1.0 (+https://we.example/bot)"
    (query,) = parse_qs(request.body.decode())["data"]
    assert query == (
        '[out:json][timeout:1];nwr(around:150,37.544000,127.056000)[~"^(alt_|official_|short_)?name(:ko|:en)?$"'
        '~"달.?그.?릇.?국.?수",i];out tags center 20;'
    )
    assert gate.turns == [("osm", 1.0), ("osm_overpass", 2.0)]


async def test_overpass_is_not_asked_when_nominatim_found_the_place_or_nobody_knows_where_it_is(
    nominatim: str, overpass: str
) -> None:
    script(overpass, "ok")
    await by_name(nominatim, "ok")
    script(nominatim, "ok", "nothing")
    await OsmChannel().collect(ask_for(nominatim, overpass))
    await OsmChannel().collect(ask_for(nominatim, overpass, phones=["02-555-0142"]))
    assert requests_of(overpass) == []


@pytest.mark.parametrize(
    "name",
    [
        '달그릇"];out;//',
        "달그릇\\",
        "(달|그)릇.*",
        "달\n그릇[a-z]{9}",
        "달그릇' or ''='",
        "달그릇*/;node;out meta;/*",
    ],
)
def test_no_name_ends_the_text_it_stands_in(name: str) -> None:
    settings = Settings(nominatim_base_url="http://n", overpass_base_url="http://o")
    query = overpass_query(asking(settings, names=[name], geo=HERE))
    fixed, _, rest = query.partition('~"^(alt_|official_|short_)?name(:ko|:en)?$"~"')
    pattern, _, end = rest.partition('"')
    assert pattern.replace(".?", "").isalnum()
    assert end == ",i];out tags center 20;"
    assert fixed.count(";") == 1


def test_long_and_many_names_make_no_long_query() -> None:
    settings = Settings(nominatim_base_url="http://n", overpass_base_url="http://o")
    names = [f"{letter}{'가' * 190}" for letter in "달그릇국수하나둘"]
    assert len(overpass_query(asking(settings, names=names, geo=HERE)).encode()) < 1_500


@pytest.mark.parametrize(
    ("scenario", "code", "status", "retryable"),
    [
        ("timed_out", "timeout", 200, True),
        ("half", "bad_answer", 200, True),
        ("throttled", "rate_limited", 429, True),
        ("busy", "rate_limited", 504, True),
        ("blocked", "auth", 403, False),
        ("not_understood", "bad_request", 400, False),
        ("page_in_200", "bad_answer", 200, True),
        ("xml", "bad_answer", 200, True),
        ("no_elements", "bad_answer", 200, True),
        ("not_an_object", "bad_answer", 200, True),
        ("deep", "bad_answer", 200, True),
    ],
)
async def test_every_refusal_of_overpass_has_its_code(
    nominatim: str, overpass: str, scenario: str, code: str, status: int, retryable: bool
) -> None:
    outcome = await around(nominatim, overpass, scenario)
    assert (outcome.outcome, outcome.code, outcome.http_status) == ("failed", code, status)
    assert outcome.retryable == retryable
    assert outcome.facts == []


async def test_a_busy_overpass_is_left_alone_and_nominatim_is_not(nominatim: str, overpass: str) -> None:
    gate = OpenGate()
    await around(nominatim, overpass, "busy", gate=gate, **PLACE)
    assert gate.closed == {"osm_overpass": ("rate_limited", timedelta(seconds=60))}


@pytest.mark.parametrize(
    ("scenario", "outcome", "notes"),
    [
        ("nothing", "empty", []),
        ("odd_types", "empty", []),
        ("remarked", "ok", []),
        ("ended", "empty", ["business_closed"]),
        ("vacant", "empty", ["business_closed"]),
    ],
)
async def test_overpass_tells_of_what_was_and_of_nothing(
    nominatim: str, overpass: str, scenario: str, outcome: str, notes: list[str]
) -> None:
    found = await around(nominatim, overpass, scenario)
    assert (found.outcome, found.notes) == (outcome, notes)


@pytest.mark.parametrize(
    ("tags", "category"),
    [
        ({"amenity": "restaurant"}, "Restaurant"),
        ({"amenity": "restaurant", "cuisine": "ice_cream;dessert"}, "IceCreamShop"),
        ({"amenity": "cafe", "shop": "bakery"}, "CafeOrCoffeeShop"),
        ({"amenity": "parking", "shop": "bakery;pastry"}, "Bakery"),
        ({"shop": "beauty", "beauty": "nails"}, "NailSalon"),
        ({"tourism": "guest_house"}, "LodgingBusiness"),
        ({"healthcare": "alternative"}, "MedicalClinic"),
        ({"amenity": "bench"}, None),
        ({}, None),
    ],
)
def test_kinds_of_the_map_are_types_of_the_vocabulary(tags: dict[str, str], category: str | None) -> None:
    assert category_of(tags) == category
    assert category is None or category in SCHEMA_TYPES
