"""Every channel in one collection, each vendor a process of its own, killed in turn: the others' work is whole."""

from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from functions.collect.channels import all_channels
from functions.collect.collect import collect
from shared.db import Connection
from shared.jobs.models import JobType
from shared.places import repository
from shared.settings import Settings
from tests.fakes.vendor_process import vendor_process
from tests.fakes.website import website
from tests.job_run import add_place, connected, outcome_of, settings_for

PAGE = """<script type="application/ld+json">{"@type": "Restaurant", "name": "달그릇국수", "telephone": "02-555-0142",
"openingHours": "Tu-Su 11:30-21:00", "priceRange": "만원대"}</script>"""
# Channel by the vendor it asks; Overpass is asked where Nominatim has nothing, so OpenStreetMap is one here.
VENDORS = {
    "kakao": "kakao",
    "naver": "naver",
    "tourapi": "tourapi",
    "nts": "nts",
    "google_places": "google_places",
    "nominatim": "osm",
    "perplexity_search": "perplexity",
}


class Vendors:
    """The vendors' processes and where they listen."""

    def __init__(self) -> None:
        self._open: dict[str, ExitStack] = {}
        self.urls: dict[str, str] = {}
        with ThreadPoolExecutor(len(VENDORS)) as at_once:
            list(at_once.map(self._start, VENDORS))

    def _start(self, vendor: str) -> None:
        self._open[vendor] = ExitStack()
        self.urls[vendor] = self._open[vendor].enter_context(vendor_process(vendor))

    def kill(self, vendor: str) -> None:
        """SIGKILL: its port is closed from now on."""
        self._open.pop(vendor).close()

    def close(self) -> None:
        for vendor in list(self._open):
            self.kill(vendor)


@pytest.fixture
def vendors() -> Iterator[Vendors]:
    with closing(Vendors()) as running:
        yield running


@pytest.fixture
async def conn(database: str) -> AsyncIterator[Connection]:
    async with connected(database) as connection:
        yield connection


def config(url: str, media: Path, vendors: Vendors, site: Any) -> Settings:
    key = {
        name: f"{name}-of-nobody"
        for name in (
            "kakao_api_key",
            "naver_client_id",
            "naver_client_secret",
            "tourapi_key",
            "nts_key",
            "google_places_api_key",
            "perplexity_api_key",
        )
    }
    return settings_for(
        url,
        media,
        crawl_allow=site.allow,
        kakao_base_url=vendors.urls["kakao"],
        naver_hub_base_url=vendors.urls["naver"],
        tourapi_base_url=f"{vendors.urls['tourapi']}/KorService2",
        nts_base_url=vendors.urls["nts"],
        google_places_base_url=vendors.urls["google_places"],
        nominatim_base_url=vendors.urls["nominatim"],
        perplexity_base_url=vendors.urls["perplexity_search"],
        **key,
    )


async def collected(
    conn: Connection, settings: Settings, origin: str
) -> tuple[dict[str, Any], set[tuple[str, str]]]:
    """A new place's result, and which channel's values of which keys are stored."""
    place_id = await add_place(
        conn,
        {
            "name": "달그릇국수",
            "category": "Restaurant",
            "address": "서울 성동구 달그릇길 12",
            "phone": "02-555-0142",
            "business_number": "120-81-47521",
            "website": f"{origin}/",
        },
    )
    result = dict((await outcome_of(collect, settings, JobType.COLLECT, place_id)).result)
    return result, {
        (fact.channel, fact.key)
        for fact in await repository.all_facts(conn, place_id)
        if fact.value is not None
    }


def told(result: dict[str, Any], *, but: Sequence[str]) -> dict[str, Any]:
    """How the other channels went, but for the time they took."""
    return {
        name: {key: value for key, value in said.items() if key != "milliseconds"}
        for name, said in result["channels"].items()
        if name not in but
    }


ONE_BY_ONE = [[vendor] for vendor in VENDORS]
ONE_AND_ALL_OTHERS = [["kakao"], [vendor for vendor in VENDORS if vendor != "kakao"]]


@pytest.mark.parametrize(
    "turns",
    [pytest.param(ONE_BY_ONE, marks=pytest.mark.slow), ONE_AND_ALL_OTHERS],
    ids=["each", "one_and_all"],
)
async def test_vendors_killed_in_turn_leave_the_rest_whole(
    conn: Connection, database: str, tmp_path: Path, vendors: Vendors, turns: list[list[str]]
) -> None:
    async with website({"/": PAGE}) as site:
        settings = config(database, tmp_path, vendors, site)
        whole, stored = await collected(conn, settings, site.origin)
        assert {name: said["outcome"] for name, said in whole["channels"].items()} == {
            channel.name: "ok" for channel in all_channels()
        }
        dead: list[str] = []
        for turn in turns:
            for vendor in turn:
                vendors.kill(vendor)
                dead.append(VENDORS[vendor])
            result, left = await collected(conn, settings, site.origin)
            for killed in (result["channels"][channel] for channel in dead):
                assert (killed["outcome"], killed["code"]) == ("failed", "connection")
                assert (killed["retryable"], killed["facts"], killed["photos"]) == (True, 0, 0)
            assert told(result, but=dead) == told(whole, but=dead)
            assert left == {(who, key) for who, key in stored if who not in dead}
    # The website last: of all that was asked nothing is left, and the owner's facts are enough.
    result, left = await collected(conn, settings, site.origin)
    assert {name for name, said in result["channels"].items() if said["outcome"] == "failed"} == {
        channel.name for channel in all_channels() if channel.name != "owner"
    }
    assert {who for who, _ in left} == {"owner"}
    failed = await conn.fetch(
        "SELECT channel, count(*) FROM channel_outcomes WHERE outcome = 'failed' GROUP BY 1"
    )
    times = {VENDORS[vendor]: len(turns) + 1 - number for number, turn in enumerate(turns) for vendor in turn}
    assert {row["channel"]: row["count"] for row in failed} == times | {"website": 1}
