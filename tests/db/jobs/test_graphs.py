"""A place's generation: one at a time, whole or not at all."""

import asyncio
from uuid import uuid4

from shared.db import Connection
from shared.jobs import graphs, queue
from shared.jobs.models import JobType
from tests.db.steps import alerts, claimed, connections, held, status, until_blocked

ORDER = [JobType.COLLECT, JobType.VISION, JobType.COPY, JobType.BUILD, JobType.AI_CHECK]


async def test_a_graph_is_five_jobs_in_the_order_they_can_run_in(conn: Connection) -> None:
    place_id = uuid4()
    graph = await graphs.start_graph(conn, place_id, priority=7)
    assert graph.created
    assert graph.active
    assert [j.job_type for j in graph.jobs] == ORDER
    assert [j.waiting_on for j in graph.jobs] == [0, 1, 1, 3, 1]
    assert {(j.place_id, j.graph_id, j.priority) for j in graph.jobs} == {(place_id, graph.graph_id, 7)}
    assert [j.ends_graph for j in graph.jobs] == [False] * 4 + [True]
    assert [j.dedupe_key for j in graph.jobs] == [f"{t.name}:{place_id}:{graph.graph_id}" for t in ORDER]
    required = await conn.fetch("SELECT job_id, depends_on FROM job_dependencies WHERE required")
    assert [tuple(r) for r in required] == [(graph.jobs[4].job_id, graph.jobs[3].job_id)]


async def test_a_graph_runs_through(conn: Connection) -> None:
    graph = await graphs.start_graph(conn, uuid4())
    rounds = []
    while refs := await claimed(conn):
        rounds.append({j.job_type for j in graph.jobs if j.job_id in refs})
        await queue.complete_refs(conn, [(r, {}) for r in refs.values()])
    assert rounds == [{1}, {2, 3}, {4}, {5}]
    after = await graphs.get_graph(conn, graph.graph_id)
    assert after is not None
    assert not after.active


async def test_everything_but_the_page_may_fail_and_the_page_is_still_built(conn: Connection) -> None:
    graph = await graphs.start_graph(conn, uuid4())
    for _ in range(2):
        for ref in (await claimed(conn)).values():
            await queue.fail_permanent(conn, ref, "Boom: no")
    assert set(await claimed(conn)) == {graph.jobs[3].job_id}
    assert len(await alerts(conn)) == 3


async def test_starting_another_returns_the_active_one_whole(conn: Connection) -> None:
    place_id = uuid4()
    first = await graphs.start_graph(conn, place_id)
    await queue.complete(conn, await held(conn, first.jobs[0].job_id), {})
    again = await graphs.start_graph(conn, place_id)
    assert (again.graph_id, again.created) == (first.graph_id, False)
    assert [j.job_id for j in again.jobs] == [j.job_id for j in first.jobs]
    assert [j.status.name for j in again.jobs] == ["DONE"] + ["PENDING"] * 4


async def test_ten_starts_at_once_make_one_graph(database: str) -> None:
    async with connections(database, 10) as conns:
        place_id = uuid4()
        started = await asyncio.gather(*(graphs.start_graph(c, place_id) for c in conns))
        assert sum(g.created for g in started) == 1
        assert len({g.graph_id for g in started}) == 1
        assert all([j.job_type for j in g.jobs] == ORDER for g in started)
        assert await conns[0].fetchval("SELECT count(*) FROM jobs") == 5


async def test_a_start_that_waits_for_one_that_is_rolled_back_starts_its_own(database: str) -> None:
    async with connections(database, 3) as (first, second, watcher):
        place_id = uuid4()
        transaction = first.transaction()
        await transaction.start()
        lost = await graphs.start_graph(first, place_id)
        starting = asyncio.create_task(graphs.start_graph(second, place_id))
        await until_blocked(watcher, second)
        await transaction.rollback()
        graph = await starting
        assert graph.created
        assert graph.graph_id != lost.graph_id


async def test_a_new_graph_never_joins_an_old_ones_jobs(conn: Connection) -> None:
    place_id = uuid4()
    first = await graphs.start_graph(conn, place_id)
    await held(conn, first.jobs[0].job_id)
    await queue.cancel_graph(conn, first.graph_id)
    assert await status(conn, first.jobs[0].job_id) == "RUNNING"
    second = await graphs.start_graph(conn, place_id)
    assert second.created
    assert not {j.job_id for j in first.jobs} & {j.job_id for j in second.jobs}
    latest = await graphs.latest_graph(conn, place_id)
    assert latest is not None
    assert latest.graph_id == second.graph_id


async def test_two_places_have_a_graph_each(conn: Connection) -> None:
    first, second = [await graphs.start_graph(conn, uuid4()) for _ in range(2)]
    assert first.created
    assert second.created


async def test_cancelling_a_graph_stops_what_runs_and_drops_the_rest_without_alerts(conn: Connection) -> None:
    graph = await graphs.start_graph(conn, uuid4())
    ref = await held(conn, graph.jobs[0].job_id)
    statuses = await queue.cancel_graph(conn, graph.graph_id)
    assert sorted(s.name for s in statuses.values()) == ["CANCELLED"] * 4 + ["RUNNING"]
    await queue.cancelled(conn, ref)
    assert await claimed(conn) == {}
    assert await alerts(conn) == {}


async def test_a_dead_build_takes_the_check_with_it_and_alerts_once(conn: Connection) -> None:
    graph = await graphs.start_graph(conn, uuid4())
    for _ in range(2):
        await queue.complete_refs(conn, [(r, {}) for r in (await claimed(conn)).values()])
    await queue.fail_permanent(conn, await held(conn, graph.jobs[3].job_id), "Boom: no")
    assert await status(conn, graph.jobs[4].job_id) == "DEAD"
    assert sum((await alerts(conn)).values()) == 1
    assert (await graphs.start_graph(conn, graph.jobs[0].place_id or uuid4())).created


async def test_what_is_not_there_is_none(conn: Connection) -> None:
    assert await graphs.get_graph(conn, uuid4()) is None
    assert await graphs.latest_graph(conn, uuid4()) is None
