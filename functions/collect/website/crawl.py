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
from shared.http import GuardedClient, HttpFailure

PAGES = 10  # of one site, the first one included
PAGE_BYTES = 3_000_000  # decoded
PAGE_SECONDS = 20.0
_TYPES = ("text/html", "application/xhtml+xml")
_LOOPBACK = frozenset(["127.0.0.1", "::1", "localhost"])


@dataclass
class Crawl:
    """The pages that were read, and what stood in the way of others.

    `failure` is the first page's when there is none at all, else the last that cost a page. `own` is False when the
    address led to another site.
    """

    pages: list[Page] = field(default_factory=list)
    failure: HttpFailure | None = None
    own: bool = True
    status: int | None = None
    notes: list[DiagnosticCode] = field(default_factory=list)


async def crawl(
    client: GuardedClient,
    website: str,
    *,
    seconds: float,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Crawl:
    """Reads the first page and up to nine of its host that are likely to tell hours, menu, way and contact.

    `pause` waits some seconds between two requests.
    """
    visit = _Visit(client, website, seconds, pause)
    await visit.run()
    return visit.crawl


class _Visit:
    def __init__(
        self, client: GuardedClient, website: str, seconds: float, pause: Callable[[float], Awaitable[None]]
    ) -> None:
        self.crawl = Crawl()
        self._client = client
        self._website = website
        self._pause = pause
        self._ends = time.monotonic() + seconds
        self._rules: dict[str, robots.Rules] = {}
        self._seen: set[str] = set()
        self._last: dict[str, float] = {}  # when each host was asked last

    async def run(self) -> None:
        waiting = [self._website]
        while waiting and len(self.crawl.pages) < PAGES:
            url = waiting.pop(0)
            if page_key(url) in self._seen:
                continue
            self._seen.add(page_key(url))
            if self._left() <= 1:
                self.crawl.notes.append("out_of_time")
                break
            try:
                page = await self._read(url)
            except HttpFailure as failure:
                self.crawl.failure = failure
                self.crawl.status = failure.status or self.crawl.status
                if not self.crawl.pages or failure.code == "rate_limited" or failure.retry_after is not None:
                    break  # asking on would be rude, or pointless
                continue
            if page is None:
                continue
            first = not self.crawl.pages
            self.crawl.pages.append(page)
            self._seen.add(page_key(page.url))
            if first:
                self.crawl.own = same_site(page.url, self._website)
            if (
                first or self.crawl.pages[0].is_empty
            ):  # behind a frameset or a forwarding page the links come later
                waiting += page.links

    async def _read(self, url: str) -> Page | None:
        await self._permitted(url)
        await self._wait(url)
        fetched = await self._client.get(
            url, max_bytes=PAGE_BYTES, accept=_TYPES, timeout=min(PAGE_SECONDS, self._left())
        )
        self.crawl.status = fetched.status
        if self._origin(fetched.final_url) != self._origin(url):
            await self._permitted(fetched.final_url)
        return await asyncio.to_thread(read_page, fetched)

    async def _permitted(self, url: str) -> None:
        origin = self._origin(url)
        if origin not in self._rules:
            self._rules[origin] = await robots.load(self._client, origin)
            self._last[origin] = time.monotonic()
        if not self._rules[origin].allows(url):
            raise HttpFailure("robots", f"robots.txt of {origin} does not allow the page", retryable=False)

    async def _wait(self, url: str) -> None:
        """Keeps the distance between two requests to a host; none to the machine itself where that is an exception."""
        origin = self._origin(url)
        if urlsplit(url).hostname in _LOOPBACK and self._client.is_allowed_exception(url):
            return
        seconds = self._last[origin] + self._rules[origin].delay - time.monotonic()
        if seconds > 0:
            await self._pause(min(seconds, max(0.0, self._left() - 1)))
        self._last[origin] = time.monotonic()

    def _left(self) -> float:
        return self._ends - time.monotonic()

    @staticmethod
    def _origin(url: str) -> str:
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc}"
