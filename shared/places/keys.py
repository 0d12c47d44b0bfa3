"""The keys of facts: what value each takes, and which a place's own website may confirm."""

import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any

from shared.places.normalise import (
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

# What a register or a map says for the pipeline's own use: nothing to confirm, to publish or to show to an owner.
MACHINE_KEYS: frozenset[str] = frozenset(["business_status", "google_place_id"])

KEY_PATTERN = re.compile(r"[a-z][a-z0-9_]{0,62}")
VALUE_BYTES = 64 * 1024  # of one fact's JSON: a menu of some 400 lines
KEY_RULE = "a key is lower-case letters, digits and underscores, at most 63, a letter first"
_BUSINESS_WEIGHTS = (1, 3, 7, 1, 3, 7, 1, 3, 5)  # of the first nine digits; the tenth checks them
FREE_TEXT_CHARACTERS = 5_000


def normalise_value(key: str, value: Any) -> Any:
    """The JSON under which a fact of this key is stored.

    Keys without a rule of their own take free text. Raises ValueError, naming the key and the rule, for a value
    that the key does not take and for a name that is no key.
    """
    if not KEY_PATTERN.fullmatch(key):
        raise ValueError(f'"{key[:64]}": {KEY_RULE}')
    rule: Callable[[Any], Any] = _RULES.get(key, _text(FREE_TEXT_CHARACTERS))
    try:
        return _of_bounded_size(rule(value))
    except ValueError as error:
        message = str(error)
        raise ValueError(message if message.startswith(key) else f"{key}: {message}") from None


def _of_bounded_size(normal: Any) -> Any:
    if len(json.dumps(normal, ensure_ascii=False).encode()) > VALUE_BYTES:
        raise ValueError(f"must not be longer than {VALUE_BYTES} bytes of JSON")
    return normal


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
        raise ValueError("must be a business registration number of ten digits")
    numbers = [int(digit) for digit in digits]
    total = sum(digit * weight for digit, weight in zip(numbers, _BUSINESS_WEIGHTS, strict=False))
    if (10 - (total + numbers[8] * 5 // 10) % 10) % 10 != numbers[9]:
        raise ValueError("the last digit of the business registration number does not fit the others")
    return digits


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

# Keys with a rule of their own; every other key takes free text.
FACT_KEYS: frozenset[str] = frozenset(_RULES)
