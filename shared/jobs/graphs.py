"""Onboarding as one graph of jobs, enqueued in one transaction.

COLLECT → VISION and COPY → BUILD → AI_CHECK. Only BUILD → AI_CHECK is required: a page is published from confirmed facts
whatever else failed.
"""

from dataclasses import dataclass
from uuid import UUID, uuid4

from shared.db import Connection, transaction
from shared.jobs.enqueueing import enqueue_many
from shared.jobs.ids import new_ids
from shared.jobs.models import Dependency, Job, JobType, NewJob
from shared.jobs.rows import jobs_of
from shared.jobs.sql import SQL
from shared.jobs.types import spec_of, type_name
from shared.settings import settings


@dataclass(frozen=True)
class Graph:
    """A place's generation: its jobs in the order they can run in. `created` is False for one that was active already."""

    graph_id: UUID
    jobs: list[Job]
    created: bool

    @property
    def active(self) -> bool:
        """Whether any of its jobs still is."""
        return any(job.active for job in self.jobs)


async def start_graph(conn: Connection, place_id: UUID, *, priority: int = 100) -> Graph:
    """Enqueue a place's whole generation, or return the active one whole. One a place, held by an index."""
    while True:
        async with transaction(conn):
            graph_id = await _open(conn, place_id, priority)
            if graph_id is not None:
                return Graph(graph_id, await _jobs(conn, graph_id), True)
        active = await conn.fetchval(SQL.active_graph, place_id)
        if active is not None:
            return Graph(active, await _jobs(conn, active), False)
        # The active one ended in between.


async def _open(conn: Connection, place_id: UUID, priority: int) -> UUID | None:
    graph_id = uuid4()
    ids = dict(zip(JobType, new_ids(len(JobType)), strict=True))

    def key(job_type: JobType) -> str:
        return f"{type_name(job_type)}:{place_id}:{graph_id}"

    def new(job_type: JobType, *after: JobType) -> NewJob:
        return NewJob(
            job_type,
            place_id=place_id,
            graph_id=graph_id,
            dedupe_key=key(job_type),
            priority=priority,
            job_id=ids[job_type],
            depends_on=[Dependency(ids[dependency]) for dependency in after],
        )

    last = JobType.AI_CHECK
    opened = await conn.fetchval(
        SQL.open_graph,
        ids[last],
        last,
        place_id,
        graph_id,
        priority,
        "{}",
        key(last),
        spec_of(last).max_attempts,
        1,
    )
    if opened is None:
        return None
    await enqueue_many(
        conn,
        [
            new(JobType.COLLECT),
            new(JobType.VISION, JobType.COLLECT),
            new(JobType.COPY, JobType.COLLECT),
            new(JobType.BUILD, JobType.COLLECT, JobType.VISION, JobType.COPY),
        ],
        notify=settings().queue_notify,
    )
    await conn.execute(SQL.add_dependencies, [ids[last]], [ids[JobType.BUILD]], [True])
    return graph_id


async def get_graph(conn: Connection, graph_id: UUID) -> Graph | None:
    """A graph with its jobs, or None when none of them is left."""
    jobs = await _jobs(conn, graph_id)
    return Graph(graph_id, jobs, False) if jobs else None


async def latest_graph(conn: Connection, place_id: UUID) -> Graph | None:
    """The place's newest generation, active or over."""
    graph_id = await conn.fetchval(SQL.latest_graph, place_id)
    return None if graph_id is None else await get_graph(conn, graph_id)


async def _jobs(conn: Connection, graph_id: UUID) -> list[Job]:
    return jobs_of(await conn.fetch(SQL.of_graph, graph_id))
