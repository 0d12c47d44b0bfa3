"""The place's own website, under the address its owner confirmed."""

import time
from datetime import UTC, datetime, timedelta

from functions.collect.channels import ChannelOutcome, Known
from functions.collect.website.crawl import Crawl, crawl
from functions.collect.website.facts import CHANNEL, Gathered, gather
from functions.collect.website.pick import Subject
from shared.http import GuardedClient
from shared.places.normalise import address_key, is_sns
from shared.settings import Settings

_KOREAN_TIME = timedelta(hours=9)


class WebsiteChannel:
    """Crawls the website and reads its markup and text."""

    name = CHANNEL

    def enabled(self, settings: Settings, known: Known) -> bool:
        """Always: it needs no key."""
        return True

    async def collect(self, settings: Settings, known: Known, *, seconds: float) -> ChannelOutcome:
        """Up to ten pages. Network and parsing failures become the outcome's code.

        Skipped without a confirmed website, and where that is the place's page on somebody else's service.
        """
        began = time.monotonic()
        website = known.confirmed("website")
        if not isinstance(website, str):
            return ChannelOutcome("skipped", notes=["no_website"])
        if is_sns(website):
            return ChannelOutcome("skipped", notes=["not_an_own_website"])
        async with GuardedClient(
            user_agent=f"web4ai/1.0 (+{settings.crawl_contact})", allow=settings.crawl_allow
        ) as client:
            crawled = await crawl(client, website, seconds=seconds)
        today = (datetime.now(UTC) + _KOREAN_TIME).date()
        gathered = gather(crawled, _subject(known, website), today=today)
        return _outcome(crawled, gathered, round((time.monotonic() - began) * 1000))


def _subject(known: Known, website: str) -> Subject:
    owned = [fact for fact in known.facts if fact.confirmed and fact.value is not None]
    names = [known.place.name, *known.place.aliases]
    names += [str(fact.value) for fact in owned if fact.key in ("name", "name_en")]
    phones = frozenset(str(fact.value) for fact in owned if fact.key == "phone")
    buildings = (
        address_key(str(fact.value)) for fact in owned if fact.key in ("road_address", "lot_address")
    )
    return Subject(
        list(dict.fromkeys(names)), website, phones, frozenset(key for key in buildings if key is not None)
    )


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
        notes=gathered.notes,
    )
    if not crawled.pages:
        outcome.outcome = "failed" if failure else "empty"
    elif not gathered.facts and not gathered.photos:
        outcome.outcome = "empty"
    elif failure or "out_of_time" in crawled.notes:
        outcome.outcome = "partial"
    return outcome
