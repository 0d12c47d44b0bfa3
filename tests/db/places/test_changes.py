"""What an owner does to a place, with the work that follows, and with rivals at the same time."""

import asyncio
from collections.abc import Awaitable, Callable
from uuid import UUID

import pytest

from shared.db import Connection
from shared.jobs.graphs import start_graph
from shared.places import changes, repository
from shared.places.changes import Change
from shared.places.intake import owner_facts, parse_intake
from shared.places.models import NewPhoto
from tests.db.steps import connect

RUN = (
    "UPDATE jobs SET status = 2, attempts = 1, worker_id = gen_random_uuid(), lease_until = now() + interval '1 min',"
    " claimed_at = now(), waiting_on = 0 WHERE job_id = $1"
)


def phone(number: str) -> Change:
    return Change(facts=owner_facts({"phone": number}))


async def keys(conn: Connection) -> list[str]:
    rows = await conn.fetch(
        "SELECT dedupe_key FROM jobs WHERE status IN (1, 2) AND graph_id IS NULL ORDER BY job_type"
    )
    return [row["dedupe_key"] for row in rows]


async def test_a_place_that_was_never_generated_is_changed_without_work(
    conn: Connection, place: UUID
) -> None:
    changed = await changes.change_facts(conn, place, phone("02-123-4567"))
    assert changed.refreshes == []
    assert await keys(conn) == []


async def test_a_generated_ones_copy_and_build_follow_once_and_wait_on_each_other(
    conn: Connection, place: UUID
) -> None:
    await start_graph(conn, place)
    first = await changes.change_facts(conn, place, phone("02-123-4567"))
    second = await changes.change_facts(conn, place, phone("02-765-4321"))
    assert first.refreshes == second.refreshes
    assert await keys(conn) == [f"COPY:{place}", f"BUILD:{place}"]
    edge = await conn.fetchrow(
        "SELECT depends_on, required FROM job_dependencies WHERE job_id = $1", first.refreshes[1]
    )
    assert edge is not None
    assert tuple(edge) == (first.refreshes[0], False)


async def test_what_does_not_show_on_the_page_is_written_without_work(conn: Connection, place: UUID) -> None:
    await start_graph(conn, place)
    await conn.execute(
        "INSERT INTO facts (place_id, key, value, channel) VALUES ($1, 'phone', '\"+8221234567\"', 'kakao')",
        place,
    )
    (fact,) = await repository.all_facts(conn, place)
    changed = await changes.change_facts(conn, place, Change(reject=[fact.fact_id]))
    assert changed.refreshes == []
    assert await keys(conn) == []
    assert (await repository.all_facts(conn, place))[0].rejected_at is not None


async def test_refusing_the_website_takes_its_facts_from_the_page(conn: Connection, place: UUID) -> None:
    await start_graph(conn, place)
    await conn.execute(
        "INSERT INTO facts (place_id, key, value, channel, confirmed, confirmed_by)"
        " VALUES ($1, 'phone', '\"+8221234567\"', 'website', true, 'website')",
        place,
    )
    changed = await changes.change_facts(conn, place, Change(accept_website=False))
    assert (await repository.confirmed_facts(conn, place)).facts == {}
    assert len(changed.refreshes) == 2


async def test_a_photo_is_seen_by_a_look_that_has_not_begun(conn: Connection, place: UUID) -> None:
    graph = await start_graph(conn, place)
    vision = next(job.job_id for job in graph.jobs if job.job_type == 2)
    first = await changes.add_photo_urls(conn, place, ["https://shop.example/1.jpg"])
    assert first.jobs == [vision]
    await conn.execute(RUN, vision)
    second = await changes.add_photo_urls(conn, place, ["https://shop.example/2.jpg"])
    assert second.jobs != [vision]
    assert (
        await conn.fetchval("SELECT depends_on FROM job_dependencies WHERE job_id = $1", second.jobs[0])
        == vision
    )
    third = await changes.add_photo_urls(conn, place, ["https://shop.example/3.jpg"])
    assert third.jobs == second.jobs
    again = await changes.add_photo_urls(conn, place, ["https://shop.example/3.jpg"])
    assert (again.photos, again.known, again.jobs) == ([], 1, [])


async def test_a_look_that_waits_is_not_begun_before_its_photo_stands(
    conn: Connection, place: UUID, database: str
) -> None:
    await start_graph(conn, place)
    other = await connect(database)
    claim = "SELECT job_id FROM jobs WHERE job_id = $1 FOR UPDATE SKIP LOCKED"
    try:
        async with conn.transaction():
            (vision,) = (await changes.add_photo_urls(conn, place, ["https://e.x/1.jpg"])).jobs
            assert await other.fetch(claim, vision) == []
        assert len(await other.fetch(claim, vision)) == 1
    finally:
        await other.close()


async def test_rivals_of_every_kind_never_wait_on_each_other_crosswise(
    conn: Connection, owner: UUID, place: UUID, database: str
) -> None:
    await start_graph(conn, place)
    picture = NewPhoto(channel="owner", sha256="s", media_key="k", confirmed=True)
    intake = parse_intake({"name": "성수 국수집", "phone": "02-111-2222", "photos": ["https://e.x/9.jpg"]})

    async def change(own: Connection, turn: int) -> None:
        await changes.change_facts(own, place, phone(f"02-123-{4000 + turn}"))

    async def photo(own: Connection, turn: int) -> None:
        await changes.add_photo_urls(own, place, [f"https://e.x/{turn}.jpg"])
        await changes.add_uploaded_photo(own, place, picture.model_copy(update={"sha256": str(turn)}))

    async def register(own: Connection, turn: int) -> None:
        await changes.register_place(own, owner, intake)

    async def handler(own: Connection, turn: int) -> None:
        # What a handler's last write does: its own job first, then the place.
        async with own.transaction():
            await own.fetch("SELECT 1 FROM jobs WHERE dedupe_key = $1 FOR UPDATE", f"COPY:{place}")
            await repository.lock_place(own, place)

    async def worker(work: Callable[[Connection, int], Awaitable[None]], start: int) -> None:
        own = await connect(database)
        try:
            for turn in range(start, start + 8):
                await work(own, turn)
        finally:
            await own.close()

    kinds = (change, photo, register, handler)
    await asyncio.gather(*(worker(kind, 100 * n) for n, kind in enumerate((*kinds, *kinds))))
    assert await conn.fetchval("SELECT count(*) FROM facts WHERE place_id = $1 AND key = 'phone'", place) == 1


async def test_a_change_that_comes_between_is_cancelled_with_the_place(
    conn: Connection, place: UUID, database: str
) -> None:
    await start_graph(conn, place)
    other = await connect(database)
    try:
        async with conn.transaction():
            await changes.change_facts(conn, place, phone("02-123-4567"))
            deleting = asyncio.create_task(changes.delete_place(other, place))
            # It has cancelled what it saw and waits for the place that the change holds.
            while not await conn.fetchval("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)"):
                pass
        assert await deleting
    finally:
        await other.close()
    active = await conn.fetch("SELECT payload::text AS payload FROM jobs WHERE status IN (1, 2)")
    assert [row["payload"] for row in active] == ['{"unpublish": true}']


async def test_a_deleted_place_takes_no_change(conn: Connection, place: UUID) -> None:
    await start_graph(conn, place)
    assert await changes.delete_place(conn, place)
    with pytest.raises(repository.PlaceGoneError):
        await changes.change_facts(conn, place, phone("02-123-4567"))
    with pytest.raises(repository.PlaceGoneError):
        await changes.add_photo_urls(conn, place, ["https://e.x/1.jpg"])
    assert not await changes.delete_place(conn, place)
    active = await conn.fetch("SELECT payload::text AS payload FROM jobs WHERE status IN (1, 2)")
    assert [row["payload"] for row in active] == ['{"unpublish": true}']
