"""Runs one job's handler function as the runtime does, up to its end: a real row, a real claim, a real connection."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import Job, NewJob
from shared.jobs.types import spec_of
from shared.places import repository
from shared.places.intake import intake_facts, parse_intake
from shared.places.media import FolderStore, inspect
from shared.places.models import NewPhoto
from shared.runtime import JobContext, Outcome
from shared.runtime.sandbox import SandboxConnection
from shared.settings import Settings

Handle = Callable[[Job, JobContext], Awaitable[Mapping[str, Any] | Outcome]]


def settings_for(database: str, media: Path, **fields: Any) -> Settings:
    """Settings of a test: no keys but those given."""
    return Settings(database_url=database, media_dir=media, **fields)  # type: ignore[arg-type]


@asynccontextmanager
async def connected(database: str) -> AsyncIterator[Connection]:
    """A connection of the test's own, beside the job's."""
    conn = await asyncpg.connect(database)
    try:
        yield conn
    finally:
        await conn.close(timeout=5)


async def add_place(conn: Connection, intake: Mapping[str, Any]) -> UUID:
    """A place with the facts of an intake, without its photos."""
    parsed = parse_intake({key: value for key, value in intake.items() if key != "photos"})
    owner = await conn.fetchval(
        "INSERT INTO users (email, password_hash) VALUES (gen_random_uuid() || '@example.com', '-') RETURNING user_id"
    )
    async with conn.transaction():
        place_id, _ = await repository.find_or_create_place(
            conn,
            owner,
            identity_keys=[parsed.name],
            name=parsed.name,
            locale=parsed.locale,
            aliases=parsed.aliases,
        )
        await repository.record_facts(conn, place_id, intake_facts(parsed))
    return place_id


async def add_upload(conn: Connection, place_id: UUID, data: bytes, media: Path, position: int = 0) -> UUID:
    """An uploaded photo; its id."""
    photo = inspect(data)
    new = NewPhoto(
        channel="owner",
        position=position,
        confirmed=True,
        media_key=await FolderStore(media).put(data, photo.content_type),
        sha256=photo.sha256,
        content_type=photo.content_type,
        width=photo.width,
        height=photo.height,
        bytes=photo.bytes,
    )
    added = await repository.add_photo(conn, place_id, new)
    assert added is not None
    return added.photo_id


@asynccontextmanager
async def started(
    settings: Settings,
    job_type: int,
    place_id: UUID | None,
    *,
    in_graph: bool = True,
    payload: Mapping[str, Any] | None = None,
) -> AsyncIterator[tuple[Job, JobContext]]:
    """A job of the place, claimed and started, with the context its handler gets."""
    work = SandboxConnection(settings)
    try:
        async with work.borrow() as conn:
            new = NewJob(job_type, dict(payload or {}), place_id, graph_id=uuid4() if in_graph else None)
            job_id = (await queue.enqueue(conn, new)).job_id
            [ref] = [job.ref for job in await queue.claim(conn, 100, 60.0) if job.ref.job_id == job_id]
            [job] = await queue.start(conn, [ref], "invocation", 60.0)
        spec = spec_of(job_type)
        read = spec.payload_model.model_validate(job.payload)
        ctx = JobContext(job, read, settings, work, spec.deadline)
        try:
            yield job, ctx
        finally:
            await ctx.stop_progress()  # what is said late would open a connection that nobody closes
    finally:
        await work.close()


async def outcome_of(
    handle: Handle,
    settings: Settings,
    job_type: int,
    place_id: UUID | None,
    *,
    in_graph: bool = True,
    payload: Mapping[str, Any] | None = None,
) -> Outcome:
    """What the handler makes of a new job of the place."""
    async with started(settings, job_type, place_id, in_graph=in_graph, payload=payload) as (job, ctx):
        outcome = await handle(job, ctx)
    return outcome if isinstance(outcome, Outcome) else Outcome(outcome)
