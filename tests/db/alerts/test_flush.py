"""The flusher: what is due is told once, and what it did not reach waits."""

import asyncio

from functions.alert_flusher.flush import run_once
from shared.alerts import outbox
from shared.db import Connection
from shared.settings import Settings
from tests.db.alerts.conftest import SENT, WAITING, died, make_due, row
from tests.db.steps import connect, until
from tests.fakes.teams import Teams, text_of


async def test_a_death_is_told_once(conn: Connection, teams: Teams, config: Settings) -> None:
    alert_id = await died(conn)
    report = await run_once(conn, config)
    assert (report.posts, report.sent, report.waiting) == (1, 1, 0)
    again = await run_once(conn, config)
    assert again.posts == 0
    assert len(teams.cards) == 1
    sent = await row(conn, alert_id)
    assert (sent["status"], sent["posted"], sent["lease_token"]) == (SENT, 1, None)
    assert sent["sent_at"] is not None


async def test_without_a_webhook_rows_wait_untouched(conn: Connection) -> None:
    alert_id = await died(conn)
    report = await run_once(conn, Settings(teams_webhook_url=None, teams_webhook_secret_arn=None))
    assert (report.webhook, report.posts, report.waiting) == ("missing", 0, 1)
    waiting = await row(conn, alert_id)
    assert (waiting["status"], waiting["attempts"], waiting["lease_until"]) == (WAITING, 0, None)


async def test_rows_of_a_flusher_that_died_come_back_when_its_lease_ends_and_its_late_mark_is_void(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    alert_id = await died(conn)
    dead_flushers = await outbox.claim_due(conn, 10)
    assert (await run_once(conn, config)).posts == 0
    await conn.execute("UPDATE alert_outbox SET lease_until = now() - interval '1 second'")
    assert (await run_once(conn, config)).sent == 1
    claimed = dead_flushers.alerts[0]
    assert not await dead_flushers.sent(conn, claimed)
    assert not await dead_flushers.failed(conn, claimed, "late", 1)
    assert not await dead_flushers.dead(conn, claimed, "late")
    assert (await row(conn, alert_id))["status"] == SENT


async def test_two_flushers_tell_each_row_once(
    conn: Connection, teams: Teams, config: Settings, database: str
) -> None:
    for n in range(8):
        await outbox.raise_alert(conn, f"kind_{n}", f"Title {n}", {}, key=f"key {n}", window_seconds=60)
    other = await connect(database)

    async def room() -> bool:
        return teams.has_room()

    try:
        while True:
            reports = await asyncio.gather(run_once(conn, config), run_once(other, config))
            if not any(report.waiting for report in reports):
                break
            await until(room)  # together they are above four posts a second, and asked to wait
            await make_due(conn)
    finally:
        await other.close()
    titles = [text_of(card).splitlines()[0] for card in teams.cards]
    assert sorted(titles) == [f"Title {n}" for n in range(8)]


async def test_a_raise_that_is_not_committed_stops_no_other_row(
    conn: Connection, teams: Teams, config: Settings, database: str
) -> None:
    held = await died(conn, key="held")
    await died(conn)
    other = await connect(database)
    try:
        async with other.transaction():
            await died(other, key="held")
            assert (await run_once(conn, config)).sent == 1
        assert (await row(conn, held))["occurrences"] == 2
        assert (await run_once(conn, config)).sent == 1
    finally:
        await other.close()


async def test_every_run_is_seen(conn: Connection, teams: Teams, config: Settings) -> None:
    await run_once(conn, config)
    first = await conn.fetchval("SELECT seen_at FROM beats WHERE name = 'alert_flusher'")
    await run_once(conn, config)
    assert await conn.fetchval("SELECT seen_at FROM beats WHERE name = 'alert_flusher'") > first


async def test_a_run_ends_in_time_and_gives_back_what_it_did_not_reach(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    alerts = [await died(conn) for _ in range(9)]
    report = await run_once(conn, config, seconds=0.6)
    assert 1 <= report.sent < 9
    rows = [await row(conn, alert) for alert in alerts]
    assert all(r["lease_until"] is None for r in rows)
    assert sum(r["status"] == WAITING for r in rows) == 9 - report.sent


async def test_a_row_put_in_by_hand_with_any_detail_stops_nothing(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    for n, detail in enumerate(
        ('"a word"', "[1, 2]", "null", '{"job_id": 7, "error": {"a": [1]}, "place_id": 3, "attempts": "x"}')
    ):
        await conn.execute(
            "INSERT INTO alert_outbox (kind, title, detail, dedupe_key) VALUES ('by_hand', $1, $2, $3)",
            f"Title {n}",
            detail,
            f"key {n}",
        )
    report = await run_once(conn, config)
    assert (report.sent, teams.refusals) == (4, [])


async def test_what_was_sent_goes_with_the_retention_and_what_waits_or_was_refused_stays(
    conn: Connection, config: Settings
) -> None:
    kept = []
    for status, age in ((2, 31), (2, 29), (1, 31), (3, 31)):
        alert_id = await died(conn)
        await conn.execute(
            "UPDATE alert_outbox SET status = $2, created_at = now() - make_interval(days => $3),"
            " window_until = now() - interval '1 day', next_attempt_at = now() + interval '1 hour' WHERE alert_id = $1",
            alert_id,
            status,
            age,
        )
        kept.append(alert_id)
    assert (await run_once(conn, config)).pruned == 1
    assert {r["alert_id"] for r in await conn.fetch("SELECT alert_id FROM alert_outbox")} == set(kept[1:])


async def test_a_flusher_that_slept_past_its_lease_posts_nothing_that_is_anothers_by_now(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    alert_id = await died(conn)
    slept = await outbox.claim_due(conn, 10)
    await conn.execute("UPDATE alert_outbox SET lease_until = now() + interval '5 seconds'")
    assert len(await slept.still_held(conn, slept.alerts, 1)) == 1
    assert await slept.still_held(conn, slept.alerts, 12) == []
    await conn.execute("UPDATE alert_outbox SET lease_until = now()")
    assert (await run_once(conn, config)).sent == 1
    assert await slept.still_held(conn, slept.alerts, 0) == []
    assert (await row(conn, alert_id))["status"] == SENT


async def test_a_late_mark_does_not_touch_a_row_that_another_flusher_is_posting(conn: Connection) -> None:
    alert_id = await died(conn)
    late = await outbox.claim_due(conn, 10)
    await make_due(conn)
    others = await outbox.claim_due(conn, 10)
    (claimed,) = late.alerts
    assert not await late.sent(conn, claimed)
    assert not await late.failed(conn, claimed, "late", 1)
    assert not await late.dead(conn, claimed, "late")
    await late.give_back(conn, claimed, 60)
    assert (await row(conn, alert_id))["due_in"].total_seconds() <= 0
    assert await others.sent(conn, others.alerts[0])
