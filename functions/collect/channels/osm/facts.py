"""What the tags of a business state, as facts. A value that no rule of a key takes is left out."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from functions.collect.channels.osm.categories import category_of
from functions.collect.channels.osm.elements import Element
from functions.collect.channels.reading import address_at, stated
from functions.collect.matching import Candidate, Subject, folded
from shared.places.models import NewFact
from shared.places.normalise import hours_from_osm, is_sns, normalise_phone, normalise_url

CHANNEL = "osm"
_TRUST = 0.8  # of the verdict's confidence: anybody may edit, and few come back to look
_NAMES = ("name", "name:ko", "official_name", "alt_name", "short_name", "name:en")
_PHONES = ("phone", "contact:phone", "mobile", "contact:mobile")
_WEBSITES = ("website", "contact:website", "url")
_ADDRESS = ("province", "city", "county", "district", "town", "street", "housenumber")
_PROFILES = {
    "contact:instagram": "https://www.instagram.com/",
    "contact:facebook": "https://www.facebook.com/",
}
_HANDLE = re.compile(r"[A-Za-z0-9._-]{2,60}")
_YES = frozenset(["yes", "only", "designated", "required", "recommended"])
# Tags that say yes, and the amenity each is.
_AMENITIES = {
    "wheelchair": "wheelchair_accessible",
    "outdoor_seating": "outdoor_seating",
    "takeaway": "takeout",
    "delivery": "delivery",
    "drive_through": "drive_through",
    "reservation": "reservation",
    "toilets": "restroom",
    "highchair": "kids_chair",
    "dog": "pets_allowed",
    "elevator": "elevator",
    "payment:credit_cards": "card_payment",
}
_WIFI = frozenset(["wlan", "wifi"])


def candidate(element: Element, subject: Subject) -> Candidate:
    """The business as it is held against the place: by the name the two share, else by its first."""
    names = _names(element.tags)
    wanted = {folded(name) for name in subject.names}
    address = _address(element.tags)
    return Candidate(
        name=next((name for name in names if folded(name) in wanted), names[0]),
        phones=frozenset(_phones(element.tags)),
        addresses=[address[1]] if address else [],
        geo=element.geo,
    )


def facts_of(element: Element, subject: Subject, confidence: float) -> list[NewFact]:
    """The element's facts, each key once; `confidence` is that of the match."""
    trust = confidence * _TRUST
    facts = stated(CHANNEL, _statements(element, subject), confidence=trust, source_url=element.url)
    if "opening_hours" in element.tags:
        # In normal form as it is read: what is not understood stays text, at which the reader of prose must not guess.
        hours = hours_from_osm(element.tags["opening_hours"]).model_dump(mode="json")
        fact = NewFact(
            key="hours", value=hours, channel=CHANNEL, source_url=element.url, confidence=round(trust, 3)
        )
        facts.append(fact)
    return facts


def _statements(element: Element, subject: Subject) -> Iterator[tuple[str, Any]]:
    tags = element.tags
    yield "name", tags.get("name:ko") or tags["name"]
    yield "name_en", tags.get("name:en")
    yield "category", category_of(tags)
    phones = _phones(tags)
    # Of several the one that is known, so that a second line is no conflict.
    yield "phone", next((phone for phone in phones if phone in subject.phones), next(iter(phones), None))
    address = _address(tags)
    if address:
        yield address
    yield "geo", element.geo
    pages = _pages(tags)
    yield "website", next((page for page in pages if not is_sns(page)), None)
    yield "sns", [page for page in [*pages, *_profiles(tags)] if is_sns(page)]
    amenities = [code for tag, code in _AMENITIES.items() if tags.get(tag) in _YES]
    yield "amenities", [*amenities, *(["wifi"] if tags.get("internet_access") in _WIFI else [])]


def _names(tags: Mapping[str, str]) -> list[str]:
    named = [name.strip() for key in _NAMES for name in tags.get(key, "").split(";")]
    return [name for name in named if name] or [tags["name"]]


def _phones(tags: Mapping[str, str]) -> list[str]:
    written = (part for key in _PHONES for part in tags.get(key, "").split(";"))
    return list(dict.fromkeys(phone for phone in map(normalise_phone, written) if phone))


def _address(tags: Mapping[str, str]) -> tuple[str, str] | None:
    """Key and value of the address written in full, or in parts that name street and number."""
    parts = [tags[f"addr:{part}"] for part in _ADDRESS if f"addr:{part}" in tags]
    joined = " ".join(dict.fromkeys(parts)) if "addr:street" in tags and "addr:housenumber" in tags else ""
    return address_at(tags.get("addr:full", ""), joined)


def _pages(tags: Mapping[str, str]) -> list[str]:
    return _urls(part for key in _WEBSITES for part in tags.get(key, "").split(";"))


def _profiles(tags: Mapping[str, str]) -> list[str]:
    """Addresses of social pages, of which mappers write the address or the name alone."""
    written = []
    for key, site in _PROFILES.items():
        for part in tags.get(key, "").split(";"):
            handle = part.strip().removeprefix("@")
            written.append(site + handle if _HANDLE.fullmatch(handle) else part)
    return _urls(written)


def _urls(written: Iterable[str]) -> list[str]:
    found = []
    for part in written:
        try:
            found.append(normalise_url(part))
        except ValueError:
            continue
    return found
