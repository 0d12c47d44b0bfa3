"""What VISION stores of every photo, and the words for those who cannot see it."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from functions.vision.describe import PROMPT_VERSION, Description, usable_alt
from functions.vision.measures import Measures
from functions.vision.ranking import Placed
from shared.places.models import ConfirmedFacts, Locale, Photo, PhotoVision, Place


def results_of(
    photos: Sequence[Photo],
    order: Sequence[Placed],
    measures: Mapping[UUID, Measures],
    descriptions: Mapping[UUID, Description],
    names: Mapping[Locale, str],
) -> list[PhotoVision]:
    """What is stored of every photo; one that could not be read loses its place."""
    results = []
    # Numbered as the page shows them: those that may be published first, without gaps.
    confirmed = {photo.photo_id for photo in photos if photo.confirmed}
    shown = sorted(order, key=lambda place: place.photo_id not in confirmed)
    ordinals = {place.photo_id: ordinal for ordinal, place in enumerate(shown, 1)}
    for place in order:
        description = descriptions.get(place.photo_id)
        vision: dict[str, Any] = {
            "mode": "local" if description is None else "ai",
            "kind": None if description is None else description.kind,
            "alt": alt_of(description, names, ordinals[place.photo_id]),
            "quality": place.quality,
            "hero_fit": place.hero_fit,
            "flags": [] if description is None else list(description.flags),
        }
        if description is not None:
            vision |= kept_of(description)
        results.append(
            PhotoVision(
                photo_id=place.photo_id,
                measures=measures[place.photo_id].as_json(),
                vision=vision,
                rank=place.rank,
                duplicate_of=place.duplicate_of,
            )
        )
    seen = {result.photo_id for result in results}
    results += [PhotoVision(photo_id=photo.photo_id) for photo in photos if photo.photo_id not in seen]
    return results


def kept_of(description: Description) -> dict[str, Any]:
    """The model's own words, with the prompt they answer: what a later VISION need not ask again."""
    return {"prompt_version": PROMPT_VERSION, "ai": description.model_dump(mode="json")}


def names_of(place: Place, facts: ConfirmedFacts) -> dict[Locale, str]:
    """What the place is called in each language."""
    return {"ko": place.name, "en": str(facts.value("name_en") or place.name)}


def alt_of(description: Description | None, names: Mapping[Locale, str], ordinal: int) -> dict[Locale, str]:
    """A sentence for somebody who cannot see the photo; without one that may be published, what it honestly is."""
    ko = usable_alt(description.alt_ko, "ko") if description is not None else None
    en = usable_alt(description.alt_en, "en") if description is not None else None
    return {"ko": ko or f"{names['ko']} 사진 {ordinal}", "en": en or f"{names['en']}, photo {ordinal}"}


def differs(photo: Photo, result: PhotoVision) -> bool:
    """Whether the result would change the row; None leaves measures and vision alone."""
    return (
        photo.rank != result.rank
        or photo.duplicate_of != result.duplicate_of
        or (result.measures is not None and result.measures != photo.measures)
        or (result.vision is not None and result.vision != photo.vision)
    )
