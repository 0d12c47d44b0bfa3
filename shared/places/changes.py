"""What an owner does to a place, each in one transaction with the work that follows from it.

Lock order: jobs before places. The refreshes are enqueued, or the running ones held, before the facts change, so that
a job which reads the facts meanwhile is followed by one that reads the new ones.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from shared.db import Connection
from shared.jobs.models import Dependency, JobType, NewJob
from shared.jobs.queue import cancel_place, enqueue
from shared.jobs.refresh import enqueue_refresh
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
    """Rolls one try back: a refresh that nothing needs, or one that is missing."""


async def change_facts(conn: Connection, place_id: UUID, change: Change) -> Changed:
    """Apply the change, with COPY and BUILD in the same transaction when it moves what a generated page shows.

    Raises `PlaceGoneError` and `UnknownFactError`; then nothing is written. The caller wakes the claimer after commit
    if `refreshes` is not empty.
    """
    async with conn.transaction():
        refresh = await repository.was_generated(conn, place_id)
        while True:
            with suppress(_TakeBackError):
                return await _try(conn, place_id, change, refresh=refresh)
            refresh = not refresh


async def _try(conn: Connection, place_id: UUID, change: Change, *, refresh: bool) -> Changed:
    async with conn.transaction():
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
    async with conn.transaction():
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
        given = intake.model_fields_set
        change = Change(
            facts=facts,
            locale=intake.locale if "locale" in given else None,
            aliases=intake.aliases if "aliases" in given else None,
            accept_website=intake.accept_website if "accept_website" in given else None,
        )
        refreshes: list[UUID] = []
        if created:
            await repository.record_facts(conn, place_id, facts)
        else:
            refreshes = (await change_facts(conn, place_id, change)).refreshes
        urls = [photo for photo in intake.photos if "://" in photo]
        if urls:
            added = await add_photo_urls(conn, place_id, urls)
            refreshes += added.jobs
        return Registered(place_id, created, refreshes)


@dataclass(frozen=True)
class PhotosAdded:
    """The photos that are new, and the jobs that fetch, look at and publish them."""

    photos: list[Photo]
    known: int
    jobs: list[UUID]


async def add_photo_urls(conn: Connection, place_id: UUID, urls: Sequence[str]) -> PhotosAdded:
    """Photos of the owner's by address, fetched by COLLECT. Raises `PlaceGoneError`."""
    new = [NewPhoto(channel=OWNER, source_url=url, confirmed=True) for url in dict.fromkeys(urls)]
    return await _add_photos(conn, place_id, new, (JobType.COLLECT, JobType.VISION, JobType.BUILD))


async def add_uploaded_photo(conn: Connection, place_id: UUID, photo: NewPhoto) -> PhotosAdded:
    """A photo of the owner's whose bytes stand in the media store already. Raises `PlaceGoneError`."""
    return await _add_photos(conn, place_id, [photo], (JobType.VISION, JobType.BUILD))


async def _add_photos(
    conn: Connection, place_id: UUID, new: Sequence[NewPhoto], chain: Sequence[JobType]
) -> PhotosAdded:
    async with conn.transaction():
        generated = await repository.was_generated(conn, place_id)
        jobs = await _enqueue_chain(conn, place_id, chain) if generated else []
        await repository.lock_place(conn, place_id)
        position = await repository.next_photo_position(conn, place_id)
        added: list[Photo] = []
        for photo in new:
            stored = await repository.add_photo(
                conn, place_id, photo.model_copy(update={"position": position + len(added)})
            )
            if stored is not None:
                added.append(stored)
        if added:
            await repository.bump_page(conn, place_id)
        return PhotosAdded(added, len(new) - len(added), jobs)


async def _enqueue_chain(conn: Connection, place_id: UUID, chain: Sequence[JobType]) -> list[UUID]:
    """One refresh of each type, each after the one before; those active already serve as they are."""
    jobs: list[UUID] = []
    for job_type in chain:
        result = await enqueue(
            conn,
            NewJob(
                job_type,
                place_id=place_id,
                dedupe_key=f"{job_type.name}:{place_id}",
                depends_on=[Dependency(job) for job in jobs[-1:]],
            ),
        )
        jobs.append(result.job_id)
    return jobs


async def delete_place(conn: Connection, place_id: UUID) -> bool:
    """Delete the place: its jobs are cancelled without alerts, its page is taken down by a BUILD. False: it was gone.

    The caller wakes the claimer after commit.
    """
    async with conn.transaction():
        generated = await repository.was_generated(conn, place_id)
        await cancel_place(conn, place_id)
        if not await repository.mark_deleted(conn, place_id):
            return False
        if generated:
            # A BUILD that runs right now may still publish: the page comes down when it has stopped.
            running = await conn.fetch(SQL.running_builds, place_id, JobType.BUILD)
            await enqueue(
                conn,
                NewJob(
                    JobType.BUILD,
                    {"unpublish": True},
                    place_id,
                    dedupe_key=f"{JobType.BUILD.name}:{place_id}:unpublish",
                    depends_on=[Dependency(row["job_id"]) for row in running],
                ),
            )
        return True
