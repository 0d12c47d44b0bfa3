"""Rows of `photos`."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from asyncpg import Record

from shared.db import Connection
from shared.places.models import NewPhoto, Photo, PhotoVision
from shared.places.repository.places import bump_page
from shared.places.repository.statements import SQL, decoded, to_json


async def list_photos(conn: Connection, place_id: UUID) -> list[Photo]:
    """The place's photos: ranked ones first, best first, the others in the owner's order."""
    return [_photo(row) for row in await conn.fetch(SQL.photos_of_place, place_id)]


async def add_photo(conn: Connection, place_id: UUID, photo: NewPhoto) -> Photo | None:
    """Add a photo; None when the place has one of the same address, or the same uploaded bytes, already."""
    row = await conn.fetchrow(
        SQL.insert_photo,
        place_id,
        photo.channel,
        photo.source_url,
        photo.position,
        photo.confirmed,
        photo.media_key,
        photo.sha256,
        photo.content_type,
        photo.width,
        photo.height,
        photo.bytes,
    )
    return None if row is None else _photo(row)


async def next_photo_position(conn: Connection, place_id: UUID) -> int:
    """The position after the place's last photo."""
    return int(await conn.fetchval(SQL.next_photo_position, place_id))


async def save_photo_fetch(
    conn: Connection,
    photo_id: UUID,
    *,
    media_key: str,
    sha256: str,
    content_type: str,
    width: int,
    height: int,
    bytes: int,
) -> None:
    """The photo's bytes stand in the media store under `media_key`. Other bytes than before void what VISION saw."""
    await conn.execute(SQL.save_photo_fetch, photo_id, media_key, sha256, content_type, width, height, bytes)


async def save_photo_problem(conn: Connection, photo_id: UUID, problem: str) -> None:
    """Why the photo could not be fetched or read; at most 500 characters are kept."""
    await conn.execute(SQL.save_photo_problem, photo_id, problem)


async def save_photo_descriptions(
    conn: Connection, place_id: UUID, visions: Mapping[UUID, Mapping[str, Any]]
) -> None:
    """Adds to what is stored of some photos' `vision`; nothing that a page shows, so its version stays."""
    await conn.execute(
        SQL.save_photo_descriptions,
        place_id,
        list(visions),
        [to_json(dict(vision)) for vision in visions.values()],
    )


async def save_photo_vision(conn: Connection, place_id: UUID, results: Sequence[PhotoVision]) -> int:
    """What VISION saw, in one statement; moves the place's `page_version` and returns it.

    Measures and vision that are None leave what is stored; rank and duplicate are set as given.
    """
    await conn.execute(
        SQL.save_photo_vision,
        place_id,
        [result.photo_id for result in results],
        [to_json(result.measures) for result in results],
        [to_json(result.vision) for result in results],
        [result.rank for result in results],
        [result.duplicate_of for result in results],
    )
    return await bump_page(conn, place_id)


def _photo(row: Record) -> Photo:
    return Photo.model_validate(decoded(row, "measures", "vision"))
