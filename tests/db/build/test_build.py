"""BUILD from rows to files: what is confirmed is published, what is not is not, and nothing is done twice."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from functions.build import build
from functions.build.target import FolderTarget
from shared.db import Connection
from shared.jobs.errors import LeaseLost, PermanentJobError, Snooze
from shared.places import repository
from shared.places.media import media_store
from shared.places.models import NewPhoto, PhotoVision
from shared.places.rendering import RENDER_VERSION
from shared.settings import Settings
from tests.db import steps
from tests.db.build.conftest import Build, say
from tests.unit.build import samples

SLUG = "bomnalsikdang"


@pytest.fixture
def site(config: Settings) -> Path:
    assert config.site_dir is not None
    return config.site_dir


async def add_photo(conn: Connection, config: Settings, place_id: UUID, data: bytes, **fields: Any) -> UUID:
    key = await media_store(config).put(data, "image/jpeg")
    digest = key.split("/")[1].split(".")[0]
    photo = await repository.add_photo(
        conn, place_id, NewPhoto(channel="owner", confirmed=True, media_key=key, sha256=digest, **fields)
    )
    assert photo is not None
    return photo.photo_id


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".lock"
    }


def documents(site: Path) -> str:
    return "".join(path.read_text() for path in site.rglob("*.html"))


def sitemap(site: Path) -> dict[str, str]:
    text = (site / "sitemap.xml").read_text()
    return dict(re.findall(r"<loc>(.*?)</loc>\n<lastmod>(.*?)</lastmod>", text))


async def test_a_place_is_published_in_both_languages_with_root_files(
    known: UUID, run: Build, site: Path, conn: Connection, config: Settings
) -> None:
    await add_photo(conn, config, known, samples.jpeg(800, 600))
    result = await run(known)
    assert result["published"] is True
    assert result["changed"] is True
    assert (result["slug"], result["url"]) == (SLUG, f"https://pages.example/{SLUG}/")
    assert Path(result["path"]) == site / SLUG
    assert result["notes"] == []
    assert "봄날식당" in (site / SLUG / "index.html").read_text()
    assert "Bomnal Kitchen" in (site / SLUG / "en" / "index.html").read_text()
    assert len(list((site / SLUG / "assets").iterdir())) == 6
    assert result["files"] == 8
    assert set(sitemap(site)) == {f"https://pages.example/{SLUG}/", f"https://pages.example/{SLUG}/en/"}
    assert "Sitemap: https://pages.example/sitemap.xml" in (site / "robots.txt").read_text()
    assert sorted(path for path in stamps(site) if "robots" in path) == ["robots.txt"]
    row = await repository.get_site(conn, known)
    place = await repository.get_place(conn, known)
    assert row is not None
    assert place is not None
    assert row.render_version == RENDER_VERSION
    assert row.page_version == place.page_version == result["page_version"]


async def test_a_rebuild_that_changes_nothing_writes_nothing(
    known: UUID, run: Build, site: Path, conn: Connection, config: Settings
) -> None:
    await add_photo(conn, config, known, samples.jpeg(800, 600))
    await run(known)
    before, changed_at = stamps(site), await conn.fetchval("SELECT changed_at FROM sites")
    result = await run(known)
    assert (result["published"], result["changed"]) == (True, False)
    assert stamps(site) == before
    assert await conn.fetchval("SELECT changed_at FROM sites") == changed_at


async def test_seeing_the_same_facts_again_later_moves_the_day_on_the_page_and_not_lastmod(
    known: UUID, run: Build, site: Path, conn: Connection
) -> None:
    await run(known)
    lastmod = sitemap(site)
    await conn.execute("UPDATE facts SET collected_at = '2030-05-05T05:00:00Z'")
    result = await run(known)
    assert result["changed"] is False
    assert "2030년 5월 5일" in (site / SLUG / "index.html").read_text()
    assert sitemap(site) == lastmod


async def test_a_changed_fact_moves_lastmod(known: UUID, run: Build, site: Path, conn: Connection) -> None:
    await run(known)
    await conn.execute("UPDATE sites SET changed_at = '2020-01-01T00:00:00Z'")
    await conn.execute("UPDATE site_roots SET version = version + 1, content_hash = NULL")
    await run(known)
    assert set(sitemap(site).values()) == {"2020-01-01T00:00:00Z"}
    await say(conn, known, phone="+8225550777")
    assert (await run(known))["changed"] is True
    assert "02-555-0777" in (site / SLUG / "index.html").read_text()
    assert "02-555-0199" not in (site / SLUG / "index.html").read_text()
    assert "2020-01-01T00:00:00Z" not in sitemap(site).values()


async def test_what_nobody_confirmed_is_not_on_the_page(
    known: UUID, run: Build, site: Path, conn: Connection
) -> None:
    await say(conn, known, channel="kakao", phone="+8225550124", notice="제일 맛있는 집")
    await run(known)
    text = documents(site)
    assert "0124" not in text
    assert "제일 맛있는" not in text


async def test_too_few_facts_publish_nothing_and_say_what_is_missing(
    place: UUID, run: Build, site: Path, conn: Connection
) -> None:
    await say(conn, place, name="봄날식당", geo={"lat": 37.0, "lon": 127.0})
    result = await run(place)
    assert (result["published"], result["missing"]) == (False, ["category", "address_or_phone"])
    assert documents(site) == ""
    row = await repository.get_site(conn, place)
    assert row is not None
    assert row.missing == ["category", "address_or_phone"]
    assert await steps.alerts(conn) == {}


async def test_a_page_whose_facts_no_longer_suffice_is_taken_down_and_comes_back(
    known: UUID, run: Build, site: Path, conn: Connection
) -> None:
    await run(known)
    await conn.execute("UPDATE facts SET confirmed = false, confirmed_by = NULL WHERE key = 'category'")
    result = await run(known)
    assert (result["published"], result["missing"]) == (False, ["category"])
    assert not (site / SLUG).exists()
    assert sitemap(site) == {}
    await conn.execute("UPDATE facts SET confirmed = true, confirmed_by = 'owner' WHERE key = 'category'")
    result = await run(known)
    assert (result["published"], result["changed"], result["slug"]) == (True, True, SLUG)
    assert (site / SLUG / "index.html").exists()
    assert len(sitemap(site)) == 2


async def test_a_text_from_other_facts_is_left_out_until_it_is_written_anew(
    known: UUID, run: Build, site: Path, conn: Connection
) -> None:
    version = await conn.fetchval("SELECT facts_version FROM places")
    async with conn.transaction():
        await repository.save_copy(conn, known, None, samples.copy(version=version))
    await run(known)
    assert "장 담그는 집" in (site / SLUG / "index.html").read_text()
    await say(conn, known, price_range="9,000원~")
    result = await run(known)
    assert "장 담그는 집" not in (site / SLUG / "index.html").read_text()
    assert len(result["notes"]) == 1


async def test_a_text_that_holds_an_unconfirmed_value_is_left_out_and_the_page_published(
    known: UUID, run: Build, site: Path, conn: Connection
) -> None:
    await say(conn, known, channel="kakao", phone="+8225550124")
    copy = samples.copy(version=await conn.fetchval("SELECT facts_version FROM places"))
    copy.content["ko"].sections[0].text = "전화 02-555-0124로 물어보세요."
    async with conn.transaction():
        await repository.save_copy(conn, known, None, copy)
    result = await run(known)
    assert result["published"] is True
    assert len(result["notes"]) == 1
    assert "0124" not in (site / SLUG / "index.html").read_text()


async def test_a_page_that_fails_the_gate_leaves_the_old_one_and_raises_one_alert(
    known: UUID, run: Build, site: Path, conn: Connection
) -> None:
    await run(known)
    before = stamps(site)
    await say(conn, known, **{f"note_{n}": "긴 글 " * 600 for n in range(60)})
    for _ in range(2):
        result = await run(known)
        assert result["published"] is False
        assert {finding["code"] for finding in result["gate"]} == {"size"}
    assert stamps(site) == before
    assert await steps.alerts(conn) == {f"publish_failed:{known}": 2}
    detail = json.loads(await conn.fetchval("SELECT detail FROM alert_outbox"))
    assert detail["place_id"] == str(known)
    assert "size" in detail["error"]


async def test_a_broken_photo_is_left_out_with_a_note(
    known: UUID, run: Build, site: Path, conn: Connection, config: Settings
) -> None:
    good = await add_photo(conn, config, known, samples.jpeg(300, 200, "red"))
    bad = await add_photo(conn, config, known, samples.jpeg(300, 200, "blue"), position=1)
    gone = await add_photo(conn, config, known, samples.jpeg(300, 200, "green"), position=2)
    assert config.media_dir is not None
    keys = dict(await conn.fetch("SELECT photo_id, media_key FROM photos"))
    (config.media_dir / keys[bad]).write_bytes(b"no picture")
    (config.media_dir / keys[gone]).unlink()
    result = await run(known)
    assert result["published"] is True
    assert [str(bad) in note or str(gone) in note for note in result["notes"]] == [True, True]
    assert str(good) not in "".join(result["notes"])
    assert (site / SLUG / "index.html").read_text().count("<img") == 1


async def test_photos_are_encoded_once(
    known: UUID, run: Build, site: Path, conn: Connection, config: Settings
) -> None:
    photo = await add_photo(conn, config, known, samples.jpeg(800, 600))
    await run(known)
    before = stamps(site / SLUG / "assets")
    async with conn.transaction():
        seen = PhotoVision(photo_id=photo, vision={"alt": {"ko": "푸른 벽", "en": "A blue wall"}}, rank=0)
        await repository.save_photo_vision(conn, known, [seen])
    result = await run(known)
    assert result["changed"] is True
    assert "푸른 벽" in (site / SLUG / "index.html").read_text()
    assert stamps(site / SLUG / "assets") == before


async def test_unpublish_takes_a_deleted_places_page_down_and_twice_is_once(
    known: UUID, run: Build, site: Path, conn: Connection
) -> None:
    await run(known)
    async with conn.transaction():
        await repository.mark_deleted(conn, known)
    result = await run(known, unpublish=True)
    assert (result["published"], result["unpublished"]) == (False, True)
    assert not (site / SLUG).exists()
    assert sitemap(site) == {}
    assert (await run(known, unpublish=True))["removed"] == 0


async def test_unpublishing_a_place_that_never_had_a_page_is_no_error(
    place: UUID, run: Build, site: Path
) -> None:
    assert (await run(place, unpublish=True))["removed"] == 0


async def test_a_deleted_place_is_not_built(known: UUID, run: Build, site: Path, conn: Connection) -> None:
    async with conn.transaction():
        await repository.mark_deleted(conn, known)
    with pytest.raises(PermanentJobError):
        await run(known)
    assert not (site / SLUG).exists()


async def test_a_build_that_saw_less_does_not_overwrite_one_that_saw_more(
    known: UUID, run: Build, site: Path, conn: Connection
) -> None:
    await run(known)
    before = stamps(site)
    await conn.execute("UPDATE sites SET page_version = page_version + 5")
    await conn.execute("UPDATE facts SET value = '\"다른 소개\"' WHERE key = 'summary'")
    result = await run(known)
    assert (result["published"], result["changed"], result["superseded"]) == (True, False, True)
    assert stamps(site) == before


async def test_two_builds_of_a_place_at_once_end_in_one_page(known: UUID, run: Build, site: Path) -> None:
    results = await asyncio.gather(*(run(known) for _ in range(4)))
    assert sorted(result["changed"] for result in results) == [False, False, False, True]
    assert sum(path.endswith("index.html") for path in stamps(site)) == 2


async def test_builds_of_many_places_at_once_are_all_in_the_sitemap(
    known: UUID, run: Build, site: Path, conn: Connection
) -> None:
    owner = await conn.fetchval("SELECT owner_id FROM places")
    places = []
    for number in range(5):
        place_id, _ = await repository.find_or_create_place(
            conn, owner, identity_keys=[f"key {number}"], name="한강서점"
        )
        await say(conn, place_id, name="한강서점", category="BookStore", phone="+8225550111")
        places.append(place_id)
    results = await asyncio.gather(*(run(place_id) for place_id in places))
    assert len({result["slug"] for result in results}) == 5
    assert set(sitemap(site)) == {
        address for result in results for address in (result["url"], result["url"] + "en/")
    }


async def test_a_sitemap_lost_or_left_unwritten_is_written_by_the_next_build(
    known: UUID, run: Build, site: Path, conn: Connection
) -> None:
    await run(known)
    (site / "sitemap.xml").unlink()
    (site / "robots.txt").write_text("User-agent: *\nDisallow: /\n")
    assert (await run(known))["changed"] is False
    assert len(sitemap(site)) == 2
    assert "Allow: /" in (site / "robots.txt").read_text()
    (site / "sitemap.xml").write_text("<old/>")  # as a writer killed after raising the version leaves it
    await conn.execute(
        "UPDATE site_roots SET version = version + 1, content_hash = NULL WHERE name = 'sitemap.xml'"
    )
    await run(known)
    assert len(sitemap(site)) == 2


async def test_a_job_that_is_no_longer_ours_publishes_nothing(
    known: UUID, run: Build, site: Path, conn: Connection
) -> None:
    await run(known)
    before = stamps(site)
    await say(conn, known, phone="+8225550777")
    with pytest.raises(LeaseLost):
        await run(known, stolen=True)
    assert stamps(site) == before


async def test_a_place_somebody_else_publishes_is_tried_again_later(
    known: UUID, run: Build, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "LOCK_WAIT", 0.1)
    async with FolderTarget(site).lock(SLUG, 0):
        with pytest.raises(Snooze):
            await run(known)
    assert (await run(known))["published"] is True


async def test_a_place_deleted_while_it_is_built_gets_no_page(
    known: UUID, run: Build, site: Path, conn: Connection, database: str
) -> None:
    async with steps.connections(database, 1) as (other,):
        async with FolderTarget(site).lock(SLUG, 0):
            building = asyncio.create_task(run(known))

            async def has_read() -> bool:  # the slug is reserved after the reading, before the lock
                return await repository.get_site(other, known) is not None

            await steps.until(has_read)
            async with other.transaction():
                await repository.mark_deleted(other, known)
        with pytest.raises(PermanentJobError):
            await building
    assert documents(site) == ""
