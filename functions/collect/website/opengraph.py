"""Open Graph and the page's own meta tags, the business's contact data included."""

from functions.collect.website.document import Document
from functions.collect.website.nodes import Node

_PARTS = {
    "business:contact_data:street_address": "streetAddress",
    "business:contact_data:locality": "addressLocality",
    "business:contact_data:region": "addressRegion",
    "business:contact_data:postal_code": "postalCode",
    "business:contact_data:country_name": "addressCountry",
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
_IMAGES = frozenset(["og:image", "og:image:url", "og:image:secure_url", "twitter:image"])
_POINT = {
    "place:location:latitude": "latitude",
    "place:location:longitude": "longitude",
    "og:latitude": "latitude",
    "og:longitude": "longitude",
}


def load(document: Document) -> Node:
    """One node of everything the page's meta tags say; `@type` is empty, for they say no type of business."""
    node: Node = {}
    address: Node = {"@type": ["PostalAddress"]}
    point: Node = {"@type": ["GeoCoordinates"]}
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
    if "streetAddress" in address:
        node["address"] = [address]
    if "latitude" in point and "longitude" in point:
        node["geo"] = [point]
    return node
