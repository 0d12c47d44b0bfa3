"""A place with confirmed facts, a folder to publish in, and BUILD jobs that run as in a sandbox."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pydantic import SecretStr

from functions.build.build import build
from shared.db import Connection
from shared.jobs.models import JobType
from shared.jobs.types.build import BuildPayload
from shared.places import repository
from shared.places.models import NewFact
from shared.runtime.context import JobContext
from shared.runtime.sandbox import SandboxConnection
from shared.settings import Settings
from tests.db import steps
from tests.pgbouncer import pooling
from tests.unit.build.samples import VALUES

Build = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
async def conn(database: str) -> AsyncIterator[Connection]:
    connection = await steps.connect(database)
    yield connection
    await connection.close(timeout=5)


@pytest.fixture
def config(database: str, tmp_path: Path) -> Settings:
    return Settings(
        database_url=SecretStr(database),
        db_statement_cache_size=0 if pooling() else 100,
        site_dir=tmp_path / "site",
        media_dir=tmp_path / "media",
        site_origin="https://pages.example",
    )


@pytest.fixture
async def place(conn: Connection) -> UUID:
    """A place of which nothing is known but its name."""
    owner = await conn.fetchval(
        "INSERT INTO users (email, password_hash) VALUES ('o@example.com', '-') RETURNING user_id"
    )
    place_id, _ = await repository.find_or_create_place(
        conn, owner, identity_keys=["bomnal"], name="봄날식당"
    )
    return place_id


async def say(conn: Connection, place_id: UUID, channel: str = "owner", **values: Any) -> None:
    """Record facts of a channel; what the owner says is confirmed."""
    async with conn.transaction():
        await repository.record_facts(
            conn, place_id, [NewFact(key=key, value=value, channel=channel) for key, value in values.items()]
        )


@pytest.fixture
async def known(conn: Connection, place: UUID) -> UUID:
    """A place whose owner has said everything."""
    await say(conn, place, **VALUES)
    return place


@pytest.fixture
async def run(conn: Connection, config: Settings) -> AsyncIterator[Build]:
    """Run one BUILD job of a place to its end and give its result; a `stolen` one is another worker's by then."""
    opened: list[SandboxConnection] = []
    one_at_a_time = asyncio.Lock()

    async def run_job(place_id: UUID, *, stolen: bool = False, **payload: Any) -> dict[str, Any]:
        async with one_at_a_time:
            ref = await steps.running(conn, JobType.BUILD, place_id=place_id, payload=payload)
            job = await steps.job(conn, ref.job_id)
            if stolen:
                await conn.execute(
                    "UPDATE jobs SET worker_id = gen_random_uuid() WHERE job_id = $1", job.job_id
                )
        work = SandboxConnection(config)
        opened.append(work)
        ctx = JobContext(job, BuildPayload(**payload), config, work, deadline=60)
        try:
            return dict(await build(job, ctx))
        finally:
            await ctx.stop_progress()

    yield run_job
    for work in opened:
        await work.close()
