"""The page as schema.org JSON-LD: one `LocalBusiness` of the most specific type, saying what the page shows."""

import json
from typing import Any

from markupsafe import Markup

from functions.build.opening import Opening, opening_specification
from functions.build.page import split_address
from functions.build.view import PageView
from shared.places.models import ConfirmedFacts, Hours

# Types whose menu is `hasMenu`; for all others priced lines are offers.
FOOD_TYPES = frozenset(
    [
        "FoodEstablishment",
        "Bakery",
        "BarOrPub",
        "Brewery",
        "CafeOrCoffeeShop",
        "Distillery",
        "FastFoodRestaurant",
        "IceCreamShop",
        "Restaurant",
        "Winery",
    ]
)
MOST_IMAGES = 6
# In a script element only "</script" and "<!--" matter; these escapes leave neither, in HTML of any kind.
_ESCAPES = {
    ord("<"): "\\u003c",
    ord(">"): "\\u003e",
    ord("&"): "\\u0026",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}


def business(view: PageView, facts: ConfirmedFacts) -> dict[str, Any]:
    """The `LocalBusiness` node. Every value in it stands on the page of `view`; a property without value is absent.

    Both languages describe one thing and share its `@id`; `url` is the page of this language.
    """
    geo = view.geo
    hours = facts.value("hours")
    node: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": view.category_type,
        "@id": view.addresses.identity,
        "name": view.name.text,
        "alternateName": _several(([view.other_name.text] if view.other_name else []) + view.aliases),
        "description": None if view.lead is None else view.lead.text,
        "url": view.addresses.own,
        "telephone": facts.value("phone"),
        "address": None if view.address is None else postal_address(view.address.text),
        "geo": None
        if geo is None
        else {"@type": "GeoCoordinates", "latitude": geo.lat, "longitude": geo.lon},
        "hasMap": view.maps[0].href if view.maps else None,
        "image": [
            f"{view.addresses.default}assets/{photo.image.largest.names['jpg']}"
            for photo in view.photos[:MOST_IMAGES]
        ],
        "openingHoursSpecification": []
        if hours is None
        else [_opening(opening) for opening in opening_specification(Hours.model_validate(hours))],
        "priceRange": facts.value("price_range"),
        "amenityFeature": [
            {"@type": "LocationFeatureSpecification", "name": name, "value": True} for name in view.amenities
        ],
        "sameAs": [link.href for link in (view.website, *view.profiles) if link is not None and link.href],
        "taxID": next((row.values[0].text for row in view.rows if row.key == "business_number"), None),
    }
    node |= _menu(view)
    return {key: value for key, value in node.items() if value not in (None, [], "")}


def script_text(node: dict[str, Any]) -> Markup:
    """The node for a `script` element: no character in it can end the element or begin a comment."""
    text = json.dumps(node, ensure_ascii=False, allow_nan=False, indent=1)
    return Markup(text.translate(_ESCAPES))  # noqa: S704 - every character with a meaning in HTML is escaped above


def postal_address(address: str) -> dict[str, str]:
    """A Korean `PostalAddress`; where province and district cannot be told, the whole stands as the street."""
    parts = split_address(address)
    if parts is None:
        return {"@type": "PostalAddress", "addressCountry": "KR", "streetAddress": address}
    region, locality, street = parts
    node = {"@type": "PostalAddress", "addressCountry": "KR", "addressRegion": region}
    if locality is not None:
        node["addressLocality"] = locality
    return node | {"streetAddress": street}


def _opening(opening: Opening) -> dict[str, Any]:
    return {
        "@type": "OpeningHoursSpecification",
        "dayOfWeek": _several(opening.days),
        "opens": opening.opens,
        "closes": opening.closes,
    }


def _several(values: list[str]) -> list[str] | str | None:
    if len(values) > 1:
        return values
    return values[0] if values else None


def _menu(view: PageView) -> dict[str, Any]:
    if not view.menu:
        return {}
    if view.category_type in FOOD_TYPES:
        items = []
        for row in view.menu:
            item: dict[str, Any] = {"@type": "MenuItem", "name": row.name.text}
            if row.note is not None:
                item["description"] = row.note.text
            if row.amount is not None:
                item["offers"] = {"@type": "Offer", "price": row.amount, "priceCurrency": "KRW"}
            items.append(item)
        return {"hasMenu": {"@type": "Menu", "hasMenuItem": items}}
    offers = [
        {"@type": "Offer", "name": row.name.text, "price": row.amount, "priceCurrency": "KRW"}
        for row in view.menu
        if row.amount is not None
    ]
    return {"makesOffer": offers} if offers else {}
