"""One VISION job: fetch what is missing, measure, find repeats, describe if there is a key, rank, save."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from functions.vision.describe import Described, Description, describe
from functions.vision.fetching import fetch_photos
from functions.vision.measures import Measures, measure
from functions.vision.menus import menu_of
from functions.vision.ranking import SMALLEST_SIDE, Looked, Placed, duplicates_of, placed
from functions.vision.results import differs, kept_of, names_of, results_of
from functions.vision.turn import is_described, turn_of
from shared.db import Connection
from shared.http import GuardedClient
from shared.jobs.errors import PermanentJobError, Snooze
from shared.jobs.models import Job, JobType
from shared.places import repository
from shared.places.media import MediaError, MediaMissingError, MediaStore, Photograph, media_store
from shared.places.models import ConfirmedFacts, Photo, Place
from shared.prose.quotable import plain_name
from shared.providers.access import access_of
from shared.providers.failures import ProviderFailure
from shared.providers.gemini import PROVIDER, GeminiClient
from shared.providers.keys import api_key
from shared.providers.later import later_of, may_wait, refresh_of
from shared.quota import Work
from shared.runtime import JobContext, Outcome

MOST_PHOTOS = 1000  # of a place that are looked at, ever
SAVING_SECONDS = 30.0  # kept of the deadline for ranking and writing


@dataclass
class _Look:
    """What the job has found out so far."""

    place: Place
    facts: ConfirmedFacts
    photos: list[Photo]
    turn: frozenset[UUID]  # the photos this job works on; the others are ranked by what is known of them
    left: int  # photos nobody has looked at yet, beyond this turn
    measures: dict[UUID, Measures] = field(default_factory=dict)
    problems: dict[UUID, str] = field(default_factory=dict)
    descriptions: dict[UUID, Description] = field(default_factory=dict)
    failure: ProviderFailure | None = None  # the first of the provider's


async def look_at(job: Job, ctx: JobContext) -> Outcome:
    """The place's photos, ranked and described; never fails because of Gemini or of a single photo.

    Raises `PermanentJobError` for a place that is gone, and `Snooze` when a repetition outside onboarding finds no
    quota: nobody waits for it.
    """
    look = await _begin(job, ctx)
    store = media_store(ctx.settings)
    await _fetch(look, ctx, store)
    await _measure(look, ctx, store)
    _recall(look)
    try:
        key = await api_key(ctx.settings.gemini_api_key, ctx.settings.gemini_secret_arn)
    except ProviderFailure as failure:
        key, look.failure = None, failure
    if key is not None and look.measures:
        in_graph = job.graph_id is not None
        access = access_of(
            ctx,
            PROVIDER,
            key,
            work=Work.BATCH,
            step="describe",
            patience=ctx.settings.vision_ai_wait_seconds if in_graph else 0.0,
            remaining=lambda: ctx.remaining() - SAVING_SECONDS,
            comes_back=not in_graph,
        )
        async with GeminiClient(
            key, base_url=ctx.settings.gemini_base_url, timeout=ctx.settings.gemini_timeout, access=access
        ) as client:
            await _describe(look, ctx, client, store)
    order = placed(_looked(look))
    async with ctx.fenced() as conn:
        await _save(conn, look, order)
    return _outcome(job, look, order, has_key=key is not None)


async def _begin(job: Job, ctx: JobContext) -> _Look:
    if job.place_id is None:
        raise PermanentJobError("a VISION job names a place")
    async with ctx.reading() as conn:
        place = await repository.get_place(conn, job.place_id)
        if place is None:
            raise PermanentJobError(f"place {job.place_id} is deleted or unknown")
        facts = await repository.confirmed_facts(conn, job.place_id)
        photos = await repository.list_photos(conn, job.place_id)
    photos.sort(key=lambda photo: (not photo.confirmed, photo.position, str(photo.photo_id)))
    photos = photos[:MOST_PHOTOS]
    turn, left = turn_of(photos)
    return _Look(place, facts, photos, turn=frozenset(turn), left=left)


async def _fetch(look: _Look, ctx: JobContext, store: MediaStore) -> None:
    missing = [photo for photo in look.photos if photo.media_key is None and photo.photo_id in look.turn]
    for photo in missing:
        if photo.source_url is None:
            look.problems[photo.photo_id] = "no_bytes"
    wanted = [photo for photo in missing if photo.source_url is not None]
    through = 0

    async def tell() -> None:
        nonlocal through
        through += 1
        await ctx.progress(step="fetch", done=through, total=len(wanted))

    async def stored(photo: Photo, photograph: Photograph) -> None:
        async with ctx.fenced() as conn:
            await repository.save_photo_fetch(
                conn,
                photo.photo_id,
                media_key=photograph.key,
                sha256=photograph.sha256,
                content_type=photograph.content_type,
                width=photograph.width,
                height=photograph.height,
                bytes=photograph.bytes,
            )
        position = next(i for i, known in enumerate(look.photos) if known.photo_id == photo.photo_id)
        look.photos[position] = photo.model_copy(
            update={
                "media_key": photograph.key,
                "sha256": photograph.sha256,
                "measures": None,
                "vision": None,
            }
        )
        await tell()

    async def refused(photo: Photo, problem: str) -> None:
        look.problems[photo.photo_id] = problem
        async with ctx.fenced() as conn:
            await repository.save_photo_problem(conn, photo.photo_id, problem)
        await tell()

    if not wanted:
        return
    agent = f"web4ai/1.0 (+{ctx.settings.crawl_contact})"
    async with GuardedClient(user_agent=agent, allow=ctx.settings.crawl_allow) as client:
        await fetch_photos(
            client,
            store,
            wanted,
            stored=stored,
            refused=refused,
            remaining=lambda: ctx.remaining() - SAVING_SECONDS,
        )


async def _measure(look: _Look, ctx: JobContext, store: MediaStore) -> None:
    """Measures of every photo whose bytes stand; one that cannot be read has a problem and no place."""
    readable = [
        photo
        for photo in look.photos
        if photo.media_key is not None and (photo.photo_id in look.turn or photo.measures is not None)
    ]
    for index, photo in enumerate(readable):
        await ctx.progress(step="measure", done=index, total=len(readable))
        try:
            if photo.measures is not None:
                measures = Measures(**photo.measures)
            else:
                measures = await asyncio.to_thread(measure, await store.get(str(photo.media_key)))
        except MediaMissingError:
            look.problems[photo.photo_id] = "media_missing"
        except MediaError as error:
            look.problems[photo.photo_id] = error.rule
        else:
            if min(measures.width, measures.height) < SMALLEST_SIDE:
                look.problems[photo.photo_id] = "too_small"
            else:
                look.measures[photo.photo_id] = measures


def _recall(look: _Look) -> None:
    """Descriptions an earlier VISION paid for, while prompt and bytes are the same."""
    for photo in look.photos:
        if photo.photo_id in look.measures and is_described(photo):
            look.descriptions[photo.photo_id] = Description.model_validate((photo.vision or {})["ai"])


async def _describe(look: _Look, ctx: JobContext, client: GeminiClient, store: MediaStore) -> None:
    repeats = duplicates_of(_looked(look))
    keys = {photo.photo_id: str(photo.media_key) for photo in look.photos}
    wanted = [
        photo.photo_id
        for photo in look.photos
        if photo.photo_id in look.turn
        and photo.photo_id in look.measures
        and photo.photo_id not in repeats
        and photo.photo_id not in look.descriptions
    ]

    async def load(photo_id: UUID) -> bytes:
        return await store.get(keys[photo_id])

    async def on_described(told: Mapping[UUID, Description]) -> None:
        async with ctx.fenced() as conn:
            await repository.save_photo_descriptions(
                conn, look.place.place_id, {photo_id: kept_of(seen) for photo_id, seen in told.items()}
            )

    async def on_done(done: int) -> None:
        await ctx.progress(step="describe", done=done, total=len(wanted))

    described: Described = await describe(
        client,
        ctx.settings.gemini_vision_model,
        wanted,
        load,
        about={
            "name": plain_name(look.place.name) or "",
            "category": str(look.facts.value("category") or ""),
        },
        wait=ctx.settings.vision_ai_wait_seconds,
        remaining=lambda: ctx.remaining() - SAVING_SECONDS,
        on_described=on_described,
        on_done=on_done,
    )
    look.descriptions |= described.by_photo
    look.failure = described.failures[0] if described.failures else None


def _looked(look: _Look) -> list[Looked]:
    return [
        Looked(
            photo_id=photo.photo_id,
            position=photo.position,
            confirmed=photo.confirmed,
            measures=look.measures[photo.photo_id],
            description=look.descriptions.get(photo.photo_id),
        )
        for photo in look.photos
        if photo.photo_id in look.measures
    ]


async def _save(conn: Connection, look: _Look, order: Sequence[Placed]) -> None:
    menu = menu_of(look.photos, look.descriptions)
    if menu is not None and look.facts.value("menu") is None:  # a confirmed one needs no reading of photos
        await repository.record_facts(conn, look.place.place_id, [menu])
    results = results_of(
        look.photos, order, look.measures, look.descriptions, names_of(look.place, look.facts)
    )
    for photo in look.photos:
        if photo.photo_id in look.problems and photo.media_key is not None:
            await repository.save_photo_problem(conn, photo.photo_id, look.problems[photo.photo_id])
    known = {photo.photo_id: photo for photo in look.photos}
    if any(differs(known[result.photo_id], result) for result in results):
        await repository.save_photo_vision(conn, look.place.place_id, results)


def _outcome(job: Job, look: _Look, order: Sequence[Placed], *, has_key: bool) -> Outcome:
    ranked = [place.photo_id for place in order if place.rank is not None]
    by_ai = sum(photo_id in look.descriptions for photo_id in ranked)
    reason: str | None = None
    if by_ai < len(ranked) or not ranked:
        reason = "no_photos" if not ranked else "no_key"
        if ranked and look.failure is not None:
            reason = look.failure.reason
        elif ranked and has_key:
            reason = "not_described"  # the model left the photo out of its answer
    problems: dict[str, int] = {}
    for problem in look.problems.values():
        problems[problem] = problems.get(problem, 0) + 1
    result = {
        "mode": "local" if by_ai == 0 else ("ai" if by_ai == len(ranked) else "mixed"),
        "reason": reason,
        "photos": len(look.photos),
        "ranked": len(ranked),
        "duplicates": sum(place.duplicate_of is not None for place in order),
        "problems": problems,
        "left": look.left,
    }
    failure = look.failure if by_ai < len(ranked) else None
    if failure is not None and failure.code == "budget":
        result["skipped"] = "budget"
    later = None if failure is None else later_of(failure)
    if job.graph_id is None:
        if later is not None and may_wait(job):
            raise Snooze(later, f"gemini {failure.reason}" if failure is not None else "gemini")
        return Outcome(result, [refresh_of(job, JobType.VISION if look.left else JobType.BUILD)])
    # Onboarding does not wait for quota: a repetition of its own describes what is left, and builds after it.
    if later is None and not look.left:
        return Outcome(result, [])
    return Outcome(result, [refresh_of(job, JobType.VISION, later or 0.0)])
