"""The flusher: what is due is told once, and nothing is lost whatever Teams or the flusher does."""

import asyncio
import logging
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from uuid import uuid4

import pytest
from pydantic import SecretStr

from functions.alert_flusher.flush import run_once
from shared.alerts import outbox
from shared.db import Connection
from shared.settings import Settings
from tests.db.alerts.conftest import died, row
from tests.db.steps import connect
from tests.fakes.http_server import Reply
from tests.fakes.teams import SIGNATURE, Teams, link_of, text_of

WAITING, SENT, DEAD = outbox.AlertStatus


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


async def test_the_card_says_what_died_for_whom_why_since_when_how_often_and_what_to_do(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    owner = await conn.fetchval(
        "INSERT INTO users (email, password_hash) VALUES ('o@e.com', '-') RETURNING user_id"
    )
    place = await conn.fetchval(
        "INSERT INTO places (owner_id, name, identity_key) VALUES ($1, '성수 국수집', 'x') RETURNING place_id",
        owner,
    )
    job_id = str(uuid4())
    for _ in range(3):
        await died(conn, key="one", job_id=job_id, place_id=str(place), error="GeminiError: 키가 없습니다")
    await run_once(conn, config)
    (card,) = teams.cards
    text = text_of(card)
    for part in (
        "COPY 작업이 실패했습니다: 성수 국수집",
        job_id,
        "GeminiError: 키가 없습니다",
        "3회",
        "할 일",
        "KST",
    ):
        assert part in text
    assert link_of(card) == f"https://console.example/dashboard#job={job_id}"


async def test_the_card_is_english_where_that_is_asked_for(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    await died(conn)
    await run_once(conn, config.model_copy(update={"alert_locale": "en"}))
    assert "A COPY job died" in text_of(teams.cards[0])


async def test_without_a_webhook_rows_wait_untouched(conn: Connection) -> None:
    alert_id = await died(conn)
    report = await run_once(conn, Settings(teams_webhook_url=None, teams_webhook_secret_arn=None))
    assert (report.webhook, report.posts, report.waiting) == ("missing", 0, 1)
    waiting = await row(conn, alert_id)
    assert (waiting["status"], waiting["attempts"], waiting["lease_until"]) == (WAITING, 0, None)


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


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_an_answer_that_may_change_is_tried_again_later(
    conn: Connection, teams: Teams, config: Settings, status: int
) -> None:
    alert_id = await died(conn)
    teams.script(lambda _: Reply(status))
    report = await run_once(conn, config)
    assert (report.retried, report.sent) == (1, 0)
    failed = await row(conn, alert_id)
    assert (failed["status"], failed["attempts"], failed["last_error"]) == (
        WAITING,
        1,
        f"Teams answered {status}",
    )
    assert timedelta(seconds=3) < failed["due_in"] < timedelta(seconds=7)
    await conn.execute("UPDATE alert_outbox SET next_attempt_at = now()")
    assert (await run_once(conn, config)).sent == 1


@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_the_time_teams_asks_for_is_waited_by_every_row(
    conn: Connection, teams: Teams, config: Settings, form: str
) -> None:
    first, second = await died(conn), await died(conn)
    value = (
        "120"
        if form == "seconds"
        else format_datetime(datetime.now(UTC) + timedelta(seconds=120), usegmt=True)
    )
    teams.script(lambda _: Reply(429, headers={"Retry-After": value}))
    await run_once(conn, config)
    assert len(teams.requests) == 1
    for alert_id in (first, second):
        waiting = await row(conn, alert_id)
        assert timedelta(seconds=110) < waiting["due_in"] < timedelta(seconds=121)
        assert waiting["lease_until"] is None
    assert sorted([(await row(conn, a))["attempts"] for a in (first, second)]) == [0, 1]


async def test_the_wait_grows_with_every_failure_up_to_ten_minutes(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    alert_id = await died(conn)
    waits = []
    for _ in range(9):
        teams.script(lambda _: Reply(500))
        await conn.execute("UPDATE alert_outbox SET next_attempt_at = now()")
        await run_once(conn, config)
        waits.append((await row(conn, alert_id))["due_in"].total_seconds())
    for failures, wait in enumerate(waits):
        shortest = min(600, 5 * 2**failures)
        assert shortest - 1 < wait < shortest * 1.1 + 1


@pytest.mark.parametrize("status", [400, 401, 404, 413, 302])
async def test_an_answer_that_will_not_change_ends_the_row(
    conn: Connection, teams: Teams, config: Settings, status: int
) -> None:
    alert_id = await died(conn)
    teams.script(lambda _: Reply(status, headers={"Location": "/elsewhere"}))
    report = await run_once(conn, config)
    assert (report.dead, report.dead_in_all) == (1, 1)
    assert (await row(conn, alert_id))["status"] == DEAD
    assert len(teams.requests) == 1
    assert (await run_once(conn, config)).posts == 0
    assert await outbox.retry_alert(conn, alert_id)
    assert (await run_once(conn, config)).sent == 1
    assert not await outbox.retry_alert(conn, alert_id)


async def test_a_receiver_that_cannot_be_reached_is_tried_again_and_not_hammered(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    alerts = [await died(conn) for _ in range(6)]
    nowhere = config.model_copy(
        update={"teams_webhook_url": SecretStr("http://127.0.0.1:9/hook?sig=" + SIGNATURE)}
    )
    report = await run_once(conn, nowhere)
    assert (report.posts, report.retried) == (3, 3)
    rows = [await row(conn, alert) for alert in alerts]
    assert {r["status"] for r in rows} == {WAITING}
    assert sorted(r["attempts"] for r in rows) == [0, 0, 0, 1, 1, 1]
    assert all(r["lease_until"] is None for r in rows)


async def test_a_broken_answer_counts_as_unreachable(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    await died(conn)
    teams.script(lambda _: Reply(202, b"x" * 100, cut=True))
    assert (await run_once(conn, config)).retried == 1


async def test_more_than_ten_of_one_kind_become_one_card(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    alerts = [await died(conn, error=f"RuntimeError: number {n}") for n in range(25)]
    await outbox.raise_alert(
        conn, "queue_stalled", "The queue has stalled", {}, key="stalled", window_seconds=60
    )
    report = await run_once(conn, config)
    assert (report.posts, report.sent) == (2, 26)
    summary = next(text_of(card) for card in teams.cards if "25" in text_of(card))
    assert "number 0" in summary
    assert "외 5건" in summary
    assert {(await row(conn, alert))["status"] for alert in alerts} == {SENT}


async def test_ten_of_one_kind_are_ten_cards_at_most_four_a_second(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    for _ in range(10):
        await died(conn)
    await run_once(conn, config)
    assert len(teams.cards) == 10
    for first, fifth in zip(teams.arrivals, teams.arrivals[4:], strict=False):
        assert fifth - first >= 1.0


async def test_a_huge_error_is_cut_to_what_teams_takes_and_its_link_is_kept(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    job_id = str(uuid4())
    await died(conn, job_id=job_id, error="가" * 60_000)
    for n in range(12):
        await outbox.raise_alert(
            conn, "other", "제목 " * 60, {"error": "나" * 9_000}, key=f"other {n}", window_seconds=60
        )
    report = await run_once(conn, config)
    assert report.sent == 13
    assert all(len(request.body) <= 20 * 1024 for request in teams.requests)
    assert any(link_of(card).endswith(f"#job={job_id}") for card in teams.cards)


async def test_a_texts_markdown_is_shown_and_not_read(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    await died(conn, error="[click](https://evil.example) **now**")
    await run_once(conn, config)
    assert {block["type"] for block in teams.cards[0]["body"]} == {"RichTextBlock"}
    assert "[click](https://evil.example) **now**" in text_of(teams.cards[0])


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
    try:
        await asyncio.gather(run_once(conn, config), run_once(other, config))
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


async def test_the_webhooks_secret_is_in_no_log_no_row_and_no_error(
    conn: Connection, teams: Teams, config: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await died(conn)
    await run_once(conn, config)
    await died(conn)
    teams.script(lambda _: Reply(500))
    await run_once(conn, config)
    await conn.execute("UPDATE alert_outbox SET next_attempt_at = now() WHERE status = 1")
    teams.script(lambda _: Reply(400))
    await run_once(conn, config)
    for url in (
        f"http://127.0.0.1:9/{SIGNATURE}",
        f"ftp://{SIGNATURE}",
        f"http://[{SIGNATURE}",
        f"{SIGNATURE}",
    ):
        await died(conn)
        await run_once(conn, config.model_copy(update={"teams_webhook_url": SecretStr(url)}))
    assert SIGNATURE not in caplog.text
    rows = await conn.fetch(
        "SELECT a::text AS text FROM alert_outbox a UNION ALL SELECT b::text FROM beats b"
    )
    assert all(SIGNATURE not in r["text"] for r in rows)


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
