"""Rows of `places`."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from shared.db import Connection
from shared.places.models import Locale, Place
from shared.places.repository.statements import SQL


class PlaceGoneError(LookupError):
    """The place is deleted, or never was."""

    def __init__(self, place_id: UUID) -> None:
        super().__init__(f"no place {place_id}")
        self.place_id = place_id


async def get_place(conn: Connection, place_id: UUID) -> Place | None:
    """The place; None when it is deleted or unknown."""
    row = await conn.fetchrow(SQL.get_place, place_id)
    return None if row is None else Place.model_validate(dict(row))


async def lock_place(conn: Connection, place_id: UUID) -> Place:
    """The place, held until the transaction ends. Raises `PlaceGoneError`.

    Jobs are locked before places: a transaction that needs both enqueues or cancels first.
    """
    row = await conn.fetchrow(SQL.lock_place, place_id)
    if row is None:
        raise PlaceGoneError(place_id)
    return Place.model_validate(dict(row))


async def list_places(
    conn: Connection,
    *,
    owner_id: UUID | None = None,
    before: tuple[datetime, UUID] | None = None,
    limit: int = 50,
) -> list[Place]:
    """Places, newest first; `before` is (created_at, place_id) of the last one of the page before."""
    created_at, place_id = before or (None, None)
    rows = await conn.fetch(SQL.list_places, owner_id, created_at, place_id, limit)
    return [Place.model_validate(dict(row)) for row in rows]


async def find_or_create_place(
    conn: Connection,
    owner_id: UUID,
    *,
    identity_keys: Sequence[str],
    name: str,
    locale: Locale = "ko",
    region_code: str | None = None,
    aliases: Sequence[str] = (),
    accept_website: bool = True,
) -> tuple[UUID, bool]:
    """The id of the owner's place with any of these identities, and whether it was made now.

    `identity_keys` come strongest first; a new place keeps the first. Two posts at once make one place.
    """
    if await conn.fetchval(SQL.lock_owner, owner_id) is None:
        raise LookupError(f"no user {owner_id}")
    found = await conn.fetchval(SQL.find_same_place, owner_id, list(identity_keys))
    if found is not None:
        return found, False
    created = await conn.fetchval(
        SQL.insert_place,
        owner_id,
        name,
        locale,
        region_code,
        list(aliases),
        accept_website,
        identity_keys[0],
    )
    return created, True


async def update_place(
    conn: Connection,
    place_id: UUID,
    *,
    name: str | None = None,
    locale: Locale | None = None,
    aliases: Sequence[str] | None = None,
    accept_website: bool | None = None,
    region_code: str | None = None,
) -> None:
    """Change what is given. Called under `lock_place`."""
    await conn.execute(
        SQL.update_place,
        place_id,
        name,
        locale,
        None if aliases is None else list(aliases),
        accept_website,
        region_code,
    )


async def bump_page(conn: Connection, place_id: UUID) -> int:
    """Say that the page shows something else than before; the new `page_version`."""
    version = await conn.fetchval(SQL.bump_page, place_id)
    if version is None:
        raise PlaceGoneError(place_id)
    return int(version)


async def was_generated(conn: Connection, place_id: UUID) -> bool:
    """Whether a generation of the place was ever started: it has a job, a copy or a site."""
    return bool(await conn.fetchval(SQL.was_generated, place_id))


async def mark_deleted(conn: Connection, place_id: UUID) -> bool:
    """Delete the place softly; False when it already was. Its jobs must have been cancelled before."""
    return await conn.fetchval(SQL.mark_deleted, place_id) is not None
