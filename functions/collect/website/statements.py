"""A business's markup turned into statements with normal values. What does not fit a key's rule is left out."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from typing import Any

from functions.collect.website.links import is_front_page
from functions.collect.website.nodes import Node, nodes, spread, text, texts, types
from functions.collect.website.postal import addresses
from shared.places.keys import normalise_value
from shared.places.normalise import (
    SCHEMA_TYPES,
    hours_from_schema,
    in_korea,
    is_sns,
    normalise_amenity,
    normalise_geo,
    normalise_url,
    parse_price,
)

Statement = tuple[str, Any]  # key and normalised value

_GENERAL_TYPES = frozenset(
    ["LocalBusiness", "Store", "FoodEstablishment", "HealthAndBeautyBusiness", "MedicalBusiness"]
)
_YES = frozenset(
    ["true", "yes", "1", "https://schema.org/true", "http://schema.org/true", "true.", "있음", "가능"]
)
_LATIN = re.compile(r"^[\x20-\x7e\u00c0-\u024f\u2019]+$")
# An English name as a page may lead with it: no slogan, no web address, no number.
_ENGLISH = re.compile(
    r"^(?=.*[A-Za-z]{2})(?!.*(?:[!?#@|<>*]|https?:|www\.|\.(?:com|net|kr)\b)).{2,60}$", re.IGNORECASE
)
_LEAST_WON = 100  # of a dish; 0 stands where nobody filled in a price, and 12 is of another currency
_RANGE = ("lowPrice", "highPrice", "minPrice", "maxPrice")


def of_business(node: Node, *, website: str, today: date) -> list[Statement]:
    """Every statement of a business's node, each key at most once."""
    found: dict[str, Any] = {}
    for key, value in _all(node, website, today):
        try:
            found.setdefault(key, normalise_value(key, value))
        except ValueError:
            continue
    return list(found.items())


def _all(node: Node, website: str, today: date) -> Iterator[Statement]:
    yield from _names(node)
    kinds = [kind for kind in types(node) if kind in SCHEMA_TYPES]
    kinds.sort(key=lambda kind: kind in _GENERAL_TYPES)
    for kind in kinds[:1]:
        yield "category", kind
    for phone in _phones(node):
        yield "phone", phone
    for address in addresses(node):
        yield f"{address.kind}_address", address.text
    for place in [node, *nodes(node, "location")]:
        for point in nodes(place, "geo"):
            yield from _point(point)
    hours = hours_from_schema(
        texts(node, "openingHours"),
        [_plain(spec) for spec in nodes(node, "openingHoursSpecification")],
        today=today,
    )
    if hours is not None:
        yield "hours", hours.model_dump(mode="json")
    menu = list(_menu(node))
    if menu:
        yield "menu", menu
    yield from _addresses_of_pages(node, website)
    for price_range in texts(node, "priceRange"):
        yield "price_range", price_range
    amenities = list(_amenities(node))
    if amenities:
        yield "amenities", amenities
    for description in texts(node, "description"):
        yield "summary", description[:1000]
    for number in texts(node, "taxID", "vatID"):
        yield "business_number", number


def _names(node: Node) -> Iterator[Statement]:
    names = texts(node, "name")
    for name in names:
        if not _LATIN.match(name):
            yield "name", name
    for name in [*names, *texts(node, "alternateName")]:
        if _LATIN.match(name) and _ENGLISH.match(name):
            yield "name_en", name
    for name in names:
        yield "name", name


def _phones(node: Node) -> Iterator[str]:
    yield from texts(node, "telephone")
    for contact in nodes(node, "contactPoint"):
        yield from texts(contact, "telephone")


def _point(point: Node) -> Iterator[Statement]:
    try:
        geo = normalise_geo(text(point, "latitude"), text(point, "longitude"))
    except ValueError:
        return
    if in_korea(geo.lat, geo.lon):
        yield "geo", geo.model_dump()


def _plain(spec: Node) -> dict[str, Any]:
    """A specification with single values where it has one, as the reader of hours takes it."""
    days = [text(day, "@id", "name") if isinstance(day, dict) else day for day in spec.get("dayOfWeek", [])]
    single = {key: text(spec, key) for key in ("opens", "closes", "validFrom", "validThrough")}
    return {**single, "dayOfWeek": days}


def _menu(node: Node) -> Iterator[dict[str, Any]]:
    roots = nodes(node, "hasMenu", "menu", "hasOfferCatalog", "makesOffer")
    through = ("hasMenuSection", "hasMenuItem", "itemListElement", "item")
    for entry in spread(roots, *through):
        subject = next(iter(nodes(entry, "itemOffered")), entry)
        name = text(subject, "name")
        kinds = types(entry)
        if not name or not ("MenuItem" in kinds or "Offer" in kinds or "price" in entry):
            continue
        try:
            price = _price(entry)
        except ValueError:
            continue  # no price would say that it is asked for
        note = text(subject, "description")
        yield {"name": name[:120], "price_krw": price, "note": note[:300] if note else None}


def _price(entry: Node) -> int | None:
    """Won, or None where no price is stated. Raises ValueError for a range and for what is no price in won."""
    for offer in spread([entry], "offers", "priceSpecification", limit=20):
        currency = text(offer, "priceCurrency")
        for price in texts(offer, "price"):
            if currency not in (None, "KRW", "₩", "원"):
                raise ValueError(f"a price in {currency}")
            won = parse_price(price)
            if won is not None and won < _LEAST_WON:
                raise ValueError("no price of a dish in won")
            return won
        if any(name in offer for name in _RANGE):
            raise ValueError("a range of prices")
    return None


def _addresses_of_pages(node: Node, website: str) -> Iterator[Statement]:
    social = [url for url in _whole_addresses(node, "sameAs") if is_sns(url)]
    if social:
        yield "sns", social[:20]
    for url in _whole_addresses(node, "url"):
        if is_front_page(url, website):
            yield "website", url


def _whole_addresses(node: Node, key: str) -> Iterator[str]:
    """The web addresses under a key in one form; one that is none loses itself alone."""
    for url in texts(node, key):
        with suppress(ValueError):
            if url.startswith(("http://", "https://")):
                yield normalise_url(url)


def _amenities(node: Node) -> Iterator[str]:
    for feature in nodes(node, "amenityFeature"):
        code = normalise_amenity(text(feature, "name") or "")
        if code and _is_yes(feature):
            yield code
    for name in (value for value in node.get("amenityFeature", []) if isinstance(value, str)):
        code = normalise_amenity(name)
        if code:
            yield code
    if any(str(value).strip().lower() in _YES for value in node.get("acceptsReservations", [])):
        yield "reservation"


def _is_yes(feature: Node) -> bool:
    values = feature.get("value")
    return values is None or any(str(value).strip().lower() in _YES for value in values)
