"""Every death is counted once; the same again within the window is told at its end; many at once are one card."""

import asyncio
import json
import threading
from uuid import UUID

import pytest

from functions.alert_flusher.flush import run_once
from shared.alerts import outbox
from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import JobRef, JobType
from shared.settings import Settings
from tests.db import steps
from tests.db.alerts.conftest import DEAD, SENT, WAITING, died, make_due, row
from tests.fakes.http_server import Recorded, Reply
from tests.fakes.teams import Teams, text_of


async def test_the_same_again_within_the_window_is_told_at_its_end_with_how_often(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    alert_id = await died(conn, key="one")
    await run_once(conn, config)
    for _ in range(2):
        assert await died(conn, key="one") == alert_id
    assert (await run_once(conn, config)).posts == 0
    grown = await row(conn, alert_id)
    assert grown["status"] == WAITING
    assert grown["next_attempt_at"] == grown["window_until"]
    await conn.execute("UPDATE alert_outbox SET next_attempt_at = now(), window_until = now()")
    await run_once(conn, config)
    assert "3회 (지난 알림 뒤 2회)" in text_of(teams.cards[1])
    told = await row(conn, alert_id)
    assert (told["status"], told["posted"], told["occurrences"]) == (SENT, 3, 3)


async def test_a_row_that_grows_while_it_is_posted_is_due_again_at_its_windows_end(
    conn: Connection, teams: Teams, config: Settings, database: str
) -> None:
    alert_id = await died(conn, key="one")
    claim = await outbox.claim_due(conn, 10)
    await died(conn, key="one")
    assert await claim.sent(conn, claim.alerts[0])
    grown = await row(conn, alert_id)
    assert (grown["status"], grown["posted"], grown["occurrences"]) == (WAITING, 1, 2)
    assert grown["next_attempt_at"] == grown["window_until"]


async def test_more_than_ten_of_one_kind_become_one_card(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    alerts = [await died(conn, error=f"RuntimeError: number {n}") for n in range(25)]
    await outbox.raise_alert(
        conn, "queue_stalled", "The queue has stalled", {}, key="stalled", window_seconds=60
    )
    report = await run_once(conn, config)
    assert (report.posts, report.sent) == (2, 26)
    summary = next(text_of(card) for card in teams.cards if "25건" in text_of(card))
    assert "number 0" in summary
    assert "외 20건" in summary
    assert {(await row(conn, alert))["status"] for alert in alerts} == {SENT}


async def dying(conn: Connection, count: int, **fields: object) -> list[JobRef]:
    """Jobs on their last attempt."""
    ids = [await steps.new(conn, JobType.COPY, max_attempts=1, **fields) for _ in range(count)]
    refs = await steps.claimed(conn)
    await queue.start(conn, [refs[job_id] for job_id in ids], "invocation", steps.LEASE)
    return [refs[job_id] for job_id in ids]


async def counted(conn: Connection) -> tuple[int, int]:
    """Root deaths, and what the outbox counts of them."""
    row = await conn.fetchrow(
        "SELECT (SELECT count(*) FROM jobs WHERE status = 4 AND last_error NOT LIKE 'DependencyDead%'),"
        " (SELECT coalesce(sum(occurrences), 0) FROM alert_outbox WHERE kind = 'job_dead')"
    )
    assert row is not None
    return row[0], row[1]


async def test_twenty_deaths_of_one_key_at_once_while_it_is_posted_are_counted_once_each(
    conn: Connection, teams: Teams, config: Settings, database: str
) -> None:
    place = await steps.place(conn)
    refs = await dying(conn, 20, place_id=place)
    reaped = await dying(conn, 4, place_id=place)
    await steps.let_lease_run_out(conn, *(ref.job_id for ref in reaped))
    first = await dying(conn, 1, place_id=place)
    await queue.fail(conn, first[0], "Boom: first")
    posting = asyncio.Event()
    loop = asyncio.get_running_loop()
    over = threading.Event()

    def hold(_: Recorded) -> Reply:
        loop.call_soon_threadsafe(posting.set)
        over.wait(20)
        return Reply(202)

    teams.script(hold)
    async with steps.connections(database, 22) as (flusher, reaper, *others):
        run = asyncio.create_task(run_once(flusher, config))
        await posting.wait()
        deaths = [queue.fail(c, ref, "Boom: no") for c, ref in zip(others, refs, strict=True)]
        await asyncio.gather(*deaths, queue.reap(reaper, 2))
        over.set()
        report = await run
    assert (report.sent, report.posts) == (1, 1)
    assert await counted(conn) == (25, 25)
    (grown,) = await conn.fetch("SELECT * FROM alert_outbox")
    assert (grown["status"], grown["posted"], grown["occurrences"]) == (WAITING, 1, 25)
    assert grown["next_attempt_at"] == grown["window_until"]
    await make_due(conn)
    assert (await run_once(conn, config)).sent == 1
    assert "25회 (지난 알림 뒤 24회)" in text_of(teams.cards[-1])


async def test_two_reapers_over_the_same_keys_count_every_death_once(conn: Connection, database: str) -> None:
    places = [await steps.place(conn) for _ in range(3)]
    for n in range(30):
        await dying(conn, 1, place_id=places[n % 3])
    await steps.let_lease_run_out(conn, *(r["job_id"] for r in await conn.fetch("SELECT job_id FROM jobs")))
    async with steps.connections(database, 3) as reapers:

        async def all_dead() -> bool:
            # A row of which two wait crosswise is left to the next round.
            await asyncio.gather(*(queue.reap(reaper, 5) for reaper in reapers))
            return (await counted(conn))[0] == 30

        await steps.until(all_dead)
    assert await counted(conn) == (30, 30)
    assert await conn.fetchval("SELECT count(*) FROM alert_outbox") == 3


async def test_at_the_windows_end_rivals_open_one_new_row(conn: Connection, database: str) -> None:
    await died(conn, key="one")
    await conn.execute("UPDATE alert_outbox SET window_until = now()")
    async with steps.connections(database, 8) as rivals:
        ids = await asyncio.gather(*(died(rival, key="one") for rival in rivals))
    assert len(set(ids)) == 1
    rows = await conn.fetch("SELECT occurrences, open FROM alert_outbox ORDER BY created_at")
    assert [(r["occurrences"], r["open"]) for r in rows] == [(1, False), (8, True)]


async def test_a_requeue_opens_a_new_window(conn: Connection, teams: Teams, config: Settings) -> None:
    (ref,) = await dying(conn, 1)
    await queue.fail(conn, ref, "Boom: once")
    await run_once(conn, config)
    await queue.requeue(conn, ref.job_id)
    again = await steps.held(conn, ref.job_id)
    await queue.fail_permanent(conn, again, "Boom: again")
    assert (await run_once(conn, config)).sent == 1
    assert ["Boom: once" in text_of(c) for c in teams.cards] == [True, False]
    assert await conn.fetchval("SELECT count(*) FROM alert_outbox") == 2
    assert await steps.alerts(conn) == {f"job_dead:COPY:{ref.job_id}": 2}


async def test_a_refused_row_is_tried_again_at_its_windows_end_when_the_same_happens_again(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    alert_id = await died(conn, key="one")
    teams.script(lambda _: Reply(404))
    await run_once(conn, config)
    assert (await row(conn, alert_id))["status"] == DEAD
    assert await died(conn, key="one") == alert_id
    grown = await row(conn, alert_id)
    assert (grown["status"], grown["last_error"]) == (WAITING, "Teams answered 404")
    assert grown["next_attempt_at"] == grown["window_until"]
    await make_due(conn)
    assert (await run_once(conn, config)).sent == 1
    assert "2회" in text_of(teams.cards[0])


@pytest.mark.parametrize(("deaths", "cards"), [(10, 10), (11, 1)])
async def test_up_to_ten_of_a_kind_are_cards_of_their_own_at_most_four_a_second(
    conn: Connection, teams: Teams, config: Settings, deaths: int, cards: int
) -> None:
    for _ in range(deaths):
        await died(conn)
    report = await run_once(conn, config)
    assert (report.sent, report.posts, len(teams.cards), teams.refusals) == (deaths, cards, cards, [])
    for first, fifth in zip(teams.arrivals, teams.arrivals[4:], strict=False):
        assert fifth - first >= 1.0


async def test_a_key_is_the_types_and_its_places_else_its_regions_else_the_jobs(conn: Connection) -> None:
    place = await steps.place(conn)
    for fields in ({"place_id": place}, {"payload": {"region_code": "11200"}}, {}):
        ids: list[UUID] = [await steps.put(conn, 900, **_columns(fields)) for _ in range(2)]
        refs = await steps.claimed(conn)
        for job_id in ids:
            await queue.fail_permanent(conn, refs[job_id], "Boom: no")
    keys = await steps.alerts(conn)
    assert (keys.pop(f"job_dead:900:{place}"), keys.pop("job_dead:900:11200")) == (2, 2)
    assert sorted(keys.values()) == [1, 1]


def _columns(fields: dict[str, object]) -> dict[str, object]:
    return {"payload": json.dumps(fields.get("payload", {})), "place_id": fields.get("place_id")}
