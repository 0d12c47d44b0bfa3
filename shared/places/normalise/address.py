"""Korean addresses: road or lot, province in full."""

import re
import unicodedata
from typing import Literal, NamedTuple

from shared.places.normalise.regions import (
    GWANGJU_DISTRICTS,
    PROVINCE_BY_NAME,
    PROVINCE_BY_UNIT,
)
from shared.places.normalise.romanised import romanised_address

_LONGEST = 200  # characters
_LABEL = re.compile(r"^(?:도로명\s*주소|지번\s*주소|주소|소재지|위치|address)\s*[:：)\]]?\s*", re.IGNORECASE)
_POSTAL = re.compile(r"^[(\[<]?\s*(?:우편번호|우\s*[)）]?)?\s*\d{5}\s*[)\]>]?[\s,]+|\b(?:우편번호)\s*\d{5}\b")
_COUNTRY = re.compile(r"^(?:대한민국|한국|Republic of Korea|South Korea|Korea)[\s,]+", re.IGNORECASE)
_ANY_PROVINCE = re.compile(r"^[가-힣]{2,10}(?:특별시|광역시|특별자치시|특별자치도)$")
_POSTAL_BEHIND = re.compile(r"[\s,]*(?:[(\[]\s*(?:우\s*)?\d{5}\s*[)\]]|\(우\)\s*\d{5})\s*$")
_PROVINCE_AND_UNIT = re.compile(
    rf"^({'|'.join(sorted(PROVINCE_BY_NAME, key=len, reverse=True))})([가-힣]{{1,5}}[시군구])$"
)
_GLUED_DISTRICT = re.compile(r"(?<=[가-힣]시)(?=[가-힣]{1,3}구(?:\s|$))")
UNIT = re.compile(r"^[가-힣]{1,6}[시군구]$")

# "테헤란로 152", "강남대로94길 20", "중앙로 12번길 5-3", "을지로 지하 131"
ROAD = re.compile(
    r"(?P<name>[가-힣A-Za-z0-9·.]*[가-힣]\d*(?:대로|로|길))"
    r"(?:\s*(?P<branch>\d+(?:번)?[가-나]?길))?"
    r"\s*(?P<under>지하)?\s*(?P<main>\d{1,5})(?:\s*-\s*(?P<sub>\d{1,5}))?(?:\s*번지)?(?!\d|층|호|가|번?[가-나]?길)"
)
# "역삼동 737", "종로1가 24-2", "조천읍 교래리 산 137-1번지"
LOT = re.compile(
    r"(?P<name>[가-힣0-9·]*[가-힣](?:\d{0,2}동|리|가|읍|면)|[가-힣]+\d+가)"
    r"\s+(?P<hill>산)?\s*(?P<main>\d{1,5})(?:\s*-\s*(?P<sub>\d{1,5}))?(?:\s*번지)?(?!\d|층|호|동)"
)
_RULE = (
    "an address must name its city or district and a road with a building number (테헤란로 152) "
    "or a lot (역삼동 737)"
)


class NormalAddress(NamedTuple):
    """An address with its province in full; `kind` says whether it goes by road or by lot."""

    kind: Literal["road", "lot"]
    text: str


def normalise_address(text: str) -> NormalAddress:
    """The address with province in full, single spaces and canonical number; floor and building are kept.

    A missing province is added only where the city or district names exactly one. A romanised address stays in
    Latin letters, without country and postal code. Raises ValueError naming the rule.
    """
    cleaned = " ".join(unicodedata.normalize("NFKC", text).split())
    if len(cleaned) > 2 * _LONGEST:
        raise ValueError(f"an address must not be longer than {_LONGEST} characters")
    for noise in (_LABEL, _COUNTRY, _POSTAL, _COUNTRY, _POSTAL_BEHIND):
        cleaned = noise.sub("", cleaned).strip(" ,")
    if not cleaned:
        raise ValueError("an address must not be empty")
    if len(cleaned) > _LONGEST:
        raise ValueError(f"an address must not be longer than {_LONGEST} characters")
    if not re.search("[가-힣]", cleaned.partition("(")[0]):
        romanised = romanised_address(cleaned)
        if romanised is None:
            raise ValueError(_RULE)
        return NormalAddress(romanised.kind, romanised.text)
    cleaned = _GLUED_DISTRICT.sub(" ", _with_province(cleaned))
    head, _, detail = cleaned.partition("(")  # the dong in brackets is no lot
    road, lot = ROAD.search(head), LOT.search(head)
    if road and not (lot and lot.start() < road.start() and lot.end() <= road.start()):
        written = _written_road(road)
        kind: Literal["road", "lot"] = "road"
        match = road
    elif lot:
        written = f"{lot['name']} {building_number(lot)}"
        kind = "lot"
        match = lot
    else:
        raise ValueError(_RULE)
    before = head[: match.start()].strip(" ,")
    if not any(UNIT.match(word) for word in before.split()[1:]) and not before.startswith("세종"):
        raise ValueError(_RULE)
    after = head[match.end() :].strip()
    joined = f"{before} {written}" + (f"{'' if after.startswith(',') else ' '}{after}" if after else "")
    if detail:
        joined = f"{joined.rstrip(' ,')} ({detail}"
    return NormalAddress(kind, re.sub(r"\s*,\s*", ", ", joined).rstrip(" ,"))


def _with_province(text: str) -> str:
    first, _, rest = text.partition(" ")
    first = first.rstrip(",")
    second = rest.split(" ", 1)[0]
    if first == "광주시":
        return f"광주광역시 {rest}" if second in GWANGJU_DISTRICTS else f"경기도 {text}"
    if first == "세종시" or first in PROVINCE_BY_NAME:
        return f"{PROVINCE_BY_NAME[first]} {rest.strip(', ')}"
    if _ANY_PROVINCE.match(first):
        return text
    glued = _PROVINCE_AND_UNIT.match(first)
    if glued:
        return _with_province(f"{glued[1]} {glued[2]} {rest}")
    if first in PROVINCE_BY_UNIT:
        return f"{PROVINCE_BY_UNIT[first]} {text}"
    raise ValueError("an address must begin with its province (서울특별시, 경기도, …)")


def _written_road(match: re.Match[str]) -> str:
    return f"{match['name']}{match['branch'] or ''} {building_number(match)}"


def building_number(match: re.Match[str]) -> str:
    """The number of a match of `ROAD` or `LOT`: "12", "12-3", "지하 12" of an arcade, "산 12" of a hillside lot."""
    parts = match.groupdict()
    sub = parts["sub"]
    prefix = "지하 " if parts.get("under") else "산 " if parts.get("hill") else ""
    return f"{prefix}{int(parts['main'])}" + (f"-{int(sub)}" if sub and int(sub) else "")
