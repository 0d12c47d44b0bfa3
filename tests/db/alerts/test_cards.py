"""What a card says, in the order somebody woken at night asks it, and that it fits."""

from uuid import uuid4

from functions.alert_flusher.flush import run_once
from shared.alerts import outbox
from shared.db import Connection
from shared.settings import Settings
from tests.db.alerts.conftest import died
from tests.fakes.teams import Teams, link_of, text_of


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
