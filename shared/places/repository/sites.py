"""Rows of `sites`: where a place's page stands and what it shows."""

from collections.abc import Sequence
from uuid import UUID

from shared.db import Connection
from shared.places.models import PublishedSite, Site
from shared.places.repository.places import lock_place
from shared.places.repository.statements import SQL
from shared.places.slugs import SLUG_LENGTH, slug

# After so many places of one name the place's own id tells them apart; counting on would probe without end.
_NUMBERED = 20


async def get_site(conn: Connection, place_id: UUID) -> Site | None:
    """The place's site; None when no slug was reserved yet."""
    row = await conn.fetchrow(SQL.get_site, place_id)
    return None if row is None else Site.model_validate(dict(row))


async def sites_of(conn: Connection, place_ids: Sequence[UUID]) -> dict[UUID, Site]:
    """The sites of those places that have one, by place."""
    rows = await conn.fetch(SQL.sites_of, list(place_ids))
    return {row["place_id"]: Site.model_validate(dict(row)) for row in rows}


async def reserve_slug(conn: Connection, place_id: UUID, wanted: str) -> str:
    """The place's slug: the one it has, else the first free of `wanted`, `wanted-2`, … Creates the `sites` row.

    `wanted` is a slug already (`shared.places.slugs.slug`). A slug once reserved never changes. Takes the place's
    lock; raises `PlaceGoneError`.
    """
    await lock_place(conn, place_id)
    site = await get_site(conn, place_id)
    if site is not None:
        return site.slug
    numbered = [wanted, *(_with_suffix(wanted, str(number)) for number in range(2, _NUMBERED))]
    for candidate in (*numbered, _with_suffix(wanted, place_id.hex[:12]), place_id.hex):
        taken: str | None = await conn.fetchval(SQL.insert_site, place_id, candidate)
        if taken is not None:
            return taken
    raise RuntimeError(f"every slug of {wanted!r} is taken, the place's own id too")


async def save_site(
    conn: Connection, place_id: UUID, *, content_hash: str, render_version: str, page_version: int
) -> bool:
    """The page stands published; True if its content is another than before, which moves `changed_at`.

    Raises LookupError when no slug was reserved.
    """
    changed = await conn.fetchval(SQL.save_site, place_id, content_hash, render_version, page_version)
    if changed is None:
        raise LookupError(f"no slug was reserved for place {place_id}")
    return bool(changed)


async def save_site_missing(conn: Connection, place_id: UUID, missing: Sequence[str]) -> None:
    """Which confirmed facts an honest page still lacks; reserves a slug if the place has none."""
    place = await lock_place(conn, place_id)
    await reserve_slug(conn, place_id, slug(place.name))
    await conn.execute(SQL.save_site_missing, place_id, list(missing))


async def save_site_unpublished(conn: Connection, place_id: UUID) -> str | None:
    """The page was taken down; its slug, or None when there was none to take down. Works for deleted places."""
    slug_of_site: str | None = await conn.fetchval(SQL.save_site_unpublished, place_id)
    return slug_of_site


async def published_sites(conn: Connection) -> list[PublishedSite]:
    """Every page that stands, by slug: the sitemap."""
    return [PublishedSite.model_validate(dict(row)) for row in await conn.fetch(SQL.published_sites)]


async def count_sites(conn: Connection, render_version: str | None) -> tuple[int, int]:
    """Pages that stand, and how many of them another template version than `render_version` made."""
    row = await conn.fetchrow(SQL.count_sites, render_version)
    return (0, 0) if row is None else (int(row["published"]), int(row["behind"]))


def _with_suffix(wanted: str, suffix: str) -> str:
    return f"{wanted[: SLUG_LENGTH - len(suffix) - 1].rstrip('-')}-{suffix}"
