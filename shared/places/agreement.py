"""When two statements about a place contradict each other, and when they only say it differently.

Values are normalised JSON (`shared.places.keys`). Saying more is no contradiction: an address with its floor agrees
with the one without, a menu that lists other dishes agrees, one that asks another price for the same dish does not.
Nor is what cannot be compared: a Korean and a romanised writing, two descriptions in free text. An owner is asked to
settle every contradiction, so a doubt is none.
"""

import math
import re
import unicodedata
from collections.abc import Callable
from typing import Any
from urllib.parse import SplitResult, urlsplit

from shared.places.normalise import is_shared_number, is_sns, same_building
from shared.places.normalise.category import is_general
from shared.places.normalise.hours.agreement import hours_contradict, hours_meaning

# Two pins of one shop: map services place them at the door, the parcel's middle or the street.
GEO_TOLERANCE_METRES = 150.0
_EARTH_RADIUS_METRES = 6_371_000.0


def contradicts(key: str, one: Any, other: Any) -> bool:
    """True when a place cannot have both values of `key` at once. Symmetric."""
    if one == other:
        return False
    compare = _BY_KEY.get(key)
    if compare is None:
        return bool(_text(one) != _text(other))
    return compare(one, other)


def says_the_same(key: str, one: Any, other: Any) -> bool:
    """True when both values of `key` mean one thing, however they write it. Symmetric; stricter than no contradiction.

    An address with its floor says more than the one without, and so does a menu with another dish.
    """
    if one == other:
        return True
    meaning = _MEANING.get(key, _text)
    return bool(meaning(one) == meaning(other))


def _never(one: Any, other: Any) -> bool:
    """Lists to which every source adds what it knows, and descriptions."""
    return False


def _text(value: Any) -> Any:
    return " ".join(value.split()).casefold() if isinstance(value, str) else value


def _names(one: Any, other: Any) -> bool:
    """Names differ unless one begins with the other ("국수집", "국수집 성수점") or they share no script."""
    first, second = _folded(str(one)), _folded(str(other))
    if not first or not second or first.startswith(second) or second.startswith(first):
        return False
    return _has_hangul(first) == _has_hangul(second)


def _folded(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()


def _has_hangul(text: str) -> bool:
    return re.search("[가-힣]", text) is not None


def _categories(one: Any, other: Any) -> bool:
    return not is_general(str(one), of=str(other)) and not is_general(str(other), of=str(one))


def _phones(one: Any, other: Any) -> bool:
    """Two lines of the shop's own. A chain's number and a rented one (050x) stand beside the shop's own line."""
    kinds = {_kind_of_number(str(one)), _kind_of_number(str(other))}
    return "rented" not in kinds and len(kinds) == 1


def _kind_of_number(e164: str) -> str:
    if re.match(r"\+8250", e164):
        return "rented"  # a platform's number that rings through; each platform rents another
    return "shared" if is_shared_number(e164) or e164.startswith("+8280") else "own"


def _addresses(one: Any, other: Any) -> bool:
    return same_building(str(one), str(other)) is False


def _points(one: Any, other: Any) -> bool:
    return metres_between(one, other) > GEO_TOLERANCE_METRES


def metres_between(one: dict[str, float], other: dict[str, float]) -> float:
    """Great-circle distance of two `{lat, lon}` in metres."""
    lat1, lat2 = math.radians(one["lat"]), math.radians(other["lat"])
    half_lat, half_lon = (lat2 - lat1) / 2, math.radians(other["lon"] - one["lon"]) / 2
    chord = math.sin(half_lat) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin(half_lon) ** 2
    return 2 * _EARTH_RADIUS_METRES * math.asin(min(1.0, math.sqrt(chord)))


def _place_of(url: Any) -> tuple[str, str, str]:
    parts = urlsplit(str(url))
    return _host(parts), parts.path.rstrip("/"), parts.query


def _address_text(text: Any) -> str:
    """Without what stands in brackets, which repeats the quarter, and without signs between words."""
    return _folded(re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", str(text)))


def _lines(menu: Any) -> set[tuple[str, Any]]:
    return {(_folded(str(item["name"])), item.get("price_krw")) for item in menu}


def _urls(one: Any, other: Any) -> bool:
    """Two sites. A page of one site agrees with its front page; a social page is no site of the shop's own."""
    if is_sns(str(one)) != is_sns(str(other)):
        return False
    first, second = urlsplit(str(one)), urlsplit(str(other))
    if _host(first) != _host(second):
        return not is_sns(str(one))  # a shop has pages at several services
    return not (_is_part(first, second) or _is_part(second, first))


def _host(parts: SplitResult) -> str:
    return (parts.hostname or "").removeprefix("www.").removeprefix("m.")


def _is_part(page: SplitResult, front: SplitResult) -> bool:
    above, below = front.path.rstrip("/"), page.path.rstrip("/")
    if above == below:
        return not front.query or page.query == front.query
    return below.startswith(f"{above}/") and not front.query


def _menus(one: Any, other: Any) -> bool:
    """One dish of which both give prices, and none in common; a dish in two sizes stands twice."""
    first, second = _prices(one), _prices(other)
    return any(first[name].isdisjoint(second[name]) for name in first.keys() & second.keys())


def _prices(menu: list[dict[str, Any]]) -> dict[str, set[int]]:
    prices: dict[str, set[int]] = {}
    for item in menu:
        if item.get("price_krw") is not None:
            prices.setdefault(_folded(str(item["name"])), set()).add(item["price_krw"])
    return prices


def _price_ranges(one: Any, other: Any) -> bool:
    """Two numbers of won signs, or two ranges in numbers; "₩₩" and "1만원대" are of different scales."""
    first, second = _scale(str(one)), _scale(str(other))
    return first[0] == second[0] != "words" and first[1] != second[1]


def _scale(text: str) -> tuple[str, Any]:
    compact = "".join(unicodedata.normalize("NFKC", text).split())
    if compact and set(compact) <= set("₩\\$€"):
        return "signs", len(compact)
    numbers = re.findall(r"\d+", compact.replace(",", ""))
    return ("numbers", numbers) if numbers and not re.search("[만천백]", compact) else ("words", None)


_BY_KEY: dict[str, Callable[[Any, Any], bool]] = {
    "name": _names,
    "name_en": _names,
    "category": _categories,
    "phone": _phones,
    "road_address": _addresses,
    "lot_address": _addresses,
    "geo": _points,
    "website": _urls,
    "hours": hours_contradict,
    "menu": _menus,
    "price_range": _price_ranges,
    "sns": _never,
    "amenities": _never,
    "summary": _never,
}

# What a value means, for the keys of which more than white space and case may be written differently.
_MEANING: dict[str, Callable[[Any], Any]] = {
    "name": lambda value: _folded(str(value)),
    "name_en": lambda value: _folded(str(value)),
    "road_address": _address_text,
    "lot_address": _address_text,
    "geo": lambda value: (round(value["lat"], 4), round(value["lon"], 4)),  # some ten metres
    "website": _place_of,
    "sns": lambda value: {_place_of(url) for url in value},
    "amenities": set,
    "hours": hours_meaning,
    "menu": _lines,
}
