"""VISION against a real database, a website and a vendor on loopback."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from functions.vision import turn
from functions.vision.work import look_at
from shared.db import Connection
from shared.jobs.errors import PermanentJobError, Snooze
from shared.jobs.models import JobType
from shared.places import repository
from shared.places.models import NewPhoto, Photo
from shared.runtime import Outcome
from tests.fakes import gemini as vendor
from tests.fakes.http_server import Recorded, Reply, VendorServer
from tests.job_run import add_place, add_upload, connected, outcome_of, settings_for, started

PHOTOS = Path(__file__).resolve().parents[3] / "examples" / "photos"
NAMES = ("storefront", "kalguksu", "interior", "menu-board", "storefront-again", "interior-dark")


@pytest.fixture
async def conn(database: str) -> AsyncIterator[Connection]:
    async with connected(database) as connection:
        yield connection


@pytest.fixture
async def place_id(conn: Connection) -> UUID:
    return await add_place(conn, {"name": "성수국수", "facts": {"name_en": "Seongsu Noodles"}})


@pytest.fixture
def fake() -> Iterator[vendor.FakeGemini]:
    server = vendor.FakeGemini(described)
    with server.running():
        yield server


@pytest.fixture
def website() -> Iterator[VendorServer]:
    """A website whose pictures are the example's: /storefront.jpg, and some that are none."""

    def serve(request: Recorded) -> Reply:
        name = request.path.strip("/").partition(".")[0]
        if name in NAMES:
            return Reply(200, (PHOTOS / f"{name}.jpg").read_bytes(), "image/jpeg")
        if name == "page":
            return Reply(200, b"<html></html>", "text/html")
        if name == "lie":
            return Reply(200, b"<html></html>", "image/jpeg")
        if name == "huge":
            return Reply(200, b"x" * 16_000_000, "image/jpeg")
        return Reply(404, b"", "text/html")

    server = VendorServer(serve)
    with server.running():
        yield server


def described(request: Recorded) -> dict[str, Any]:
    """A good description of every picture in the request."""
    return {
        "photos": [
            {
                "index": index,
                "kind": "product",
                "alt_ko": "나무 탁자 위의 국수 한 그릇",
                "alt_en": "A bowl of noodles on a wooden table",
                "quality": 0.8,
                "hero_fit": 0.7,
                "menu": [],
                "flags": [],
            }
            for index in range(1, len(vendor.images_of(request)) + 1)
        ]
    }


async def upload_all(conn: Connection, place_id: UUID, media: Path) -> dict[UUID, str]:
    ids = {}
    for position, name in enumerate(NAMES):
        data = (PHOTOS / f"{name}.jpg").read_bytes()
        ids[await add_upload(conn, place_id, data, media, position)] = name
    return ids


async def look(
    database: str, media: Path, place_id: UUID, *, in_graph: bool = True, **settings: Any
) -> Outcome:
    config = settings_for(database, media, **settings)
    return await outcome_of(look_at, config, JobType.VISION, place_id, in_graph=in_graph)


async def by_name(conn: Connection, place_id: UUID, names: dict[UUID, str]) -> dict[str, Photo]:
    return {names[photo.photo_id]: photo for photo in await repository.list_photos(conn, place_id)}


async def test_without_a_key_photos_are_ranked_by_what_can_be_measured(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID
) -> None:
    names = await upload_all(conn, place_id, tmp_path)

    result = (await look(database, tmp_path, place_id)).result

    assert result == {
        "mode": "local",
        "reason": "no_key",
        "photos": 6,
        "ranked": 5,
        "duplicates": 1,
        "problems": {},
        "left": 0,
    }
    photos = await by_name(conn, place_id, names)
    assert photos["storefront"].rank == 0
    assert photos["interior-dark"].rank == 4
    assert photos["storefront-again"].rank is None
    assert photos["storefront-again"].duplicate_of == photos["storefront"].photo_id
    seen = photos["storefront"].vision
    assert seen is not None
    assert seen["alt"] == {"ko": "성수국수 사진 1", "en": "Seongsu Noodles, photo 1"}
    assert seen["mode"] == "local"
    measures = photos["storefront"].measures
    assert measures is not None
    assert {"sharpness", "brightness", "dhash"} <= set(measures)


async def test_photos_of_the_page_are_numbered_without_gaps(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID, website: VendorServer
) -> None:
    for position, (name, confirmed) in enumerate(
        [("kalguksu", True), ("menu-board", False), ("interior", True)]
    ):
        source = f"{website.url}/{name}.jpg"
        await repository.add_photo(
            conn,
            place_id,
            NewPhoto(channel="website", source_url=source, position=position, confirmed=confirmed),
        )

    await look(database, tmp_path, place_id, crawl_allow=website.url.removeprefix("http://"))

    photos = await repository.list_photos(conn, place_id)
    said = {str(p.source_url).rpartition("/")[2]: (p.vision or {})["alt"]["ko"] for p in photos}
    assert said == {
        "kalguksu.jpg": "성수국수 사진 1",
        "interior.jpg": "성수국수 사진 2",
        "menu-board.jpg": "성수국수 사진 3",
    }


async def test_looking_again_at_the_same_photos_changes_nothing(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID
) -> None:
    await upload_all(conn, place_id, tmp_path)
    await look(database, tmp_path, place_id)
    before = await conn.fetchval("SELECT page_version FROM places")

    await look(database, tmp_path, place_id)

    assert await conn.fetchval("SELECT page_version FROM places") == before


async def test_photos_known_by_address_are_fetched_and_what_fails_has_a_name(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID, website: VendorServer
) -> None:
    wanted = ("kalguksu.jpg", "missing.jpg", "page.jpg", "lie.jpg", "huge.jpg")
    names = {}
    for position, name in enumerate(wanted):
        photo = await repository.add_photo(
            conn,
            place_id,
            NewPhoto(
                channel="website", source_url=f"{website.url}/{name}", position=position, confirmed=True
            ),
        )
        assert photo is not None
        names[photo.photo_id] = name.partition(".")[0]

    outcome = await look(database, tmp_path, place_id, crawl_allow=website.url.removeprefix("http://"))

    assert outcome.result["problems"] == {
        "http_status_404": 1,
        "bad_content_type_200": 1,
        "not_an_image": 1,
        "too_large_200": 1,
    }
    photos = await by_name(conn, place_id, names)
    assert photos["kalguksu"].rank == 0
    assert photos["kalguksu"].media_key is not None
    assert (tmp_path / photos["kalguksu"].media_key).is_file()
    assert photos["missing"].problem == "http_status_404"
    assert photos["missing"].rank is None


async def test_an_address_inside_the_network_is_not_fetched(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID, website: VendorServer
) -> None:
    await repository.add_photo(
        conn, place_id, NewPhoto(channel="website", source_url=f"{website.url}/kalguksu.jpg")
    )

    outcome = await look(database, tmp_path, place_id)

    assert sum(outcome.result["problems"].values()) == 1
    assert website.requests == []


async def test_with_a_key_gemini_describes_every_photo_but_the_repeats(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID, fake: vendor.FakeGemini
) -> None:
    names = await upload_all(conn, place_id, tmp_path)

    outcome = await look(database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url)

    assert (outcome.result["mode"], outcome.result["reason"]) == ("ai", None)
    assert outcome.follow_ups == []
    [request] = fake.requests
    assert len(vendor.images_of(request)) == 5
    assert all(len(image) < 300_000 for image in vendor.images_of(request))
    photos = await by_name(conn, place_id, names)
    seen = photos["kalguksu"].vision
    assert seen is not None
    assert seen["alt"]["ko"] == "나무 탁자 위의 국수 한 그릇"
    assert seen["kind"] == "product"
    assert await conn.fetchval("SELECT count(*) FROM usage WHERE outcome = 'ok'") == 1


async def test_what_was_described_is_not_paid_for_again(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID, fake: vendor.FakeGemini
) -> None:
    await upload_all(conn, place_id, tmp_path)
    await look(database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url)

    again = await look(database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url)

    assert again.result["mode"] == "ai"
    assert len(fake.requests) == 1


async def test_a_price_read_off_a_photo_is_not_published(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID, fake: vendor.FakeGemini
) -> None:
    names = await upload_all(conn, place_id, tmp_path)

    def with_price(request: Recorded) -> dict[str, Any]:
        answer = described(request)
        for photo in answer["photos"]:
            photo["alt_ko"] = "메뉴판, 칼국수 8,000원"
        return answer

    fake.script(vendor.ok(with_price))
    await look(database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url)

    photos = await by_name(conn, place_id, names)
    seen = photos["storefront"].vision
    assert seen is not None
    assert seen["alt"]["ko"].startswith("성수국수 사진")
    assert seen["alt"]["en"] == "A bowl of noodles on a wooden table"


async def test_a_menu_read_off_photos_waits_for_the_owner(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID, fake: vendor.FakeGemini
) -> None:
    await upload_all(conn, place_id, tmp_path)

    def with_menus(request: Recorded) -> dict[str, Any]:
        answer = described(request)
        boards: list[list[tuple[str, int | None]]] = [
            [("칼국수", 8000), ("만두", 6000), ("수육", None)],
            [("칼 국수", 9000), ("만두", 6000), ("", 1), ("물", -5), ("전화", 9_000_000_000)],
        ]
        for photo, lines in zip(answer["photos"], boards, strict=False):
            photo |= {"kind": "menu", "menu": [{"name": name, "price": price} for name, price in lines]}
        answer["photos"][2]["menu"] = [{"name": "메뉴판이 아닌 사진", "price": 1000}]
        return answer

    fake.script(vendor.ok(with_menus))
    await look(database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url)

    [menu] = [fact for fact in await repository.all_facts(conn, place_id) if fact.key == "menu"]
    assert (menu.channel, menu.confirmed) == ("photo", False)
    assert [(item["name"], item["price_krw"]) for item in menu.value] == [
        ("칼국수", None),  # two boards, two prices: one reading is wrong
        ("만두", 6000),
        ("수육", None),
    ]


async def test_what_was_described_before_the_job_was_killed_is_not_asked_again(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID, fake: vendor.FakeGemini
) -> None:
    await upload_many(conn, place_id, tmp_path, 12)
    asked_twice = asyncio.Event()
    loop = asyncio.get_running_loop()

    def silent(request: Recorded) -> Reply:
        loop.call_soon_threadsafe(asked_twice.set)
        return vendor.drip()(request)

    fake.script(vendor.ok(described), silent)
    key: dict[str, Any] = {"gemini_api_key": "key", "gemini_base_url": fake.url}
    job = asyncio.create_task(look(database, tmp_path, place_id, **key))
    await asked_twice.wait()
    job.cancel()
    with pytest.raises(asyncio.CancelledError):
        await job

    outcome = await look(database, tmp_path, place_id, **key)

    assert outcome.result["mode"] == "ai"
    assert [len(vendor.images_of(request)) for request in fake.requests] == [8, 4, 4]


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (vendor.forbidden(), "auth"),
        (vendor.bad_key(), "auth"),
        (vendor.model_retired(), "model_retired"),
        (vendor.bad_request(), "bad_request"),
        (vendor.blocked(), "blocked"),
        (vendor.withheld(), "blocked"),
        (vendor.max_tokens(), "unfinished"),
        (vendor.empty(), "empty"),
        (vendor.no_parts(), "empty"),
        (vendor.bad_json(), "bad_json"),
        (vendor.wrong_shape(), "bad_json"),
        (vendor.html(), "bad_json"),
    ],
)
async def test_when_gemini_fails_for_good_photos_are_ranked_all_the_same(
    conn: Connection,
    database: str,
    tmp_path: Path,
    place_id: UUID,
    fake: vendor.FakeGemini,
    behaviour: Any,
    reason: str,
) -> None:
    await upload_many(conn, place_id, tmp_path, 2)
    fake.default = behaviour

    outcome = await look(database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url)

    assert (outcome.result["mode"], outcome.result["reason"]) == ("local", reason)
    assert outcome.result["ranked"] == 2
    assert outcome.follow_ups == []


@pytest.mark.parametrize(
    ("behaviour", "reason", "least"),
    [
        (vendor.quota_minute("90s"), "quota", 80.0),
        (vendor.quota_bare(), "quota", 10.0),
        (vendor.quota_day(), "quota", 3600.0),
        (vendor.spend_limit(), "spend_limit", 600.0),
        (vendor.server_error(), "server", 300.0),
        (vendor.cut(), "connection", 300.0),
        (vendor.drip(), "timeout", 300.0),
    ],
)
async def test_when_gemini_fails_for_a_time_photos_are_ranked_and_looked_at_again_later(
    conn: Connection,
    database: str,
    tmp_path: Path,
    place_id: UUID,
    fake: vendor.FakeGemini,
    behaviour: Any,
    reason: str,
    least: float,
) -> None:
    await upload_many(conn, place_id, tmp_path, 2)
    fake.default = behaviour
    key: dict[str, Any] = {"gemini_api_key": "key", "gemini_base_url": fake.url, "gemini_timeout": 0.3}

    outcome = await look(database, tmp_path, place_id, vision_ai_wait_seconds=0, **key)

    assert (outcome.result["mode"], outcome.result["reason"]) == ("local", reason)
    assert outcome.result["ranked"] == 2
    [later] = outcome.follow_ups
    assert (later.job_type, least <= later.delay < least + 20) == (JobType.VISION, True)


async def test_a_batch_that_fails_leaves_the_others(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID, fake: vendor.FakeGemini
) -> None:
    await upload_many(conn, place_id, tmp_path, 12)
    fake.script(vendor.bad_json())

    outcome = await look(database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url)

    assert (outcome.result["mode"], outcome.result["reason"]) == ("mixed", "bad_json")
    assert len(fake.requests) == 2
    modes = [(p.vision or {})["mode"] for p in await repository.list_photos(conn, place_id)]
    assert (modes.count("local"), modes.count("ai")) == (8, 4)


async def test_words_a_database_refuses_and_numbers_beyond_counting_cost_no_photo(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID, fake: vendor.FakeGemini
) -> None:
    await upload_many(conn, place_id, tmp_path, 3)

    def odd(request: Recorded) -> dict[str, Any]:
        answer = described(request)
        lines = [{"name": "칼국수\0", "price": 8000}, {"name": "만두", "price": 10**1000}]
        answer["photos"][0] |= {"alt_ko": "국수\0 한 그릇", "kind": "menu", "menu": lines}
        return answer

    fake.script(vendor.ok(odd))
    outcome = await look(database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url)

    assert (outcome.result["mode"], outcome.result["reason"]) == ("ai", None)
    [menu] = [fact for fact in await repository.all_facts(conn, place_id) if fact.key == "menu"]
    assert [item["price_krw"] for item in menu.value] == [8000]


@pytest.mark.parametrize("indices", [[0, 1, 2], [1, 1, 2], [2, 3, 4]])
async def test_no_photo_gets_the_words_of_another(
    conn: Connection,
    database: str,
    tmp_path: Path,
    place_id: UUID,
    fake: vendor.FakeGemini,
    indices: list[int],
) -> None:
    await upload_many(conn, place_id, tmp_path, 3)

    def miscounted(request: Recorded) -> dict[str, Any]:
        answer = described(request)
        for photo, index in zip(answer["photos"], indices, strict=True):
            photo["index"] = index
        return answer

    fake.script(vendor.ok(miscounted))
    outcome = await look(database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url)

    assert (outcome.result["mode"], outcome.result["reason"]) == ("local", "bad_json")


async def test_onboarding_does_not_wait_for_quota_and_asks_for_a_later_look(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID, fake: vendor.FakeGemini
) -> None:
    await upload_many(conn, place_id, tmp_path, 3)
    fake.default = vendor.quota_minute("90s")

    outcome = await look(database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url)

    assert (outcome.result["mode"], outcome.result["reason"]) == ("local", "quota")
    [later] = outcome.follow_ups
    assert (later.job_type, later.dedupe_key) == (JobType.VISION, f"VISION:{place_id}")
    assert 80 < later.delay < 100
    assert later.priority > 100
    assert len(fake.requests) == 1, "nobody hammers a closed quota"


async def test_the_later_look_sleeps_until_there_is_quota_and_then_has_the_page_built(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID, fake: vendor.FakeGemini
) -> None:
    await upload_many(conn, place_id, tmp_path, 3)
    key: dict[str, Any] = {"gemini_api_key": "key", "gemini_base_url": fake.url}
    fake.script(vendor.quota_day())
    with pytest.raises(Snooze) as snooze:
        await look(database, tmp_path, place_id, in_graph=False, **key)
    assert snooze.value.delay == 3600.0
    with pytest.raises(Snooze):
        await look(database, tmp_path, place_id, in_graph=False, **key)
    assert len(fake.requests) == 1, "the day is closed for everybody"

    await conn.execute("UPDATE quota_closures SET until = now()")
    outcome = await look(database, tmp_path, place_id, in_graph=False, **key)

    assert outcome.result["mode"] == "ai"
    [build] = outcome.follow_ups
    assert (build.job_type, build.dedupe_key) == (JobType.BUILD, f"BUILD:{place_id}")


async def test_a_look_that_waited_three_days_ends_and_has_the_page_built(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID, fake: vendor.FakeGemini
) -> None:
    await upload_many(conn, place_id, tmp_path, 3)
    fake.default = vendor.quota_day()
    config = settings_for(database, tmp_path, gemini_api_key="key", gemini_base_url=fake.url)
    async with started(config, JobType.VISION, place_id, in_graph=False) as (job, ctx):
        slept = job._replace(first_snoozed_at=datetime.now(UTC) - timedelta(hours=71, minutes=1))
        outcome = await look_at(slept, ctx)
    assert (outcome.result["mode"], outcome.result["reason"]) == ("local", "quota")
    assert [follow_up.job_type for follow_up in outcome.follow_ups] == [JobType.BUILD]


async def test_more_photos_than_one_job_looks_at_are_looked_at_by_the_next(
    conn: Connection,
    database: str,
    tmp_path: Path,
    place_id: UUID,
    fake: vendor.FakeGemini,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turn, "PHOTOS_A_JOB", 5)
    await upload_many(conn, place_id, tmp_path, 12)
    key: dict[str, Any] = {"gemini_api_key": "key", "gemini_base_url": fake.url}

    first = await look(database, tmp_path, place_id, **key)
    second = await look(database, tmp_path, place_id, in_graph=False, **key)
    third = await look(database, tmp_path, place_id, in_graph=False, **key)

    assert [outcome.result["left"] for outcome in (first, second, third)] == [7, 2, 0]
    assert [outcome.result["ranked"] for outcome in (first, second, third)] == [5, 10, 12]
    assert [[job.job_type for job in outcome.follow_ups] for outcome in (first, second, third)] == [
        [JobType.VISION],
        [JobType.VISION],
        [JobType.BUILD],
    ]
    assert [len(vendor.images_of(request)) for request in fake.requests] == [5, 5, 2]
    ranks = [photo.rank for photo in await repository.list_photos(conn, place_id)]
    assert ranks == list(range(12))


async def test_a_place_without_photos_is_done_at_once(database: str, tmp_path: Path, place_id: UUID) -> None:
    result = (await look(database, tmp_path, place_id)).result
    assert (result["mode"], result["reason"], result["photos"]) == ("local", "no_photos", 0)


async def test_a_stored_photo_that_is_missing_or_tiny_is_no_reason_to_fail(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID
) -> None:
    await upload_many(conn, place_id, tmp_path, 1, side=120)
    await upload_all(conn, place_id, tmp_path)
    first = (await repository.list_photos(conn, place_id))[-1]
    (tmp_path / str(first.media_key)).unlink()

    result = (await look(database, tmp_path, place_id)).result

    assert result["problems"] == {"too_small": 1, "media_missing": 1}


async def test_a_place_that_is_gone_ends_the_job_for_good(database: str, tmp_path: Path) -> None:
    with pytest.raises(PermanentJobError):
        await look(database, tmp_path, uuid4())


async def upload_many(conn: Connection, place_id: UUID, media: Path, count: int, side: int = 400) -> None:
    """Photos of which no two look alike: each has its own pattern of dark and light cells."""
    import io
    import random

    from PIL import Image

    for position in range(count):
        dice = random.Random(position)
        cells = Image.new("L", (9, 8))
        cells.putdata([dice.randrange(256) for _ in range(72)])
        out = io.BytesIO()
        cells.resize((side, side), Image.Resampling.NEAREST).convert("RGB").save(out, "JPEG")
        await add_upload(conn, place_id, out.getvalue(), media, position)
