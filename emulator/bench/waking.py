"""How long a job waits for a warm handler: from the commit of the request that posts it to the handler's start."""

import time
from pathlib import Path
from statistics import quantiles

import asyncpg

from emulator.bench.measure import Goal, Measure, Say, Series, until
from emulator.bench.server import BenchServer
from emulator.bench.system import System, body, system
from emulator.cli.client import Api
from shared.db import Connection

WARM_UP = 20
_TIMES = """
SELECT extract(epoch FROM created_at)::float8 AS created, extract(epoch FROM claimed_at)::float8 AS claimed,
       extract(epoch FROM run_started_at)::float8 AS started
  FROM jobs WHERE job_id = $1 AND status = 3
"""


async def wake(server: BenchServer, folder: Path, samples: int, say: Say) -> list[Measure]:
    """Milliseconds: the median and the ninety-ninth percentile, and where they go.

    The database's one clock gives all but the last, for which the client's own, on the same machine, says when the answer came.
    """
    say(f"wake, {samples} jobs, one after the other")
    async with server.database() as url:
        conn = await asyncpg.connect(url)
        try:
            async with (
                system(
                    folder, url, batch_size=5, max_in_flight=50, environment={"QUEUE_NOTIFY": "1"}
                ) as running,
                Api(running.stack.http_url, running.login) as api,
            ):
                warm_up = min(WARM_UP, samples)
                for number in range(warm_up):
                    await _sample(running, api, conn, number)
                taken = [await _sample(running, api, conn, warm_up + n) for n in range(samples)]
        finally:
            await conn.close()
    commit, to_claim, to_start, answered = (list(part) for part in zip(*taken, strict=True))
    measures = []
    for name, values, goals in (
        ("wake, commit to handler", commit, (Goal(30, False), Goal(100, False))),
        ("wake, commit to claim", to_claim, (None, None)),
        ("wake, claim to handler", to_start, (None, None)),
        ("wake, answer to handler as the client sees it", answered, (None, None)),
    ):
        cuts = quantiles(values, n=100, method="inclusive")
        for percentile, goal in ((50, goals[0]), (99, goals[1])):
            figure = Series([cuts[percentile - 1]])
            measures.append(Measure(f"{name}, p{percentile}", "ms", figure, goal=goal))
            say(f"  {name}, p{percentile}: {figure.median:.1f} ms")
    return measures


async def _sample(
    running: System, api: Api, conn: Connection, number: int
) -> tuple[float, float, float, float]:
    """One job posted while nothing runs; its milliseconds."""
    job = await api.call("POST", "/jobs", json=body(number))
    answered = time.time()
    row = await until(lambda: conn.fetchrow(_TIMES, job["job_id"]), 0.005)
    await running.stack.service.settled()  # the next finds everyone idle, and warm
    created, claimed, started = row["created"], row["claimed"], row["started"]
    return (
        1000 * (started - created),
        1000 * (claimed - created),
        1000 * (started - claimed),
        1000 * (started - answered),
    )
