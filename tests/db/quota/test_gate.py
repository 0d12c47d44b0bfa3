"""The gate: what a job meets on its way to a provider."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import asyncpg
import pytest
from pydantic import SecretStr

from shared import quota
from shared.db import Connection
from shared.providers.calls import ProviderCall
from shared.providers.failures import FailureCode, ProviderFailure
from shared.quota import BudgetSpentError, Estimate, Gate, NoQuotaError, Terms, Wait, Work
from tests.db.quota.steps import METER, call, granted, ledger, month, refused, terms, the_meter
from tests.db.quota.vendor import MODEL, Vendor, ask, gate
from tests.db.steps import connect

HOW = terms(2, share=0)
ASKED = Estimate(100, 0.01)


async def asked(
    conn: Connection,
    failure: ProviderFailure | None = None,
    made: ProviderCall | None = None,
    how: Terms = HOW,
) -> None:
    """One call through a gate without patience, failing as told."""
    async with gate(conn, how, Work.BATCH, 0).admission(MODEL, ASKED) as admission:
        admission.call = made
        if failure is not None:
            raise failure


async def test_a_call_is_counted_before_it_is_made_and_settled_after(conn: Connection) -> None:
    job_id, place_id = uuid4(), uuid4()
    through = gate(conn, HOW, Work.BATCH, 0, job_id=job_id, place_id=place_id)
    async with through.admission(MODEL, ASKED) as admission:
        assert (await the_meter(conn)).minute.requests == 1
        assert await ledger(conn) == []
        admission.call = call(tokens=30, cost=0.002)
    assert await ledger(conn) == [("ok", 0.002, False)]
    row = await conn.fetchrow("SELECT job_id, place_id FROM usage")
    assert tuple(row or ()) == (job_id, place_id)
    assert (await the_meter(conn)).minute.tokens == 30


async def test_without_room_nothing_is_sent_and_the_failure_says_when(conn: Connection) -> None:
    for _ in range(2):
        await granted(conn, HOW, send=True)
    with pytest.raises(NoQuotaError) as caught:
        await asked(conn)
    assert caught.value.code == "quota_minute"
    assert caught.value.reason == "quota"
    assert caught.value.retry_after is not None
    assert 60 < caught.value.retry_after <= 66
    assert not caught.value.retryable  # the gate has waited as long as it may


async def test_a_job_that_does_not_come_back_leaves_no_turn_and_one_that_does_keeps_it(
    conn: Connection,
) -> None:
    for _ in range(2):
        await granted(conn, HOW, send=True)
    for comes_back, waiting in ((False, 0), (True, 1)):
        through = gate(conn, HOW, Work.BATCH, 0, comes_back=comes_back)
        with pytest.raises(NoQuotaError):
            async with through.admission(MODEL, ASKED):
                raise AssertionError("not admitted")
        assert (await the_meter(conn, HOW)).waiting_batch == waiting


async def test_it_waits_for_its_turn_within_its_patience_and_says_so(conn: Connection) -> None:
    how = terms(1, share=0, window=0.4, margin=0.4)
    vendor = Vendor()
    told: list[Wait] = []

    async def on_wait(wait: Wait) -> None:
        told.append(wait)

    await ask(vendor, gate(conn, how, Work.INTERACTIVE, 0), Work.INTERACTIVE, 10, 0)
    through = gate(conn, how, Work.INTERACTIVE, 5, on_wait=on_wait)
    await ask(vendor, through, Work.INTERACTIVE, 10, 0)
    assert len(vendor.calls) == 2
    assert vendor.most(how.window)[0] == 1
    assert told[0].progress() == {
        "waiting_for": "requests_minute",
        "provider": "gemini",
        "model": MODEL,
        "wait_sec": round(told[0].seconds, 1),
    }


async def test_its_patience_is_for_all_its_calls_together_and_ends_with_the_jobs_time(
    conn: Connection,
) -> None:
    how = terms(1, share=0, window=0.4, margin=0.4)
    through = gate(conn, how, Work.INTERACTIVE, 1.0)
    for _ in range(2):
        async with through.admission(MODEL, ASKED):
            pass
    with pytest.raises(NoQuotaError):
        async with through.admission(MODEL, ASKED):
            pass
    in_a_hurry = gate(conn, how, Work.INTERACTIVE, 100, remaining=lambda: 0.1)
    with pytest.raises(NoQuotaError):
        async with in_a_hurry.admission(MODEL, ASKED):
            pass


async def test_past_the_budget_nothing_is_sent(conn: Connection) -> None:
    with pytest.raises(BudgetSpentError) as caught:
        await asked(conn, how=terms(budget_usd=0.001))
    assert (caught.value.code, caught.value.reason, caught.value.retryable) == ("budget", "budget", False)


@pytest.mark.parametrize(
    ("code", "named", "seconds", "whole_key"),
    [
        ("quota_minute", 33.2, 33.2, False),
        ("quota_minute", None, 15, False),
        ("spend_limit", None, 600, True),
        ("spend_limit", 42.0, 42.0, True),
    ],
)
async def test_a_refusal_closes_what_it_names_for_everybody(
    conn: Connection, code: FailureCode, named: float | None, seconds: float, whole_key: bool
) -> None:
    with pytest.raises(ProviderFailure, match="no more"):
        await asked(conn, ProviderFailure(code, "HTTP 429: no more", retry_after=named))
    seen = await the_meter(conn, HOW)
    assert (seen.closed_code, seen.closed_detail, seen.key_closed) == (code, "HTTP 429: no more", whole_key)
    wait = await refused(conn, HOW, Work.INTERACTIVE)
    assert wait.seconds == pytest.approx(seconds, abs=5)
    with pytest.raises(NoQuotaError) as caught:
        await asked(conn)
    assert caught.value.code == code


async def test_a_refusal_for_the_day_closes_until_the_day_is_over_whatever_delay_it_names(
    conn: Connection,
) -> None:
    with pytest.raises(ProviderFailure):
        await asked(conn, ProviderFailure("quota_day", "HTTP 429: PerDay", retry_after=7.0))
    assert (await refused(conn, HOW)).seconds > 50


async def test_other_failures_close_nothing(conn: Connection) -> None:
    for code in ("auth", "timeout"):
        with pytest.raises(ProviderFailure):
            await asked(conn, ProviderFailure(code, "no"))  # type: ignore[arg-type]
    assert (await the_meter(conn, HOW)).closed_until is None


async def test_a_refused_call_costs_nothing_and_one_that_got_no_answer_what_was_estimated(
    conn: Connection,
) -> None:
    for code, made in (
        ("quota_minute", call("quota_minute", None, None)),
        ("timeout", call("timeout", None, None)),
    ):
        await conn.execute("DELETE FROM quota_closures")
        with pytest.raises(ProviderFailure):
            await asked(conn, ProviderFailure(code, "no"), made)  # type: ignore[arg-type]
    assert await ledger(conn) == [("quota_minute", 0.0, False), ("timeout", 0.01, True)]
    use = (await the_meter(conn, HOW)).minute
    assert (use.requests, use.tokens) == (2, 100)
    assert await month(conn) == 0.01


async def test_a_call_that_is_cancelled_is_left_to_the_reaper(conn: Connection) -> None:
    begun = asyncio.Event()

    async def work() -> None:
        async with gate(conn, HOW, Work.BATCH, 0).admission(MODEL, ASKED):
            begun.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await ledger(conn) == []
    assert await month(conn) == 0.01
    await conn.execute("UPDATE quota_reservations SET sent_at = sent_at - interval '20 minutes'")
    await quota.prune_quota(conn, HOW)
    assert await ledger(conn) == [("unknown", 0.01, True)]


async def test_a_closure_between_reserving_and_sending_is_seen(conn: Connection, database: str) -> None:
    other = await connect(database)
    asked_for = 0

    @asynccontextmanager
    async def borrow() -> AsyncIterator[Connection]:
        nonlocal asked_for
        asked_for += 1
        if asked_for == 2:  # the reservation is made, the call not yet marked
            await quota.close(other, METER, seconds=60, code="quota_minute", detail="429", terms=HOW)
        yield conn

    through = Gate(borrow, HOW, provider="gemini", key=SecretStr("a key"), work=Work.BATCH)
    with pytest.raises(NoQuotaError):
        async with through.admission(MODEL, ASKED):
            pass
    assert (await the_meter(conn, HOW)).minute.requests == 0
    await other.close()


async def test_an_answer_is_not_lost_because_it_cannot_be_settled_and_is_settled_when_it_can(
    database: str, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.quota.gate.SETTLE_PAUSES", (0.01, 0.01))
    broken = 0

    @asynccontextmanager
    async def borrow() -> AsyncIterator[Connection]:
        nonlocal broken
        if broken:
            broken -= 1
            raise asyncpg.ConnectionDoesNotExistError("gone")
        yield conn

    through = Gate(borrow, HOW, provider="gemini", key=SecretStr("a key"), work=Work.BATCH)
    async with through.admission(MODEL, ASKED) as admission:
        admission.call = call()
        broken = 2
    assert await ledger(conn) == [("ok", 0.004, False)]
    async with through.admission(MODEL, ASKED) as admission:
        admission.call = call()
        broken = 3
    assert len(await ledger(conn)) == 1


async def test_a_database_too_slow_to_send_by_ends_the_wait(conn: Connection) -> None:
    how = terms(100, margin=0.02)

    @asynccontextmanager
    async def borrow() -> AsyncIterator[Connection]:
        yield conn
        await asyncio.sleep(0.02)

    through = Gate(borrow, how, provider="gemini", key=SecretStr("a key"), work=Work.BATCH, patience=5)
    async with asyncio.timeout(4):
        with pytest.raises(NoQuotaError) as refused:
            async with through.admission(MODEL, ASKED):
                pass
    assert refused.value.wait.reason == "busy"
    assert await conn.fetchval("SELECT sum(requests) FROM quota_slots") == 0, "all of it is given back"


async def test_who_was_held_up_after_the_mark_does_not_send(conn: Connection) -> None:
    how = terms(2, share=0, margin=0.2)
    held_up = 1

    @asynccontextmanager
    async def borrow() -> AsyncIterator[Connection]:
        nonlocal held_up
        yield conn
        if held_up and await conn.fetchval(
            "SELECT count(*) FROM quota_reservations WHERE sent_at IS NOT NULL"
        ):
            held_up -= 1
            await asyncio.sleep(0.11)

    through = Gate(borrow, how, provider="gemini", key=SecretStr("a key"), work=Work.BATCH)
    async with through.admission(MODEL, ASKED):
        assert held_up == 0
        assert (await the_meter(conn, how)).minute.requests == 1
    assert await conn.fetchval("SELECT count(*) FROM usage") == 1
