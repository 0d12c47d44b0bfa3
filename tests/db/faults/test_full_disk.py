"""A disk that is full indeed, where this machine lets us make a small one; elsewhere the errors it gives."""

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from emulator.unprivileged import server_user
from functions.reaper import handler as reaper_handler
from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import Job, JobRef, JobType, NewJob
from shared.runtime import JobContext, Outcome, finisher, job_handler
from tests.conftest import Server
from tests.db.faults.ends import ended_once, follow_ups
from tests.db.faults.refusing import full
from tests.db.runtime.conftest import Sandbox
from tests.db.runtime.test_handler import spec
from tests.db.steps import LEASE, job, let_lease_run_out, make_ready, put

MEGABYTES = 40
JOBS = 60


@pytest.fixture
def small_disk() -> Iterator[Path | None]:
    """A folder with little room, None where only a machine's owner may make one and we are not."""
    folder = Path(tempfile.mkdtemp(prefix="web4ai-test-disk-"))
    folder.chmod(0o755)
    mounted = (
        os.geteuid() == 0
        and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(folder)],
            check=False,
            capture_output=True,
        ).returncode
        == 0
    )
    try:
        if mounted:
            inner = folder / "tablespace"
            inner.mkdir(mode=0o700)
            server_user().own(inner)
            yield inner
        else:
            yield None
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)
        shutil.rmtree(folder)


@pytest.fixture
def database(postgres_server: Server, small_disk: Path | None) -> Iterator[str]:
    if small_disk is None:
        with postgres_server.fresh() as name:
            yield postgres_server.database_url(name)
        return
    postgres_server.execute(
        f"CREATE TABLESPACE small LOCATION '{small_disk}'",
        f"CREATE DATABASE on_small_disk TEMPLATE {postgres_server.template} TABLESPACE small",
    )
    yield postgres_server.database_url("on_small_disk")
    postgres_server.execute("DROP DATABASE on_small_disk WITH (FORCE)", "DROP TABLESPACE small")


def filled(conn: Connection, small_disk: Path | None) -> AbstractAsyncContextManager[None]:
    return full(conn) if small_disk is None else _ballast(conn)


@asynccontextmanager
async def _ballast(conn: Connection) -> AsyncIterator[None]:
    await conn.execute(
        "CREATE TABLE ballast (filler text); ALTER TABLE ballast ALTER filler SET STORAGE PLAIN"
    )
    with pytest.raises(asyncpg.DiskFullError):  # what it has taken by then it keeps
        await conn.execute(
            f"INSERT INTO ballast SELECT repeat('x', 7000) FROM generate_series(1, {MEGABYTES * 128})"
        )
    try:
        yield
    finally:
        await conn.execute("DROP TABLE ballast")


@pytest.mark.slow
async def test_what_meets_a_full_disk_ends_once_when_there_is_room_again(
    conn: Connection, sandbox: Sandbox, small_disk: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finisher, "RETRY_DELAYS", (0.01, 0.05))

    async def handle(job: Job, ctx: JobContext) -> Outcome:
        n = ctx.payload.n
        return Outcome(
            {"n": n, "much": os.urandom(20_000).hex()}, [NewJob(JobType.COLLECT, priority=500 + n)]
        )

    handler = job_handler(spec(), handle)
    ids = {n: await put(conn, 900, payload=f'{{"n": {n}}}', max_attempts=50) for n in range(1, JOBS + 1)}
    refused = 0
    enqueued = 0

    async def round_of_all() -> None:
        nonlocal refused
        running = await conn.fetch("SELECT job_id FROM jobs WHERE status = 2")
        steps: list[Any] = [
            lambda: let_lease_run_out(conn, *(row["job_id"] for row in running)),
            lambda: sandbox.call(reaper_handler.handler, {}),
            lambda: make_ready(conn, *ids.values()),
            invoke,
        ]
        for step in steps:
            try:
                await step()
            except asyncpg.DiskFullError:
                refused += 1

    async def invoke() -> None:
        claimed = await queue.claim(conn, 10, LEASE)
        refs: list[JobRef] = [c.ref for c in claimed if c.job_type == 900]
        if refs:
            await sandbox.invoke(handler, *refs)

    async with filled(conn, small_disk):
        for _ in range(6):
            await round_of_all()
            try:
                await queue.enqueue(conn, NewJob(JobType.AI_CHECK, {}, priority=900))
                enqueued += 1
            except asyncpg.DiskFullError:
                refused += 1
        assert refused > 0
        assert await conn.fetchval("SELECT count(*) FROM jobs WHERE job_type = 900 AND status = 3") < JOBS

    async with asyncio.timeout(60):
        while await conn.fetchval("SELECT count(*) FROM jobs WHERE job_type = 900 AND status <> 3"):
            await round_of_all()
    for n, job_id in ids.items():
        found = await job(conn, job_id)
        before = [(a.attempt, a.outcome) for a in await queue.attempts(conn, job_id)]
        assert {outcome for _, outcome in before} <= {"lease_expired", "given_back"}
        assert found.attempts == 1 + sum(outcome == "lease_expired" for _, outcome in before)
        await ended_once(conn, JobRef(job_id, job_id, found.attempts), {"n": n}, attempts=before)
    assert await follow_ups(conn) == dict.fromkeys(ids, 1)
    assert await conn.fetchval("SELECT count(*) FROM jobs WHERE priority = 900") == enqueued
