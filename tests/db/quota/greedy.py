"""A sandbox that sends whatever it may until it is killed; it begins when a line comes in."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import asyncpg
import httpx
from pydantic import SecretStr

from shared.db import Connection
from shared.providers.calls import ProviderCall
from shared.quota import Estimate, Gate, Terms, Work
from tests.db.quota.steps import METER, terms


async def _main(database: str, vendor: str, work: Work, how: Terms) -> None:
    conn = await asyncpg.connect(database, statement_cache_size=0)

    @asynccontextmanager
    async def borrow() -> AsyncIterator[Connection]:
        yield conn

    through = Gate(
        borrow, how, provider="gemini", key=SecretStr("a key"), work=work, job_id=uuid4(), patience=3600
    )
    body = {"contents": [{"parts": [{"text": f'"name": "{work.value}"'}]}]}
    async with httpx.AsyncClient(trust_env=False, verify=False) as http:  # plain HTTP on loopback
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)
        while True:
            async with through.admission(METER.model, Estimate(10)) as admission:
                await http.post(f"{vendor}/v1/models/{METER.model}:generateContent", json=body)
                admission.call = ProviderCall("gemini", METER.model, "ok", 1, 5, 5, 0.0)


def plan(requests_minute: int, share: float) -> Terms:
    """What every sandbox goes by."""
    return terms(requests_minute, share=share)


if __name__ == "__main__":
    asyncio.run(
        _main(sys.argv[1], sys.argv[2], Work(sys.argv[3]), plan(int(sys.argv[4]), float(sys.argv[5])))
    )
