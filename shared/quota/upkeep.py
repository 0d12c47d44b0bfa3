"""What the reaper does to the governor's tables."""

from typing import NamedTuple

from shared.db import Connection
from shared.quota.models import Terms
from shared.quota.sql import SQL

# No sandbox lives longer than Lambda's 900 s: a call sent before that is nobody's any more.
LONGEST_CALL_SECONDS = 1000.0
PRUNE_BATCH = 1000


class Pruned(NamedTuple):
    """How many sent calls were written down as `unknown` because nobody ever settled them, and how many rows are gone."""

    unknown: int
    removed: int


async def prune_quota(conn: Connection, terms: Terms, *, most: int = 100 * PRUNE_BATCH) -> Pruned:
    """Delete what is over in batches, each a transaction of its own; at most `most` rows. To be called every minute."""
    unknown = removed = 0
    while removed < most:
        row = await conn.fetchrow(SQL.prune, LONGEST_CALL_SECONDS, terms.window, terms.margin, PRUNE_BATCH)
        found = Pruned(*row) if row else Pruned(0, 0)
        unknown += found.unknown
        removed += found.removed
        if max(found) < PRUNE_BATCH:
            break
    return Pruned(unknown, removed)
