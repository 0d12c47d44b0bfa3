"""What the servers are asked: by name in Nominatim's words, and around a position in Overpass's language."""

import math

from functions.collect.channels import Asking
from functions.collect.matching import folded

_BOX = 0.02  # degrees to each side of a known position, about two kilometres
_AROUND = 150  # metres, as far as two pins of one shop lie apart
_NAMES = 5  # of the place that are looked for
_CHARACTERS = 40  # of a name; a longer one is told apart by then
_ANSWERS = 20
_FIELDS = "^(alt_|official_|short_)?name(:ko|:en)?$"


def nominatim_question(ask: Asking) -> dict[str, str | int]:
    """The parameters of `/search`: the name within the place's surroundings, or with its district."""
    known = ask.subject
    question: dict[str, str | int] = {
        "format": "jsonv2",
        "extratags": 1,
        "addressdetails": 1,
        "namedetails": 1,
        "countrycodes": "kr",
        "accept-language": "ko",
        "limit": 10,
    }
    name = ask.known.place.name
    if known.geo is not None:
        lat, lon = known.geo["lat"], known.geo["lon"]
        box = (lon - _BOX, lat + _BOX, lon + _BOX, lat - _BOX)
        return {"q": name, **question, "viewbox": ",".join(f"{side:.5f}" for side in box), "bounded": 1}
    district = next((building.district for building in sorted(known.buildings)), "")
    return {"q": f"{name} {district}".strip(), **question}


def overpass_query(ask: Asking) -> str:
    """The query for everything within `_AROUND` metres that bears a name of the place's.

    Of a name nothing but its letters and digits goes into the query, so that no name can end the text it stands in;
    one character of any kind may stand between two of them. Raises KeyError without a position.
    """
    geo = ask.subject.geo or {}
    names = [name for name in dict.fromkeys(map(folded, ask.subject.names)) if len(name) >= 2][:_NAMES]
    pattern = "|".join(".?".join(name[:_CHARACTERS]) for name in names) or "."
    seconds = max(1, math.floor(min(ask.settings.channel_timeout, ask.left())))
    return (
        f"[out:json][timeout:{seconds}];"
        f'nwr(around:{_AROUND},{geo["lat"]:.6f},{geo["lon"]:.6f})[~"{_FIELDS}"~"{pattern}",i];'
        f"out tags center {_ANSWERS};"
    )
