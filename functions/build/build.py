"""BUILD: read what is confirmed, make the page, look at it, publish it, bring the origin's root up to date."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from functions.build.gate import Finding, check
from functions.build.images import BrokenPhotoError, DerivedPhoto, derive
from functions.build.page import current_text, missing_for_page, page_addresses, page_photos, page_view
from functions.build.publish import ASSETS, content_hash, publish, standing_assets, unpublish
from functions.build.render import render
from functions.build.root_files import sites_changed, write_root_files
from functions.build.target import SiteTarget, TargetBusyError, site_target
from functions.build.unconfirmed import Needle, needles
from functions.build.view import PageView
from shared.alerts.outbox import raise_alert
from shared.alerts.wording import wording
from shared.jobs.errors import PermanentJobError, Snooze
from shared.jobs.models import Job
from shared.jobs.types.build import BuildPayload
from shared.places import repository
from shared.places.media import MediaMissingError, MediaStore, media_store
from shared.places.models import ConfirmedFacts, Copy, Locale, Photo, Place, Site
from shared.places.rendering import RENDER_VERSION
from shared.places.slugs import slug as slug_of
from shared.runtime import JobContext

LOCK_WAIT = 20.0  # seconds for another build of the same place; its photos may take that long
BUSY_SNOOZE = 10.0  # seconds


@dataclass(frozen=True)
class _Read:
    """Everything the page rests on, read in one go."""

    place: Place
    facts: ConfirmedFacts
    forbidden: list[Needle]
    photos: list[Photo]
    copy: Copy | None
    site: Site | None
    now: datetime


@dataclass(frozen=True)
class _Documents:
    """The rendered page: documents in the order in which they are replaced, and what the gate says of them."""

    pages: dict[str, bytes]
    content: str
    findings: list[Finding]


@dataclass
class _Work:
    """One build under way."""

    ctx: JobContext
    target: SiteTarget
    read: _Read
    slug: str
    notes: list[str] = field(default_factory=list)
    told: int = 0

    async def tell(self, step: str) -> None:
        """Say which step begins: one a photo, then page, publish, root."""
        await self.ctx.progress(step=step, done=self.told, total=len(self.read.photos) + 3)
        self.told += 1


async def build(job: Job, ctx: JobContext) -> dict[str, Any]:
    """Publish the place's page, or say why not.

    The result is one of: published (`published`, `changed`, `slug`, `path`, `url`, `files`, `bytes`, `page_version`,
    `notes`); not enough confirmed facts (`published: false`, `missing`), where a page that stood is taken down, since it
    says what is confirmed no more; not through the gate (`published: false`, `gate`), where the old page stays and an
    alert is raised; taken down (`published: false`, `unpublished: true`).
    """
    if job.place_id is None:
        raise PermanentJobError("a BUILD job names a place")
    payload: BuildPayload = ctx.payload
    target = site_target(ctx.settings)
    try:
        if payload.unpublish:
            return await _take_down(job.place_id, ctx, target)
        return await _build(job, job.place_id, ctx, target)
    except TargetBusyError as busy:
        raise Snooze(BUSY_SNOOZE, str(busy)) from busy


async def _build(job: Job, place_id: UUID, ctx: JobContext, target: SiteTarget) -> dict[str, Any]:
    read = await _read(place_id, ctx)
    missing = missing_for_page(read.facts)
    if missing:
        return await _not_enough(read, missing, ctx, target)
    slug = await _slug(read, ctx)
    work = _Work(ctx, target, read, slug)
    async with target.lock(slug, LOCK_WAIT):
        result = await _publish(job, work)
    if result["published"]:
        await work.tell("root")
        await write_root_files(ctx, target)
    return result


async def _read(place_id: UUID, ctx: JobContext) -> _Read:
    async with ctx.reading() as conn:
        place = await repository.get_place(conn, place_id)
        if place is None:
            raise PermanentJobError(f"place {place_id} is deleted or unknown")
        facts = await repository.confirmed_facts(conn, place_id)
        everything = await repository.all_facts(conn, place_id)
        photos = await repository.list_photos(conn, place_id)
        copy = await repository.current_copy(conn, place_id)
        site = await repository.get_site(conn, place_id)
        now: datetime = await conn.fetchval("SELECT now()")
    return _Read(place, facts, needles(place, facts, everything), page_photos(photos), copy, site, now)


async def _slug(read: _Read, ctx: JobContext) -> str:
    if read.site is not None:
        return read.site.slug
    wanted = slug_of(str(read.facts.value("name")))
    async with ctx.fenced() as conn:
        return await repository.reserve_slug(conn, read.place.place_id, wanted)


async def _publish(job: Job, work: _Work) -> dict[str, Any]:
    ctx, target, read, slug = work.ctx, work.target, work.read, work.slug
    photos = await _photos(work)
    await work.tell("page")
    documents = await _documents(work, photos)
    if documents.findings:
        return await _refused(job, work, documents.findings)
    async with ctx.fenced() as conn:
        # Under the lock: a deletion that commits after this waits with its unpublishing until the page is out.
        if await repository.get_place(conn, read.place.place_id) is None:
            raise PermanentJobError(f"place {read.place.place_id} was deleted meanwhile")
        site = await repository.get_site(conn, read.place.place_id)
    if site is not None and _is_newer(site, read.place):
        return _result(work, changed=False, page_version=site.page_version) | {"superseded": True}
    await work.tell("publish")
    names = frozenset(name for _, photo in photos for name in photo.names)
    published = await asyncio.to_thread(
        publish, target, slug, documents.pages, names, documents.content, read.now
    )
    async with ctx.fenced() as conn:
        changed = await repository.save_site(
            conn,
            read.place.place_id,
            content_hash=documents.content,
            render_version=RENDER_VERSION,
            page_version=read.place.page_version,
        )
        if changed:
            await sites_changed(conn)
    return _result(work, changed=changed, page_version=read.place.page_version) | {
        "files": published.files,
        "bytes": published.bytes,
    }


def _is_newer(site: Site, place: Place) -> bool:
    """Whether a build that saw more than this one has published meanwhile."""
    stands = site.content_hash is not None and site.unpublished_at is None
    return stands and site.page_version is not None and site.page_version > place.page_version


def _result(work: _Work, *, changed: bool, page_version: int | None) -> dict[str, Any]:
    place, origin = work.read.place, work.ctx.settings.site_origin
    return {
        "published": True,
        "changed": changed,
        "slug": work.slug,
        "path": work.target.location(work.slug),
        "url": page_addresses(origin, work.slug, place.locale, place.locale).own,
        "page_version": page_version,
        "notes": work.notes,
    }


async def _photos(work: _Work) -> list[tuple[Photo, DerivedPhoto]]:
    """The page's photos with their assets in place; one that cannot be read is left out with a note."""
    if not work.read.photos:
        return []
    store = media_store(work.ctx.settings)
    standing = await asyncio.to_thread(standing_assets, work.target, work.slug)
    shown: list[tuple[Photo, DerivedPhoto]] = []
    for photo in work.read.photos:
        await work.tell("photo")
        try:
            shown.append((photo, await _photo(photo, store, standing, work)))
        except (BrokenPhotoError, MediaMissingError) as error:
            work.notes.append(f"photo {photo.photo_id} left out: {error}")
    return shown


async def _photo(photo: Photo, store: MediaStore, standing: frozenset[str], work: _Work) -> DerivedPhoto:
    original = await store.get(photo.media_key or "")
    derived, made = await derive(photo.photo_id, photo.sha256 or "", original, standing)
    for name, data in made.items():
        await asyncio.to_thread(work.target.replace, f"{work.slug}/{ASSETS}{name}", data)
    return derived


async def _documents(work: _Work, photos: list[tuple[Photo, DerivedPhoto]]) -> _Documents:
    """The page with its text; without what others wrote, where a value that nobody confirmed stands in that."""
    text = current_text(work.read.copy, work.read.facts)
    if text is None and work.read.copy is not None:
        work.notes.append("the text was written from other facts than are confirmed now: left out")
    made = await asyncio.to_thread(_made, work, text, photos)
    if not any(finding.code == "unconfirmed" for finding in made.findings):
        return made
    bare = [(photo.model_copy(update={"vision": None}), image) for photo, image in photos]
    again = await asyncio.to_thread(_made, work, None, bare)
    if not again.findings:
        work.notes.append("the text or a photo's description held a value nobody confirmed: left out")
    return again


def _made(work: _Work, text: Copy | None, photos: list[tuple[Photo, DerivedPhoto]]) -> _Documents:
    place, facts, origin = work.read.place, work.read.facts, work.ctx.settings.site_origin
    main = place.locale
    other: Locale = "en" if main == "ko" else "ko"
    pages: dict[str, bytes] = {}
    substance: dict[str, bytes] = {}
    for path, locale in ((f"{other}/index.html", other), ("index.html", main)):
        view = page_view(place, facts, text, photos, slug=work.slug, origin=origin, locale=locale)
        pages[path] = render(view, facts)
        substance[path] = render(_undated(view), facts)
    assets = {ASSETS + name for _, photo in photos for name in photo.names}
    return _Documents(pages, content_hash(substance), check(pages, assets, origin, work.read.forbidden))


def _undated(view: PageView) -> PageView:
    """The page without the days on which its facts were last seen: seeing them again is no change of the page."""
    return replace(
        view, checked=None, sources=[replace(source, checked="", checked_at="") for source in view.sources]
    )


async def _refused(job: Job, work: _Work, findings: list[Finding]) -> dict[str, Any]:
    """The page did not pass: the old one stays, the operators hear of it. Trying again would make the same page."""
    place_id, config = work.read.place.place_id, work.ctx.settings
    gate = [finding.as_json() for finding in findings]
    first = findings[0]
    detail = {
        "job_id": str(job.job_id),
        "job_type": "BUILD",
        "place_id": str(place_id),
        "error": f"{first.code} in {first.file}: {first.message}",
        "gate": gate,
    }
    async with work.ctx.fenced() as conn:
        await raise_alert(
            conn,
            "publish_failed",
            wording(config.alert_locale).publish_failed,
            detail,
            key=f"publish_failed:{place_id}",
            window_seconds=config.alert_dedupe_minutes * 60,
        )
    return {
        "published": False,
        "gate": gate,
        "page_version": work.read.place.page_version,
        "notes": work.notes,
    }


async def _not_enough(read: _Read, missing: list[str], ctx: JobContext, target: SiteTarget) -> dict[str, Any]:
    place_id = read.place.place_id

    async def save() -> None:
        async with ctx.fenced() as conn:
            await repository.save_site_missing(conn, place_id, missing)
            if await repository.save_site_unpublished(conn, place_id) is not None:
                await sites_changed(conn)

    removed = await _remove(read.site, ctx, target, save)
    return {
        "published": False,
        "missing": missing,
        "page_version": read.place.page_version,
        "removed": removed,
    }


async def _take_down(place_id: UUID, ctx: JobContext, target: SiteTarget) -> dict[str, Any]:
    async with ctx.reading() as conn:
        site = await repository.get_site(conn, place_id)

    async def save() -> None:
        async with ctx.fenced() as conn:
            if await repository.save_site_unpublished(conn, place_id) is not None:
                await sites_changed(conn)

    removed = await _remove(site, ctx, target, save)
    return {"published": False, "unpublished": True, "removed": removed}


async def _remove(
    site: Site | None, ctx: JobContext, target: SiteTarget, save: Callable[[], Awaitable[None]]
) -> int:
    """Take away the place's files, then say so in the database, then at the root; how many files there were."""
    if site is None:
        await save()
        return 0
    async with target.lock(site.slug, LOCK_WAIT):
        removed = await asyncio.to_thread(unpublish, target, site.slug)
        await save()
    if site.published_at is not None:
        await write_root_files(ctx, target)
    return removed
