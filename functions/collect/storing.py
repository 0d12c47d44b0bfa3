"""What a collection leaves behind, in one transaction that begins by holding the job."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from functions.collect.channels import ChannelOutcome
from shared.alerts import outbox
from shared.collecting.due import mark_collected
from shared.collecting.outcomes import record_outcomes
from shared.db import Connection, transaction
from shared.jobs.models import Job
from shared.jobs.refresh import enqueue_refresh
from shared.jobs.types import type_name
from shared.places import repository
from shared.places.models import NewFact, RecordReport
from shared.runtime import JobContext

Outcomes = Mapping[str, ChannelOutcome]

PHOTOS_OF_A_CHANNEL = 60  # three collections of twenty new ones


@dataclass(frozen=True)
class Stored:
    """`new_photos` were not known before; `refreshed` says that COPY and BUILD were enqueued."""

    report: RecordReport
    new_photos: int
    refreshed: bool


async def store(job: Job, ctx: JobContext, place_id: UUID, outcomes: Outcomes) -> Stored:
    """Stores facts, photos and how every channel went. Raises `PlaceGoneError` and `LeaseLost`, having written nothing.

    Inside a generation COPY and BUILD wait for this job anyway. Outside one they are enqueued before confirmed facts
    change, since jobs are locked before places.
    """
    facts = [fact for outcome in outcomes.values() for fact in outcome.facts]
    whole = [name for name, outcome in outcomes.items() if outcome.whole and outcome.outcome == "ok"]
    async with ctx.fenced() as conn:
        followed = job.graph_id is None and await repository.was_generated(conn, place_id)
        report = await _record(conn, place_id, facts, whole, followed=followed)
        added = await _add_photos(conn, place_id, outcomes)
        await mark_collected(conn, place_id)
        await _tell(conn, job, ctx, place_id, outcomes)
    return Stored(report, added, followed and report.changed)


async def _add_photos(conn: Connection, place_id: UUID, outcomes: Outcomes) -> int:
    """Adds what is new, up to a limit a channel: a site that names its pictures anew each day would add to them for ever."""
    held = Counter(photo.channel for photo in await repository.list_photos(conn, place_id))
    added = 0
    for photo in (photo for outcome in outcomes.values() for photo in outcome.photos):
        if held[photo.channel] >= PHOTOS_OF_A_CHANNEL:
            continue
        position = await repository.next_photo_position(conn, place_id)
        stored = await repository.add_photo(conn, place_id, photo.model_copy(update={"position": position}))
        added += stored is not None
        held[photo.channel] += stored is not None
    return added


async def store_failure(job: Job, ctx: JobContext, place_id: UUID, outcomes: Outcomes) -> None:
    """What is to be known of a collection that gave nothing and will be tried again. Raises `LeaseLost`."""
    async with ctx.fenced() as conn:
        await _tell(conn, job, ctx, place_id, outcomes)


class _TakeBackError(Exception):
    """Rolls one try back, with every lock it took."""


async def _record(
    conn: Connection, place_id: UUID, facts: Sequence[NewFact], whole: Sequence[str], *, followed: bool
) -> RecordReport:
    """Records the facts; where `followed`, with COPY and BUILD enqueued before if a confirmed value moves.

    Whether one does is known only once it has, under the place's lock: what was tried on the wrong assumption is taken
    back and tried again on the other.
    """
    refresh = False
    while True:
        with suppress(_TakeBackError):
            async with transaction(conn):
                if refresh:
                    await enqueue_refresh(conn, place_id)
                report = await repository.record_facts(conn, place_id, facts, whole=whole)
                if refresh != (followed and report.changed):
                    raise _TakeBackError
                return report
        refresh = not refresh


async def _tell(conn: Connection, job: Job, ctx: JobContext, place_id: UUID, outcomes: Outcomes) -> None:
    """How every channel went, what its calls cost, and the alert when one says that the business is closed for good."""
    await record_outcomes(
        conn, place_id, [(name, outcome.outcome, outcome.code) for name, outcome in outcomes.items()]
    )
    for usage in (usage for outcome in outcomes.values() for usage in outcome.usage):
        await repository.record_usage(conn, usage.model_copy(update={"job_id": job.job_id}))
    closed = [
        name
        for name, outcome in outcomes.items()
        if "business_closed" in outcome.notes or outcome.code == "business_closed"
    ]
    if closed:
        await outbox.raise_alert(
            conn,
            "business_closed",
            "business closed",
            {
                "place_id": str(place_id),
                "channels": closed,
                "job_id": str(job.job_id),
                "job_type": type_name(job.job_type),
            },
            key=f"business_closed:{place_id}",
            window_seconds=ctx.settings.alert_dedupe_minutes * 60,
        )
