"""What an owner does to a place, each in one transaction with the work that follows from it.

Lock order: jobs before places. The refreshes are enqueued, or the running ones held, before the facts change, so that
a job which reads the facts meanwhile is followed by one that reads the new ones.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from shared.db import Connection, transaction
from shared.jobs.models import Dependency, JobStatus, JobType, NewJob
from shared.jobs.queue import cancel_place, enqueue
from shared.jobs.refresh import enqueue_refresh, refresh_key
from shared.places import repository
from shared.places.confirmation import OWNER
from shared.places.intake import Intake, identity_keys, intake_facts
from shared.places.models import Locale, NewFact, NewPhoto, Photo, RecordReport
from shared.places.repository.statements import SQL


@dataclass(frozen=True)
class Change:
    """What the owner wants changed; what is left out stays as it is."""

    facts: Sequence[NewFact] = ()  # corrections, of the owner's channel
    confirm: Sequence[UUID] = ()
    reject: Sequence[UUID] = ()
    locale: Locale | None = None
    aliases: Sequence[str] | None = None
    accept_website: bool | None = None


@dataclass(frozen=True)
class Changed:
    """What came of it. `refreshes` are the jobs that follow, COPY's first; empty when no page is to change."""

    facts_version: int
    conflicts: list[str]
    refreshes: list[UUID] = field(default_factory=list)


class _TakeBackError(Exception):
    """Rolls one try back: what it was based on has changed."""


async def change_facts(conn: Connection, place_id: UUID, change: Change) -> Changed:
    """Apply the change, with COPY and BUILD in the same transaction when it moves what a generated page shows.

    Raises `PlaceGoneError` and `UnknownFactError`; then nothing is written. The caller wakes the claimer after commit
    if `refreshes` is not empty.
    """
    async with transaction(conn):
        refresh = await repository.was_generated(conn, place_id)
        while True:
            with suppress(_TakeBackError):
                return await _try(conn, place_id, change, refresh=refresh)
            refresh = not refresh


async def _try(conn: Connection, place_id: UUID, change: Change, *, refresh: bool) -> Changed:
    async with transaction(conn):
        refreshes = await enqueue_refresh(conn, place_id) if refresh else []
        report, shown = await _apply(conn, place_id, change)
        # What does not show, a rejection for one, is written without any refresh. And a generation that began meanwhile
        # is seen now, under the place's lock, which COPY must take to save its text.
        if refresh != (shown and await repository.was_generated(conn, place_id)):
            raise _TakeBackError
        return Changed(report.facts_version, report.conflicts, refreshes)


async def _apply(conn: Connection, place_id: UUID, change: Change) -> tuple[RecordReport, bool]:
    """Write the change; whether the page shows something else now."""
    place = await repository.lock_place(conn, place_id)
    wanted = {"locale": change.locale, "aliases": change.aliases, "accept_website": change.accept_website}
    different = {
        name: value for name, value in wanted.items() if value is not None and value != getattr(place, name)
    }
    if different:
        await repository.update_place(conn, place_id, **_typed(different))
    decided = await repository.decide_facts(conn, place_id, confirm=change.confirm, reject=change.reject)
    recorded = await repository.record_facts(conn, place_id, change.facts)
    facts_moved = decided.changed or recorded.changed
    shown = facts_moved or "locale" in different or "aliases" in different
    if shown and not facts_moved:
        await repository.bump_page(conn, place_id)
    return recorded, shown


def _typed(different: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if name == "aliases" else value for name, value in different.items()}


@dataclass(frozen=True)
class Registered:
    """The place an intake names. `created` is False when the owner had given it before."""

    place_id: UUID
    created: bool
    refreshes: list[UUID]


async def register_place(conn: Connection, owner_id: UUID, intake: Intake) -> Registered:
    """The intake's place: made, or the owner's own of the same identity with the intake's facts merged into it.

    `intake.photos` that are URLs are added as the owner's. Raises `IntakeError`.
    """
    facts = intake_facts(intake)
    async with transaction(conn):
        place_id, created = await repository.find_or_create_place(
            conn,
            owner_id,
            identity_keys=identity_keys(intake),
            name=intake.name,
            locale=intake.locale,
            region_code=intake.region_code,
            aliases=intake.aliases,
            accept_website=intake.accept_website,
        )
        if created:
            await repository.record_facts(conn, place_id, facts)
            jobs: list[UUID] = []
        else:
            jobs = (await change_facts(conn, place_id, _merged(intake, facts))).refreshes
    # Jobs before places: the photos' own job is locked in a transaction of its own. Dying in between loses nothing that
    # giving the place again does not bring.
    urls = [photo for photo in intake.photos if "://" in photo]
    if urls:
        jobs = jobs + (await add_photo_urls(conn, place_id, urls)).jobs
    return Registered(place_id, created, jobs)


def _merged(intake: Intake, facts: Sequence[NewFact]) -> Change:
    """What an intake of a known place changes: what it states, not what it leaves to its defaults."""
    given = intake.model_fields_set
    return Change(
        facts=facts,
        locale=intake.locale if "locale" in given else None,
        aliases=intake.aliases if "aliases" in given else None,
        accept_website=intake.accept_website if "accept_website" in given else None,
    )


@dataclass(frozen=True)
class PhotosAdded:
    """The photos that are new, and the VISION that fetches and looks at them, whose end has the page built."""

    photos: list[Photo]
    known: int
    jobs: list[UUID]


async def add_photo_urls(conn: Connection, place_id: UUID, urls: Sequence[str]) -> PhotosAdded:
    """Photos of the owner's by address, fetched by VISION. Raises `PlaceGoneError`."""
    new = [NewPhoto(channel=OWNER, source_url=url, confirmed=True) for url in dict.fromkeys(urls)]
    return await _add_photos(conn, place_id, new)


async def add_uploaded_photo(conn: Connection, place_id: UUID, photo: NewPhoto) -> PhotosAdded:
    """A photo of the owner's whose bytes stand in the media store already. Raises `PlaceGoneError`."""
    return await _add_photos(conn, place_id, [photo])


async def _add_photos(conn: Connection, place_id: UUID, new: Sequence[NewPhoto]) -> PhotosAdded:
    known = {
        seen
        for photo in await repository.list_photos(conn, place_id)
        for seen in (photo.source_url, photo.sha256 if photo.source_url is None else None)
    }
    fresh = [photo for photo in new if (photo.source_url or photo.sha256) not in known]
    if not fresh:
        return PhotosAdded([], len(new), [])
    async with transaction(conn):
        generated = await repository.was_generated(conn, place_id)
        jobs = [await _look_after(conn, place_id)] if generated else []
        await repository.lock_place(conn, place_id)
        position = await repository.next_photo_position(conn, place_id)
        added: list[Photo] = []
        for photo in fresh:
            placed = photo.model_copy(update={"position": position + len(added)})
            stored = await repository.add_photo(conn, place_id, placed)
            if stored is not None:
                added.append(stored)
        if added:
            await repository.bump_page(conn, place_id)
        return PhotosAdded(added, len(new) - len(added), jobs)


async def _look_after(conn: Connection, place_id: UUID) -> UUID:
    """A VISION of the place that starts after this transaction has committed: one that waits, else a new one.

    One that runs may have read the photos already, so the new one follows it.
    """
    while True:
        active = await conn.fetch(SQL.hold_looks, place_id, JobType.VISION)
        waiting = [row["job_id"] for row in active if row["status"] == JobStatus.PENDING]
        if waiting:
            return UUID(str(waiting[0]))
        key = refresh_key(JobType.VISION, place_id)
        enqueued = await enqueue(
            conn,
            NewJob(
                JobType.VISION,
                place_id=place_id,
                dedupe_key=f"{key}:after:{active[-1]['job_id']}" if active else key,
                depends_on=[Dependency(row["job_id"]) for row in active],
            ),
        )
        if enqueued.created:
            return enqueued.job_id
        # Another enqueued one meanwhile: hold that one.


async def delete_place(conn: Connection, place_id: UUID) -> bool:
    """Delete the place: its jobs are cancelled without alerts, its page is taken down by a BUILD. False: it was gone.

    The caller wakes the claimer after commit.
    """
    async with transaction(conn):
        while True:
            try:
                await _try_delete(conn, place_id)
            except repository.PlaceGoneError:
                return False
            except _TakeBackError:
                continue
            return True


async def _try_delete(conn: Connection, place_id: UUID) -> None:
    async with transaction(conn):
        generated = await repository.was_generated(conn, place_id)
        await cancel_place(conn, place_id)
        if not await repository.mark_deleted(conn, place_id):
            # Whoever deleted it first has a BUILD under way, which is not to be cancelled either.
            raise repository.PlaceGoneError(place_id)
        if await conn.fetchval(SQL.active_jobs, place_id):
            # Enqueued by a change that held the place while we waited for it: from here they can be seen and cancelled.
            raise _TakeBackError
        if generated:
            # A BUILD that runs right now may still publish: the page comes down when it has stopped.
            running = await conn.fetch(SQL.running_builds, place_id, JobType.BUILD)
            await enqueue(
                conn,
                NewJob(
                    JobType.BUILD,
                    {"unpublish": True},
                    place_id,
                    dedupe_key=f"{refresh_key(JobType.BUILD, place_id)}:unpublish",
                    depends_on=[Dependency(row["job_id"]) for row in running],
                ),
            )
