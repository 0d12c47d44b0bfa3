"""A round of the reaper on a database with everything in it."""

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest

from functions.reaper import handler as reaper_handler
from functions.reaper.reaper import run_once
from shared.db import Connection
from shared.jobs import queue, upkeep
from shared.jobs.models import JobType
from shared.settings import settings
from tests.db.runtime.conftest import Sandbox
from tests.db.steps import alerts, claimed, connections, let_lease_run_out, new, running, status, waiting_on
from tests.fakes.lambda_invoke import FakeLambda

Environment = Callable[..., None]


async def test_a_round_reaps_recounts_watches_prunes_and_says_what_it_did(
    conn: Connection, environment: Environment
) -> None:
    retried, spent, fine = await running(conn), await running(conn, max_attempts=1), await running(conn)
    unstarted = await new(conn, JobType.VISION)
    await claimed(conn)
    await let_lease_run_out(conn, retried.job_id, spent.job_id, unstarted)
    await conn.execute(
        "INSERT INTO jobs (job_type, status, result, finished_at) VALUES (1, 3, '{}', now() - interval '31 days')"
    )
    forgotten = await waiting_on(conn, fine.job_id)
    await conn.execute(
        "UPDATE jobs SET waiting_on = 0, run_after = now() - interval '1 hour' WHERE job_id = $1", forgotten
    )
    await conn.execute("UPDATE beats SET seen_at = now() - interval '10 minutes' WHERE name = 'claimer'")
    report = await run_once(conn, settings())
    assert report.reaped == {"PENDING": 2, "DEAD": 1}
    assert (report.problems, report.pruned, report.wake) == (0, 1, True)
    assert set(report.alerts) == {"queue_stalled", "claimer_missing", "job_dead"}
    assert await alerts(conn) == {
        f"job_dead:COLLECT:{spent.job_id}": 1,
        "queue_stalled": 1,
        "claimer_missing": 1,
    }
    assert await status(conn, fine.job_id) == "RUNNING"
    assert await conn.fetchval("SELECT now() - seen_at FROM beats WHERE name = 'reaper'") < timedelta(
        minutes=1
    )


async def test_a_quiet_round_says_nothing_and_wakes_nobody(
    conn: Connection, sandbox: Sandbox, invokes: FakeLambda
) -> None:
    await new(conn, delay=3600)
    report = await sandbox.call(reaper_handler.handler, {})
    assert report == {
        "reaped": {},
        "problems": 0,
        "recounted": 0,
        "recollected": 0,
        "pruned": 0,
        "alerts": [],
        "failed": [],
        "unknown_calls": 0,
        "wake": False,
    }
    assert invokes.calls == []
    assert await alerts(conn) == {}


async def test_what_it_makes_ready_wakes_the_claimer(
    conn: Connection, sandbox: Sandbox, invokes: FakeLambda
) -> None:
    ref = await running(conn)
    await let_lease_run_out(conn, ref.job_id)
    await sandbox.call(reaper_handler.handler, {})
    assert [c.function for c in invokes.calls] == ["web4ai-claimer"]


async def test_a_row_it_cannot_write_is_counted_and_the_round_goes_on(
    conn: Connection, environment: Environment
) -> None:
    bad, good = await running(conn), await running(conn)
    await let_lease_run_out(conn, bad.job_id, good.job_id)
    await conn.execute(
        f"""
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF NEW.job_id = '{bad.job_id}' THEN RAISE 'not this one'; END IF; RETURN NEW; END $$;
        CREATE TRIGGER refuse BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION refuse();
        """
    )
    report = await run_once(conn, settings())
    assert (report.problems, report.reaped) == (1, {"PENDING": 1})


async def test_a_stall_counts_up_in_one_row_and_a_paused_type_is_none(
    conn: Connection, environment: Environment
) -> None:
    job_id = await new(conn, JobType.VISION)
    await conn.execute("UPDATE jobs SET run_after = now() - interval '1 hour' WHERE job_id = $1", job_id)
    for _ in range(3):
        await run_once(conn, settings())
    assert await alerts(conn) == {"queue_stalled": 3}
    assert await conn.fetchval("SELECT count(*) FROM alert_outbox") == 1
    await queue.pause(conn, JobType.VISION, True)
    assert (await run_once(conn, settings())).alerts == []


async def test_a_claimer_that_never_ran_yet_is_not_missed(conn: Connection, environment: Environment) -> None:
    assert (await run_once(conn, settings())).alerts == []


async def test_the_alert_window_is_a_setting(conn: Connection, environment: Environment) -> None:
    environment(ALERT_DEDUPE_MINUTES="7")
    ref = await running(conn, max_attempts=1, place_id=uuid4())
    await let_lease_run_out(conn, ref.job_id)
    await run_once(conn, settings())
    window = await conn.fetchval("SELECT window_until - created_at FROM alert_outbox")
    assert window == timedelta(minutes=7)


@pytest.mark.parametrize(
    ("broken", "part"),
    [
        ("DROP FUNCTION job_reap", "reap"),
        ("DROP FUNCTION job_recount", "recount"),
        ("DROP FUNCTION alert_raise", "watch"),
        ("CREATE RULE stay AS ON DELETE TO jobs DO INSTEAD SELECT 1 / 0", "prune"),
    ],
)
async def test_a_part_that_fails_keeps_no_other_from_its_work_and_is_said_at_the_end(
    conn: Connection, sandbox: Sandbox, invokes: FakeLambda, broken: str, part: str
) -> None:
    late, old = await running(conn), await running(conn)
    await queue.complete(conn, old, {})
    await conn.execute("UPDATE jobs SET finished_at = now() - interval '40 days' WHERE status = 3")
    await let_lease_run_out(conn, late.job_id)
    stalled = await new(conn, JobType.VISION)
    await conn.execute("UPDATE jobs SET run_after = now() - interval '1 hour' WHERE job_id = $1", stalled)
    await conn.execute(broken)
    with pytest.raises(RuntimeError, match=f"went on without: {part}$"):
        await sandbox.call(reaper_handler.handler, {})
    done = {
        "reap": await conn.fetchval("SELECT status = 1 FROM jobs WHERE job_id = $1", late.job_id),
        "watch": await alerts(conn) == {"queue_stalled": 1},
        "prune": not await conn.fetchval("SELECT count(*) FROM jobs WHERE status = 3"),
    }
    assert [name for name, well in done.items() if not well] == ([part] if part in done else [])
    assert await conn.fetchval(
        "SELECT seen_at > now() - interval '1 minute' FROM beats WHERE name = 'reaper'"
    )


async def test_who_keeps_vacuum_from_the_table_is_alerted_while_it_lasts(
    database: str, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connections(database, 2) as (idle, conn):
        transaction = idle.transaction()
        await transaction.start()
        await idle.execute("SELECT 1")
        assert (await run_once(conn, settings())).alerts == []
        monkeypatch.setattr(upkeep, "LONG_TRANSACTION_SECONDS", 0.0)
        assert (await run_once(conn, settings())).alerts == ["vacuum_held"]
        assert await conn.fetchval("SELECT detail->'oldest_transaction_sec' IS NOT NULL FROM alert_outbox")
        monkeypatch.setattr(upkeep, "LONG_TRANSACTION_SECONDS", 3600.0)
        await transaction.rollback()
        assert (await run_once(conn, settings())).alerts == []
        assert await alerts(conn) == {"vacuum_held": 1}
