"""One COLLECT job: every channel is asked, everything it gave is stored, and how each went is the result."""

import time
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from functions.collect.asking import ask_channels
from functions.collect.channels import Asking, Channel, ChannelOutcome, Known, all_channels
from functions.collect.keys import channel_keys
from functions.collect.matching import Subject
from functions.collect.pace import Pace
from functions.collect.storing import Stored, store, store_failure
from shared.jobs.errors import PermanentJobError
from shared.jobs.models import Job
from shared.jobs.wake import wake_claimer
from shared.places import repository
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
            await store_failure(job, ctx, job.place_id, outcomes)
            raise CollectionFailed(f"no facts; may pass: {_told(outcomes, passing)}")
    try:
        stored = await store(job, ctx, job.place_id, outcomes)
    except repository.PlaceGoneError as error:
        raise PermanentJobError(str(error)) from None
    if stored.refreshed:
        async with ctx.reading() as conn:
            await wake_claimer(conn)
    return Outcome(_result(outcomes, stored))


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

    async def answered(done: int) -> None:
        await ctx.progress(step="collect", done=done, total=len(channels))

    return await ask_channels(channels, ask, answered)


def _result(outcomes: dict[str, ChannelOutcome], stored: Stored) -> dict[str, Any]:
    numbers = [outcome.numbers() for outcome in outcomes.values()]
    report = stored.report
    return {
        "channels": {name: outcome.diagnostic() for name, outcome in outcomes.items()},
        "facts": sum(facts for facts, _ in numbers),
        "photos": sum(given for _, given in numbers),
        "new_facts": report.new,
        "new_photos": stored.new_photos,
        "confirmed": report.confirmed,
        "conflicts": report.conflicts,
        "proposals": report.proposals,
        "facts_version": report.facts_version,
    }


def _told(outcomes: dict[str, ChannelOutcome], names: Sequence[str]) -> str:
    return ", ".join(f"{name} {outcomes[name].code or outcomes[name].outcome}" for name in names)
