"""Whatever Teams answers: tried again, or dead and seen; never lost, never hammered, the webhook's secret never told."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from pydantic import SecretStr

from functions.alert_flusher.flush import run_once
from shared.alerts import outbox
from shared.db import Connection
from shared.settings import Settings
from tests.db.alerts.conftest import DEAD, WAITING, died, row
from tests.fakes.http_server import Reply
from tests.fakes.teams import SIGNATURE, Teams


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
