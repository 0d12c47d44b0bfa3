"""Korean addresses: road or lot, province in full."""

import re
import unicodedata
from typing import Literal, NamedTuple

from shared.places.normalise.regions import (
    GWANGJU_DISTRICTS,
    PROVINCE_BY_NAME,
    PROVINCE_BY_UNIT,
)

_LONGEST = 200  # characters
_LABEL = re.compile(r"^(?:도로명\s*주소|지번\s*주소|주소|소재지|위치|address)\s*[:：)\]]?\s*", re.IGNORECASE)
_POSTAL = re.compile(r"^[(\[<]?\s*(?:우편번호|우\s*[)）]?)?\s*\d{5}\s*[)\]>]?[\s,]+|\b(?:우편번호)\s*\d{5}\b")
_COUNTRY = re.compile(r"^(?:대한민국|한국|Republic of Korea|South Korea|Korea)[\s,]+", re.IGNORECASE)
_ANY_PROVINCE = re.compile(r"^[가-힣]{2,10}(?:특별시|광역시|특별자치시|특별자치도)$")
_UNIT = re.compile(r"^[가-힣]{1,6}[시군구]$")

# "테헤란로 152", "강남대로94길 20", "중앙로 12번길 5-3", "을지로 지하 131"
_ROAD = re.compile(
    r"(?P<name>[가-힣A-Za-z0-9·.]*[가-힣]\d*(?:대로|로|길))"
    r"(?:\s*(?P<branch>\d+(?:번)?[가-나]?길))?"
    r"\s*(?P<under>지하)?\s*(?P<main>\d{1,5})(?:\s*-\s*(?P<sub>\d{1,5}))?(?!\d|층|호|가|번?[가-나]?길)"
)
# "역삼동 737", "종로1가 24-2", "조천읍 교래리 산 137-1번지"
_LOT = re.compile(
    r"(?P<name>[가-힣0-9·]*[가-힣](?:동|리|가|읍|면)|[가-힣]+\d+가)"
    r"\s+(?P<hill>산)?\s*(?P<main>\d{1,5})(?:\s*-\s*(?P<sub>\d{1,5}))?(?:\s*번지)?(?!\d|층|호|동)"
)
_ROMANISED = re.compile(
    r"\b\d{1,5}(?:-\d+)?,?\s+[A-Za-z][A-Za-z0-9 .'-]*?-?(?:ro|gil|daero)\b", re.IGNORECASE
)
_RULE = (
    "an address must name its city or district and a road with a building number (테헤란로 152) "
    "or a lot (역삼동 737)"
)


class NormalAddress(NamedTuple):
    """An address with its province in full; `kind` says whether it goes by road or by lot."""

    kind: Literal["road", "lot"]
    text: str


class AddressKey(NamedTuple):
    """What two addresses must share to be the same building."""

    district: str
    street: str
    number: str


def normalise_address(text: str) -> NormalAddress:
    """The address with province in full, single spaces and canonical number; floor and building are kept.

    A missing province is added only where the city or district names exactly one. Romanised road addresses are
    kept as they are. Raises ValueError naming the rule.
    """
    cleaned = " ".join(unicodedata.normalize("NFKC", text).split())
    for noise in (_LABEL, _COUNTRY, _POSTAL, _COUNTRY):
        cleaned = noise.sub("", cleaned).strip(" ,")
    if not cleaned:
        raise ValueError("an address must not be empty")
    if len(cleaned) > _LONGEST:
        raise ValueError(f"an address must not be longer than {_LONGEST} characters")
    if not re.search("[가-힣]", cleaned):
        if _ROMANISED.search(cleaned):
            return NormalAddress("road", cleaned)
        raise ValueError(_RULE)
    cleaned = _with_province(cleaned)
    head, _, detail = cleaned.partition("(")  # the dong in brackets is no lot
    road, lot = _ROAD.search(head), _LOT.search(head)
    if road and not (lot and lot.start() < road.start() and lot.end() <= road.start()):
        written = _written_road(road)
        kind: Literal["road", "lot"] = "road"
        match = road
    elif lot:
        written = f"{lot['name']} {'산 ' if lot['hill'] else ''}{_number(lot)}"
        kind = "lot"
        match = lot
    else:
        raise ValueError(_RULE)
    before = head[: match.start()].strip(" ,")
    if not any(_UNIT.match(word) for word in before.split()[1:]) and not before.startswith("세종"):
        raise ValueError(_RULE)
    after = head[match.end() :].strip()
    joined = f"{before} {written}" + (f"{'' if after.startswith(',') else ' '}{after}" if after else "")
    if detail:
        joined = f"{joined.rstrip(' ,')} ({detail}"
    return NormalAddress(kind, re.sub(r"\s*,\s*", ", ", joined).rstrip(" ,"))


def address_key(text: str) -> AddressKey | None:
    """District, street and number of a normalised address; None where they cannot be told."""
    head = text.partition("(")[0]
    match = _ROAD.search(head) or _LOT.search(head)
    if match is None:
        return None
    units = [word for word in head[: match.start()].split() if _UNIT.match(word)]
    street = match["name"] + (match.groupdict().get("branch") or "")
    return AddressKey(units[-1] if units else head.split()[0], street, _number(match))


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
    if first in PROVINCE_BY_UNIT:
        return f"{PROVINCE_BY_UNIT[first]} {text}"
    raise ValueError("an address must begin with its province (서울특별시, 경기도, …)")


def _written_road(match: re.Match[str]) -> str:
    branch = match["branch"] or ""
    return f"{match['name']}{branch} {'지하 ' if match['under'] else ''}{_number(match)}"


def _number(match: re.Match[str]) -> str:
    sub = match["sub"]
    return str(int(match["main"])) + (f"-{int(sub)}" if sub and int(sub) else "")
