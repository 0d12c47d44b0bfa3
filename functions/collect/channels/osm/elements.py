"""A thing on the map, as Nominatim and Overpass give it: tags, position, and the page that shows it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from functions.collect.channels.vendor import VendorFailure
from shared.places.normalise import in_korea, normalise_geo

KINDS = ("amenity", "shop", "tourism", "leisure", "craft", "office", "healthcare")  # what a business is
_PAGES = "https://www.openstreetmap.org"
_TYPES = frozenset(["node", "way", "relation"])
_ENDED = ("disused", "abandoned", "demolished", "removed", "razed", "was")  # before a kind: it was one
_MOST = 50  # elements of one answer that are looked at; ten and twenty are asked for
# Nominatim's parts of an address, largest first, and the tags that say the same.
_ADDRESS_TAGS = {
    "province": "addr:province",
    "state": "addr:province",
    "city": "addr:city",
    "county": "addr:county",
    "borough": "addr:district",
    "city_district": "addr:district",
    "town": "addr:town",
    "road": "addr:street",
    "house_number": "addr:housenumber",
}


@dataclass(frozen=True)
class Element:
    """`tags` are texts by key; `gone` says that it is mapped as what it once was."""

    url: str
    tags: Mapping[str, str]
    geo: dict[str, float] | None

    @property
    def kind(self) -> tuple[str, str] | None:
        """Its first key of `KINDS` and the value, None for what is no business."""
        return next(((key, self.tags[key]) for key in KINDS if self.tags.get(key)), None)

    @property
    def gone(self) -> bool:
        """No business any more, and mapped so on purpose."""
        if self.kind is None:
            return True
        return self.kind == ("shop", "vacant") or any(self.tags.get(key) == "yes" for key in _ENDED)


def read_all(found: Any, read: Callable[[Mapping[str, Any]], Element | None]) -> list[Element]:
    """The businesses of an answer, those of the past too. Raises `VendorFailure` (`bad_answer`) where it is no list."""
    if not isinstance(found, list):
        raise VendorFailure("bad_answer", "no list of places", status=200)
    elements = (read(item) for item in found[:_MOST] if isinstance(item, Mapping))
    return [element for element in elements if element is not None and _is_business(element)]


def from_nominatim(item: Mapping[str, Any]) -> Element | None:
    """An element of `format=jsonv2`, whose tags stand in several places; None where it names none."""
    url = _url(item.get("osm_type"), item.get("osm_id"))
    if url is None:
        return None
    tags = _texts(item.get("extratags")) | _texts(item.get("namedetails"))
    for part, text in _texts(item.get("address")).items():
        if part in _ADDRESS_TAGS:
            tags.setdefault(_ADDRESS_TAGS[part], text)
    kind, value, name = (item.get(key) for key in ("category", "type", "name"))
    if isinstance(kind, str) and isinstance(value, str):
        tags[kind] = value
    if isinstance(name, str) and name:
        tags.setdefault("name", name)
    return Element(url, tags, _point(item.get("lat"), item.get("lon")))


def from_overpass(item: Mapping[str, Any]) -> Element | None:
    """An element of `out tags center`: a node has its position, a way and a relation their middle."""
    url = _url(item.get("type"), item.get("id"))
    if url is None:
        return None
    center = item.get("center")
    at = center if isinstance(center, Mapping) else item
    return Element(url, _texts(item.get("tags")), _point(at.get("lat"), at.get("lon")))


def _is_business(element: Element) -> bool:
    ended = any(f"{end}:{kind}" in element.tags for end in _ENDED for kind in KINDS)
    return bool(element.tags.get("name")) and (element.kind is not None or ended)


def _url(kind: Any, number: Any) -> str | None:
    known = isinstance(kind, str) and kind in _TYPES and isinstance(number, int) and number > 0
    return f"{_PAGES}/{kind}/{number}" if known else None


def _texts(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        return {}
    return {
        key: text.strip()
        for key, text in value.items()
        if isinstance(key, str) and isinstance(text, str) and text.strip()
    }


def _point(lat: Any, lon: Any) -> dict[str, float] | None:
    try:
        point = normalise_geo(lat, lon)
    except ValueError:
        return None
    return point.model_dump() if in_korea(point.lat, point.lon) else None
