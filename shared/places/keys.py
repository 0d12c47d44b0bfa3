"""The keys of facts: what value each takes, and which a place's own website may confirm."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any

from shared.places.models import Geo, Hours
from shared.places.normalise import (
    address_key,
    hours_parsed_whole,
    normalise_address,
    normalise_amenities,
    normalise_category,
    normalise_geo,
    normalise_hours,
    normalise_menu,
    normalise_phone,
    normalise_url,
    normalise_urls,
)

# Keys that the structured markup of the place's own website confirms; never its free text, never its name.
WEBSITE_KEYS: frozenset[str] = frozenset(
    [
        "name_en",
        "phone",
        "road_address",
        "lot_address",
        "geo",
        "hours",
        "menu",
        "website",
        "sns",
        "price_range",
        "amenities",
    ]
)

KEY_PATTERN = re.compile(r"^[a-z][a-z0-9_]{0,62}$")
_SAME_POINT_DEGREES = 0.002  # about 200 m: two maps' pins of one building
_FREE_TEXT_LIMIT = 2000  # characters


def normalise_value(key: str, value: Any) -> Any:
    """The JSON under which a fact of this key is stored.

    Keys without a rule of their own take free text. Raises ValueError, naming the key and the rule, for a value
    that the key does not take and for a name that is no key.
    """
    if not KEY_PATTERN.match(key):
        raise ValueError(
            f'"{key[:64]}": a key must match {KEY_PATTERN.pattern} (lower case, digits, underscores)'
        )
    rule = _RULES.get(key, _text(_FREE_TEXT_LIMIT))
    try:
        return rule(value)
    except ValueError as error:
        message = str(error)
        raise ValueError(message if message.startswith(key) else f"{key}: {message}") from None


def website_may_confirm(key: str, value: Any) -> bool:
    """Whether a normalised value in structured markup of the place's own website counts as confirmed.

    Opening hours count only when they were understood whole.
    """
    if key not in WEBSITE_KEYS:
        return False
    return key != "hours" or hours_parsed_whole(Hours.model_validate(value))


def same_value(key: str, first: Any, second: Any) -> bool:
    """Whether two normalised values say the same thing, however each source puts it.

    Addresses are compared by district, street and number, hours without their words, points within about 200 m,
    names without case and spaces.
    """
    if first == second:
        return True
    compare = _SAME.get(key)
    return compare is not None and compare(first, second)


def _text(limit: int) -> Callable[[Any], str]:
    def normalise(value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError("must be text")
        text = clean_text(value)
        if not text:
            raise ValueError("must not be empty")
        if len(text) > limit:
            raise ValueError(f"must not be longer than {limit} characters")
        return text

    return normalise


def clean_text(value: str) -> str:
    """Composed (NFC), single spaces, no control characters; lines are kept as lines."""
    lines = []
    for line in re.split(r"\r\n|[\r\n]", unicodedata.normalize("NFC", value)):
        printable = "".join(
            c for c in line if unicodedata.category(c) not in ("Cc", "Cs", "Co", "Cn") or c == "\t"
        )
        lines.append(" ".join(printable.split()))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _one_line(limit: int) -> Callable[[Any], str]:
    text = _text(limit)
    return lambda value: " ".join(text(value).split())


def _category(value: Any) -> str:
    category = normalise_category(value) if isinstance(value, str) else None
    if category is None:
        raise ValueError(
            "must be a schema.org LocalBusiness type (Restaurant) or a known Korean category (한식당)"
        )
    return category


def _phone(value: Any) -> str:
    phone = normalise_phone(value) if isinstance(value, str) else None
    if phone is None:
        raise ValueError(
            "must be a valid telephone number (02-123-4567, 010-1234-5678, 1588-1234, +82 2 123 4567)"
        )
    return phone


def _address(kind: str) -> Callable[[Any], str]:
    def normalise(value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError("must be text")
        address = normalise_address(value)
        if address.kind != kind:
            raise ValueError(
                "must be an address by road and building number (테헤란로 152)"
                if kind == "road"
                else "must be an address by lot (역삼동 737)"
            )
        return address.text

    return normalise


def _geo(value: Any) -> dict[str, float]:
    if not isinstance(value, dict) or set(value) != {"lat", "lon"}:
        raise ValueError("must be {lat, lon} in degrees")
    return normalise_geo(value["lat"], value["lon"]).model_dump()


def _hours(value: Any) -> dict[str, Any]:
    return normalise_hours(value).model_dump(mode="json")


def _menu(value: Any) -> list[dict[str, Any]]:
    items = normalise_menu(value)
    if not items:
        raise ValueError("must have at least one item")
    return [item.model_dump() for item in items]


def _website(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a web address")
    return normalise_url(value)


def _sns(value: Any) -> list[str]:
    urls = normalise_urls([value] if isinstance(value, str) else _list(value))
    if not urls:
        raise ValueError("must have at least one web address")
    return sorted(urls)


def _amenities(value: Any) -> list[str]:
    texts = [value] if isinstance(value, str) else _list(value)
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("must be a list of texts")
    codes = normalise_amenities(texts)
    if not codes:
        raise ValueError("must have at least one entry")
    return codes


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("must be a list")
    return value


def _business_number(value: Any) -> str:
    digits = re.sub(r"[\s-]", "", unicodedata.normalize("NFKC", value)) if isinstance(value, str) else ""
    if not re.fullmatch(r"[0-9]{10}", digits):
        raise ValueError("must be a business registration number of ten digits (123-45-67890)")
    return f"{digits[:3]}-{digits[3:5]}-{digits[5:]}"


_RULES: dict[str, Callable[[Any], Any]] = {
    "name": _one_line(200),
    "name_en": _one_line(200),
    "category": _category,
    "phone": _phone,
    "road_address": _address("road"),
    "lot_address": _address("lot"),
    "geo": _geo,
    "hours": _hours,
    "menu": _menu,
    "website": _website,
    "sns": _sns,
    "price_range": _one_line(99),  # search engines ask for fewer than 100 characters
    "amenities": _amenities,
    "summary": _text(1000),
    "business_number": _business_number,
}

KNOWN_KEYS: frozenset[str] = frozenset(_RULES)


def _same_address(first: str, second: str) -> bool:
    one, other = address_key(first), address_key(second)
    return one is not None and one == other


def _same_hours(first: dict[str, Any], second: dict[str, Any]) -> bool:
    one, other = (Hours.model_validate(value).model_copy(update={"text": None}) for value in (first, second))
    return hours_parsed_whole(one) and one == other


def _same_point(first: dict[str, float], second: dict[str, float]) -> bool:
    one, other = Geo.model_validate(first), Geo.model_validate(second)
    return abs(one.lat - other.lat) <= _SAME_POINT_DEGREES and abs(one.lon - other.lon) <= _SAME_POINT_DEGREES


def _same_name(first: str, second: str) -> bool:
    def fold(text: str) -> str:
        return re.sub(r"[\s\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()

    return fold(first) == fold(second) != ""


def _same_page(first: str, second: str) -> bool:
    def fold(url: str) -> str:
        return re.sub(r"^https?://(?:www\.)?", "", url).rstrip("/")

    return fold(first) == fold(second)


_SAME: dict[str, Callable[[Any, Any], bool]] = {
    "name": _same_name,
    "name_en": _same_name,
    "road_address": _same_address,
    "lot_address": _same_address,
    "geo": _same_point,
    "hours": _same_hours,
    "website": _same_page,
}
