"""COLLECT against a real database and a website on loopback: what is stored, confirmed and reported."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pydantic import SecretStr

from functions.alert_flusher.flush import run_once as flush
from functions.collect import collect as collecting
from functions.collect import storing
from functions.collect.channels import Asking, ChannelOutcome, all_channels
from functions.collect.collect import CollectionFailed, collect
from functions.collect.diagnostics import DiagnosticCode
from shared.db import Connection
from shared.http import FAILURE_CODES
from shared.jobs.errors import LeaseLost, PermanentJobError
from shared.jobs.models import JobType
from shared.places import repository
from shared.places.models import NewFact, UsageRow
from shared.settings import Settings
from tests.fakes.raw import RawServer
from tests.fakes.teams import Teams, text_of
from tests.fakes.website import Reply, asked, folder, website
from tests.job_run import add_place, connected, outcome_of, settings_for, started

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "site"
INTAKE = {
    "name": "달그릇국수",
    "category": "Restaurant",
    "address": "서울 성동구 달그릇길 12",
    "phone": "02-555-0142",
}
MARKED = """<script type="application/ld+json">{"@type": "Restaurant", "name": "달그릇국수", "telephone": "02-555-0142",
"openingHours": "Mo-Su 11:00-21:00", "priceRange": "₩", "image": "/a.jpg"}</script><p>어서 오세요</p><img src="/b.jpg">"""


@pytest.fixture
async def conn(database: str) -> AsyncIterator[Connection]:
    async with connected(database) as connection:
        yield connection


async def place_with(conn: Connection, address: str | None, **more: Any) -> UUID:
    return await add_place(conn, INTAKE | ({"website": address} if address else {}) | more)


async def result_of(
    database: str, tmp_path: Path, place_id: UUID, server: RawServer | None = None, **more: Any
) -> dict[str, Any]:
    config = settings_for(database, tmp_path, crawl_allow=server.allow if server else "")
    return dict((await outcome_of(collect, config, JobType.COLLECT, place_id, **more)).result)


async def test_facts_and_photos_of_the_website_are_stored_and_structured_ones_confirmed(
    conn: Connection, database: str, tmp_path: Path
) -> None:
    async with website({"/": MARKED}) as server:
        place_id = await place_with(conn, server.origin + "/")
        result = await result_of(database, tmp_path, place_id, server)
    site = result["channels"]["website"]
    assert {key: site[key] for key in site if key != "milliseconds"} == {
        "outcome": "ok",
        "code": None,
        "http_status": 200,
        "pages": 1,
        "facts": 5,
        "photos": 2,
        "retryable": False,
        "notes": [],
        "rejected": [],
    }
    assert site["milliseconds"] >= 0
    owner = result["channels"]["owner"]
    assert (owner["outcome"], owner["facts"], owner["photos"]) == ("ok", 5, 0)
    confirmed = await repository.confirmed_facts(conn, place_id)
    assert confirmed.version == result["facts_version"]
    assert confirmed.value("price_range") == "₩"
    assert confirmed.value("hours")["days"]["mon"] == [["11:00", "21:00"]]
    assert confirmed.facts["phone"].confirmed_by == "owner"
    assert (result["facts"], result["photos"], result["new_photos"], result["conflicts"]) == (10, 2, 2, [])
    photos = await repository.list_photos(conn, place_id)
    assert [(photo.channel, photo.source_url, photo.confirmed) for photo in photos] == [
        ("website", f"{server.origin}/a.jpg", False),
        ("website", f"{server.origin}/b.jpg", False),
    ]


async def test_collecting_again_stores_nothing_twice(conn: Connection, database: str, tmp_path: Path) -> None:
    async with website({"/": MARKED}) as server:
        place_id = await place_with(conn, server.origin + "/")
        first = await result_of(database, tmp_path, place_id, server)
        again = await result_of(database, tmp_path, place_id, server)
    assert (again["new_facts"], again["new_photos"]) == (0, 0)
    assert again["facts_version"] == first["facts_version"]


async def test_a_site_that_names_its_pictures_anew_does_not_add_to_them_for_ever(
    conn: Connection, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "PHOTOS_OF_A_CHANNEL", 3)
    place_id = await place_with(conn, "https://shop.example/")
    added = []
    for day in range(3):
        marked = MARKED.replace("/a.jpg", f"/a{day}.jpg").replace("/b.jpg", f"/b{day}.jpg")
        async with website({"/": marked}) as server:
            await conn.execute(
                "UPDATE facts SET value = to_jsonb($1::text) WHERE key = 'website'", f"{server.origin}/"
            )
            added.append((await result_of(database, tmp_path, place_id, server))["new_photos"])
    assert added == [2, 1, 0]


async def test_a_website_that_contradicts_its_owner_is_shown_and_changes_nothing(
    conn: Connection, database: str, tmp_path: Path
) -> None:
    async with website({"/": MARKED.replace("0142", "0199")}) as server:
        place_id = await place_with(conn, server.origin + "/")
        result = await result_of(database, tmp_path, place_id, server)
    assert result["conflicts"] == ["phone"]
    phones = [fact for fact in await repository.all_facts(conn, place_id) if fact.key == "phone"]
    assert {(fact.channel, fact.value, fact.confirmed) for fact in phones} == {
        ("owner", "+8225550142", True),
        ("website", "+8225550199", False),
    }


async def test_the_example_site_is_read(conn: Connection, database: str, tmp_path: Path) -> None:
    async with website(folder(EXAMPLE)) as server:
        place_id = await place_with(conn, server.origin + "/")
        result = await result_of(database, tmp_path, place_id, server)
        assert "/staff/" not in asked(server)
    site = result["channels"]["website"]
    assert (site["outcome"], site["pages"], site["photos"]) == ("ok", 3, 2)
    assert "bad_markup" in site["notes"]
    confirmed = await repository.confirmed_facts(conn, place_id)
    assert len(confirmed.value("menu")) == 5
    assert confirmed.value("hours")["days"]["mon"] == []


@pytest.mark.parametrize(
    ("home", "outcome", "code", "retryable"),
    [
        (Reply(status="503 Busy"), "failed", "http_status", True),
        (Reply(status="404 Not Found"), "failed", "http_status", False),
        (Reply(b"<html></html>"), "empty", None, False),
        (Reply(MARKED.encode() + b'<a href="/menu">menu</a>'), "ok", None, False),  # a dead link
    ],
)
async def test_a_job_is_done_whatever_its_website_does_and_says_what_it_did(
    conn: Connection, database: str, tmp_path: Path, home: Reply, outcome: str, code: str, retryable: bool
) -> None:
    async with website({"/": home}) as server:
        place_id = await place_with(conn, server.origin + "/")
        result = await result_of(database, tmp_path, place_id, server)
    site = result["channels"]["website"]
    assert (site["outcome"], site["code"], site["retryable"]) == (outcome, code, retryable)
    assert site["code"] is None or site["code"] in FAILURE_CODES
    assert result["channels"]["owner"]["outcome"] == "ok"


async def test_an_address_that_is_not_public_is_never_asked(
    conn: Connection, database: str, tmp_path: Path
) -> None:
    place_id = await place_with(conn, "http://127.0.0.1/")
    result = await result_of(database, tmp_path, place_id)
    site = result["channels"]["website"]
    assert (site["outcome"], site["code"], site["retryable"]) == ("failed", "blocked_address", False)


@pytest.mark.parametrize(
    ("address", "code"),
    [(None, "no_website"), ("https://www.instagram.com/dalgeureut", "not_an_own_website")],
)
async def test_without_a_website_of_its_own_the_channel_is_skipped(
    conn: Connection, database: str, tmp_path: Path, address: str | None, code: str
) -> None:
    place_id = await place_with(conn, address)
    site = (await result_of(database, tmp_path, place_id))["channels"]["website"]
    assert (site["outcome"], site["code"], site["facts"]) == ("skipped", code, 0)


async def test_a_deleted_place_and_a_job_without_one_are_permanent_failures(
    conn: Connection, database: str, tmp_path: Path
) -> None:
    place_id = await place_with(conn, None)
    await conn.execute("UPDATE places SET deleted_at = now() WHERE place_id = $1", place_id)
    for gone in (place_id, None):
        with pytest.raises(PermanentJobError):
            await outcome_of(collect, settings_for(database, tmp_path), JobType.COLLECT, gone)


class Saying:
    """A source with one answer, or a defect."""

    def __init__(self, name: str, answer: ChannelOutcome | Exception) -> None:
        self.name = name
        self._answer = answer

    def skipped(self, ask: Asking) -> DiagnosticCode | None:
        return None

    async def collect(self, ask: Asking) -> ChannelOutcome:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def failing(*, passing: bool) -> Saying:
    usage = [UsageRow(provider="vendor", model="search", outcome="timeout", cost_usd=0.005)]
    return Saying("website", ChannelOutcome("failed", code="timeout", retryable=passing, usage=usage))


def use(monkeypatch: pytest.MonkeyPatch, *channels: Saying) -> None:
    """The owner's channel and these."""
    owner = all_channels()[0]
    monkeypatch.setattr(collecting, "all_channels", lambda: [owner, *channels])


async def test_only_when_nothing_at_all_is_known_and_it_may_pass_the_job_is_tried_again(
    conn: Connection, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_id = await place_with(conn, None)
    await conn.execute("DELETE FROM facts")
    use(monkeypatch, failing(passing=True))
    with pytest.raises(CollectionFailed, match="website timeout"):
        await result_of(database, tmp_path, place_id)
    # How it went, and what it cost, is on record all the same.
    assert await went(conn) == [("owner", "empty", None), ("website", "failed", "timeout")]
    assert await conn.fetchval("SELECT sum(cost_usd)::float8 FROM usage") == 0.005
    assert await conn.fetchval("SELECT collected_at FROM places") is None
    use(monkeypatch, failing(passing=False))
    assert (await result_of(database, tmp_path, place_id))["facts"] == 0
    assert await conn.fetchval("SELECT collected_at FROM places") is not None


async def went(conn: Connection) -> list[tuple[Any, ...]]:
    return [
        tuple(row)
        for row in await conn.fetch("SELECT channel, outcome, code FROM channel_outcomes ORDER BY outcome_id")
    ]


async def test_a_channel_that_breaks_is_told_of_and_the_job_is_done(
    conn: Connection, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_id = await place_with(conn, None)
    use(
        monkeypatch,
        Saying("kakao", ValueError("a bug")),
        Saying(
            "osm", ChannelOutcome("ok", facts=[NewFact(key="price_range", value="만원대", channel="osm")])
        ),
    )
    result = await result_of(database, tmp_path, place_id)
    assert {name: (said["outcome"], said["code"]) for name, said in result["channels"].items()} == {
        "owner": ("ok", None),
        "kakao": ("failed", "internal"),
        "osm": ("ok", None),
    }
    assert await went(conn) == [("owner", "ok", None), ("kakao", "failed", "internal"), ("osm", "ok", None)]
    assert "price_range" in {fact.key for fact in await repository.all_facts(conn, place_id)}


async def test_a_business_that_sources_call_closed_is_told_once_a_window_and_stays_published(
    conn: Connection, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_id = await place_with(conn, None)
    before = await repository.confirmed_facts(conn, place_id)
    closed = [
        Saying(name, ChannelOutcome("empty", notes=["business_closed"])) for name in ("nts", "google_places")
    ]
    use(monkeypatch, *closed, Saying("kakao", ChannelOutcome("empty", notes=["business_suspended"])))
    for _ in range(2):
        await result_of(database, tmp_path, place_id)
    (row,) = await conn.fetch(
        "SELECT kind, dedupe_key, occurrences, detail::text AS detail FROM alert_outbox"
    )
    assert (row["kind"], row["dedupe_key"], row["occurrences"]) == (
        "business_closed",
        f"business_closed:{place_id}",
        2,
    )
    detail = json.loads(row["detail"])
    assert (detail["place_id"], detail["channels"]) == (str(place_id), ["nts", "google_places"])
    assert await repository.confirmed_facts(conn, place_id) == before
    with Teams().running() as teams:
        assert isinstance(teams, Teams)
        await flush(conn, Settings(teams_webhook_url=SecretStr(teams.webhook), alert_locale="ko"))
        said = text_of(teams.cards[0]).splitlines()
    assert said[0] == "폐업한 것으로 나오는 가게가 있습니다: 달그릇국수"
    assert "채널: 국세청, 구글 지도" in said


async def test_a_job_that_lost_its_lease_raises_no_alert_either(
    conn: Connection, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_id = await place_with(conn, None)
    use(monkeypatch, Saying("nts", ChannelOutcome("empty", notes=["business_closed"])))
    async with started(settings_for(database, tmp_path), JobType.COLLECT, place_id) as (job, ctx):
        await conn.execute("UPDATE jobs SET worker_id = gen_random_uuid() WHERE job_id = $1", job.job_id)
        with pytest.raises(LeaseLost):
            await collect(job, ctx)
    assert await conn.fetchval("SELECT count(*) FROM alert_outbox") == 0
    assert await went(conn) == []


async def test_what_may_not_be_kept_reaches_no_row_no_log_and_no_result(
    conn: Connection,
    database: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    place_id = await place_with(conn, None)

    def naver(phone: str) -> Saying:
        facts = [NewFact(key="phone", value=phone, channel="naver", storable=False)]
        return Saying("naver", ChannelOutcome("ok", whole=True, facts=facts))

    use(monkeypatch, naver("+8225559876"))
    result = await result_of(database, tmp_path, place_id)
    assert (result["conflicts"], result["proposals"]) == (["phone"], [])
    everything = await conn.fetchval(
        "SELECT string_agg(t, ' ') FROM (SELECT f::text FROM facts f UNION ALL SELECT j::text FROM jobs j"
        " UNION ALL SELECT o::text FROM channel_outcomes o UNION ALL SELECT a::text FROM alert_outbox a) AS s (t)"
    )
    captured = caplog.text + "".join(capsys.readouterr()) + json.dumps(result) + everything
    assert "5559876" not in captured
    assert "naver" in everything
    use(monkeypatch, naver("+8225550142"))
    assert (await result_of(database, tmp_path, place_id))["conflicts"] == []
    assert "naver" not in {fact.channel for fact in await repository.all_facts(conn, place_id)}


async def test_a_site_that_changed_and_lost_something_is_proposed_and_nothing_is_rebuilt(
    conn: Connection, database: str, tmp_path: Path
) -> None:
    pages = {"/": MARKED}
    async with website(pages) as server:
        place_id = await place_with(conn, server.origin + "/")
        first = await result_of(database, tmp_path, place_id, server, in_graph=False)
        pages["/"] = MARKED.replace("21:00", "22:00").replace('"priceRange": "₩", ', "")
        again = await result_of(database, tmp_path, place_id, server, in_graph=False)
    assert (first["proposals"], again["proposals"]) == ([], ["hours", "price_range"])
    assert again["facts_version"] == first["facts_version"]
    confirmed = await repository.confirmed_facts(conn, place_id)
    assert confirmed.value("hours")["days"]["mon"] == [["11:00", "21:00"]]
    assert confirmed.value("price_range") == "₩"
    found = await repository.proposals(conn, place_id)
    assert [(p.key, p.kind, p.channel) for p in found] == [
        ("hours", "changed", "website"),
        ("price_range", "vanished", "website"),
    ]
    assert await conn.fetchval("SELECT count(*) FROM jobs WHERE job_type = 3") == 1  # of the first collection


async def test_a_job_that_lost_its_lease_writes_nothing(
    conn: Connection, database: str, tmp_path: Path
) -> None:
    async with website({"/": MARKED}) as server:
        place_id = await place_with(conn, server.origin + "/")
        before = await repository.all_facts(conn, place_id)
        config = settings_for(database, tmp_path, crawl_allow=server.allow)
        async with started(config, JobType.COLLECT, place_id) as (job, ctx):
            await conn.execute("UPDATE jobs SET worker_id = gen_random_uuid() WHERE job_id = $1", job.job_id)
            with pytest.raises(LeaseLost):
                await collect(job, ctx)
    assert await repository.all_facts(conn, place_id) == before
    assert await repository.list_photos(conn, place_id) == []


async def test_a_refresh_outside_a_generation_is_followed_by_copy_and_build_when_a_confirmed_fact_changed(
    conn: Connection, database: str, tmp_path: Path
) -> None:
    async def followers() -> list[int]:
        rows = await conn.fetch(
            "SELECT job_type FROM jobs WHERE job_type IN (3, 4) AND graph_id IS NULL ORDER BY job_type"
        )
        return [row["job_type"] for row in rows]

    async with website({"/": "<p>nothing yet</p>"}) as server:
        place_id = await place_with(conn, server.origin + "/")
        await result_of(database, tmp_path, place_id, server, in_graph=False)
        assert await followers() == []
    async with website({"/": MARKED}) as server:
        await conn.execute(
            "UPDATE facts SET value = to_jsonb($2::text) WHERE place_id = $1 AND key = 'website'",
            place_id,
            server.origin + "/",
        )
        await result_of(database, tmp_path, place_id, server, in_graph=False)
        assert await followers() == [JobType.COPY, JobType.BUILD]


async def test_a_generations_collect_enqueues_nothing_of_its_own(
    conn: Connection, database: str, tmp_path: Path
) -> None:
    async with website({"/": MARKED}) as server:
        place_id = await place_with(conn, server.origin + "/")
        await result_of(database, tmp_path, place_id, server)
    assert await conn.fetchval("SELECT count(*) FROM jobs") == 1
