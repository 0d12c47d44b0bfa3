"""Published places are collected again by themselves: the oldest first, once, behind everybody's work, at a flat cost."""

import asyncio
import json
from uuid import UUID

from functions.reaper.reaper import run_once
from functions.reaper.recollection import recollect
from shared.collecting.statements import SQL
from shared.db import Connection
from shared.jobs import queue
from shared.places import changes, repository
from shared.settings import Settings
from tests.db.steps import connect, until_blocked

DAYS = 30.0


async def add(conn: Connection, *days_ago: float, published: bool = True) -> list[UUID]:
    """Places last collected so many days ago."""
    owner = await conn.fetchval(
        "INSERT INTO users (email, password_hash) VALUES (gen_random_uuid() || '@example.com', '-') RETURNING user_id"
    )
    places: list[UUID] = []
    for ago in days_ago:
        place_id = await conn.fetchval(
            "INSERT INTO places (owner_id, name, identity_key, collected_at, recollect_from)"
            " SELECT $1, '국수집', gen_random_uuid()::text, t, t FROM (SELECT now() - make_interval(secs => $2::float8) t)"
            " RETURNING place_id",
            owner,
            ago * 86_400,
        )
        if published:
            await conn.execute(
                "INSERT INTO sites (place_id, slug, content_hash) SELECT $1::uuid, 'p-' || $1::uuid, 'x'",
                place_id,
            )
        places.append(place_id)
    return places


async def enqueued(conn: Connection) -> list[UUID]:
    rows = await conn.fetch("SELECT place_id FROM jobs WHERE job_type = 1 AND status = 1 ORDER BY created_at")
    return [row["place_id"] for row in rows]


async def test_the_oldest_are_enqueued_first_a_page_a_round_and_each_once(across_places: Connection) -> None:
    newest, oldest, middle, young = await add(across_places, 31, 90, 60, 29)
    assert await recollect(across_places, DAYS, 2) == 2
    assert await enqueued(across_places) == [oldest, middle]
    assert await recollect(across_places, DAYS, 2) == 1
    assert await recollect(across_places, DAYS, 2) == 0
    assert await enqueued(across_places) == [oldest, middle, newest]
    assert young not in await enqueued(across_places)


async def test_the_job_runs_behind_everybodys_and_is_joined_with_one_that_waits(
    across_places: Connection,
) -> None:
    (place,) = await add(across_places, 31)
    await recollect(across_places, DAYS, 10)
    row = await across_places.fetchrow("SELECT priority, dedupe_key, graph_id FROM jobs")
    assert row is not None
    assert tuple(row) == (200, f"COLLECT:{place}", None)
    await across_places.execute("UPDATE places SET recollect_from = now() - interval '31 days'")
    assert await recollect(across_places, DAYS, 10) == 0
    assert len(await enqueued(across_places)) == 1


async def test_a_place_without_a_page_or_deleted_is_passed_over_and_looked_at_again_sooner(
    across_places: Connection,
) -> None:
    (waits,) = await add(across_places, 40, published=False)
    down, gone = await add(across_places, 41, 42)
    await across_places.execute("UPDATE sites SET unpublished_at = now() WHERE place_id = $1", down)
    await across_places.execute("UPDATE places SET deleted_at = now() WHERE place_id = $1", gone)
    assert await recollect(across_places, DAYS, 10) == 0
    assert await enqueued(across_places) == []
    again = "UPDATE places SET recollect_from = recollect_from - interval '2.9 days'"
    await across_places.execute(again)
    await across_places.execute(
        "INSERT INTO sites (place_id, slug, content_hash) VALUES ($1, 'w', 'x')", waits
    )
    assert await recollect(across_places, DAYS, 10) == 0
    await across_places.execute(again)
    assert await recollect(across_places, DAYS, 10) == 1
    assert await enqueued(across_places) == [waits]


async def test_the_round_wakes_the_claimer_for_it_and_zero_days_are_never(across_places: Connection) -> None:
    await add(across_places, 31)
    quiet = await run_once(across_places, Settings(recollect_days=0))
    assert (quiet.recollected, quiet.wake) == (0, False)
    report = await run_once(across_places, Settings())
    assert (report.recollected, report.wake, report.failed) == (1, True, [])


async def test_a_place_that_is_deleted_at_that_moment_takes_its_job_with_it(
    across_places: Connection, across_places_url: str
) -> None:
    (place,) = await add(across_places, 31)
    rival = await connect(across_places_url)
    try:
        async with across_places.transaction():
            await repository.lock_place(across_places, place)
            looking = asyncio.create_task(recollect(rival, DAYS, 10))
            await until_blocked(across_places, rival)
            await repository.mark_deleted(across_places, place)
        assert await looking == 0
    finally:
        await rival.close()
    assert await enqueued(across_places) == []


async def test_deleting_meanwhile_never_waits_crosswise(
    across_places: Connection, across_places_url: str
) -> None:
    places = await add(across_places, *[31.0] * 12)
    rivals = [await connect(across_places_url) for _ in range(3)]
    try:

        async def delete(conn: Connection) -> None:
            for place in places[::2]:
                await changes.delete_place(conn, place)

        await asyncio.gather(
            recollect(rivals[0], DAYS, 20), recollect(rivals[1], DAYS, 20), delete(rivals[2])
        )
    finally:
        for rival in rivals:
            await rival.close()
    active = await across_places.fetch(
        "SELECT place_id FROM jobs WHERE status IN (1, 2) AND job_type = 1 AND cancel_requested_at IS NULL"
    )
    assert {row["place_id"] for row in active} == set(places[1::2])
    assert (await queue.counts(across_places))["dead"] == 0


async def test_what_is_passed_over_costs_no_later_round_anything(across_places: Connection) -> None:
    await add(across_places, 0)
    await across_places.execute(
        "INSERT INTO places (owner_id, name, identity_key, recollect_from)"
        " SELECT owner_id, 'n', gen_random_uuid()::text, now() - interval '10 days'"
        " FROM places, generate_series(1, 20000)"
    )
    await across_places.execute("ANALYZE places; ANALYZE sites")
    trial = across_places.transaction()
    await trial.start()
    explained = await across_places.fetchval(
        f"EXPLAIN (ANALYZE, BUFFERS, FORMAT json) {SQL.due_collections}", DAYS * 86_400, 200
    )
    await trial.rollback()
    plan = json.loads(explained)[0]["Plan"]
    assert "places_by_collection" in explained
    assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] < 20
