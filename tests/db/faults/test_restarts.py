"""PostgreSQL stopped, or killed, under batches that run: when it is back everything ends once and nothing is lost."""

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from emulator.postgres import Postgres, PostgresError
from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import JobRef
from shared.migrate import migrate
from tests.db.faults.conftest import Processes
from tests.db.faults.ends import ended_once, follow_ups
from tests.db.faults.test_frozen import until_started
from tests.db.runtime.proxy import Proxy
from tests.db.runtime.test_handler import tasks
from tests.db.steps import claimed, connect, job, put, status, until

FAST, IMMEDIATE, KILL = signal.SIGINT, signal.SIGQUIT, signal.SIGKILL


class Server:
    """A server of the test's own, which writes through to the disk, and may be ended and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._postgres = Postgres()

    async def start(self) -> str:
        chosen = os.environ.get("WEB4AI_TEST_PG_BIN")
        ends = asyncio.get_running_loop().time() + 30
        while True:
            try:
                return await asyncio.to_thread(
                    self._postgres.start, self._folder, bin_dir=Path(chosen) if chosen else None
                )
            except PostgresError:
                # Children of a killed one go when they notice, and until then its memory is theirs.
                if asyncio.get_running_loop().time() > ends:
                    raise
                await asyncio.sleep(0.05)

    async def end(self, number: signal.Signals) -> None:
        assert self._postgres.pid is not None
        os.kill(self._postgres.pid, number)

        async def gone() -> bool:
            return self._postgres.pid is None

        await until(gone)
        self._postgres.stop()

    def stop(self) -> None:
        self._postgres.stop()


@pytest.fixture
def server() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="web4ai-test-"))
    folder.chmod(0o755)  # for root, another user runs the server
    made = Server(folder / "pg")
    yield made
    made.stop()
    shutil.rmtree(folder, ignore_errors=True)


async def all_beaten(conn: Connection, refs: list[JobRef]) -> None:
    async def beaten() -> Any:
        return await conn.fetchval("SELECT bool_and(updated_at > run_started_at) FROM jobs WHERE status = 2")

    await until_started(conn, *refs)
    await until(beaten)


@pytest.mark.parametrize(
    "number",
    [FAST, pytest.param(IMMEDIATE, marks=pytest.mark.slow), pytest.param(KILL, marks=pytest.mark.slow)],
    ids=["fast shutdown", "immediate shutdown", "killed"],
)
async def test_batches_under_a_server_that_goes_and_comes_back_end_once(
    server: Server, processes: Processes, number: signal.Signals
) -> None:
    url = await server.start()
    await migrate(url)
    proxy = Proxy(url)  # another start is another port
    through = await proxy.start()
    # The server is back long before a lease is over, and the heartbeats come soon enough to be seen.
    both = [processes(DATABASE_URL=through, JOB_LEASE_SECONDS="6") for _ in range(2)]
    conn = await connect(url)
    try:
        refs = await tasks(conn, *(f'{{"do": "wait", "n": {n}}}' for n in range(1, 7)))
        running = [both[0].invoking(*refs[:3]), both[1].invoking(*refs[3:])]
        await all_beaten(conn, refs)
        told = await tasks(conn, '{"n": 7}')
        await queue.start(conn, told, "invocation", 60)
        assert await queue.complete(conn, told[0], {"n": 7})  # we were told, so it stands
        late = await put(conn, 900, payload='{"n": 8}')
        lost = (await claimed(conn))[late]  # its commit waits for no disk: a crash may undo it
        await server.end(number)
        for process in both:
            process.go()
        url = await server.start()
        proxy.lead_to(url)
        await conn.close(timeout=5)
        conn = await connect(url)
        assert await asyncio.gather(*running) == [{"started": 3}, {"started": 3}]
        for n, ref in enumerate(refs, 1):
            await ended_once(conn, ref, {"n": n})
        await ended_once(conn, told[0], {"n": 7})
        if await status(conn, late) == "PENDING":
            assert number is not FAST
            assert await both[0].invoke(lost) == {"started": 0}
            lost = (await claimed(conn))[late]
        assert await both[0].invoke(lost) == {"started": 1}
        await ended_once(conn, lost, {"n": 8})
        assert (await job(conn, late)).attempts == 1
        assert await follow_ups(conn) == dict.fromkeys([1, 2, 3, 4, 5, 6, 8], 1)
    finally:
        await conn.close(timeout=5)
        await proxy.stop()
