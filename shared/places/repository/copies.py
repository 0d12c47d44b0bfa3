"""Rows of `copies`: the text of a place's page, one current."""

from uuid import UUID

from shared.db import Connection
from shared.places.models import Copy
from shared.places.repository.places import bump_page, lock_place
from shared.places.repository.statements import SQL, decoded, to_json


async def save_copy(conn: Connection, place_id: UUID, job_id: UUID | None, copy: Copy) -> UUID | None:
    """Keep the text and make it the current one; moves `page_version`. Raises `PlaceGoneError`.

    None, and nothing is kept, where the current one was written from newer facts: its writer was slower than another.
    """
    await lock_place(conn, place_id)
    standing = await current_copy(conn, place_id)
    if standing is not None and standing.facts_version > copy.facts_version:
        return None
    await conn.execute(SQL.retire_copies, place_id)
    dumped = copy.model_dump(mode="json")
    copy_id: UUID = await conn.fetchval(
        SQL.insert_copy,
        place_id,
        job_id,
        to_json(dumped["content"]),
        copy.mode,
        copy.reason,
        copy.facts_version,
        copy.prompt_version,
        copy.model_version,
        to_json(dumped["usage"]),
    )
    await bump_page(conn, place_id)
    return copy_id


async def current_copy(conn: Connection, place_id: UUID) -> Copy | None:
    """The text the page shows; None before the first COPY."""
    row = await conn.fetchrow(SQL.current_copy, place_id)
    return None if row is None else Copy.model_validate(decoded(row, "content", "usage"))
