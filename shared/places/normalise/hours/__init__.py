"""Opening hours: of texts in Korean and English, of markup, of other services, of JSON."""

from shared.places.normalise.hours.google import hours_from_google
from shared.places.normalise.hours.osm import hours_from_osm
from shared.places.normalise.hours.schema_org import hours_from_schema
from shared.places.normalise.hours.text import hours_parsed_whole, parse_hours
from shared.places.normalise.hours.tourapi import hours_from_tourapi
from shared.places.normalise.hours.value import normalise_hours

__all__ = [
    "hours_from_google",
    "hours_from_osm",
    "hours_from_schema",
    "hours_from_tourapi",
    "hours_parsed_whole",
    "normalise_hours",
    "parse_hours",
]
