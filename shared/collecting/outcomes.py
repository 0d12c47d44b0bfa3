"""How channels go across places: rows of `channel_outcomes`, written by every collection, read over a window of time."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from shared.collecting.statements import SQL
from shared.db import Connection

KEPT_DAYS = 7.0  # for a look back at a bad weekend
PRUNE_BATCH = 1_000


class ChannelHealth(BaseModel):
    """Places by how the channel last went for them in the window; `code` is what it failed with most.

    `closed_until` and `closed_code` are of a vendor that asked to be left alone and is asked by nobody until then.
    """

    model_config = ConfigDict(frozen=True)

    channel: str
    ok: int
    empty: int
    partial: int
    failed: int
    skipped: int
    code: str | None
    closed_until: datetime | None
    closed_code: str | None

    @property
    def asked(self) -> int:
        """Places the channel was asked about; a skipped one was not."""
        return self.ok + self.empty + self.partial + self.failed


async def record_outcomes(
    conn: Connection, place_id: UUID, outcomes: Sequence[tuple[str, str, str | None]]
) -> None:
    """Keep how each channel went for a place: (channel, outcome, code)."""
    columns = [list(column) for column in zip(*outcomes, strict=True)] or [[], [], []]
    await conn.execute(SQL.insert_outcomes, place_id, *columns)


async def channel_health(conn: Connection, seconds: float) -> list[ChannelHealth]:
    """Every channel that was used in the last `seconds` or is closed now, by name."""
    rows = await conn.fetch(SQL.channel_health, seconds)
    return [ChannelHealth.model_validate(dict(row)) for row in rows]


async def prune_outcomes(conn: Connection) -> int:
    """Delete one batch of rows past `KEPT_DAYS`; how many."""
    return int(await conn.fetchval(SQL.prune_outcomes, KEPT_DAYS * 86_400, PRUNE_BATCH))
