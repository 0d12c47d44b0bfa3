"""What the reaper does to the table."""

from typing import NamedTuple
from uuid import UUID

from shared.db import Connection
from shared.jobs.holding import DEFAULT_POLICY, Policy
from shared.jobs.models import JobStatus, ReapedJob
from shared.jobs.sql import SQL

PRUNE_BATCH = 500

# Our own transactions end within half a minute; a backup of a large database may take longer than that, but not this long.
LONG_TRANSACTION_SECONDS = 1800.0
MANY_DEAD_ROWS = 200_000


async def reap(conn: Connection, page: int, *, policy: Policy = DEFAULT_POLICY) -> list[ReapedJob]:
    """Every lease that ran out, page by page in job_id order, each page its own transaction.

    A row that could not be written keeps its status and carries the reason in `problem`.
    """
    reaped: list[ReapedJob] = []
    after = UUID(int=0)
    while True:
        rows = await conn.fetch(SQL.reap, after, page, policy.jitter, policy.alert_window)
        reaped += [
            ReapedJob(r["job_id"], r["job_type"], JobStatus(r["status"]), r["last_error"], r["problem"])
            for r in rows
        ]
        if len(rows) < page:
            return reaped
        after = rows[-1]["job_id"]


async def prune(conn: Connection, retention_days: float, *, most: int = 20 * PRUNE_BATCH) -> int:
    """Delete finished jobs past retention in small batches, at most `most`; how many."""
    gone = 0
    while gone < most:
        deleted: int = await conn.fetchval(SQL.prune, retention_days * 86400.0, PRUNE_BATCH)
        gone += deleted
        if deleted < PRUNE_BATCH:
            break
    return gone


async def recount(conn: Connection, limit: int = 100) -> int:
    """Settle what a lost settlement left waiting; how many dependencies were found so."""
    found: int = await conn.fetchval(SQL.recount, limit)
    return found


class Vacuum(NamedTuple):
    """How vacuum fares with the table of jobs. Rows are the server's statistics, not counts."""

    oldest_transaction_sec: float
    dead_rows: int
    live_rows: int

    @property
    def held(self) -> bool:
        """Whether somebody should look: claims get slower by every row that died and cannot go."""
        piled_up = self.dead_rows > max(MANY_DEAD_ROWS, self.live_rows)
        return piled_up or self.oldest_transaction_sec > LONG_TRANSACTION_SECONDS


async def vacuum(conn: Connection) -> Vacuum:
    """The age of the oldest open transaction of this database, and the rows of `jobs` that died and are still there."""
    row = await conn.fetchrow(SQL.vacuum)
    return Vacuum(*row) if row else Vacuum(0.0, 0, 0)
