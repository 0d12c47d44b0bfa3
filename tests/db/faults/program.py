"""The function that the faults' sandboxes run: jobs of the tests' type, each told by its payload what to do.

`WATCHED` is a folder: a job that waits does so until a file `go` stands there; what happens to it is said by files of its own.
`CLOCK_SHIFT` is by how many seconds its wall clock is wrong; the monotonic one stays right.
"""

import asyncio
import os
import time
from pathlib import Path
from typing import Any

from shared.jobs.errors import PermanentJobError, Snooze
from shared.jobs.models import Job, JobType, NewJob
from shared.runtime import JobContext, Outcome, job_handler
from tests.db.runtime.test_handler import spec

SHIFT = float(os.environ.get("CLOCK_SHIFT", "0"))
if SHIFT:
    _right = time.time
    time.time = lambda: _right() + SHIFT
    time.time_ns = lambda: int((_right() + SHIFT) * 1e9)

FOLDER = Path(os.environ["WATCHED"])


async def handle(job: Job, ctx: JobContext) -> Any:
    n = ctx.payload.n
    match ctx.payload.do:
        case "fail":
            raise RuntimeError("no")
        case "die":
            raise PermanentJobError("never")
        case "snooze":
            raise Snooze(90, "quota")
        case "wait":
            try:
                while not (FOLDER / "go").exists():  # noqa: ASYNC110 - the test is another process
                    await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                (FOLDER / f"stopped-{n}").touch()
                raise
    result = {"n": n, "by": os.getpid(), "clock": time.time()}
    return Outcome(result, [NewJob(JobType.COLLECT, priority=500 + n)] if n else [])


handler = job_handler(spec(), handle)
