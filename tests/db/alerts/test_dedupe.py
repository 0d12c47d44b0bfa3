"""Every death is counted once; the same again within the window is told at its end; many at once are one card."""

from functions.alert_flusher.flush import run_once
from shared.alerts import outbox
from shared.db import Connection
from shared.settings import Settings
from tests.db.alerts.conftest import SENT, WAITING, died, row
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
    summary = next(text_of(card) for card in teams.cards if "25" in text_of(card))
    assert "number 0" in summary
    assert "외 15건" in summary
    assert {(await row(conn, alert))["status"] for alert in alerts} == {SENT}
