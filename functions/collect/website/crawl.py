"""Fetching a site's telling pages: politely, one at a time, within robots.txt and a budget of time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from functions.collect.diagnostics import DiagnosticCode
from functions.collect.website import robots
from functions.collect.website.links import page_key, same_site
from functions.collect.website.page import Page, read_page
from shared.http import REDIRECTS, GuardedClient, HttpFailure
from shared.places.normalise import is_sns

_TYPES = ("text/html", "application/xhtml+xml")
_LOOPBACK = frozenset(["127.0.0.1", "::1", "localhost"])
_LEAST_SECONDS = 1.0  # with less left nothing more is asked


@dataclass(frozen=True)
class Limits:
    """What one crawl takes at most."""

    pages: int = 10  # of one site, the first one included
    page_bytes: int = 3_000_000  # decoded
    page_seconds: float = 20.0
    robots_seconds: float = 15.0
    patience: float = 30.0  # seconds of a Retry-After that are waited for, once a crawl


LIMITS = Limits()
_GONE = frozenset([404, 410])


@dataclass
class Crawl:
    """The pages that were read, and what stood in the way of others.

    `failure` is the first page's when there is none at all, else the last that cost a page. `own` is False when the
    address led to another site, `whole` True when every page that was worth reading was read.
    """

    pages: list[Page] = field(default_factory=list)
    failure: HttpFailure | None = None
    own: bool = True
    whole: bool = False
    status: int | None = None
    notes: list[DiagnosticCode] = field(default_factory=list)


async def crawl(
    client: GuardedClient,
    website: str,
    *,
    seconds: float,
    limits: Limits = LIMITS,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Crawl:
    """Reads the first page and up to nine of its host that are likely to tell hours, menu, way and contact.

    `pause` waits some seconds between two requests.
    """
    visit = _Visit(client, website, seconds, limits, pause)
    await visit.run()
    return visit.crawl


class _Visit:
    def __init__(
        self,
        client: GuardedClient,
        website: str,
        seconds: float,
        limits: Limits,
        pause: Callable[[float], Awaitable[None]],
    ) -> None:
        self.crawl = Crawl()
        self._client = client
        self._website = website
        self._limits = limits
        self._pause = pause
        self._ends = time.monotonic() + seconds
        self._rules: dict[str, robots.Rules] = {}
        self._seen: set[str] = set()
        self._last: dict[str, float] = {}  # when each host was asked last
        self._patient = True

    async def run(self) -> None:
        waiting = [self._website]
        while waiting and len(self.crawl.pages) < self._limits.pages:
            url = waiting.pop(0)
            if page_key(url) in self._seen:
                continue
            self._seen.add(page_key(url))
            if self._left() <= _LEAST_SECONDS:
                self.crawl.notes.append("out_of_time")
                break
            try:
                page = await self._patiently(url)
            except HttpFailure as failure:
                if self.crawl.pages and failure.status in _GONE:
                    continue  # a dead link: that page says nothing, and the site is whole without it
                self.crawl.failure = failure
                self.crawl.status = failure.status or self.crawl.status
                if not self.crawl.pages or failure.code == "rate_limited" or failure.retry_after is not None:
                    break  # asking on would be rude, or pointless
                continue
            if page is not None:
                waiting += self._taken(page)
        crawled = self.crawl
        unread = any(page_key(url) not in self._seen for url in waiting)
        crawled.whole = not (unread or crawled.failure or crawled.notes)

    def _taken(self, page: Page) -> list[str]:
        """Keeps a page of the site; which ones to read next."""
        pages = self.crawl.pages
        on_the_way = not pages or pages[0].is_empty  # a frameset or a forwarding page: the site comes later
        if not same_site(page.url, self._website):
            if on_the_way:
                self.crawl.own = False
            elif not same_site(page.url, pages[0].url):
                self.crawl.notes.append("another_site")
                return []
        pages.append(page)
        self._seen.add(page_key(page.url))
        return page.links if on_the_way else []

    async def _patiently(self, url: str) -> Page | None:
        """The page, asked for a second time where the server names a short wait; None for what is no page of a site."""
        try:
            return await self._read(url)
        except HttpFailure as failure:
            wait = failure.retry_after
            bearable = min(self._limits.patience, self._left() - 2 * _LEAST_SECONDS)
            if not self._patient or not failure.retryable or wait is None or wait > bearable:
                raise
        self._patient = False
        await self._pause(wait)
        return await self._read(url)

    async def _read(self, url: str) -> Page | None:
        """The page behind an address. Every site that redirects lead to is asked for its rules first."""
        for _ in range(REDIRECTS + 1):
            await self._permitted(url)
            await self._wait(url)
            fetched = await self._client.get(
                url,
                max_bytes=self._limits.page_bytes,
                accept=_TYPES,
                timeout=max(0.0, min(self._limits.page_seconds, self._left())),
                leave=False,
            )
            self.crawl.status = fetched.status
            if not fetched.is_redirect:
                return await asyncio.to_thread(read_page, fetched)
            url = fetched.final_url
            if is_sns(url):  # a listing or a social page: not the place's own, and not to be crawled
                self.crawl.notes += ["another_site", "not_an_own_website"]
                return None
        raise HttpFailure("too_many_redirects", f"more than {REDIRECTS} redirects")

    async def _permitted(self, url: str) -> None:
        origin = self._origin(url)
        if origin not in self._rules:
            seconds = max(0.0, min(self._limits.robots_seconds, self._left()))
            self._rules[origin] = await robots.load(self._client, origin, seconds=seconds)
            self._last[self._host(url)] = time.monotonic()
        if not self._rules[origin].allows(url):
            raise HttpFailure("robots", f"robots.txt of {origin} does not allow the page", retryable=False)

    async def _wait(self, url: str) -> None:
        """Keeps the distance between two requests to a host; none to the machine itself where that is an exception."""
        host = self._host(url)
        if host in _LOOPBACK and self._client.is_allowed_exception(url):
            return
        seconds = self._last[host] + self._rules[self._origin(url)].delay - time.monotonic()
        if seconds > 0:
            await self._pause(min(seconds, max(0.0, self._left() - _LEAST_SECONDS)))
        self._last[host] = time.monotonic()

    def _left(self) -> float:
        return self._ends - time.monotonic()

    @staticmethod
    def _host(url: str) -> str:
        return urlsplit(url).hostname or ""

    @staticmethod
    def _origin(url: str) -> str:
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc}"
