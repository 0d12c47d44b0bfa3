"""Open Graph and the page's own meta tags, the business's contact data included."""

import re

from functions.collect.website.document import Document
from functions.collect.website.nodes import Node

_PARTS = {
    "business:contact_data:street_address": "streetAddress",
    "business:contact_data:locality": "addressLocality",
    "business:contact_data:region": "addressRegion",
    "business:contact_data:postal_code": "postalCode",
    "business:contact_data:country_name": "addressCountry",
    "og:street-address": "streetAddress",
    "og:locality": "addressLocality",
    "og:region": "addressRegion",
    "og:postal-code": "postalCode",
    "og:country-name": "addressCountry",
}
_FIELDS = {
    "business:contact_data:phone_number": "telephone",
    "business:contact_data:website": "url",
    "og:phone_number": "telephone",
    "og:site_name": "name",
    "og:title": "title",
    "og:description": "description",
    "description": "description",
    "og:url": "url",
    "og:see_also": "sameAs",
}
_IMAGES = frozenset(["og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"])
_HOURS = {
    "business:hours:day": "dayOfWeek",
    "business:hours:start": "opens",
    "business:hours:end": "closes",
}
_NUMBERS = re.compile(r"-?\d{1,3}\.\d+")
_POINT = {
    "place:location:latitude": "latitude",
    "place:location:longitude": "longitude",
    "og:latitude": "latitude",
    "og:longitude": "longitude",
}
_BOTH = frozenset(["geo.position", "icbm"])  # "37.5;127.0", "37.5, 127.0"


def load(document: Document) -> Node:
    """One node of everything the page's meta tags say; `@type` is empty, for they say no type of business."""
    node: Node = {}
    address: Node = {"@type": ["PostalAddress"]}
    point: Node = {"@type": ["GeoCoordinates"]}
    hours: list[Node] = []
    for meta in document.root.iter("meta"):
        name = (meta.get("property") or meta.get("name") or "").strip().lower()
        content = (meta.get("content") or "").strip()
        if not name or not content:
            continue
        if name in _FIELDS:
            node.setdefault(_FIELDS[name], []).append(content)
        elif name in _PARTS:
            address.setdefault(_PARTS[name], []).append(content)
        elif name in _POINT:
            point.setdefault(_POINT[name], []).append(content)
        elif name in _IMAGES and (image := document.link(content)):
            node.setdefault("image", []).append(image)
        elif name in _BOTH and (both := _NUMBERS.findall(content)) and len(both) == 2:
            point.setdefault("latitude", []).append(both[0])
            point.setdefault("longitude", []).append(both[1])
        elif name in _HOURS:
            _add_hours(hours, _HOURS[name], content)
    if "streetAddress" in address:
        node["address"] = [address]
    if "latitude" in point and "longitude" in point:
        node["geo"] = [point]
    if hours and all(set(_HOURS.values()) <= set(stated) for stated in hours):
        node["openingHoursSpecification"] = list(hours)
    return node


def _add_hours(hours: list[Node], key: str, content: str) -> None:
    """The metas of one day follow each other; one that is there already begins the next day."""
    if not hours or key in hours[-1]:
        hours.append({"@type": ["OpeningHoursSpecification"]})
    hours[-1][key] = [content]
