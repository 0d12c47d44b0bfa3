"""Whatever window the vendor counts by, it is never sent more than it allows."""

import asyncio
import random

import pytest

from shared.db import Connection
from shared.quota import Reservation, Terms, Work
from tests.db.quota.steps import reserve, terms
from tests.db.quota.vendor import Vendor, ask, gate
from tests.db.steps import connections

MARGIN = 0.5  # seconds; a call is on its way for a fifth of it, the rest is a busy machine's


async def rush(database: str, how: Terms, sandboxes: int, estimate: int, until: int) -> Vendor:
    """Sandboxes that send whatever they may, half of them batch work, until so many calls have arrived."""
    vendor = Vendor()
    enough = asyncio.Event()

    async def sandbox(conn: Connection, work: Work) -> None:
        through = gate(conn, how, work, patience=300)
        while True:
            await ask(vendor, through, work, estimate, MARGIN / 5)
            if len(vendor.calls) >= until:
                enough.set()
            await asyncio.sleep(random.uniform(0, 0.02))

    async with connections(database, sandboxes) as conns:
        works = [Work.BATCH if n % 2 else Work.INTERACTIVE for n in range(sandboxes)]
        running = [asyncio.create_task(sandbox(c, w)) for c, w in zip(conns, works, strict=True)]
        await asyncio.wait(
            [asyncio.create_task(enough.wait()), *running], return_when=asyncio.FIRST_COMPLETED
        )
        for task in running:
            task.cancel()
        ended = await asyncio.gather(*running, return_exceptions=True)
    assert all(isinstance(end, asyncio.CancelledError) for end in ended), ended
    return vendor


async def test_thirty_sandboxes_never_exceed_a_limit_of_requests_in_any_window(database: str) -> None:
    how = terms(20, share=0.3, window=0.7, margin=MARGIN)
    vendor = await rush(database, how, 30, 10, until=45)
    assert vendor.most(how.window)[0] <= 20
    assert vendor.most(how.window, Work.BATCH)[0] <= 14


@pytest.mark.slow  # the same road as for requests
async def test_thirty_sandboxes_never_exceed_a_limit_of_tokens_in_any_window(database: str) -> None:
    how = terms(10_000, 1_000, share=0.3, window=0.7, margin=MARGIN)
    vendor = await rush(database, how, 30, 100, until=30)
    assert vendor.most(how.window)[1] <= 1_000
    assert vendor.most(how.window, Work.BATCH)[1] <= 700


async def test_many_at_once_are_granted_exactly_what_there_is(database: str) -> None:
    how = terms(20, 1_400, share=0.5)
    async with connections(database, 30) as conns:
        works = [Work.BATCH if n % 2 else Work.INTERACTIVE for n in range(30)]
        found = await asyncio.gather(*(reserve(c, how, w) for c, w in zip(conns, works, strict=True)))
    held = [one.work for one in found if isinstance(one, Reservation)]
    assert len(held) == 14  # 100 tokens each
    assert held.count(Work.BATCH) <= 7


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_minutes_limits_hold_over_minutes(database: str) -> None:
    how = terms(200, 200_000, share=0.3)
    vendor = await rush(database, how, 30, 2_000, until=250)
    requests, tokens = vendor.most(60.0)
    assert requests <= 200
    assert tokens <= 200_000


def test_the_vendor_sees_what_two_full_minutes_side_by_side_would_send() -> None:
    """That is: counting by the clock's minutes would not do."""
    vendor = Vendor(
        [
            (at, Work.BATCH, 1)
            for at in [59.0 + n / 10 for n in range(10)] + [60.1 + n / 10 for n in range(10)]
        ]
    )
    assert vendor.most(60.0) == (20, 20)
