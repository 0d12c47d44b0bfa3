"""Who watches whom: the reaper the queue and the claimer, the flusher the reaper, readiness (outside) claimer and flusher."""

import pytest

from functions.alert_flusher.flush import run_once as flush
from functions.reaper.reaper import run_once as reap
from shared.db import Connection
from shared.jobs import queue
from shared.jobs.models import JobType
from shared.settings import Settings
from tests.db import steps
from tests.db.alerts.conftest import make_due
from tests.fakes.teams import Teams, text_of


@pytest.fixture(autouse=True)
async def working(conn: Connection) -> None:
    """Everything was seen a moment ago."""
    await conn.execute("UPDATE beats SET seen_at = now()")


async def hours_pass(conn: Connection, hours: float, *, without: str | None = None) -> None:
    """As if time went on with everything stopped; or with nothing but `without` stopped."""
    move = "make_interval(secs => $1::float8 * 3600)"
    await conn.execute(f"UPDATE jobs SET run_after = run_after - {move}", hours)
    await conn.execute(
        f"UPDATE beats SET seen_at = seen_at - {move} WHERE $2::text IS NULL OR name = $2", hours, without
    )
    await conn.execute(
        f"UPDATE alert_outbox SET window_until = window_until - {move}, created_at = created_at - {move},"
        f" next_attempt_at = next_attempt_at - {move}",
        hours,
    )


async def kinds(conn: Connection) -> list[str]:
    return sorted(row["kind"] for row in await conn.fetch("SELECT kind FROM alert_outbox"))


async def test_a_stall_is_told_once_a_window_as_long_as_it_lasts(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    await steps.new(conn, JobType.COPY)
    await hours_pass(conn, 0.5, without="nobody")
    for _ in range(5):
        assert (await reap(conn, config)).alerts == ["queue_stalled"]
        await flush(conn, config)
    assert len(teams.cards) == 1
    await make_due(conn)  # the window's end
    assert (await flush(conn, config)).sent == 1
    text = text_of(teams.cards[1])
    assert "작업 대기열이 멈춰 있습니다" in text
    assert "대기: 30분" in text
    assert "5회 (지난 알림 뒤 4회)" in text


async def test_a_stall_that_is_over_is_not_told_again_and_the_next_one_is(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    job_id = await steps.new(conn, JobType.COPY)
    await hours_pass(conn, 0.5, without="nobody")
    await reap(conn, config)
    await flush(conn, config)
    await reap(conn, config)
    assert (await flush(conn, config)).waiting == 1
    await queue.cancel(conn, job_id)
    await reap(conn, config)
    assert (await flush(conn, config)).waiting == 0
    await make_due(conn)
    assert (await flush(conn, config)).posts == 0
    await hours_pass(conn, 1, without="nobody")
    await steps.new(conn, JobType.COPY)
    await hours_pass(conn, 0.5, without="nobody")
    await reap(conn, config)
    assert (await flush(conn, config)).sent == 1


async def test_a_stall_that_comes_and_goes_is_told_once_a_window(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    for _ in range(4):
        job_id = await steps.new(conn, JobType.COPY)
        await conn.execute("UPDATE jobs SET run_after = now() - interval '1 hour' WHERE status = 1")
        await reap(conn, config)
        await flush(conn, config)
        await queue.cancel(conn, job_id)
        await reap(conn, config)
        await flush(conn, config)
    assert len(teams.cards) == 1


async def test_jobs_that_are_delayed_waiting_or_paused_are_no_stall(
    conn: Connection, config: Settings
) -> None:
    delayed = await steps.new(conn, JobType.COPY, delay=86400)
    await steps.waiting_on(conn, delayed)
    await steps.new(conn, JobType.VISION)
    await queue.pause(conn, JobType.VISION, True)
    await hours_pass(conn, 2, without="nobody")
    assert (await reap(conn, config)).alerts == []
    await queue.pause(conn, JobType.VISION, False)
    assert (await reap(conn, config)).alerts == ["queue_stalled"]


async def test_a_fresh_install_raises_nothing(conn: Connection, teams: Teams, config: Settings) -> None:
    await conn.execute("UPDATE beats SET seen_at = '-infinity'")
    for _ in range(3):
        assert (await reap(conn, config)).alerts == []
        await flush(conn, config)
    assert await kinds(conn) == []


@pytest.mark.parametrize("first", ["reaper", "flusher"])
async def test_after_a_night_with_everything_stopped_nothing_is_raised_whoever_comes_back_first(
    conn: Connection, teams: Teams, config: Settings, first: str
) -> None:
    await steps.new(conn, JobType.COPY)
    await hours_pass(conn, 9)
    rounds = [reap, flush] if first == "reaper" else [flush, reap]
    for work in rounds * 3:
        await work(conn, config)
    assert await kinds(conn) == []
    # But what goes on to stand still is told, counted from the morning.
    await conn.execute("UPDATE beats SET since = since - interval '20 minutes'")
    assert set((await reap(conn, config)).alerts) == {"queue_stalled", "claimer_missing"}


async def test_a_silent_claimer_is_told_and_its_return_ends_it(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    await hours_pass(conn, 0.2, without="claimer")
    for _ in range(3):
        assert (await reap(conn, config)).alerts == ["claimer_missing"]
        await flush(conn, config)
    assert len(teams.cards) == 1
    text = text_of(teams.cards[0])
    assert "claimer가 멈췄습니다" in text
    assert "멈춤: 12분" in text
    await queue.claim(conn, 1, 10)
    await conn.execute("UPDATE beats SET seen_at = now() WHERE name = 'claimer'")
    assert (await reap(conn, config)).alerts == []
    assert (await flush(conn, config)).waiting == 0


async def test_a_silent_reaper_is_told_by_the_flusher_and_its_return_ends_it(
    conn: Connection, teams: Teams, config: Settings
) -> None:
    await hours_pass(conn, 0.2, without="reaper")
    for _ in range(3):
        await flush(conn, config)
    assert len(teams.cards) == 1
    assert "reaper가 멈췄습니다" in text_of(teams.cards[0])
    await reap(conn, config)
    assert (await flush(conn, config)).waiting == 0
    assert await kinds(conn) == ["reaper_missing"]


async def test_a_flusher_that_fails_each_time_is_not_seen(conn: Connection, config: Settings) -> None:
    await hours_pass(conn, 0.2, without="alert_flusher")
    await conn.execute("ALTER TABLE alert_outbox RENAME TO gone")
    with pytest.raises(Exception, match="alert_outbox"):
        await flush(conn, config)
    await conn.execute("ALTER TABLE gone RENAME TO alert_outbox")
    age = "SELECT extract(epoch FROM now() - seen_at) FROM beats WHERE name = 'alert_flusher'"
    assert await conn.fetchval(age) > 600  # what readiness goes by
    await flush(conn, config)
    assert await conn.fetchval(age) < 60
