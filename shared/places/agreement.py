"""When two statements about a place contradict each other, and when they only say it differently.

Values are normalised JSON (`shared.places.keys`). Saying more is no contradiction: an address with its floor agrees
with the one without, a menu that lists other dishes agrees, one that asks another price for the same dish does not.
"""

import math
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from shared.places.normalise.address import address_key

# Two pins of one shop: map services place them at the door, the parcel's middle or the street.
GEO_TOLERANCE_METRES = 150.0
_EARTH_RADIUS_METRES = 6_371_000.0
_ADDITIVE = frozenset({"sns", "amenities"})  # lists to which every source adds what it knows


def contradicts(key: str, one: Any, other: Any) -> bool:
    """True when a place cannot have both values of `key` at once. Symmetric."""
    if one == other or key in _ADDITIVE:
        return False
    compare = _BY_KEY.get(key)
    if compare is None:
        return bool(_text(one) != _text(other))
    return compare(one, other)


def _text(value: Any) -> Any:
    return " ".join(value.split()).casefold() if isinstance(value, str) else value


def _addresses(one: Any, other: Any) -> bool:
    building, another = address_key(str(one)), address_key(str(other))
    if building is not None and another is not None:
        return building != another
    first, second = str(_text(one)).replace(",", " ").split(), str(_text(other)).replace(",", " ").split()
    shorter = min(len(first), len(second))
    return first[:shorter] != second[:shorter]


def _points(one: Any, other: Any) -> bool:
    return metres_between(one, other) > GEO_TOLERANCE_METRES


def metres_between(one: dict[str, float], other: dict[str, float]) -> float:
    """Great-circle distance of two `{lat, lon}` in metres."""
    lat1, lat2 = math.radians(one["lat"]), math.radians(other["lat"])
    half_lat, half_lon = (lat2 - lat1) / 2, math.radians(other["lon"] - one["lon"]) / 2
    chord = math.sin(half_lat) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin(half_lon) ** 2
    return 2 * _EARTH_RADIUS_METRES * math.asin(min(1.0, math.sqrt(chord)))


def _urls(one: Any, other: Any) -> bool:
    return _address_of(str(one)) != _address_of(str(other))


def _address_of(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    return host, parts.path.rstrip("/"), parts.query


def _hours(one: Any, other: Any) -> bool:
    return any(
        _per_day_differs(one.get(part) or {}, other.get(part) or {})
        for part in ("days", "breaks", "last_order")
    )


def _per_day_differs(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return any(one[day] != other[day] for day in one.keys() & other.keys())


def _menus(one: Any, other: Any) -> bool:
    first, second = _prices(one), _prices(other)
    return any(
        first[name] != second[name]
        for name in first.keys() & second.keys()
        if first[name] is not None and second[name] is not None
    )


def _prices(menu: list[dict[str, Any]]) -> dict[str, int | None]:
    return {"".join(str(item["name"]).split()).casefold(): item.get("price_krw") for item in menu}


_BY_KEY: dict[str, Callable[[Any, Any], bool]] = {
    "road_address": _addresses,
    "lot_address": _addresses,
    "geo": _points,
    "website": _urls,
    "hours": _hours,
    "menu": _menus,
}
