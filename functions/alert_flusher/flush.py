"""One run of the alert flusher: claims what is due, posts it, marks it.

Killed at any point it loses nothing: what it held comes back when its lease runs out. A row is posted twice only when
the flusher dies between Teams' answer and the mark.
"""

import logging
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Literal

from functions.alert_flusher.watch import watch_reaper
from shared.alerts import outbox
from shared.alerts.card import alert_message, encoded, summary_message
from shared.alerts.outbox import Claim, DueAlert
from shared.alerts.teams import POST_TIMEOUT, TeamsRefusedError, TeamsUnavailableError, TeamsWebhook
from shared.db import Connection
from shared.secrets import secret
from shared.settings import Settings

CLAIM_LIMIT = 1_000  # rows a claim: of one kind they become one card
TOGETHER = 10  # more than so many due of one kind become one card
_LEASE_LEFT = POST_TIMEOUT + 2.0  # seconds of a row's lease without which it is not posted any more
FAILURES_IN_A_ROW = 3  # then Teams is taken to be away, and the rest waits for the next run
RUN_SECONDS = 40.0  # of the function's 55; a post begun at the end still has its time

_log = logging.getLogger(__name__)


@dataclass
class Report:
    """What a run did, in rows but for `posts`. `waiting` and `dead_in_all` are the outbox's afterwards."""

    webhook: Literal["configured", "missing"]
    posts: int = 0
    sent: int = 0
    retried: int = 0
    dead: int = 0
    lost: int = 0  # no longer this run's when it came to be posted or marked
    pruned: int = 0
    waiting: int = 0
    dead_in_all: int = 0


@dataclass(frozen=True)
class _Post:
    """One message to be: a single alert, or many of one kind."""

    alerts: Sequence[DueAlert]

    def body(self, settings: Settings) -> bytes:
        locale, console = settings.alert_locale, settings.console_url.rstrip("/")
        if len(self.alerts) > 1:
            return encoded(summary_message(self.alerts, locale=locale, console_url=console))
        return encoded(alert_message(self.alerts[0], locale=locale, console_url=console))


@dataclass
class _Run:
    conn: Connection
    settings: Settings
    report: Report
    ends_at: float
    failures: int = 0
    hold_for: float = field(default=0.0)  # seconds Teams asked everyone to wait

    @property
    def over(self) -> bool:
        return self.hold_for > 0 or self.failures >= FAILURES_IN_A_ROW or time.monotonic() >= self.ends_at


async def run_once(
    conn: Connection, settings: Settings, *, seconds: float = RUN_SECONDS, post_timeout: float = POST_TIMEOUT
) -> Report:
    """Post what is due until nothing is or `seconds` are over. Without a webhook rows wait untouched."""
    url = secret(settings.teams_webhook_url, settings.teams_webhook_secret_arn)
    report = Report("missing" if url is None else "configured")
    await watch_reaper(conn, settings)
    if url is not None:
        run = _Run(conn, settings, report, time.monotonic() + seconds)
        zone = await outbox.known_zone(conn, settings.alert_timezone)
        if zone != settings.alert_timezone:
            _log.error("ALERT_TIMEZONE is no time zone that PostgreSQL knows; times are told in UTC")
        async with TeamsWebhook(url, timeout=post_timeout) as teams:
            while not run.over:
                claim = await outbox.claim_due(conn, CLAIM_LIMIT, zone=zone)
                if not claim.alerts:
                    break
                await _post_all(run, teams, claim)
    report.pruned = await outbox.prune_alerts(conn, settings.job_retention_days)
    counts = await outbox.count_alerts(conn)
    report.waiting, report.dead_in_all = counts.waiting, counts.dead
    await outbox.beat(conn, asdict(report))
    return report


async def _post_all(run: _Run, teams: TeamsWebhook, claim: Claim) -> None:
    for post in _posts(claim.alerts):
        if run.over:
            for alert in post.alerts:
                await claim.give_back(run.conn, alert, run.hold_for)
        else:
            await _post(run, teams, claim, post)


def _posts(alerts: Sequence[DueAlert]) -> Iterator[_Post]:
    """A kind with more than `TOGETHER` rows as one post, the others one by one, in the order they came due."""
    by_kind = sorted(alerts, key=lambda alert: alert.kind)
    for _, group in groupby(by_kind, key=lambda alert: alert.kind):
        of_kind = list(group)
        if len(of_kind) > TOGETHER:
            yield _Post(of_kind)
        else:
            yield from (_Post([alert]) for alert in of_kind)


async def _post(run: _Run, teams: TeamsWebhook, claim: Claim, post: _Post) -> None:
    report = run.report
    await teams.turn()
    held = await claim.still_held(run.conn, post.alerts, _LEASE_LEFT)
    report.lost += len(post.alerts) - len(held)
    if not held:
        return
    post = _Post(held)
    try:
        report.posts += 1
        await teams.post(post.body(run.settings))
    except TeamsUnavailableError as error:
        run.failures += 1
        if error.throttled or error.retry_after is not None:
            run.hold_for = max(error.retry_after or 0.0, 1.0)
        _log.warning("%s; %d alerts wait for the next try", error, len(post.alerts))
        for alert in post.alerts:
            delay = max(_backoff(alert.attempts + 1), error.retry_after or 0.0)
            hold = error.retry_after is not None
            report.retried += await claim.failed(run.conn, alert, str(error), delay, hold=hold)
    except TeamsRefusedError as error:
        run.failures = 0
        _log.error("%s; %d alerts are dead", error, len(post.alerts))
        for alert in post.alerts:
            report.dead += await claim.dead(run.conn, alert, str(error))
    else:
        run.failures = 0
        for alert in post.alerts:
            marked = await claim.sent(run.conn, alert)
            report.sent += marked
            report.lost += not marked


def _backoff(attempt: int) -> float:
    """Seconds before the next try: doubling from 5 to 600, with up to a tenth more so that rows spread out."""
    return float(min(600, 5 * 2 ** min(attempt - 1, 10))) * (1 + random.random() / 10)  # noqa: S311 - jitter
