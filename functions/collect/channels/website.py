"""The place's own website, under the address its owner confirmed."""

import asyncio
import time
from datetime import UTC, datetime, timedelta

from functions.collect.channels import Asking, ChannelOutcome
from functions.collect.diagnostics import DiagnosticCode
from functions.collect.website.crawl import LIMITS, Crawl, Limits, crawl
from functions.collect.website.facts import CHANNEL, Gathered, gather
from shared.http import GuardedClient
from shared.places.normalise import is_sns

_KOREAN_TIME = timedelta(hours=9)


class WebsiteChannel:
    """Crawls the website, within the limits, and reads its markup and text."""

    name = CHANNEL

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits

    def skipped(self, ask: Asking) -> DiagnosticCode | None:
        """Without a confirmed website, and where that is the place's page on somebody else's service."""
        if not ask.subject.website:
            return "no_website"
        return "not_an_own_website" if is_sns(ask.subject.website) else None

    async def collect(self, ask: Asking) -> ChannelOutcome:
        """Up to ten pages. Network and parsing failures become the outcome's code."""
        began = time.monotonic()
        async with GuardedClient(
            user_agent=f"web4ai/1.0 (+{ask.settings.crawl_contact})", allow=ask.settings.crawl_allow
        ) as client:
            crawled = await crawl(client, ask.subject.website, seconds=ask.left(), limits=self._limits)
        today = (datetime.now(UTC) + _KOREAN_TIME).date()
        gathered = await asyncio.to_thread(gather, crawled, ask.subject, today=today)
        return _outcome(crawled, gathered, round((time.monotonic() - began) * 1000))


def _outcome(crawled: Crawl, gathered: Gathered, milliseconds: int) -> ChannelOutcome:
    failure = crawled.failure
    outcome = ChannelOutcome(
        outcome="ok",
        code=failure.code if failure else None,
        http_status=failure.status if failure and failure.status else crawled.status,
        milliseconds=milliseconds,
        pages=len(crawled.pages),
        facts=gathered.facts,
        photos=gathered.photos,
        retryable=failure.retryable if failure else False,
        whole=crawled.whole and bool(crawled.pages) and not gathered.notes,
        notes=gathered.notes,
    )
    if "out_of_time" in crawled.notes and failure is None:
        outcome.code, outcome.retryable = "out_of_time", True
    if not crawled.pages:
        outcome.outcome = "failed" if outcome.code else "empty"
    elif not gathered.facts and not gathered.photos:
        outcome.outcome = "empty"
    elif outcome.code:
        outcome.outcome = "partial"
    return outcome
