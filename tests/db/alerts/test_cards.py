"""What a card says, in the order somebody woken at night asks it, and that it fits."""

from datetime import datetime, timedelta
from urllib.parse import urlsplit
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest

from emulator.cli.machine import TEMPLATE
from emulator.cli.main import parser
from emulator.template import load
from functions.alert_flusher.flush import run_once
from shared.alerts import outbox
from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import JobType
from shared.settings import Settings
from tests.db import steps
from tests.db.alerts.conftest import died, make_due
from tests.fakes.teams import Teams, link_of, text_of


async def dead_job(conn: Connection, error: str) -> tuple[UUID, str]:
    """A COPY job of a place that died twelve minutes ago, five past eleven at night in Seoul; its id and the place's."""
    place = await steps.place(conn)
    await conn.execute("UPDATE places SET name = '성수 국수집'")
    ref = await steps.running(conn, JobType.COPY, place_id=place)
    await queue.fail_permanent(conn, ref, error)
    return ref.job_id, str(place)


async def test_the_card_answers_what_somebody_woken_at_night_asks_in_that_order(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    job_id, place = await dead_job(conn, "GeminiError: 키가 없습니다")
    await conn.execute("UPDATE alert_outbox SET created_at = now() - interval '12 minutes'")
    await run_once(conn, config)
    (card,) = teams.cards
    died_at = datetime.now(ZoneInfo("Asia/Seoul")) - timedelta(minutes=12)
    assert text_of(card).splitlines() == [
        "COPY 작업이 실패했습니다: 성수 국수집",
        "원인: GeminiError: 키가 없습니다",
        f"처음: {died_at:%m월 %d일 %H:%M} KST (12분 전)",
        "횟수: 1회",
        "시도: 1",
        "할 일: 원인을 해결한 뒤 작업을 다시 대기열에 넣으세요.",
        f'curl -X POST -H "Authorization: Bearer $TOKEN" https://console.example/jobs/{job_id}/requeue',
    ]
    assert place not in text_of(card)
    assert link_of(card) == f"https://console.example/dashboard#job={job_id}"


async def test_a_card_fits_a_phone(conn: Connection, teams: Teams, config: Settings) -> None:
    await dead_job(conn, "JobDeadlineExceeded: ran longer than 120 s")
    await outbox.raise_alert(
        conn, "queue_stalled", "-", {"oldest_pending_sec": 1200}, key="q", window_seconds=60
    )
    for locale in ("ko", "en"):
        await make_due(conn)
        await conn.execute("UPDATE alert_outbox SET status = 1, posted = 0")
        await run_once(conn, config.model_copy(update={"alert_locale": locale}))
    assert len(teams.cards) == 4
    for card in teams.cards:
        # Runs of text wrap by themselves; a fact's title has a third of the width.
        assert {block["type"] for block in card["body"]} == {"RichTextBlock", "FactSet"}
        (facts,) = [block["facts"] for block in card["body"] if block["type"] == "FactSet"]
        assert all(len(fact["title"]) <= 8 for fact in facts)
        assert len(card["actions"]) == 1


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        ("JobDeadlineExceeded: ran longer than 120 s", "정해진 시간 안에 끝나지 않았습니다."),
        ("UnknownJobType: 901", "이 버전이 모르는 종류의 작업입니다."),
        ("LeaseExpired: its worker fell silent [lease-expired reclaim]", "프로세스가 응답을 멈췄습니다."),
    ],
)
async def test_an_error_of_our_own_is_put_in_words(
    conn: Connection, teams: Teams, config: Settings, error: str, meaning: str
) -> None:
    await died(conn, error=error)
    await run_once(conn, config)
    assert meaning in text_of(teams.cards[0])
    assert error in text_of(teams.cards[0])


async def test_of_a_stack_only_what_happened_is_told(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    await died(
        conn, error='X: Traceback (most recent call last):\n  File "a.py", line 1\nValueError: no price'
    )
    await run_once(conn, config)
    assert "ValueError: no price" in text_of(teams.cards[0])
    assert "a.py" not in text_of(teams.cards[0])


async def test_what_the_card_names_is_there_to_be_opened_and_called(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    job_id, _ = await dead_job(conn, "Boom: no")
    await run_once(conn, config.model_copy(update={"console_url": "http://127.0.0.1:8080"}))
    routes = {(route.method, route.path) for route in load(TEMPLATE, fill_missing=True).routes}
    assert ("GET", urlsplit(link_of(teams.cards[0])).path) in routes
    assert ("POST", "/jobs/{job_id}/requeue") in routes
    (command,) = [line for line in text_of(teams.cards[0]).splitlines() if "local_runner.py" in line]
    asked = parser().parse_args(command.split()[2:])
    assert (asked.command, asked.job_id) == ("requeue", str(job_id))


@pytest.mark.parametrize(
    ("zone", "shown"), [("America/New_York", "UTC-5"), ("Asia/Kolkata", "UTC+5.5"), ("Mars/Olympus", "UTC+0")]
)
async def test_times_are_told_in_the_operators_zone(
    conn: Connection, teams: Teams, config: Settings, zone: str, shown: str, caplog: pytest.LogCaptureFixture
) -> None:
    await died(conn)
    await conn.execute("UPDATE alert_outbox SET created_at = '2026-11-30 14:05Z'")
    await run_once(conn, config.model_copy(update={"alert_timezone": zone}))
    local = {"UTC-5": "09:05", "UTC+5.5": "19:35", "UTC+0": "14:05"}[shown]
    assert f"11월 30일 {local} {shown}" in text_of(teams.cards[0])
    assert ("ALERT_TIMEZONE" in caplog.text) == (shown == "UTC+0")


async def test_a_summary_tells_causes_first_and_leads_to_the_dead_jobs(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    place = await steps.place(conn)
    await conn.execute("UPDATE places SET name = '성수 국수집'")
    for n in range(14):
        error = f"OtherError: {n}" if n % 2 else "GeminiError: no key"
        await died(conn, error=error, place_id=str(place) if n < 4 else None)
    await run_once(conn, config)
    lines = text_of(teams.cards[0]).splitlines()
    assert lines[0] == "COPY 작업 14건이 실패했습니다"
    assert lines[2] == "원인 (7건): GeminiError: no key"
    assert lines[3] == "성수 국수집, 성수 국수집 외 5곳"
    assert len([line for line in lines if line.startswith("원인 (1건): OtherError")]) == 4
    assert "… 외 3건" in lines
    assert link_of(teams.cards[0]) == "https://console.example/dashboard#dead-section"


async def test_the_card_is_english_where_that_is_asked_for(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    await died(conn)
    await run_once(conn, config.model_copy(update={"alert_locale": "en"}))
    assert "A COPY job died" in text_of(teams.cards[0])


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
    (shown,) = [b for b in teams.cards[0]["body"] if "evil" in str(b)]
    assert shown["type"] == "RichTextBlock"  # whose runs Teams shows as they are
    assert "[click](https://evil.example) **now**" in text_of(teams.cards[0])
