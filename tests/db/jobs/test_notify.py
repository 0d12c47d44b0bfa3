"""With QUEUE_NOTIFY=1 whatever makes work says so, once, without data, when it commits; without it nothing does."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.graphs import start_graph
from shared.jobs.models import Dependency, JobType, NewJob
from shared.jobs.refresh import enqueue_refresh
from shared.settings import settings
from tests.db.steps import connections, held, new, place, until


@pytest.fixture(params=["1", "0"])
def notify(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[bool]:
    monkeypatch.setenv("QUEUE_NOTIFY", request.param)
    settings.cache_clear()
    yield request.param == "1"
    settings.cache_clear()


async def one(conn: Connection) -> None:
    await queue.enqueue(conn, NewJob(JobType.COLLECT))


async def many(conn: Connection) -> None:
    await queue.enqueue_many(conn, [NewJob(JobType.COLLECT)] * 40)


async def dependent(conn: Connection) -> None:
    first = uuid4()
    jobs = [NewJob(JobType.COLLECT, job_id=first), NewJob(JobType.BUILD, depends_on=[Dependency(first)])]
    await queue.enqueue_many(conn, jobs)


async def graph(conn: Connection) -> None:
    await start_graph(conn, uuid4())


async def refresh(conn: Connection) -> None:
    await enqueue_refresh(conn, await place(conn))


async def requeue(conn: Connection) -> None:
    [row] = await conn.fetch("SELECT job_id FROM jobs WHERE status = 4")
    assert await queue.requeue(conn, row["job_id"]) is not None


@pytest.mark.parametrize("make", [one, many, dependent, graph, refresh, requeue])
async def test_what_makes_work_says_so_once_and_only_where_it_is_wanted(
    direct_database: str, notify: bool, make: Callable[[Connection], Awaitable[None]]
) -> None:
    async with connections(direct_database, 2) as (listener, conn):
        await queue.fail_permanent(conn, await held(conn, await new(conn, max_attempts=1)), "Boom: no")
        said: list[str] = []
        await listener.add_listener("web4ai_job", lambda *args: said.append(args[3]))
        await make(conn)
        await conn.execute("NOTIFY web4ai_job, 'last'")

        async def last() -> Any:
            await listener.fetchval("SELECT 1")
            return "last" in said

        await until(last)
        assert said == [""] * notify + ["last"]
