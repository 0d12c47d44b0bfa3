"""What the queue's tests do again and again: connect, put a row in a state, wait for a condition."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any
from uuid import UUID

import asyncpg

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.holding import Policy
from shared.jobs.models import Dependency, Job, JobRef, JobType, NewJob
from tests.pgbouncer import pooling

NO_JITTER = Policy(jitter=0.0)
LEASE = 60.0


_numbers = itertools.count(1)


async def connect(url: str) -> Connection:
    """A connection with a name of its own in pg_stat_activity: behind a pooler its process id says nothing."""
    return await asyncpg.connect(
        url,
        statement_cache_size=0 if pooling() else 100,
        server_settings={"application_name": f"test {next(_numbers)}"},
    )


@asynccontextmanager
async def connections(url: str, count: int) -> AsyncIterator[list[Connection]]:
    """Several connections of one test, closed at its end."""
    async with AsyncExitStack() as stack:
        opened = []
        for _ in range(count):
            conn = await connect(url)
            stack.push_async_callback(conn.close, timeout=5)
            opened.append(conn)
        yield opened


async def until(condition: Callable[[], Awaitable[Any]], seconds: float = 10.0) -> Any:
    """Ask again and again until the answer is true; the answer. Fails when the time is over."""
    ends = time.monotonic() + seconds
    while True:
        answer = await condition()
        if answer:
            return answer
        assert time.monotonic() < ends, "the condition did not come true in time"
        await asyncio.sleep(0.01)


async def until_blocked(watcher: Connection, blocked: Connection) -> None:
    """Wait until `blocked` waits for a lock that another transaction holds."""
    name = blocked.get_settings().application_name

    async def waits() -> Any:
        return await watcher.fetchval(
            "SELECT bool_or(cardinality(pg_blocking_pids(pid)) > 0) FROM pg_stat_activity WHERE application_name = $1",
            name,
        )

    await until(waits)


async def new(conn: Connection, job_type: int = JobType.COLLECT, **fields: Any) -> UUID:
    """One job enqueued; its id."""
    return (await queue.enqueue(conn, NewJob(job_type, **fields))).job_id


async def waiting_on(
    conn: Connection,
    *dependencies: UUID,
    required: bool = False,
    job_type: int = JobType.BUILD,
    **fields: Any,
) -> UUID:
    """One job that waits on others; its id."""
    edges = [Dependency(job_id, required) for job_id in dependencies]
    return await new(conn, job_type, depends_on=edges, **fields)


async def claimed(conn: Connection, limit: int = 1000, lease: float = LEASE) -> dict[UUID, JobRef]:
    """Claim everything that is ready; the refs by job."""
    return {job.ref.job_id: job.ref for job in await queue.claim(conn, limit, lease)}


async def held(conn: Connection, job_id: UUID, *, started: bool = True) -> JobRef:
    """Claim (and start) whatever is ready, the given job among it; its ref."""
    refs = await claimed(conn)
    if started:
        await queue.start(conn, [refs[job_id]], "invocation", LEASE)
    return refs[job_id]


async def running(conn: Connection, job_type: int = JobType.COLLECT, **fields: Any) -> JobRef:
    """A new job, claimed and started."""
    return await held(conn, await new(conn, job_type, **fields))


async def make_ready(conn: Connection, *job_ids: UUID) -> None:
    """Move the jobs' time to now, as if their delay were over."""
    await conn.execute("UPDATE jobs SET run_after = now() WHERE job_id = ANY ($1::uuid[])", list(job_ids))


async def let_lease_run_out(conn: Connection, *job_ids: UUID) -> None:
    """Move the leases into the past."""
    await conn.execute(
        "UPDATE jobs SET lease_until = now() - interval '1 second' WHERE job_id = ANY ($1::uuid[])",
        list(job_ids),
    )


async def job(conn: Connection, job_id: UUID) -> Job:
    """The job's row, which must be there."""
    found = await queue.get(conn, job_id)
    assert found is not None
    return found


async def status(conn: Connection, job_id: UUID) -> str:
    """The job's status by name."""
    return (await job(conn, job_id)).status.name


async def put(conn: Connection, job_type: int = 1, **columns: Any) -> UUID:
    """A row of `jobs` put in as it is given, past every check that enqueue makes."""
    columns = {"job_type": job_type, **columns}
    names = ", ".join(columns)
    places = ", ".join(f"${n}" for n in range(1, len(columns) + 1))
    job_id: UUID = await conn.fetchval(
        f"INSERT INTO jobs ({names}) VALUES ({places}) RETURNING job_id", *columns.values()
    )
    return job_id


async def alerts(conn: Connection) -> dict[str, int]:
    """Occurrences in the outbox by key."""
    rows = await conn.fetch("SELECT dedupe_key, sum(occurrences) AS n FROM alert_outbox GROUP BY dedupe_key")
    return {row["dedupe_key"]: row["n"] for row in rows}


async def place(conn: Connection) -> UUID:
    """A place with an owner."""
    owner = await conn.fetchval(
        "INSERT INTO users (email, password_hash) VALUES (gen_random_uuid() || '@example.com', '-') RETURNING user_id"
    )
    place_id: UUID = await conn.fetchval(
        "INSERT INTO places (owner_id, name, identity_key) VALUES ($1, 'Noodles', 'noodles') RETURNING place_id",
        owner,
    )
    return place_id
