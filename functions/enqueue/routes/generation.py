"""A place's generation: the whole way from its name to its page, as the jobs themselves tell it."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from aws_lambda_powertools.event_handler import Response

from functions.enqueue.owned import own_place
from functions.enqueue.shapes import GenerationView, StepView
from shared.db import transaction
from shared.http_api.database import database, wake_after_commit
from shared.http_api.entry import new_router
from shared.http_api.errors import not_found
from shared.http_api.shapes import JobView
from shared.jobs import graphs, queue
from shared.jobs.graphs import Graph
from shared.jobs.models import Job, JobStatus
from shared.places import repository

router = new_router()


@router.post(
    "/places/<place_id>/generation", summary="Generate the page", tags=["generation"], status_code=202
)
async def start_generation(place_id: UUID) -> Response[GenerationView]:
    """202 with the new generation, 200 with the active one."""
    async with database() as conn:
        await own_place(conn, place_id)
        async with transaction(conn):
            graph = await graphs.start_graph(conn, place_id)
            # Jobs before places: one that is deleted meanwhile takes this generation with it.
            await repository.lock_place(conn, place_id)
        if graph.created:
            await wake_after_commit(conn)
    status = 202 if graph.created else 200
    return Response(status_code=status, content_type="application/json", body=_view(graph))


@router.get("/places/<place_id>/generation", summary="Its progress", tags=["generation"])
async def get_generation(place_id: UUID) -> GenerationView:
    """The newest generation, active or over."""
    async with database() as conn:
        await own_place(conn, place_id)
        graph = await graphs.latest_graph(conn, place_id)
    if graph is None:
        raise not_found("generation")
    return _view(graph)


@router.post("/places/<place_id>/generation/cancel", summary="Stop it", tags=["generation"])
async def cancel_generation(place_id: UUID) -> GenerationView:
    """What waits is cancelled at once, what runs is asked to stop; a generation that is over stays as it is."""
    async with database() as conn:
        await own_place(conn, place_id)
        graph = await graphs.latest_graph(conn, place_id)
        if graph is not None:
            async with transaction(conn):
                await queue.cancel_graph(conn, graph.graph_id)
            graph = await graphs.get_graph(conn, graph.graph_id)
    if graph is None:
        raise not_found("generation")
    return _view(graph)


def _view(graph: Graph) -> GenerationView:
    return GenerationView(
        graph_id=graph.graph_id,
        active=graph.active,
        percent=percent(graph.jobs),
        steps=[StepView.of(JobView.of(job)) for job in graph.jobs],
    )


def percent(jobs: Sequence[Job]) -> int:
    """How far the jobs are, each counting alike: whole when it has ended, by its own progress while it runs."""
    if not jobs:
        return 0
    done = sum(_share(job) for job in jobs)
    return int(100 * done / len(jobs))


def _share(job: Job) -> float:
    if not job.active:
        return 1.0
    if job.status is not JobStatus.RUNNING or not job.progress:
        return 0.0
    done: Any = job.progress.get("done")
    total: Any = job.progress.get("total")
    if not isinstance(done, int | float) or not isinstance(total, int | float) or total <= 0:
        return 0.0
    return min(max(done / total, 0.0), 0.99)
