"""What keeps the table small: vacuum that comes early, an eye on who holds it back, a history that does not grow for ever."""

import pytest

from shared.db import Connection
from shared.jobs import queue
from shared.jobs.upkeep import LONG_TRANSACTION_SECONDS, MANY_DEAD_ROWS, Vacuum
from tests.db.steps import connections, held, job, new, put, until


async def test_vacuum_comes_to_the_queues_table_long_before_a_fifth_of_it_is_dead(conn: Connection) -> None:
    options = dict(
        option.split("=")
        for option in await conn.fetchval("SELECT reloptions FROM pg_class WHERE oid = 'jobs'::regclass")
    )
    assert float(options["autovacuum_vacuum_scale_factor"]) <= 0.05
    assert float(options["autovacuum_analyze_scale_factor"]) <= 0.05
    assert int(options["fillfactor"]) < 100


async def test_an_open_transaction_of_anybodys_is_seen_by_its_age(database: str) -> None:
    async with connections(database, 2) as (idle, conn):
        assert (await queue.vacuum(conn)).oldest_transaction_sec < 1
        transaction = idle.transaction(isolation="repeatable_read")
        await transaction.start()
        began = await idle.fetchval("SELECT now()")

        async def older() -> bool:
            age = await conn.fetchval("SELECT extract(epoch FROM now() - $1)::float8", began)
            return bool(age > 0.05)

        await until(older)
        seen = (await queue.vacuum(conn)).oldest_transaction_sec
        assert 0.05 < seen <= await conn.fetchval("SELECT extract(epoch FROM now() - $1)::float8", began)
        await transaction.rollback()
        assert (await queue.vacuum(conn)).oldest_transaction_sec < seen


@pytest.mark.parametrize(
    ("state", "held"),
    [
        (Vacuum(0.0, 0, 0), False),
        (Vacuum(LONG_TRANSACTION_SECONDS, 0, 0), False),
        (Vacuum(LONG_TRANSACTION_SECONDS + 1, 0, 0), True),
        (Vacuum(0.0, MANY_DEAD_ROWS, 10), False),
        (Vacuum(0.0, MANY_DEAD_ROWS + 1, 10), True),
        (Vacuum(0.0, MANY_DEAD_ROWS + 1, 10 * MANY_DEAD_ROWS), False),
    ],
)
def test_somebody_should_look_when_a_transaction_is_old_or_more_rows_are_dead_than_live(
    state: Vacuum, held: bool
) -> None:
    assert state.held is held


async def test_a_job_requeued_without_end_keeps_its_newest_hundred_attempts(conn: Connection) -> None:
    job_id = await put(conn, max_attempts=100)
    other = await new(conn, delay=60)
    for table_of in (job_id, other):
        await conn.execute(
            "INSERT INTO job_attempts (job_id, worker_id, attempt, ended_at, outcome, error)"
            " SELECT $1, gen_random_uuid(), n, now() - make_interval(mins => 300 - n), 'failed', 'Boom: ' || n"
            " FROM generate_series(1, 250) n",
            table_of,
        )
    await queue.fail_permanent(conn, await held(conn, job_id), "Boom: last")
    assert len(await queue.attempts(conn, job_id)) == 251
    await queue.requeue(conn, job_id)
    kept = await queue.attempts(conn, job_id)
    assert [a.error for a in kept] == [f"Boom: {n}" for n in range(152, 251)] + ["Boom: last"]
    assert len(await queue.attempts(conn, other)) == 250


async def test_snoozes_and_releases_without_end_leave_no_rows_and_a_row_that_does_not_grow(
    conn: Connection,
) -> None:
    job_id = await new(conn)
    sizes = []
    for _ in range(60):
        await queue.snooze(conn, await held(conn, job_id), 0, "x" * 5000)
        await queue.release(conn, [await held(conn, job_id, started=False)], "y" * 5000)
        await conn.execute("UPDATE jobs SET run_after = now()")
        sizes.append(await conn.fetchval("SELECT pg_column_size(j) FROM jobs j WHERE job_id = $1", job_id))
    assert await queue.attempts(conn, job_id) == []
    assert max(sizes) <= sizes[0] + 8
    assert (await job(conn, job_id)).attempts == 0
