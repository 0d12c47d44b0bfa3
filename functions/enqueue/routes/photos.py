"""Photos of a place: by address, or uploaded one a request."""

import asyncio
import base64
import json
from typing import Any
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from functions.enqueue.owned import own_place
from functions.enqueue.shapes import PhotosView, PhotoUrls, PhotoView
from shared.field_errors import FieldError, from_pydantic
from shared.http_api.database import database, wake_after_commit
from shared.http_api.entry import is_json, new_router
from shared.http_api.errors import ApiError, invalid
from shared.places import changes
from shared.places.confirmation import OWNER
from shared.places.intake import web_address
from shared.places.media import CONTENT_TYPES, MediaError, inspect, media_store
from shared.places.models import NewPhoto
from shared.settings import settings

router = new_router()

# The body is read here and not by the resolver, which knows JSON alone; this is what the document says of it.
_REQUEST_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "application/json": {"schema": PhotoUrls.model_json_schema()},
        **{kind: {"schema": {"type": "string", "format": "binary"}} for kind in sorted(CONTENT_TYPES)},
    },
}


@router.post(
    "/places/<place_id>/photos",
    summary="Add photos",
    tags=["places"],
    status_code=201,
    openapi_extensions={"requestBody": _REQUEST_BODY},
)
async def add_photos(place_id: UUID) -> Response[PhotosView]:
    """`{"urls": […]}`, or the bytes of one photo under its own content type. 200 when all of them were known."""
    content_type = router.current_event.headers.get("content-type", "")
    async with database() as conn:
        await own_place(conn, place_id)
    if is_json(content_type):
        urls = _urls(router.current_event.decoded_body or "{}")
        async with database() as conn:
            added = await changes.add_photo_urls(conn, place_id, urls)
            if added.jobs:
                await wake_after_commit(conn)
    else:
        photo = await _stored(router.current_event.get("body"), content_type)
        async with database() as conn:
            added = await changes.add_uploaded_photo(conn, place_id, photo)
            if added.jobs:
                await wake_after_commit(conn)
    view = PhotosView(
        photos=[PhotoView.of(photo) for photo in added.photos], known=added.known, jobs=added.jobs
    )
    return Response(status_code=201 if added.photos else 200, content_type="application/json", body=view)


def _urls(body: str) -> list[str]:
    try:
        urls = PhotoUrls.model_validate(json.loads(body)).urls
    except ValidationError as error:
        raise invalid(from_pydantic(error.errors())) from None
    errors = []
    for index, url in enumerate(urls):
        try:
            web_address(url)
        except PydanticCustomError as error:
            errors.append(FieldError(field=f"urls.{index}", rule=error.type, message=error.message()))
    if errors:
        raise invalid(errors)
    return urls


async def _stored(body: str | None, content_type: str) -> NewPhoto:
    """The photo in the media store. Raises the 415 for what is no photo's type and the 422 for bytes that are none."""
    if content_type.partition(";")[0].strip().lower() not in CONTENT_TYPES:
        raise ApiError(
            415,
            "unsupported_media_type",
            "A photo is JPEG, PNG, WebP or GIF",
            {"accepted": sorted(CONTENT_TYPES)},
        )
    if not router.current_event.is_base64_encoded:
        raise invalid([FieldError(field="body", rule="not_an_image", message="The body is no photo")])
    data = base64.b64decode(body or "")
    try:
        seen = await asyncio.to_thread(inspect, data)
        await media_store(settings()).put(data, content_type)
    except MediaError as error:
        raise invalid([FieldError(field="body", rule=error.rule, message=str(error))]) from None
    return NewPhoto(
        channel=OWNER,
        confirmed=True,
        media_key=seen.key,
        sha256=seen.sha256,
        content_type=seen.content_type,
        width=seen.width,
        height=seen.height,
        bytes=seen.bytes,
    )
