"""How jobs get in: one, many, with keys and with dependencies."""

import asyncio
from collections.abc import AsyncIterator, Sequence, Set
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple
from uuid import UUID

import asyncpg
from pydantic import ValidationError

from shared.db import Connection, transaction
from shared.field_errors import from_pydantic
from shared.jobs.errors import InvalidPayload, UnknownDependency
from shared.jobs.ids import new_id, new_ids
from shared.jobs.jsontext import payload_text, storable
from shared.jobs.models import EnqueueResult, NewJob
from shared.jobs.sql import SQL
from shared.jobs.types import spec_of
from shared.settings import settings

KEY_CHARACTERS = 500
DELAY_SECONDS = 366 * 86400.0
CHUNK = 500  # rows a statement
SLICE = 50  # rows checked in one go, some half a millisecond


class _Row(NamedTuple):
    """What goes in, in the order of `sql/enqueue.sql`."""

    job_id: UUID
    job_type: int
    place_id: UUID | None
    graph_id: UUID | None
    ends_graph: bool
    priority: int
    payload: str
    dedupe_key: str | None
    max_attempts: int
    delay: float
    waiting_on: int


async def enqueue(conn: Connection, job: NewJob, *, notify: bool | None = None) -> EnqueueResult:
    """Insert one job, or return the active one with its `dedupe_key` and `created=False`.

    `notify` None takes QUEUE_NOTIFY. Raises `InvalidPayload`, `UnknownJobType`, `UnknownDependency`; nothing is
    inserted then.
    """
    if job.depends_on:
        return (await enqueue_many(conn, [job], notify=notify))[0]
    row = _checked(job, job.job_id or new_id())
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
    first's id. One that meets an active job with its key takes no dependencies with it, and whoever was to wait on it waits on
    that job. Raises as `enqueue` does.
    """
    if not jobs:
        return []
    ids = [job.job_id or made for job, made in zip(jobs, new_ids(len(jobs)), strict=True)]
    waits = any(job.depends_on for job in jobs)
    outside: set[UUID] = set()
    keys: list[str] = []
    if waits:
        wanted = {d.job_id for job in jobs for d in job.depends_on}
        outside = wanted - set(ids)
        # Of the batch's own that others wait on: whoever has their keys is waited on in their stead.
        keys = [
            job.dedupe_key
            for job, job_id in zip(jobs, ids, strict=True)
            if job.dedupe_key and job_id in wanted
        ]
    todo = _by_key(jobs, ids)
    # A chunk at least is checked before anything is asked of the server.
    chunks = _chunks(todo)
    first = await anext(chunks)
    async with transaction(conn):
        # Before any key is taken: what ends a job holds its row first and takes the keys of its follow-ups then.
        ended = await _hold(conn, outside, keys)
        created = await _put(conn, first, chunks)
        if len(created) == len(ids):
            results = [EnqueueResult(job_id, True) for job_id in ids]
        else:
            found = await _meet(conn, todo, created)
            results = [found[job_id] for job_id in ids]
        if waits:
            await _wait(conn, jobs, ids, results, outside, ended)
        if (settings().queue_notify if notify is None else notify) and any(r.created for r in results):
            await conn.execute(SQL.notify)
    return results


def _by_key(jobs: Sequence[NewJob], ids: Sequence[UUID]) -> list[tuple[NewJob, UUID]]:
    """In the order in which they go in: two batches that share keys then wait for each other in one order."""
    pairs = list(zip(jobs, ids, strict=True))
    if any(job.dedupe_key is not None for job in jobs):
        pairs.sort(key=lambda pair: (pair[0].dedupe_key is not None, pair[0].dedupe_key or ""))
    return pairs


async def _chunks(pairs: Sequence[tuple[NewJob, UUID]]) -> AsyncIterator[list[_Row]]:
    """Checked rows, a chunk at a time; between slices the loop gets its turn, and what is being sent goes on."""
    for at in range(0, len(pairs), CHUNK):
        chunk: list[_Row] = []
        for start in range(at, min(at + CHUNK, len(pairs)), SLICE):
            chunk += [_checked(job, job_id) for job, job_id in pairs[start : min(start + SLICE, at + CHUNK)]]
            await asyncio.sleep(0)
        yield chunk


async def _meet(
    conn: Connection, pairs: Sequence[tuple[NewJob, UUID]], created: list[UUID]
) -> dict[UUID, EnqueueResult]:
    """What became of each id where not all were created: the others met an active job with their key."""
    results: dict[UUID, EnqueueResult] = {}
    while True:
        results |= {job_id: EnqueueResult(job_id, True) for job_id in created}
        missed = [pair for pair in pairs if pair[1] not in results]
        active = await conn.fetch(SQL.active_of_keys, [job.dedupe_key for job, _ in missed])
        by_key = {record["dedupe_key"]: record["job_id"] for record in active}
        for job, job_id in missed:
            if job.dedupe_key in by_key:
                results[job_id] = EnqueueResult(by_key[job.dedupe_key], False)
        pairs = [pair for pair in missed if pair[1] not in results]
        if not pairs:
            return results
        chunks = _chunks(pairs)  # what is left met a rival that ended in between
        created = await _put(conn, await anext(chunks), chunks)


async def _put(conn: Connection, first: list[_Row], rest: AsyncIterator[list[_Row]]) -> list[UUID]:
    """Insert chunk by chunk; while the server works on one the next is checked. The ids of what was created."""

    def send(chunk: list[_Row]) -> asyncio.Future[list[asyncpg.Record]]:
        return asyncio.ensure_future(conn.fetch(SQL.enqueue_many, *map(list, zip(*chunk, strict=True))))

    created: list[UUID] = []
    going = send(first)
    try:
        async for chunk in rest:
            created += [record[0] for record in await going]
            going = send(chunk)
        created += [record[0] for record in await going]
    except asyncio.CancelledError:
        going.cancel()
        raise
    finally:
        if not going.done():  # the connection is its until it has ended, well or not
            await asyncio.wait({going})
        if not going.cancelled():
            going.exception()  # heard of: where it is not raised, something worse is
    return created


async def _wait(
    conn: Connection,
    jobs: Sequence[NewJob],
    ids: Sequence[UUID],
    results: list[EnqueueResult],
    held: Set[UUID],
    ended: list[UUID],
) -> None:
    """Put in the edges of what was created; of the jobs outside the batch `held` are kept from ending, `ended` had ended."""
    stands_for = {job_id: r.job_id for job_id, r in zip(ids, results, strict=True)}
    waits: dict[UUID, dict[UUID, bool]] = {}
    merged = []
    for result, job in zip(results, jobs, strict=True):
        if result.created and job.depends_on:
            edges = waits.setdefault(result.job_id, {})
            for dependency in job.depends_on:
                on = stands_for.get(dependency.job_id, dependency.job_id)
                edges[on] = edges.get(on, False) or dependency.required
            if len(edges) < len({d.job_id for d in job.depends_on}):
                merged.append(result.job_id)
    if waits:
        more = await _hold(conn, set().union(*waits.values()) - held)
        await _depend(conn, waits, merged, ended + more)


async def _hold(conn: Connection, job_ids: Set[UUID], keys: Sequence[str] = ()) -> list[UUID]:
    """Keep the jobs, and the active ones of the keys, from ending until the transaction does; those that have ended already."""
    if not job_ids and not keys:
        return []
    held = await conn.fetch(SQL.hold_dependencies, sorted(job_ids), list(keys))
    missing = job_ids - {record["job_id"] for record in held}
    if missing:
        raise UnknownDependency(f"no job {', '.join(sorted(map(str, missing)))} to wait on")
    return [record["job_id"] for record in held if record["status"] >= 3]


async def _depend(
    conn: Connection, waits: dict[UUID, dict[UUID, bool]], merged: list[UUID], ended: list[UUID]
) -> None:
    """Put the edges in; `merged` are jobs two of whose dependencies turned out to be one."""
    try:
        TopologicalSorter(waits).prepare()
    except CycleError as error:
        circle = " → ".join(map(str, error.args[1]))
        raise InvalidPayload(f"depends_on: jobs that wait on each other would never run: {circle}") from None
    edges = [(job_id, on, required) for job_id, ons in waits.items() for on, required in ons.items()]
    await conn.execute(SQL.add_dependencies, *map(list, zip(*edges, strict=True)))
    if merged:
        await conn.execute(SQL.correct_waiting, merged, [len(waits[job_id]) for job_id in merged])
    if ended:
        await conn.execute(SQL.settle, ended)


def _checked(job: NewJob, job_id: UUID) -> _Row:
    """The job as the row that goes in, or the error that keeps it out."""
    spec = spec_of(job.job_type)
    if job.dedupe_key is not None:
        if not 0 < len(job.dedupe_key) <= KEY_CHARACTERS:
            raise InvalidPayload(f"dedupe_key: 1 to {KEY_CHARACTERS} characters")
        if not storable(job.dedupe_key):
            raise InvalidPayload("dedupe_key: text must have no NUL and no lone surrogate")
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
        found = ({**e, "loc": ("payload", *e["loc"])} for e in error.errors(include_input=False))
        rules = (f"{broken.field}: {broken.message}" for broken in from_pydantic(found))
        raise InvalidPayload("; ".join(rules)) from None
    return _Row(
        job_id,
        job.job_type,
        job.place_id,
        job.graph_id,
        job.ends_graph,
        job.priority,
        text,
        job.dedupe_key,
        job.max_attempts or spec.max_attempts,
        float(job.delay),
        len({d.job_id for d in job.depends_on}) if job.depends_on else 0,
    )
