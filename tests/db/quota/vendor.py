"""A vendor that counts, by a window that slides, what reaches it; and sandboxes that reach it through gates."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from uuid import uuid4

from pydantic import SecretStr

from shared.db import Connection
from shared.providers.calls import ProviderCall
from shared.quota import Estimate, Gate, Terms, Work

MODEL = "gemini-3.8-flash"


@dataclass
class Vendor:
    """Every call that arrived: when, of which class, with how many tokens."""

    calls: list[tuple[float, Work, int]] = field(default_factory=list)

    def take(self, work: Work, tokens: int) -> None:
        """A call arrives."""
        self.calls.append((monotonic(), work, tokens))

    def most(self, window: float, *works: Work) -> tuple[int, int]:
        """The most calls, and the most tokens, in any window of so many seconds."""
        seen = sorted(call for call in self.calls if not works or call[1] in works)
        most_calls = most_tokens = first = tokens = 0
        for last, (at, _, weight) in enumerate(seen):
            tokens += weight
            while at - seen[first][0] >= window:
                tokens -= seen[first][2]
                first += 1
            most_calls, most_tokens = max(most_calls, last - first + 1), max(most_tokens, tokens)
        return most_calls, most_tokens


def gate(conn: Connection, terms: Terms, work: Work, patience: float, **more: object) -> Gate:
    """A job's way to the vendor over a connection of its own."""

    @asynccontextmanager
    async def borrow() -> AsyncIterator[Connection]:
        yield conn

    options = {"provider": "gemini", "key": SecretStr("a key"), "job_id": uuid4(), **more}
    return Gate(borrow, terms, work=work, patience=patience, **options)  # type: ignore[arg-type]


async def ask(vendor: Vendor, through: Gate, work: Work, estimate: int, delay: float) -> None:
    """One call: `delay` seconds on its way, then counted with fewer tokens than were reserved."""
    async with through.admission(MODEL, Estimate(estimate)) as admission:
        await asyncio.sleep(random.uniform(0, delay))
        tokens = random.randint(estimate // 2, estimate)
        vendor.take(work, tokens)
        await asyncio.sleep(random.uniform(0, delay))
        admission.call = ProviderCall("gemini", MODEL, "ok", 1, tokens, 0, 0.0)
