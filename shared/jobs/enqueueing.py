"""How jobs get in: one, many, with keys and with dependencies."""

from collections.abc import Sequence
from uuid import UUID, uuid4

from pydantic import ValidationError

from shared.db import Connection
from shared.jobs.errors import InvalidPayload, UnknownDependency
from shared.jobs.jsontext import payload_text
from shared.jobs.models import EnqueueResult, NewJob
from shared.jobs.sql import SQL
from shared.jobs.types import spec_of
from shared.settings import settings

KEY_CHARACTERS = 500
DELAY_SECONDS = 366 * 86400.0


async def enqueue(conn: Connection, job: NewJob, *, notify: bool | None = None) -> EnqueueResult:
    """Insert one job, or return the active one with its `dedupe_key` and `created=False`.

    `notify` None takes QUEUE_NOTIFY. Raises `InvalidPayload`, `UnknownJobType`, `UnknownDependency`; nothing is
    inserted then.
    """
    if job.depends_on:
        return (await enqueue_many(conn, [job], notify=notify))[0]
    row = _checked(job)
    wants_notify = settings().queue_notify if notify is None else notify
    while (
        True
    ):  # a round more only when the active job of the key ended between the two halves of the statement
        found = await conn.fetchrow(SQL.enqueue, *row, wants_notify)
        if found is not None:
            return EnqueueResult(found["job_id"], found["created"])


async def enqueue_many(
    conn: Connection, jobs: Sequence[NewJob], *, notify: bool | None = None
) -> list[EnqueueResult]:
    """Insert a batch in one transaction; the results stand in the order of `jobs`.

    A job may depend on others of the same batch by a `job_id` given by the caller. Of two with one key the second gets the
    first's id. One that meets an active key takes no dependencies with it. Raises as `enqueue` does.
    """
    rows = [_checked(job, uuid4()) for job in jobs]
    async with conn.transaction():
        ids = await _insert(conn, rows)
        created = {row[0] for row, result in zip(rows, ids, strict=True) if result.created}
        edges: dict[tuple[UUID, UUID], bool] = {}
        for row, job in zip(rows, jobs, strict=True):
            for dependency in job.depends_on if row[0] in created else ():
                edge = (_uuid(row[0]), dependency.job_id)
                edges[edge] = edges.get(edge, False) or dependency.required
        if edges:
            await _depend(conn, edges)
        if created and (settings().queue_notify if notify is None else notify):
            await conn.execute(SQL.notify)
    return ids


async def _insert(conn: Connection, rows: list[tuple[object, ...]]) -> list[EnqueueResult]:
    if not rows:
        return []
    created = {
        record["job_id"] for record in await conn.fetch(SQL.enqueue_many, *map(list, zip(*rows, strict=True)))
    }
    results: dict[int, EnqueueResult] = {}
    missed = []
    for index, row in enumerate(rows):
        if row[0] in created:
            results[index] = EnqueueResult(_uuid(row[0]), True)
        else:
            missed.append(index)
    if missed:
        active = await conn.fetch(SQL.active_of_keys, [rows[index][7] for index in missed])
        by_key = {record["dedupe_key"]: record["job_id"] for record in active}
        again = []
        for index in missed:
            job_id = by_key.get(rows[index][7])
            if job_id is None:
                again.append(index)  # its rival ended in between
            else:
                results[index] = EnqueueResult(job_id, False)
        for index, result in zip(again, await _insert(conn, [rows[i] for i in again]), strict=True):
            results[index] = result
    return [results[index] for index in range(len(rows))]


async def _depend(conn: Connection, edges: dict[tuple[UUID, UUID], bool]) -> None:
    wanted = sorted({depends_on for _, depends_on in edges})
    held = await conn.fetch(SQL.hold_dependencies, wanted)
    missing = set(wanted) - {record["job_id"] for record in held}
    if missing:
        raise UnknownDependency(f"no job {', '.join(sorted(map(str, missing)))} to wait on")
    await conn.execute(SQL.add_dependencies, *map(list, zip(*edges, strict=True)), list(edges.values()))
    ended = [record["job_id"] for record in held if record["status"] >= 3]
    if ended:
        await conn.execute(SQL.settle, ended)


def _checked(job: NewJob, job_id: UUID | None = None) -> tuple[object, ...]:
    """The job as the row that goes in, in the order of `sql/enqueue.sql`, or the error that keeps it out."""
    spec = spec_of(job.job_type)
    if job.dedupe_key is not None and not 0 < len(job.dedupe_key) <= KEY_CHARACTERS:
        raise InvalidPayload(f"dedupe_key: 1 to {KEY_CHARACTERS} characters")
    if not 0 <= job.priority <= 1000:
        raise InvalidPayload(f"priority: between 0 and 1000, not {job.priority}")
    if not 0 <= job.delay <= DELAY_SECONDS:
        raise InvalidPayload(f"delay: between 0 and {DELAY_SECONDS:g} seconds, not {job.delay}")
    if job.max_attempts is not None and not 0 < job.max_attempts <= 100:
        raise InvalidPayload(f"max_attempts: between 1 and 100, not {job.max_attempts}")
    if job.ends_graph and (job.graph_id is None or job.place_id is None):
        raise InvalidPayload("ends_graph: needs graph_id and place_id")
    text = payload_text(job.payload)
    try:
        spec.payload_model.model_validate(job.payload)
    except ValidationError as error:
        problems = (
            f"{'.'.join(map(str, ('payload', *e['loc'])))}: {e['msg']}"
            for e in error.errors(include_input=False)
        )
        raise InvalidPayload("; ".join(problems)) from None
    return (
        job.job_id or job_id,
        job.job_type,
        job.place_id,
        job.graph_id,
        job.ends_graph,
        job.priority,
        text,
        job.dedupe_key,
        job.max_attempts or spec.max_attempts,
        float(job.delay),
        len({d.job_id for d in job.depends_on}),
    )


def _uuid(value: object) -> UUID:
    if not isinstance(value, UUID):
        raise TypeError(f"expected an id, got {type(value).__name__}")
    return value
