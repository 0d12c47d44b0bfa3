"""Lambda entry of the claimer: every minute by schedule, and at once when work was committed."""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from functions.claimer.claimer import run_once
from shared.aws import lambda_client
from shared.jobs.models import JobRef
from shared.jobs.queue import register_types
from shared.jobs.wake import is_wake
from shared.runtime.events import jobs_event
from shared.runtime.sandbox import connection, remaining_seconds, run
from shared.settings import settings

# Kept for handing over the last batch and answering before the function's own timeout.
MARGIN_SECONDS = 8.0

_registered = False


def handler(event: Any, context: Any) -> dict[str, Any]:
    """A wake drains what is there; the schedule's event goes on polling until its time is nearly up."""
    return run(_main(poll=not is_wake(event), context=context))


async def _main(*, poll: bool, context: Any) -> dict[str, Any]:
    global _registered  # noqa: PLW0603 - once a sandbox

    # A wrong clock leaves it one round an invocation.
    ends = time.monotonic() + (remaining_seconds(context) or 0.0) - MARGIN_SECONDS

    def remaining() -> float:
        return ends - time.monotonic()

    async with connection() as conn:
        if not _registered:
            await register_types(conn)
            _registered = True
        return asdict(await run_once(conn, settings(), invoke, remaining=remaining, poll=poll))


def invoke(function: str, job_type: int, refs: Sequence[JobRef]) -> None:
    """One asynchronous Invoke of a handler with a batch's refs. Raises botocore's errors."""
    payload = json.dumps(jobs_event(job_type, refs)).encode()
    lambda_client().invoke(FunctionName=function, InvocationType="Event", Payload=payload)
