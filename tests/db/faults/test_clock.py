"""A sandbox whose wall clock is a day wrong: every time of a job is the database's, every duration the monotonic clock's."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from functions.claimer import handler as claimer_handler
from shared.db import Connection
from shared.jobs import queue
from tests.db.faults.conftest import ROOT, Processes
from tests.db.faults.ends import ended_once
from tests.db.runtime.conftest import Sandbox
from tests.db.runtime.test_handler import Environment, error_of, tasks
from tests.db.steps import job, new, until
from tests.fakes.lambda_invoke import FakeLambda

DAY = 86400.0
days = pytest.mark.parametrize("shift", [DAY, -DAY], ids=["ahead", "behind"])


@days
async def test_a_clock_a_day_wrong_changes_no_time_of_a_job(
    conn: Connection, processes: Processes, shift: float
) -> None:
    process = processes(CLOCK_SHIFT=str(shift), JOB_LEASE_SECONDS="3")
    long, failed, snoozed = await tasks(conn, '{"do": "wait", "n": 1}', '{"do": "fail"}', '{"do": "snooze"}')
    invoking = process.invoking(long, failed, snoozed)

    async def seconds(row: Any, column: str) -> float:
        """From the database's now to that time."""
        said = await conn.fetchval(
            f"SELECT extract(epoch FROM {column} - clock_timestamp())::float8 FROM jobs WHERE job_id = $1",
            row.job_id,
        )
        assert isinstance(said, float)
        return said

    async def over() -> Any:
        return await conn.fetchval("SELECT count(*) = 2 FROM jobs WHERE status = 1 AND job_type = 900")

    await until(over, 20)
    assert 0 < await seconds(failed, "run_after") <= 6  # 5 s, lengthened by at most a fifth
    assert 60 < await seconds(snoozed, "run_after") <= 90

    async def beaten_for_longer_than_its_lease() -> Any:
        assert await queue.reap(conn, 10) == []
        return await seconds(long, "run_started_at") < -3.5

    await until(beaten_for_longer_than_its_lease)
    assert 0 < await seconds(long, "lease_until") <= 3
    process.go()
    assert await invoking == {"started": 3}
    found = await ended_once(conn, long, {"n": 1})
    assert -30 < await seconds(long, "finished_at") <= 0
    now = await conn.fetchval("SELECT extract(epoch FROM clock_timestamp())::float8")
    assert found.result is not None
    assert abs(found.result["clock"] - now - shift) < 60  # it was wrong indeed


@pytest.mark.slow
@days
async def test_a_deadline_is_counted_by_the_monotonic_clock(
    conn: Connection, processes: Processes, shift: float
) -> None:
    process = processes(CLOCK_SHIFT=str(shift), JOB_DEADLINE_SECONDS="1.5")
    [ref] = await tasks(conn, '{"do": "wait"}')
    assert await process.invoke(ref) == {"started": 1}
    assert (await error_of(conn, ref)) == "JobDeadlineExceeded: ran longer than 1.5 s"
    [attempt] = await queue.attempts(conn, ref.job_id)
    assert attempt.run_started_at is not None
    assert 1.4 < (attempt.ended_at - attempt.run_started_at).total_seconds() < 10


class WrongContext:
    """Lambda's context where the sandbox's clock is wrong: what is left is off by as much."""

    aws_request_id = "request"

    def __init__(self, shift: float) -> None:
        self._shift = shift

    def get_remaining_time_in_millis(self) -> int:
        return int((60 - self._shift) * 1000)


@days
async def test_a_claimer_with_a_wrong_clock_does_a_round_and_ends(
    conn: Connection, sandbox: Sandbox, environment: Environment, invokes: FakeLambda, shift: float
) -> None:
    """It would poll on into its timeout, and be killed between a claim and its invokes."""
    environment(CLAIMER_POLL_SECONDS="0.05")
    ids = [await new(conn) for _ in range(3)]
    report = await asyncio.wait_for(
        asyncio.get_running_loop().run_in_executor(
            None, claimer_handler.handler, {"source": "aws.scheduler"}, WrongContext(shift)
        ),
        20,
    )
    assert (report["claimed"], report["invocations"]) == (3, 1)
    assert {(await job(conn, job_id)).attempts for job_id in ids} == {1}


def test_nothing_of_the_queue_asks_a_sandboxs_wall_clock() -> None:
    asks = re.compile(r"\btime\.time(_ns)?\(|\bdatetime\.(now|utcnow|today)\(|\bdate\.today\(")
    files: list[Path] = []
    for folder in ("shared/jobs", "shared/runtime", "functions/claimer", "functions/reaper"):
        files += (ROOT / folder).rglob("*.py")
    assert len(files) > 20
    found = {path.name for path in files if asks.search(path.read_text(encoding="utf-8"))}
    assert found <= {"ids.py"}  # an id may begin with a time: nothing is decided by it
