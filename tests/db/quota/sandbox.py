"""A sandbox that reserves a call, perhaps marks it as sent, says so, and then does nothing more: it waits to be killed."""

import asyncio
import sys
import time

import asyncpg

from shared import quota
from tests.db.quota.steps import granted, terms


async def _main(url: str, until: str) -> None:
    conn = await asyncpg.connect(url, statement_cache_size=0)
    how = terms(1, share=0, lease=60.0)
    held = await granted(conn, how)
    if until == "sent":
        assert await quota.mark_sent(conn, held, terms=how)
    sys.stdout.write(f"{held.reservation_id}\n")
    sys.stdout.flush()
    time.sleep(600)  # noqa: ASYNC251 - nothing else is to happen


asyncio.run(_main(sys.argv[1], sys.argv[2]))
