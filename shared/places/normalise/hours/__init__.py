"""Opening hours: of texts in Korean and English, of schema.org markup, of JSON."""

from shared.places.normalise.hours.schema_org import hours_from_schema
from shared.places.normalise.hours.text import hours_parsed_whole, parse_hours
from shared.places.normalise.hours.value import normalise_hours

__all__ = ["hours_from_schema", "hours_parsed_whole", "normalise_hours", "parse_hours"]
