"""What an entry of TourAPI says, part by part, in the keys of facts."""

import html
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from functions.collect.channels.reading import address_at, text_at
from functions.collect.matching import Candidate
from shared.places.normalise import (
    find_phones,
    hours_from_tourapi,
    is_sns,
    normalise_geo,
    normalise_url,
)

Item = Mapping[str, Any]
Said = list[tuple[str, Any]]

_SUMMARY = 1000  # characters that the key takes
_DISH = 60  # characters; a longer part of a menu's text is a sentence about it
_LINE = 2000  # characters of a field that holds numbers or dishes
_FREE = "type1"  # the public licence that asks for the source alone; Type3 forbids cropping and recoding too
_BREAK = re.compile(r"<\s*(?:br|/p|/li|/div)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_HREF = re.compile(r"<a\b[^<>]*?\bhref\s*=\s*[\"']?([^\"'\s<>]+)", re.IGNORECASE)
_BARE = re.compile(r"(?:https?://|www\.)[^\s<>\"']+", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?…](?=\s|$)")
_BETWEEN_DISHES = re.compile(r"\s*(?:[\n/;]|,(?!\d{3}))\s*(?![^()]*\))")
_AND_OTHERS = re.compile(r"\s+등(?:등)?\.?$")
_PRICED = re.compile(r"^(.*?[^\s(:\-])[\s(:\-]*((?:\d{1,3}(?:,\d{3})+|\d{3,6})\s*원)\)?$")
_NO = re.compile(r"불가|없|안\s?됨|않|금지|^(?:0|x|no|n)$", re.IGNORECASE)
_YES = re.compile(r"가능|있|무료|유료|필수|예약제|\d+\s?대|^(?:1|o|yes|y)$", re.IGNORECASE)


class _Fields(NamedTuple):
    """The fields of one type's introduction; `amenities` says what each means when it says yes."""

    opens: str
    rests: str
    phone: str
    amenities: dict[str, str]


# By contentTypeId: sights, culture, sports, lodging, shops, food. Festivals (15) and routes (25) are no businesses. Lodging
# has times of arrival and departure, which are no opening hours.
TYPES: dict[str, _Fields] = {
    "12": _Fields(
        "usetime", "restdate", "infocenter",
        {"parking": "parking", "chkpet": "pets_allowed", "chkcreditcard": "card_payment"},
    ),
    "14": _Fields(
        "usetimeculture", "restdateculture", "infocenterculture",
        {"parkingculture": "parking", "chkpetculture": "pets_allowed", "chkcreditcardculture": "card_payment"},
    ),
    "28": _Fields(
        "usetimeleports", "restdateleports", "infocenterleports",
        {"parkingleports": "parking", "chkpetleports": "pets_allowed", "chkcreditcardleports": "card_payment",
         "reservation": "reservation"},
    ),
    "32": _Fields("", "", "infocenterlodging", {"parkinglodging": "parking", "reservationlodging": "reservation"}),
    "38": _Fields(
        "opentime", "restdateshopping", "infocentershopping",
        {"parkingshopping": "parking", "chkpetshopping": "pets_allowed", "chkcreditcardshopping": "card_payment",
         "restroom": "restroom"},
    ),
    "39": _Fields(
        "opentimefood", "restdatefood", "infocenterfood",
        {"parkingfood": "parking", "packing": "takeout", "reservationfood": "reservation",
         "chkcreditcardfood": "card_payment", "kidsfacility": "kids_playroom"},
    ),
}  # fmt: skip


def candidate(entry: Item) -> Candidate:
    """An entry of a search as it is held against the place."""
    said = dict(facts_of_search(entry))
    return Candidate(
        name=text_at(entry, "title"),
        phones=frozenset(find_phones(_plain(text_at(entry, "tel"))[:_LINE])),
        addresses=[said[key] for key in ("road_address", "lot_address") if key in said],
        geo=said.get("geo"),
    )


def facts_of_search(entry: Item, phones: frozenset[str] = frozenset()) -> Said:
    """Address, position and telephone number; of several numbers one of `phones`, the place's own, goes first."""
    first, second = text_at(entry, "addr1"), text_at(entry, "addr2")
    address = address_at(f"{first} {second}", first)
    said: Said = [address] if address else []
    with suppress(ValueError):  # a position that is none is not said
        said.append(("geo", normalise_geo(entry.get("mapy"), entry.get("mapx")).model_dump()))
    return said + _phone(text_at(entry, "tel"), phones)


def facts_of_common(common: Item) -> Said:
    """Website, pages on social networks and overview."""
    said: Said = []
    pages = list(_addresses(text_at(common, "homepage")))
    said += [("website", page) for page in pages if not is_sns(page)][:1]
    social = [page for page in pages if is_sns(page)]
    said += [("sns", social)] if social else []
    summary = _whole_sentences(_plain(text_at(common, "overview")))
    return said + ([("summary", summary)] if summary else [])


def facts_of_intro(intro: Item, kind: str, phones: frozenset[str]) -> Said:
    """Hours, menu, amenities and the number for enquiries, as in `facts_of_search`."""
    fields = TYPES[kind]
    said = _phone(text_at(intro, fields.phone), phones)
    hours = hours_from_tourapi(text_at(intro, fields.opens), text_at(intro, fields.rests))
    said += [("hours", hours.model_dump(mode="json"))] if hours.text else []
    dishes = [*_dishes(text_at(intro, "firstmenu")), *_dishes(text_at(intro, "treatmenu"))]
    said += [("menu", dishes)] if kind == "39" and dishes else []
    amenities = [code for field, code in fields.amenities.items() if _says_yes(text_at(intro, field))]
    return said + ([("amenities", amenities)] if amenities else [])


def photos(images: list[Item]) -> tuple[list[str], bool]:
    """The addresses of the photos a page may crop and recode, and whether there are others."""
    free = [image for image in images if text_at(image, "cpyrhtDivCd").casefold() == _FREE]
    urls: dict[str, None] = {}
    for image in free:
        try:
            urls[normalise_url(text_at(image, "originimgurl"))] = None
        except ValueError:
            continue
    return list(urls), len(free) < len(images)


def _plain(text: str) -> str:
    """The text of a piece of HTML, a line a line."""
    lines = html.unescape(_TAG.sub("", _BREAK.sub("\n", text))).splitlines()
    return "\n".join(line for line in (" ".join(line.split()) for line in lines) if line)


def _phone(text: str, phones: frozenset[str]) -> Said:
    """One of the numbers that stand in a text: a second line of the place is no contradiction to its first."""
    found = sorted(find_phones(_plain(text)[:_LINE]), key=lambda phone: phone not in phones)
    return [("phone", phone) for phone in found[:1]]


def _addresses(text: str) -> Iterator[str]:
    """The web addresses of a homepage's HTML: its links', or those that stand in it."""
    for found in _HREF.findall(text) or _BARE.findall(_plain(text)):
        try:
            yield normalise_url(html.unescape(found))
        except ValueError:
            continue


def _whole_sentences(text: str) -> str:
    """The text, cut after the last sentence that the key has room for."""
    if len(text) <= _SUMMARY:
        return text
    ends = [match.end() for match in _SENTENCE.finditer(text[:_SUMMARY])]
    return text[: ends[-1]] if ends else ""


def _dishes(text: str) -> Iterator[dict[str, Any]]:
    for part in _BETWEEN_DISHES.split(_plain(text)[:_LINE]):
        name = _AND_OTHERS.sub("", part.strip())
        if 0 < len(name) <= _DISH:
            priced = _PRICED.match(name)
            yield {"name": priced[1], "price": priced[2]} if priced else {"name": name}


def _says_yes(text: str) -> bool:
    """Whether a field grants what it is about; one that speaks of refusals as well grants nothing."""
    plain = _plain(text)
    return bool(_YES.search(plain)) and not _NO.search(plain)
