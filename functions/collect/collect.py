"""One COLLECT job: every channel is asked, everything it gave is stored, and how each went is the result."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from functions.collect.channels import Asking, Channel, ChannelOutcome, Known, all_channels
from functions.collect.keys import channel_keys
from functions.collect.matching import Subject
from functions.collect.pace import Pace
from shared.db import Connection
from shared.jobs.errors import PermanentJobError
from shared.jobs.models import Job
from shared.jobs.refresh import enqueue_refresh
from shared.jobs.wake import wake_claimer
from shared.places import repository
from shared.places.models import NewFact, RecordReport
from shared.places.normalise import address_key
from shared.runtime import JobContext, Outcome

_SAVING_SECONDS = 20.0  # kept of the deadline for writing
_CHANNEL_SECONDS = 150.0  # for the slowest channel: ten polite pages of a slow site


class CollectionFailed(Exception):
    """No source gave a fact, and the failures were of the kind that passes."""


async def collect(job: Job, ctx: JobContext) -> Outcome:
    """Gathers and stores facts and photos of the job's place.

    Raises `PermanentJobError` for a place that is gone, `CollectionFailed` when nothing is known of the place at all and
    a channel may do better later.
    """
    if job.place_id is None:
        raise PermanentJobError("a COLLECT job names a place")
    known = await _known(ctx, job.place_id)
    outcomes = await _ask(all_channels(), ctx, known)
    if not any(outcome.numbers()[0] for outcome in outcomes.values()):
        passing = [name for name, outcome in outcomes.items() if outcome.retryable]
        if passing:
            raise CollectionFailed(f"no facts; may pass: {_told(outcomes, passing)}")
    try:
        report, photos, woken = await _store(job, ctx, job.place_id, outcomes)
    except repository.PlaceGoneError as error:
        raise PermanentJobError(str(error)) from None
    if woken:
        async with ctx.reading() as conn:
            await wake_claimer(conn)
    return Outcome(_result(outcomes, report, photos))


async def _known(ctx: JobContext, place_id: UUID) -> Known:
    async with ctx.reading() as conn:
        place = await repository.get_place(conn, place_id)
        if place is None:
            raise PermanentJobError(f"place {place_id} is deleted or unknown")
        return Known(
            place,
            await repository.all_facts(conn, place_id),
            await repository.list_photos(conn, place_id),
        )


def _subject(known: Known) -> Subject:
    """What the owner confirmed, or the website under the owner's trust, as sources are held against it."""
    confirmed = [fact for fact in known.facts if fact.confirmed and fact.value is not None]
    names = [known.place.name, *known.place.aliases]
    names += [str(fact.value) for fact in confirmed if fact.key in ("name", "name_en")]
    buildings = (
        address_key(str(fact.value)) for fact in confirmed if fact.key in ("road_address", "lot_address")
    )
    return Subject(
        names=list(dict.fromkeys(names)),
        website=str(known.confirmed("website") or ""),
        phones=frozenset(str(fact.value) for fact in confirmed if fact.key == "phone"),
        buildings=frozenset(key for key in buildings if key is not None),
        geo=known.confirmed("geo"),
    )


async def _ask(channels: Sequence[Channel], ctx: JobContext, known: Known) -> dict[str, ChannelOutcome]:
    """Every channel's outcome by name; they run side by side, and no connection is held meanwhile."""
    seconds = max(1.0, min(_CHANNEL_SECONDS, ctx.remaining() - _SAVING_SECONDS))
    ask = Asking(
        settings=ctx.settings,
        keys=await channel_keys(ctx.settings),
        known=known,
        subject=_subject(known),
        gate=Pace(ctx),
        ends=time.monotonic() + seconds,
    )
    outcomes: dict[str, ChannelOutcome] = {}

    async def one(channel: Channel) -> None:
        reason = channel.skipped(ask)
        if reason is None:
            outcomes[channel.name] = await channel.collect(ask)
        else:
            outcomes[channel.name] = ChannelOutcome("skipped", code=reason)
        await ctx.progress(step="collect", done=len(outcomes), total=len(channels))

    await asyncio.gather(*(one(channel) for channel in channels))
    return {channel.name: outcomes[channel.name] for channel in channels}


async def _store(
    job: Job, ctx: JobContext, place_id: UUID, outcomes: dict[str, ChannelOutcome]
) -> tuple[RecordReport, int, bool]:
    """Stores everything in one transaction; the report, how many photos are new, and whether refreshes were enqueued.

    Inside a generation COPY and BUILD wait for this job anyway. Outside one they are enqueued before confirmed facts
    change, since jobs are locked before places.
    """
    facts = [fact for outcome in outcomes.values() for fact in outcome.facts]
    async with ctx.fenced() as conn:
        refresh = False
        if job.graph_id is None and await repository.was_generated(conn, place_id):
            refresh = await _would_change(conn, place_id, facts)
            if refresh:
                await enqueue_refresh(conn, place_id)
        report = await repository.record_facts(conn, place_id, facts)
        added = 0
        for photo in (photo for outcome in outcomes.values() for photo in outcome.photos):
            position = await repository.next_photo_position(conn, place_id)
            stored = await repository.add_photo(
                conn, place_id, photo.model_copy(update={"position": position})
            )
            added += stored is not None
        for usage in (usage for outcome in outcomes.values() for usage in outcome.usage):
            await repository.record_usage(conn, usage.model_copy(update={"job_id": job.job_id}))
    return report, added, refresh


async def _would_change(conn: Connection, place_id: UUID, facts: Sequence[NewFact]) -> bool:
    """Whether recording the facts moves a confirmed value; tried, and taken back with every lock it took."""
    trial = conn.transaction()
    await trial.start()
    try:
        return (await repository.record_facts(conn, place_id, facts)).changed
    finally:
        await trial.rollback()


def _result(outcomes: dict[str, ChannelOutcome], report: RecordReport, photos: int) -> dict[str, Any]:
    numbers = [outcome.numbers() for outcome in outcomes.values()]
    return {
        "channels": {name: outcome.diagnostic() for name, outcome in outcomes.items()},
        "facts": sum(facts for facts, _ in numbers),
        "photos": sum(given for _, given in numbers),
        "new_facts": report.new,
        "new_photos": photos,
        "confirmed": report.confirmed,
        "conflicts": report.conflicts,
        "facts_version": report.facts_version,
    }


def _told(outcomes: dict[str, ChannelOutcome], names: Sequence[str]) -> str:
    return ", ".join(f"{name} {outcomes[name].code or outcomes[name].outcome}" for name in names)
