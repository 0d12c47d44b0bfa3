"""Whatever Teams answers: tried again, or dead and seen; never lost, never hammered, the webhook's secret never told."""

import logging
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from pydantic import SecretStr

from functions.alert_flusher.flush import run_once
from shared.alerts import outbox
from shared.db import Connection
from shared.settings import Settings
from tests.db.alerts.conftest import DEAD, SENT, WAITING, died, row
from tests.fakes.http_server import Recorded, Reply
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


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        pytest.param("7", 6, 7, id="seconds"),
        pytest.param("0", 4, 6, id="none: the backoff"),
        pytest.param("-30", 4, 6, id="negative"),
        pytest.param("1e9", 3595, 3600, id="years"),
        pytest.param("9" * 400, 3595, 3600, id="more than a number holds"),
        pytest.param("Fri, 31 Dec 9999 23:59:59 GMT", 3595, 3600, id="the last of days"),
        pytest.param("Thu, 01 Jan 1970 00:00:00 GMT", 4, 6, id="a past day"),
        pytest.param("Wed, 99 Foo 2026", 4, 6, id="no date"),
        pytest.param("nan", 4, 6, id="no number"),
        pytest.param("soon", 4, 6, id="words"),
    ],
)
async def test_an_absurd_time_to_wait_is_bounded(
    conn: Connection, teams: Teams, config: Settings, header: str, least: int, most: int
) -> None:
    alert_id = await died(conn)
    teams.script(lambda _: Reply(429, headers={"Retry-After": header}))
    await run_once(conn, config)
    assert timedelta(seconds=least) < (await row(conn, alert_id))["due_in"] < timedelta(seconds=most)


async def test_what_is_raised_while_teams_wants_to_be_left_alone_waits_too(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    asked = await died(conn)
    teams.script(lambda _: Reply(503, headers={"Retry-After": "60"}))
    await run_once(conn, config)
    await died(conn)
    assert (await run_once(conn, config)).posts == 0
    # A person who asks for the one that was refused ends the wait for all.
    assert await outbox.retry_alert(conn, asked)
    assert (await run_once(conn, config)).sent == 2


@dataclass(frozen=True)
class Mode:
    """A way to go wrong: what stands at the webhook's address, and how the row ends."""

    reply: Reply | None = None
    url: str = ""
    silent: bool = False
    error: str | None = None
    ends: str = "retried"


UNREACHABLE = "Teams could not be reached: "
OLD_ERROR = b"Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error %d with ContextId tcid=0"
MODES = {
    "429": Mode(Reply(429), error="Teams answered 429"),
    "408": Mode(Reply(408), error="Teams answered 408"),
    "500 with a page": Mode(Reply(500, b"<h1>" + SIGNATURE.encode()), error="Teams answered 500"),
    "502": Mode(Reply(502), error="Teams answered 502"),
    "504": Mode(Reply(504), error="Teams answered 504"),
    "200 that tells of a 429": Mode(Reply(200, OLD_ERROR % 429), error="Teams answered 429"),
    "200 that tells of a 502": Mode(Reply(200, OLD_ERROR % 502), error="Teams answered 502"),
    "200 that tells of a 413": Mode(Reply(200, OLD_ERROR % 413), error="Teams answered 413", ends="dead"),
    "200 with a broken body": Mode(
        Reply(200, b"x" * 100, cut=True), error=UNREACHABLE + "RemoteProtocolError"
    ),
    "200 byte by byte": Mode(Reply(200, b"x" * 1000, drip=0.05), error=UNREACHABLE + "TimeoutError"),
    "no answer": Mode(silent=True, error=UNREACHABLE + "TimeoutError"),
    "nobody there": Mode(url=f"http://127.0.0.1:9/{SIGNATURE}", error=UNREACHABLE + "ConnectError"),
    "no such host": Mode(url=f"http://{SIGNATURE}.invalid/x", error=UNREACHABLE + "ConnectError"),
    "no TLS": Mode(url="https", error=UNREACHABLE + "ConnectError"),
    "no URL": Mode(url=SIGNATURE, error="the webhook's address is no usable URL"),
    "no HTTP": Mode(url=f"ftp://{SIGNATURE}", error="the webhook's address is no usable URL"),
    "no host that can be": Mode(
        url=f"http://xn--a/{SIGNATURE}", error="the webhook's address is no usable URL"
    ),
    "no characters that can be": Mode(
        url=f"http://x/\ud800{SIGNATURE}", error="the webhook's address is no usable URL"
    ),
    **{
        f"{n}": Mode(Reply(n), error=f"Teams answered {n}", ends="dead")
        for n in (400, 401, 403, 404, 410, 413)
    },
    **{
        f"{n}": Mode(Reply(n, headers={"Location": "/else"}), error=f"Teams answered {n}", ends="dead")
        for n in (301, 302, 303, 307, 308)
    },
    "200 as connectors gave": Mode(Reply(200, b"1"), ends="sent"),
    "204": Mode(Reply(204), ends="sent"),
    "202": Mode(Reply(202), ends="sent"),
    "202 with a broken body": Mode(Reply(202, b"x" * 100, cut=True), ends="sent"),
    "202 with a body that never ends": Mode(Reply(202, b"x" * 1000, drip=0.5), ends="sent"),
}


@pytest.mark.parametrize("name", MODES)
async def test_each_way_to_fail_is_told_without_the_webhooks_secret(
    conn: Connection,
    teams: Teams,
    config: Settings,
    name: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    mode = MODES[name]

    def silent(_: Recorded) -> Reply:
        teams.pause(60)  # until the server is stopped
        return Reply()

    caplog.set_level(logging.DEBUG)
    if mode.url:
        url = teams.webhook.replace("http:", "https:") if mode.url == "https" else mode.url
        config = config.model_copy(update={"teams_webhook_url": SecretStr(url)})
    if mode.reply is not None:
        teams.script(lambda _: mode.reply)
    if mode.silent:
        teams.script(silent)
    alert_id = await died(conn)
    report = await run_once(conn, config, post_timeout=0.5 if mode.silent or mode.reply else 5)
    assert asdict(report) | {mode.ends: 1, "posts": 1} == asdict(report)
    assert len(teams.requests) == (0 if mode.url else 1)
    failed = await row(conn, alert_id)
    assert (failed["last_error"], failed["lease_token"]) == (mode.error, None)
    assert failed["status"] == {"retried": WAITING, "dead": DEAD, "sent": SENT}[mode.ends]
    counted = await outbox.count_alerts(conn)
    assert (counted.waiting, counted.dead) == (mode.ends == "retried", mode.ends == "dead")
    rows = await conn.fetch(
        "SELECT a::text AS text FROM alert_outbox a UNION ALL SELECT b::text FROM beats b"
    )
    seen = [caplog.text, *capfd.readouterr(), repr(report), repr(config), *(r["text"] for r in rows)]
    assert all(SIGNATURE.lower() not in text.lower() for text in seen)
    if mode.error:
        assert mode.error in caplog.text
