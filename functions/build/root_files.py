"""`robots.txt` and `sitemap.xml` at the origin's root, and nowhere else.

The set of published pages moves only in a transaction that also raises the sitemap's version (`site_roots`), so a
version names one set. Whoever finds a version that nobody has marked as written reads the set, writes the file and
marks that version; if it has moved meanwhile the mark does not take, and the writer writes again. A writer that dies
leaves the version unmarked, and the next build of any place writes. The target's lock keeps a slow writer from
putting an older file over a newer one.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from xml.sax.saxutils import escape

from functions.build.page import page_addresses
from functions.build.target import ROOT, SiteTarget
from shared.db import Connection
from shared.places import repository
from shared.places.models import Locale, PublishedSite
from shared.runtime import JobContext
from shared.sql import Statements

SQL = Statements(Path(__file__).parent / "sql")
ROBOTS, SITEMAP = "robots.txt", "sitemap.xml"
ROOT_WAIT = 20.0  # seconds for others who write root files
SITES_A_FILE = 25_000  # sitemaps hold 50,000 addresses, a place has two

# By what a bot's fetches are for, as its operator states it.
SEARCH_BOTS = (
    "Googlebot",
    "Bingbot",
    "Yeti",  # Naver
    "Daum",
    "Daumoa",
    "OAI-SearchBot",
    "PerplexityBot",
    "Claude-SearchBot",
    "Applebot",
    "DuckDuckBot",
    "Amazonbot",
    # A token, not a bot. It also decides whether Google's own answers may rest on a page, which is what pages are for.
    "Google-Extended",
)
USER_BOTS = ("ChatGPT-User", "Perplexity-User", "Claude-User", "DuckAssistBot", "MistralAI-User")
# Facts of a place grow old; inside a model they cannot be corrected. No search or citation depends on these bots.
TRAINING_BOTS = (
    "GPTBot",
    "ClaudeBot",
    "CCBot",
    "Applebot-Extended",
    "Bytespider",
    "meta-externalagent",
)


async def sites_changed(conn: Connection) -> None:
    """In the transaction that publishes a page, changes it or takes it down: the sitemap has a new version."""
    await conn.execute(SQL.raise_root_version, SITEMAP)


async def write_root_files(ctx: JobContext, target: SiteTarget) -> list[str]:
    """Bring the root files up to date; the names of those written. Raises `TargetBusyError`, `LeaseLost`."""
    origin = ctx.settings.site_origin
    written = []
    async with target.lock(ROOT, ROOT_WAIT):
        if await asyncio.to_thread(_put, target, ROBOTS, robots_txt(origin)):
            written.append(ROBOTS)
            async with ctx.fenced() as conn:
                await conn.execute(SQL.save_root_hash, ROBOTS, _hash(robots_txt(origin)))
        while (found := await _unwritten(ctx, target)) is not None:
            version, sites = found
            files = await asyncio.to_thread(sitemap_files, origin, sites)
            for name, data in files.items():
                if await asyncio.to_thread(_put, target, name, data):
                    written.append(name)
            async with ctx.fenced() as conn:
                marked = await conn.fetchval(SQL.mark_root_written, SITEMAP, version, _hash(files[SITEMAP]))
            if marked is not None:
                break
    return list(dict.fromkeys(written))


async def _unwritten(ctx: JobContext, target: SiteTarget) -> tuple[int, list[PublishedSite]] | None:
    """The version that waits to be written and the pages of it; None when the newest one stands."""
    there = await asyncio.to_thread(target.read, SITEMAP)
    async with ctx.fenced() as conn:
        version: int = await conn.fetchval(SQL.lock_root_version, SITEMAP)
        written: str | None = await conn.fetchval(SQL.root_hash, SITEMAP)
        if written is not None and there is not None and written == _hash(there):
            return None
        return version, await repository.published_sites(conn)


def robots_txt(origin: str) -> bytes:
    """Search and answer engines and fetches for a user are welcome by name; collecting for training is not.

    Bots nobody names here may read everything.
    """
    groups = [
        ("Search and answer engines", SEARCH_BOTS, "Allow: /"),
        ("Fetched for a person who asked", USER_BOTS, "Allow: /"),
        ("Collected for training models", TRAINING_BOTS, "Disallow: /"),
        ("Everyone else", ("*",), "Allow: /"),
    ]
    parts = [
        "\n".join([f"# {title}", *(f"User-agent: {bot}" for bot in bots), rule])
        for title, bots, rule in groups
    ]
    return ("\n\n".join([*parts, f"Sitemap: {origin.rstrip('/')}/{SITEMAP}"]) + "\n").encode()


def sitemap_files(origin: str, sites: Sequence[PublishedSite]) -> dict[str, bytes]:
    """`sitemap.xml`; past 25,000 places it is an index of `sitemap-1.xml`, `sitemap-2.xml`, … that come before it."""
    if len(sites) <= SITES_A_FILE:
        return {SITEMAP: _urlset(origin, sites)}
    files = {
        f"sitemap-{number}.xml": _urlset(origin, sites[start : start + SITES_A_FILE])
        for number, start in enumerate(range(0, len(sites), SITES_A_FILE), 1)
    }
    entries = "".join(
        f"<sitemap><loc>{escape(origin.rstrip('/'))}/{name}</loc></sitemap>\n" for name in files
    )
    return {**files, SITEMAP: _document("sitemapindex", "", entries)}


def _urlset(origin: str, sites: Sequence[PublishedSite]) -> bytes:
    return _document(
        "urlset",
        ' xmlns:xhtml="http://www.w3.org/1999/xhtml"',
        "".join(_urls(origin, site) for site in sites),
    )


def _document(name: str, attributes: str, content: str) -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<{name} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"{attributes}>\n{content}</{name}>\n'
    ).encode()


def _urls(origin: str, site: PublishedSite) -> str:
    other: Locale = "en" if site.locale == "ko" else "ko"
    links = page_addresses(origin, site.slug, site.locale, site.locale)
    alternates = "".join(
        f'<xhtml:link rel="alternate" hreflang="{language}" href="{escape(address)}"/>\n'
        for language, address in (*links.alternates.items(), ("x-default", links.default))
    )
    return "".join(
        f"<url>\n<loc>{escape(links.alternates[locale])}</loc>\n<lastmod>{_moment(site.changed_at)}</lastmod>\n"
        f"{alternates}</url>\n"
        for locale in (site.locale, other)
    )


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _put(target: SiteTarget, path: str, data: bytes) -> bool:
    if target.read(path) == data:
        return False
    target.replace(path, data)
    return True


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
