"""The jobs that are measured: no-ops with a payload of 191 bytes, of up to five types, registered as any type is."""

import json
from typing import Any

from shared.db import Connection
from shared.jobs.models import Job, NewJob
from shared.jobs.queue import register_types
from shared.jobs.spec import JobSpec, Payload
from shared.jobs.types import specs
from shared.runtime import JobContext

PAYLOAD_BYTES = 191  # of JSON, as in the comparisons this continues
FIRST_TYPE = 901
TYPES = 5
LEASE = 120.0
BATCH = 100  # jobs claimed, and handed to one invocation, at most

# High enough to hold nothing back, and still a limit: a claim locks and counts for it, as for the product's own types.
IN_FLIGHT = 5000


class BenchPayload(Payload):
    """Fields as jobs have them: ids, a word, a number, a flag."""

    place: str
    task: str
    number: int
    urgent: bool
    note: str


def payload(number: int) -> dict[str, Any]:
    """A payload of 191 bytes of JSON, another one for each number below a million."""
    return {
        "place": "6f1f4d2e-8f0b-4c8e-9a57-0d6f3a1b2c3d",
        "task": "describe the photos again",
        "number": 1_000_000 + number,
        "urgent": False,
        "note": "asked for by the owner on the phone, ring back only after five pm",
    }


def payload_text(number: int) -> str:
    """The same as JSON text."""
    return json.dumps(payload(number), separators=(",", ":"))


async def no_op(job: Job, ctx: JobContext) -> dict[str, Any]:
    """The handler: a job that takes no time."""
    return {}


def spec(number: int) -> JobSpec:
    """The bench's type of that number, 0 to 4."""
    return JobSpec(
        type=FIRST_TYPE + number,
        name=f"BENCH_{number}",
        function=f"job-bench-{number}",
        payload_model=BenchPayload,
        batch_size=BATCH,
        max_in_flight=IN_FLIGHT,
        deadline=60,
        lease=LEASE,
    )


def know_types() -> None:
    """Make the types known in this process, beside the product's."""
    for number in range(TYPES):
        specs()[FIRST_TYPE + number] = spec(number)


async def register(conn: Connection) -> None:
    """Give the types their rows in the database."""
    know_types()
    await register_types(conn)
    await conn.execute("ANALYZE job_type_settings")


def jobs(count: int, types: int = 1, keyed: bool = False) -> list[NewJob]:
    """New jobs, the types in turn; with `keyed` each has a dedupe key of its own."""
    return [
        NewJob(
            FIRST_TYPE + n % types,
            payload(n),
            dedupe_key=f"BENCH:{n:012}" if keyed else None,
        )
        for n in range(count)
    ]
