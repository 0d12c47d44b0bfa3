"""Photos known by their address alone are fetched, through the guard, into the media store."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

from shared.http import GuardedClient, HttpFailure
from shared.places.media import CONTENT_TYPES, MEDIA_BYTES, MediaError, MediaStore, Photograph, inspect
from shared.places.models import Photo

AT_ONCE = 2
PHOTO_SECONDS = 15.0
ALL_SECONDS = 180.0  # for all photos of a place together; what is left is fetched by the next VISION
OUT_OF_TIME = "fetch_out_of_time"

Stored = Callable[[Photo, Photograph], Awaitable[None]]
Refused = Callable[[Photo, str], Awaitable[None]]


async def fetch_photos(
    client: GuardedClient,
    store: MediaStore,
    photos: Sequence[Photo],
    *,
    stored: Stored,
    refused: Refused,
    remaining: Callable[[], float],
) -> None:
    """Fetch every photo; each ends in one call of `stored` or of `refused` with the problem's name."""
    turn = asyncio.Semaphore(AT_ONCE)
    ends = time.monotonic() + ALL_SECONDS

    async def one(photo: Photo) -> None:
        async with turn:
            left = min(PHOTO_SECONDS, ends - time.monotonic(), remaining())
            if left <= 1:
                await refused(photo, OUT_OF_TIME)
                return
            try:
                photograph = await _fetched(client, store, str(photo.source_url), left)
            except HttpFailure as failure:
                await refused(
                    photo, failure.code if failure.status is None else f"{failure.code}_{failure.status}"
                )
            except MediaError as error:
                await refused(photo, error.rule)
            else:
                await stored(photo, photograph)

    async with asyncio.TaskGroup() as group:
        for photo in photos:
            group.create_task(one(photo))


async def _fetched(client: GuardedClient, store: MediaStore, url: str, timeout: float) -> Photograph:
    page = await client.get(url, max_bytes=MEDIA_BYTES, accept=tuple(sorted(CONTENT_TYPES)), timeout=timeout)
    # What the bytes are decides, not what the server calls them: many serve a WebP as image/jpeg.
    photograph = await asyncio.to_thread(inspect, page.body)
    await store.put(page.body, photograph.content_type)
    return photograph
