"""Which photo comes first, which only repeats another, and which may stand at the head of the page."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from functions.vision.describe import Description
from functions.vision.measures import Measures, distance

# Two of 64 bits differ between a photo and its re-compressed copy, up to ten after a light crop; photos of
# different things differ in 20 to 40.
NEAR_DUPLICATE_BITS = 10
SMALLEST_SIDE = 200  # pixels; less is an icon
_HERO_KINDS = {"exterior": 1.0, "product": 0.9, "interior": 0.85, "people": 0.5, "other": 0.4, "menu": 0.1}


@dataclass(frozen=True)
class Looked:
    """A photo as far as it is known. `position` is the owner's order, `confirmed` that it may be published."""

    photo_id: UUID
    position: int
    confirmed: bool
    measures: Measures
    description: Description | None = None


@dataclass(frozen=True)
class Placed:
    """Where a photo stands: `rank` 0 is first; a duplicate has none and names the photo it repeats."""

    photo_id: UUID
    rank: int | None
    duplicate_of: UUID | None
    quality: float
    hero_fit: float


def quality_of(measures: Measures) -> float:
    """0 to 1, from sharpness, light and size."""
    # 20 is a blur nobody overlooks, 2,000 a crisp photo; between them what the eye sees grows with the logarithm.
    sharp = _clamped((math.log10(max(measures.sharpness, 1.0)) - 1.3) / 2.0)
    light = _clamped(1.0 - (abs(measures.brightness - 0.5) - 0.2) / 0.25)
    size = _clamped(min(measures.width, measures.height) / 900)
    return round(0.5 * sharp + 0.3 * light + 0.2 * size, 4)


def hero_fit_of(measures: Measures) -> float:
    """0 to 1: how well the photo fills a wide head. Best from 4:3 to 16:9 and from 1,200 pixels on."""
    ratio = measures.width / max(1, measures.height)
    shape = (ratio - 0.6) / (4 / 3 - 0.6) if ratio < 4 / 3 else 1.0 - (ratio - 16 / 9) / 1.5
    return round(quality_of(measures) * (0.4 + 0.6 * _clamped(shape)) * _clamped(measures.width / 1200), 4)


def duplicates_of(looked: Sequence[Looked]) -> dict[UUID, UUID]:
    """Photos that repeat a better one, and which. What may be published is never shadowed by what may not."""
    kept: list[Looked] = []
    repeats: dict[UUID, UUID] = {}
    for photo in sorted(looked, key=_preference):
        twin = next(
            (k for k in kept if distance(k.measures.dhash, photo.measures.dhash) <= NEAR_DUPLICATE_BITS), None
        )
        if twin is None:
            kept.append(photo)
        else:
            repeats[photo.photo_id] = twin.photo_id
    return repeats


def placed(looked: Sequence[Looked]) -> list[Placed]:
    """Every photo with its place; the order of the result is the order of the ranks, duplicates last."""
    repeats = duplicates_of(looked)
    results = []
    for photo in looked:
        quality, hero_fit = quality_of(photo.measures), hero_fit_of(photo.measures)
        if photo.description is not None:
            quality = 0.4 * quality + 0.6 * photo.description.quality
            hero_fit = 0.4 * hero_fit + 0.6 * photo.description.hero_fit * _HERO_KINDS[photo.description.kind]
            if photo.description.unfit:
                quality, hero_fit = quality * 0.3, 0.0
        results.append((photo, round(quality, 4), round(hero_fit, 4)))
    # The owner's order decides between photos of like quality; a bad photo falls behind all the same.
    results.sort(key=lambda r: (-(r[1] + 0.5 * r[2] - 0.03 * min(r[0].position, 10)), r[0].position))
    ranks = iter(range(len(results)))
    ordered = [
        Placed(
            photo_id=photo.photo_id,
            rank=None if photo.photo_id in repeats else next(ranks),
            duplicate_of=repeats.get(photo.photo_id),
            quality=quality,
            hero_fit=hero_fit,
        )
        for photo, quality, hero_fit in results
    ]
    return sorted(ordered, key=lambda p: p.rank is None)


def _preference(photo: Looked) -> tuple[bool, float, int, str]:
    return (not photo.confirmed, -quality_of(photo.measures), photo.position, str(photo.photo_id))


def _clamped(value: float) -> float:
    return min(1.0, max(0.0, value))
