"""Published places are collected again by themselves when their facts have grown old."""

from uuid import UUID

from shared.collecting.due import due_collections, look_again
from shared.db import Connection, transaction
from shared.jobs.enqueueing import enqueue
from shared.jobs.models import JobType, NewJob
from shared.jobs.refresh import refresh_key

PRIORITY = 200  # nobody waits for it: after everything that somebody does
_DAY = 86_400.0
_UNPUBLISHED = (
    0.1  # of the time between two collections: how soon a place that has no page is looked at again
)


class _DeletedError(Exception):
    """Rolls one place back: it was deleted meanwhile, and takes its job with it."""


async def recollect(conn: Connection, days: float, page: int) -> int:
    """Enqueues a COLLECT for every published place not collected for `days`, the oldest first, a page at most; how many.

    0 days: never. A place is looked at once and then not before its time has come again, whatever becomes of the job.
    """
    if days <= 0:
        return 0
    enqueued = 0
    for place_id, published in await due_collections(conn, days * _DAY, page):
        try:
            enqueued += await _look(conn, place_id, published, days)
        except _DeletedError:
            continue
    return enqueued


async def _look(conn: Connection, place_id: UUID, published: bool, days: float) -> bool:
    """In a transaction of its own, the job before the place, as everywhere. True: a job was enqueued."""
    async with transaction(conn):
        created = False
        if published:
            key = refresh_key(JobType.COLLECT, place_id)
            new = NewJob(JobType.COLLECT, place_id=place_id, dedupe_key=key, priority=PRIORITY)
            created = (await enqueue(conn, new)).created
        ago = 0.0 if published else (1 - _UNPUBLISHED) * days * _DAY
        if not await look_again(conn, place_id, ago):
            raise _DeletedError
        return created
