"""Facts in one form: telephone numbers, addresses, coordinates, opening hours, menus, categories."""

from shared.places.normalise.address import NormalAddress, normalise_address
from shared.places.normalise.amenity import AMENITIES, normalise_amenities, normalise_amenity
from shared.places.normalise.building import AddressKey, address_key, same_building
from shared.places.normalise.category import SCHEMA_TYPES, normalise_category
from shared.places.normalise.geo import geo_from_naver, in_korea, normalise_geo
from shared.places.normalise.hours import (
    hours_from_google,
    hours_from_osm,
    hours_from_schema,
    hours_from_tourapi,
    hours_parsed_whole,
    normalise_hours,
    parse_hours,
)
from shared.places.normalise.menu import normalise_menu, parse_price
from shared.places.normalise.phone import display_phone, find_phones, is_shared_number, normalise_phone
from shared.places.normalise.url import is_sns, normalise_url, normalise_urls

__all__ = [
    "AMENITIES",
    "SCHEMA_TYPES",
    "AddressKey",
    "NormalAddress",
    "address_key",
    "display_phone",
    "find_phones",
    "geo_from_naver",
    "hours_from_google",
    "hours_from_osm",
    "hours_from_schema",
    "hours_from_tourapi",
    "hours_parsed_whole",
    "in_korea",
    "is_shared_number",
    "is_sns",
    "normalise_address",
    "normalise_amenities",
    "normalise_amenity",
    "normalise_category",
    "normalise_geo",
    "normalise_hours",
    "normalise_menu",
    "normalise_phone",
    "normalise_url",
    "normalise_urls",
    "parse_hours",
    "parse_price",
    "same_building",
]
