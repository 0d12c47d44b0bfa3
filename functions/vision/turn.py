"""Which of a place's photos one job works on."""

from collections.abc import Sequence
from uuid import UUID

from functions.vision.describe import PROMPT_VERSION
from shared.places.models import Photo

PHOTOS_A_JOB = 50  # fetched, measured and described by one job; what is left is a job of its own


def turn_of(photos: Sequence[Photo]) -> tuple[list[UUID], int]:
    """The photos of this turn, and how many that nobody has looked at are left for the next.

    Untouched ones come first, so that every turn leaves fewer of them and a row of turns ends; then those that an
    earlier look could not fetch or describe.
    """
    untouched = [photo for photo in photos if photo.vision is None and photo.problem is None]
    touched = [photo for photo in photos if photo.vision is not None or photo.problem is not None]
    turn = [*untouched, *sorted(touched, key=_is_complete)][:PHOTOS_A_JOB]
    return [photo.photo_id for photo in turn], max(0, len(untouched) - PHOTOS_A_JOB)


def is_described(photo: Photo) -> bool:
    """Whether a model has described the photo in answer to today's prompt."""
    seen = photo.vision or {}
    return seen.get("prompt_version") == PROMPT_VERSION and "ai" in seen


def _is_complete(photo: Photo) -> bool:
    """Whether a further look can add nothing but a better rank."""
    return photo.media_key is not None and (photo.duplicate_of is not None or is_described(photo))
