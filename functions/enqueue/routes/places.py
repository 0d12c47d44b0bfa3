"""Places and their facts."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.enqueue.fact_shapes import FactView, ProposalView
from functions.enqueue.owned import own_place
from functions.enqueue.shapes import PhotoView, PlaceChange, PlaceDetail, PlacePage, PlaceView
from shared.db import Connection
from shared.http_api.auth import current_user
from shared.http_api.cursors import decode_cursor, encode_cursor
from shared.http_api.database import database, wake_after_commit
from shared.http_api.entry import new_router
from shared.http_api.errors import not_found
from shared.places import changes, repository
from shared.places.confirmation import conflicting_keys
from shared.places.intake import Intake, owner_facts
from shared.places.proposals import proposals_in
from shared.settings import settings

router = new_router()


@router.get("/places", summary="Your places", tags=["places"])
async def list_places(
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    cursor: Annotated[str | None, Query(max_length=200)] = None,
) -> PlacePage:
    """Newest first; an administrator sees everybody's."""
    user = current_user()
    owner_id = None if user.is_admin else user.user_id
    async with database() as conn:
        places = await repository.list_places(
            conn, owner_id=owner_id, before=decode_cursor(cursor), limit=limit + 1
        )
        shown = places[:limit]
        ids = [place.place_id for place in shown]
        sites, waiting = await repository.sites_of(conn, ids), await repository.proposals_of(conn, ids)
    more = encode_cursor(shown[-1].created_at, shown[-1].place_id) if len(places) > limit else None
    origin = settings().site_origin
    views = [
        PlaceView.of(place, sites.get(place.place_id), origin, waiting=len(waiting[place.place_id]))
        for place in shown
    ]
    return PlacePage(places=views, next=more)


@router.post("/places", summary="Give a place", tags=["places"], status_code=201)
async def create_place(body: Intake) -> Response[PlaceDetail]:
    """201 with the new place. One you gave before is answered with 200, and what you say of it now is merged."""
    async with database() as conn:
        registered = await changes.register_place(conn, current_user().user_id, body)
        if registered.refreshes:
            await wake_after_commit(conn)
        detail = await _detail(conn, registered.place_id, registered.refreshes)
    status = 201 if registered.created else 200
    return Response(status_code=status, content_type="application/json", body=detail)


@router.get("/places/<place_id>", summary="A place", tags=["places"])
async def get_place(place_id: UUID) -> PlaceDetail:
    """With every statement about it, confirmed or not, what waits for its owner, its photos and its page."""
    async with database() as conn:
        await own_place(conn, place_id)
        return await _detail(conn, place_id)


@router.patch("/places/<place_id>", summary="Correct, confirm, reject", tags=["places"])
async def change_place(place_id: UUID, body: PlaceChange) -> PlaceDetail:
    """The owner's decisions, all or none; they settle the proposals they are about.

    A page that shows something else now is written and built again.
    """
    facts = owner_facts(body.facts if body.name is None else {**body.facts, "name": body.name})
    change = changes.Change(
        facts=facts,
        confirm=body.confirm,
        reject=body.reject,
        locale=body.locale,
        aliases=body.aliases,
        accept_website=body.accept_website,
    )
    async with database() as conn:
        await own_place(conn, place_id)
        changed = await changes.change_facts(conn, place_id, change)
        if changed.refreshes:
            await wake_after_commit(conn)
        return await _detail(conn, place_id, changed.refreshes)


@router.delete("/places/<place_id>", summary="Delete a place", tags=["places"], status_code=204)
async def delete_place(place_id: UUID) -> Response[None]:
    """Its jobs are cancelled and its page is taken down."""
    async with database() as conn:
        await own_place(conn, place_id)
        if not await changes.delete_place(conn, place_id):
            raise not_found("place")
        await wake_after_commit(conn)
    return Response(status_code=204)


async def _detail(conn: Connection, place_id: UUID, refreshes: list[UUID] | None = None) -> PlaceDetail:
    place = await repository.get_place(conn, place_id)
    if place is None:
        raise not_found("place")
    statements = await repository.statements(conn, place_id)
    facts = [fact for statement in statements for fact in statement.facts]
    proposals = proposals_in(facts)
    site = await repository.get_site(conn, place_id)
    view = PlaceView.of(place, site, settings().site_origin, waiting=len(proposals))
    return PlaceDetail(
        **view.model_dump(),
        facts=[FactView.of(statement) for statement in statements],
        conflicts=conflicting_keys(facts),
        proposals=[ProposalView.of(proposal) for proposal in proposals],
        photos=[PhotoView.of(photo) for photo in await repository.list_photos(conn, place_id)],
        refreshes=refreshes or [],
    )
