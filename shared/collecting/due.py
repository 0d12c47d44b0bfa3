"""When a place is to be collected again."""

from uuid import UUID

from shared.collecting.statements import SQL
from shared.db import Connection


async def mark_collected(conn: Connection, place_id: UUID) -> None:
    """Say that the place's channels were asked to the end just now. Called under the place's lock."""
    await conn.execute(SQL.mark_collected, place_id)


async def due_collections(conn: Connection, seconds: float, limit: int) -> list[tuple[UUID, bool]]:
    """Places nobody collected or looked at for `seconds`, the longest first, and whether each has a page that stands.

    Each is to be followed by `look_again`, so that what a round costs does not grow with the places it passes over.
    """
    rows = await conn.fetch(SQL.due_collections, seconds, limit)
    return [(row["place_id"], row["published"]) for row in rows]


async def look_again(conn: Connection, place_id: UUID, ago: float) -> bool:
    """Count the place's next collection from `ago` seconds ago. False: it was deleted meanwhile."""
    return await conn.fetchval(SQL.look_again, place_id, ago) is not None
