"""Menus read off photos: statements for the owner to confirm, never published by themselves."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from functions.vision.describe import Description
from shared.places.confirmation import PHOTO
from shared.places.keys import normalise_value
from shared.places.models import NewFact, Photo

_CONFIDENCE = 0.4  # a model's reading of a picture: below prose of the place's own website
_LINES = 300  # as many as a menu takes


def menu_of(photos: Sequence[Photo], descriptions: Mapping[UUID, Description]) -> NewFact | None:
    """One menu of all photos that show one, in their order; None when none can be read.

    A dish that two photos price differently is left without a price: one of the readings is wrong.
    """
    prices: dict[str, set[int]] = {}
    names: dict[str, str] = {}
    source: str | None = None
    for photo in photos:
        description = descriptions.get(photo.photo_id)
        if description is None or description.kind != "menu":
            continue
        for line in description.menu:
            name = " ".join(line.name.split())
            key = name.casefold().replace(" ", "")
            if not _is_entry(name, line.price):
                continue
            names.setdefault(key, name)
            prices.setdefault(key, set()).update([] if line.price is None else [line.price])
            source = source or photo.source_url
    if not names:
        return None
    items = [
        {"name": name, "price_krw": next(iter(prices[key])) if len(prices[key]) == 1 else None}
        for key, name in list(names.items())[:_LINES]
    ]
    value = normalise_value("menu", items)
    return NewFact(key="menu", value=value, channel=PHOTO, source_url=source, confidence=_CONFIDENCE)


def _is_entry(name: str, price: int | None) -> bool:
    """Whether `normalise_value` takes the line; one that it refuses must not cost the others."""
    try:
        normalise_value("menu", [{"name": name, "price_krw": price}])
    except ValueError:
        return False
    return True
