"""Places, photos, copies, pages, answers and usage as rows."""

import asyncio
from uuid import UUID, uuid4

import pytest

from shared.db import Connection
from shared.places import repository
from shared.places.models import AiCheck, Copy, NewPhoto, PageCopy, PhotoVision, Question, Section, UsageRow
from tests.db.steps import connect


async def another(conn: Connection, owner: UUID, name: str) -> UUID:
    place_id, _ = await repository.find_or_create_place(conn, owner, identity_keys=[str(uuid4())], name=name)
    return place_id


async def page_version(conn: Connection, place: UUID) -> int:
    found = await repository.get_place(conn, place)
    assert found is not None
    return found.page_version


async def test_two_posts_at_once_make_one_place(conn: Connection, owner: UUID, database: str) -> None:
    async def post() -> tuple[UUID, bool]:
        own = await connect(database)
        try:
            async with own.transaction():
                return await repository.find_or_create_place(
                    own, owner, identity_keys=["a|x", "a|p"], name="집"
                )
        finally:
            await own.close()

    made = await asyncio.gather(*(post() for _ in range(5)))
    assert len({place_id for place_id, _ in made}) == 1
    assert sum(created for _, created in made) == 1


async def test_a_place_is_the_same_by_any_of_its_identities_and_free_again_when_deleted(
    conn: Connection, owner: UUID
) -> None:
    first, _ = await repository.find_or_create_place(conn, owner, identity_keys=["a|phone"], name="집")
    same, created = await repository.find_or_create_place(
        conn, owner, identity_keys=["a|address", "a|phone"], name="집"
    )
    assert (same, created) == (first, False)
    await repository.mark_deleted(conn, first)
    assert await repository.get_place(conn, first) is None
    fresh, created = await repository.find_or_create_place(conn, owner, identity_keys=["a|phone"], name="집")
    assert created
    assert fresh != first


async def test_a_slug_is_stable_and_unique(conn: Connection, owner: UUID, place: UUID) -> None:
    assert await repository.reserve_slug(conn, place, "seongsu") == "seongsu"
    assert await repository.reserve_slug(conn, place, "another") == "seongsu"
    others = [await another(conn, owner, "성수") for _ in range(2)]
    assert [await repository.reserve_slug(conn, other, "seongsu") for other in others] == [
        "seongsu-2",
        "seongsu-3",
    ]


async def test_places_of_one_name_at_once_get_different_slugs(
    conn: Connection, owner: UUID, database: str
) -> None:
    places = [await another(conn, owner, "성수") for _ in range(6)]

    async def reserve(place_id: UUID) -> str:
        own = await connect(database)
        try:
            async with own.transaction():
                return await repository.reserve_slug(own, place_id, "seongsu")
        finally:
            await own.close()

    slugs = await asyncio.gather(*(reserve(place_id) for place_id in places))
    assert len(set(slugs)) == 6


async def test_after_twenty_of_a_name_the_places_own_id_tells_them_apart(
    conn: Connection, owner: UUID
) -> None:
    long_name = "a" * 80
    slugs = [
        await repository.reserve_slug(conn, await another(conn, owner, "a"), long_name) for _ in range(21)
    ]
    assert len(set(slugs)) == 21
    assert all(len(slug) <= 80 for slug in slugs)


async def test_a_page_moves_its_time_with_its_content_alone(conn: Connection, place: UUID) -> None:
    await repository.reserve_slug(conn, place, "seongsu")

    async def save(content_hash: str, render_version: str = "1") -> bool:
        return await repository.save_site(
            conn, place, content_hash=content_hash, render_version=render_version, page_version=1
        )

    assert await save("a")
    first = await repository.get_site(conn, place)
    assert not await save("a", "2")
    second = await repository.get_site(conn, place)
    assert first is not None
    assert second is not None
    assert (second.changed_at, second.published_at) == (first.changed_at, first.published_at)
    assert second.render_version == "2"
    assert await save("b")
    third = await repository.get_site(conn, place)
    assert third is not None
    assert third.changed_at is not None
    assert first.changed_at is not None
    assert third.changed_at > first.changed_at
    assert third.published_at == first.published_at


async def test_a_page_needs_a_slug_first(conn: Connection, place: UUID) -> None:
    with pytest.raises(LookupError):
        await repository.save_site(conn, place, content_hash="a", render_version="1", page_version=1)


async def test_a_place_without_enough_facts_says_what_is_missing(conn: Connection, place: UUID) -> None:
    await repository.save_site_missing(conn, place, ["category", "address or phone"])
    site = await repository.get_site(conn, place)
    assert site is not None
    assert (site.slug, site.missing) == ("seongsu-guksujip", ["category", "address or phone"])
    assert await repository.published_sites(conn) == []
    await repository.save_site(conn, place, content_hash="a", render_version="1", page_version=1)
    site = await repository.get_site(conn, place)
    assert site is not None
    assert site.missing is None


async def test_the_sitemap_has_what_stands_and_nothing_else(
    conn: Connection, owner: UUID, place: UUID
) -> None:
    gone, taken_down = await another(conn, owner, "b"), await another(conn, owner, "c")
    for place_id, slug in ((place, "a"), (gone, "b"), (taken_down, "c")):
        await repository.reserve_slug(conn, place_id, slug)
        await repository.save_site(conn, place_id, content_hash=slug, render_version="1", page_version=1)
    await repository.mark_deleted(conn, gone)
    assert await repository.save_site_unpublished(conn, gone) == "b"
    assert await repository.save_site_unpublished(conn, gone) is None
    assert await repository.save_site_unpublished(conn, taken_down) == "c"
    assert [(site.slug, site.locale) for site in await repository.published_sites(conn)] == [("a", "ko")]
    assert await repository.count_sites(conn, "2") == (1, 1)
    assert await repository.save_site(conn, taken_down, content_hash="c", render_version="1", page_version=1)


async def test_photos_are_known_by_address_and_by_content(conn: Connection, place: UUID) -> None:
    by_url = NewPhoto(channel="owner", source_url="https://shop.example/1.jpg", position=1)
    uploaded = NewPhoto(
        channel="owner", media_key="k", sha256="s", content_type="image/png", width=1, height=1, bytes=1
    )
    assert await repository.add_photo(conn, place, by_url) is not None
    assert await repository.add_photo(conn, place, by_url) is None
    assert await repository.add_photo(conn, place, uploaded) is not None
    assert await repository.add_photo(conn, place, uploaded) is None
    assert [photo.position for photo in await repository.list_photos(conn, place)] == [0, 1]
    assert await repository.next_photo_position(conn, place) == 2


async def test_what_vision_saw_ranks_the_photos_and_other_bytes_make_it_void(
    conn: Connection, owner: UUID, place: UUID
) -> None:
    photos = [
        await repository.add_photo(
            conn, place, NewPhoto(channel="owner", source_url=f"https://e.x/{n}", position=n)
        )
        for n in range(3)
    ]
    first, second, third = (photo.photo_id for photo in photos if photo is not None)
    fetched = {"content_type": "image/jpeg", "width": 4, "height": 3, "bytes": 9}
    await repository.save_photo_fetch(conn, first, media_key="k", sha256="s", **fetched)
    before = await page_version(conn, place)
    seen = [
        PhotoVision(photo_id=third, rank=0, vision={"alt": {"ko": "국수"}}, measures={"sharpness": 1.5}),
        PhotoVision(photo_id=first, rank=1),
        PhotoVision(photo_id=second, duplicate_of=first),
    ]
    assert await repository.save_photo_vision(conn, place, seen) == before + 1
    ranked = await repository.list_photos(conn, place)
    assert [photo.photo_id for photo in ranked] == [third, first, second]
    assert ranked[0].vision == {"alt": {"ko": "국수"}}
    assert ranked[2].duplicate_of == first
    other = await another(conn, owner, "b")
    await repository.save_photo_vision(conn, other, [PhotoVision(photo_id=third, rank=7)])
    assert (await repository.list_photos(conn, place))[0].rank == 0
    await repository.save_photo_fetch(conn, third, media_key="k2", sha256="other", **fetched)
    changed = next(p for p in await repository.list_photos(conn, place) if p.photo_id == third)
    assert (changed.vision, changed.rank, changed.media_key) == (None, None, "k2")
    await repository.save_photo_problem(conn, third, "gone " * 200)
    assert (
        len(next(p for p in await repository.list_photos(conn, place) if p.photo_id == third).problem or "")
        == 500
    )


async def test_the_newest_copy_is_the_current_one(conn: Connection, place: UUID, database: str) -> None:
    page = PageCopy(
        title="성수 국수집",
        summary="국수",
        sections=[Section(heading="메뉴", text="국수", facts=["menu"])],
        faq=[Question(question="몇 시?", answer="11시")],
    )
    assert await repository.current_copy(conn, place) is None
    before = await page_version(conn, place)
    plain = Copy(content={"ko": page}, mode="facts_only", reason="no_key", facts_version=1)
    written = Copy(content={"ko": page, "en": page}, mode="ai", facts_version=2, usage={"tokens": 5})
    for copy in (plain, written):
        async with conn.transaction():
            await repository.save_copy(conn, place, uuid4(), copy)
        assert await repository.current_copy(conn, place) == copy
    assert await page_version(conn, place) == before + 2

    async def write() -> None:
        own = await connect(database)
        try:
            async with own.transaction():
                await repository.save_copy(own, place, None, written)
        finally:
            await own.close()

    await asyncio.gather(*(write() for _ in range(4)))
    assert await conn.fetchval("SELECT count(*) FROM copies WHERE current") == 1


async def test_answers_and_usage_are_kept(conn: Connection, place: UUID) -> None:
    common = {"engine": "gemini", "locale": "ko", "question": "성수 국수?", "question_version": "1"}
    answered = AiCheck(
        **common, mentioned=True, accuracy={"phone": "right"}, competitors=["옆집"], cost_usd=0.0125
    )
    failed = AiCheck(**common, sample=2, error="rate_limited")
    await repository.save_ai_checks(conn, place, uuid4(), [answered, failed])
    kept = await repository.list_ai_checks(conn, place)
    assert sorted(kept, key=lambda check: check.sample) == [answered, failed]
    assert await conn.fetchval("SELECT count(*) FROM ai_checks WHERE accuracy IS NULL") == 1
    await repository.record_usage(
        conn, UsageRow(provider="gemini", model="m", outcome="ok", input_tokens=5, cost_usd=0.000001)
    )
    assert float(await conn.fetchval("SELECT cost_usd FROM usage")) == 0.000001
    assert float(await conn.fetchval("SELECT sum(usd) FROM quota_months")) == 0.000001
