"""A channel that fails for many places at once: one alert, its card, its end; and what is kept of how channels go."""

import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest
from pydantic import SecretStr

from functions.alert_flusher.flush import run_once as flush
from functions.reaper.channels import watch_channels
from functions.reaper.reaper import run_once
from shared.collecting.outcomes import PRUNE_BATCH, channel_health, prune_outcomes, record_outcomes
from shared.collecting.statements import SQL
from shared.db import Connection
from shared.settings import Settings
from tests.fakes.teams import Teams, text_of

CONFIG = Settings(channel_alert_places=3, channel_alert_minutes=15)
FAILED, OK = ("failed", "auth"), ("ok", None)


async def went(
    conn: Connection,
    *outcomes: tuple[str, str | None],
    channel: str = "kakao",
    minutes_ago: float = 1,
    places: list[UUID] | None = None,
) -> list[UUID]:
    """A collection of a place for each outcome; the places."""
    asked = places or [uuid4() for _ in outcomes]
    before = await conn.fetchval("SELECT coalesce(max(outcome_id), 0) FROM channel_outcomes")
    for place_id, (outcome, code) in zip(asked, outcomes, strict=True):
        await record_outcomes(conn, place_id, [(channel, outcome, code), ("owner", "ok", None)])
    await conn.execute(
        "UPDATE channel_outcomes SET asked_at = now() - make_interval(secs => $1::float8) WHERE outcome_id > $2",
        minutes_ago * 60,
        before,
    )
    return asked


async def raised(conn: Connection) -> dict[str, dict[str, Any]]:
    rows = await conn.fetch("SELECT dedupe_key, occurrences, detail::text AS detail FROM alert_outbox")
    return {
        row["dedupe_key"]: json.loads(row["detail"]) | {"occurrences": row["occurrences"]} for row in rows
    }


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([FAILED, FAILED, FAILED], True),
        ([FAILED, FAILED], False),  # too few places
        ([FAILED, FAILED, FAILED, OK, ("empty", None)], True),
        ([FAILED, FAILED, FAILED, OK, OK, ("partial", "timeout")], False),  # half of those asked is not most
        ([FAILED, FAILED, FAILED, *[("skipped", "no_key")] * 9], True),  # nobody was asked there
    ],
)
async def test_a_channel_fails_when_it_does_for_enough_places_and_most_of_those_asked(
    across_places: Connection, outcomes: list[tuple[str, str | None]], expected: bool
) -> None:
    await went(across_places, *outcomes)
    assert bool(await watch_channels(across_places, CONFIG)) == expected
    assert list(await raised(across_places)) == (["channel_failing:kakao"] if expected else [])


async def test_a_place_counts_once_and_by_its_last_answer(across_places: Connection) -> None:
    again = await went(across_places, FAILED, minutes_ago=5)
    for _ in range(4):
        await went(across_places, FAILED, places=again, minutes_ago=4)
    assert await watch_channels(across_places, CONFIG) == []
    places = await went(across_places, FAILED, FAILED, FAILED, minutes_ago=3)
    assert await watch_channels(across_places, CONFIG) == ["channel_failing"]
    await went(across_places, OK, OK, places=places[:2], minutes_ago=1)
    assert await watch_channels(across_places, CONFIG) == []


async def test_what_happened_before_the_window_is_over(across_places: Connection) -> None:
    await went(across_places, FAILED, FAILED, FAILED, minutes_ago=16)
    assert await watch_channels(across_places, CONFIG) == []


async def test_each_channel_has_an_alert_of_its_own_that_says_what_and_for_how_many(
    across_places: Connection,
) -> None:
    await across_places.execute(
        "INSERT INTO channel_pace (channel, closed_until, closed_code)"
        " VALUES ('tourapi', now() + interval '3 hours', 'quota_day')"
    )
    await went(across_places, FAILED, FAILED, ("failed", "timeout"), OK)
    await went(across_places, *[("failed", "quota_day")] * 4, channel="tourapi")
    await watch_channels(across_places, CONFIG)
    await watch_channels(across_places, CONFIG)
    found = await raised(across_places)
    assert found["channel_failing:kakao"] == {
        "channel": "kakao",
        "code": "auth",
        "places_failed": 3,
        "places_asked": 4,
        "occurrences": 2,
    }
    until = datetime.fromisoformat(found["channel_failing:tourapi"]["closed_until"])
    assert until - datetime.now(until.tzinfo) > timedelta(hours=2, minutes=59)


async def test_when_it_is_over_it_is_not_told_again_and_others_go_on(across_places: Connection) -> None:
    await went(across_places, FAILED, FAILED, FAILED)
    await went(across_places, FAILED, FAILED, FAILED, channel="osm")
    await watch_channels(across_places, CONFIG)
    # Posted, and counted since.
    await across_places.execute("UPDATE alert_outbox SET posted = 1, occurrences = 5")
    await across_places.execute("DELETE FROM channel_outcomes WHERE channel = 'kakao'")
    await watch_channels(across_places, CONFIG)
    rows = await across_places.fetch("SELECT dedupe_key, status, posted, occurrences FROM alert_outbox")
    assert {tuple(row) for row in rows} == {
        ("channel_failing:kakao", 2, 5, 5),
        ("channel_failing:osm", 1, 1, 6),
    }


@pytest.mark.parametrize(
    ("locale", "code", "lines"),
    [
        (
            "ko",
            "quota_day",
            [
                "관광공사 채널이 여러 가게에서 실패합니다",
                "원인: 제공자의 하루 한도를 다 썼습니다. (quota_day)",
                "가게: 3곳 실패 (3곳 중)",
                "할 일: 한도가 돌아올 때까지 이 채널은 쉽니다. 자주 생기면 제공자에게 한도를 늘려 달라고 하세요.",
            ],
        ),
        (
            "en",
            "auth",
            [
                "TourAPI: this channel fails for many places",
                "Why: The vendor refuses the key. (auth)",
                "Places: 3 failed of 3 asked",
                "What to do: See in the vendor's console whether the key is valid and the service is on; then set the"
                " right key.",
            ],
        ),
        ("en", "robots", ["Why: robots", "What to do: See how the vendor is. Until then collecting goes on with the"
                          " other channels."]),
    ],
)  # fmt: skip
async def test_the_card_says_which_channel_why_and_what_to_do(
    across_places: Connection, locale: str, code: str, lines: list[str]
) -> None:
    until = datetime.now(ZoneInfo("Asia/Seoul")) + timedelta(hours=5)
    await across_places.execute(
        "INSERT INTO channel_pace (channel, closed_until, closed_code) VALUES ('tourapi', $1, 'quota_day')",
        until,
    )
    await went(across_places, *[("failed", code)] * 3, channel="tourapi")
    with Teams().running() as teams:
        assert isinstance(teams, Teams)
        config = CONFIG.model_copy(
            update={"teams_webhook_url": SecretStr(teams.webhook), "alert_locale": locale}
        )
        await watch_channels(across_places, config)
        await flush(across_places, config)
        (card,) = teams.cards
    said = text_of(card).splitlines()
    assert [line for line in lines if line not in said] == []
    label, day = (
        ("재개", f"{until:%m월 %d일 %H:%M}") if locale == "ko" else ("Reopens", f"{until:%d %b %H:%M}")
    )
    assert f"{label}: {day} KST" in said


async def test_a_round_of_the_reaper_watches_channels_and_prunes_what_is_old(
    across_places: Connection,
) -> None:
    await went(across_places, FAILED, FAILED, FAILED)
    await went(across_places, *[OK] * 5, minutes_ago=8 * 24 * 60)
    report = await run_once(across_places, CONFIG)
    assert (report.alerts, report.failed, report.pruned) == (["channel_failing"], [], 10)
    assert await across_places.fetchval("SELECT count(*) FROM channel_outcomes") == 6
    assert await prune_outcomes(across_places) == 0


async def test_the_look_at_the_channels_costs_its_window_and_not_the_history(
    across_places: Connection,
) -> None:
    await across_places.execute(
        "INSERT INTO channel_outcomes (asked_at, place_id, channel, outcome)"
        " SELECT now() - interval '1 day' - n * interval '20 seconds', gen_random_uuid(), 'kakao', 'ok'"
        " FROM generate_series(1, 60000) n"
    )
    await went(across_places, *[OK] * 20)
    await across_places.execute("ANALYZE channel_outcomes")
    # The table has seven hundred pages; a batch locks, finds and deletes a thousand rows.
    assert await _pages(across_places, SQL.channel_health, 900.0) < 100
    assert await _pages(across_places, SQL.prune_outcomes, 7 * 86_400.0, PRUNE_BATCH) < 5 * PRUNE_BATCH
    plan = await _plan(across_places, SQL.channel_health, 900.0)
    assert "channel_outcomes_by_time" in plan
    assert "Seq Scan on channel_outcomes" not in plan
    assert {health.channel: health.ok for health in await channel_health(across_places, 900)} == {
        "kakao": 20,
        "owner": 20,
    }
    assert await prune_outcomes(across_places) == PRUNE_BATCH


async def _plan(conn: Connection, statement: str, *values: Any) -> str:
    async with conn.transaction():
        rows = await conn.fetch(f"EXPLAIN {statement}", *values)
    return "\n".join(row[0] for row in rows)


async def _pages(conn: Connection, statement: str, *values: Any) -> int:
    trial = conn.transaction()
    await trial.start()
    found = json.loads(await conn.fetchval(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT json) {statement}", *values))
    await trial.rollback()
    return int(found[0]["Plan"]["Shared Hit Blocks"]) + int(found[0]["Plan"]["Shared Read Blocks"])
