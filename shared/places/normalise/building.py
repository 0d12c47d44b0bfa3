"""Which building an address names, and whether two addresses name the same."""

import re
from typing import NamedTuple

from shared.places.normalise.address import LOT, ROAD, UNIT, building_number
from shared.places.normalise.regions import PROVINCES, one_after_the_other
from shared.places.normalise.romanised import RomanisedAddress, romanised_address

_LONGEST = 400  # characters; a longer text is no address in its normal form
_INCHEON = "인천광역시"  # the one city whose districts were drawn anew
_TOWNSHIP = re.compile(r"^[가-힣]{1,5}\d?[읍면]$")
_NUMBERED_DONG = re.compile(r"^([가-힣]+?)제?\d+동$")
_WARD = re.compile(r"^([가-힣]+?동)\d+가$")


class AddressKey(NamedTuple):
    """What two addresses must share to be the same building."""

    district: str
    street: str
    number: str


class _Parts(NamedTuple):
    province: str | None
    districts: tuple[str, ...]
    township: str | None
    is_road: bool
    street: str
    number: str  # "12", "12-3", "산 12", "지하 12"


def address_key(text: str) -> AddressKey | None:
    """District, street and number of a normalised address; None where they cannot be told."""
    if len(text) > _LONGEST:
        return None
    parts = _parts(text)
    if parts is not None:
        district = parts.districts[-1] if parts.districts else text.split(maxsplit=1)[0]
        return AddressKey(district, parts.street, parts.number)
    romanised = _romanised(text)
    return AddressKey(romanised.district, romanised.street, romanised.number) if romanised else None


def same_building(one: str, other: str) -> bool | None:
    """Whether two normalised addresses name one building; None when that cannot be told.

    A part that one of them leaves out (province, district, township, floor) makes no difference. A Korean and a
    romanised address cannot be compared, nor a road and a lot. Two romanised ones differ by number alone, since
    one road is written in several ways.
    """
    if max(len(one), len(other)) > _LONGEST:
        return None
    first, second = _parts(one), _parts(other)
    if first is not None and second is not None:
        return _same(first, second)
    if first is not None or second is not None:
        return None
    latin, another = _romanised(one), _romanised(other)
    if latin is None or another is None or latin.kind != another.kind:
        return None
    if latin.number != another.number:
        return False
    return True if latin.street == another.street else None


def _same(one: _Parts, other: _Parts) -> bool | None:
    if one.is_road != other.is_road:
        return None
    if one.number != other.number or not _same_street(one, other):
        return False
    if one.township and other.township and one.township != other.township:
        return False
    if one.province and other.province and not one_after_the_other(one.province, other.province):
        return False
    first, second = set(one.districts), set(other.districts)
    if first <= second or second <= first:
        return True
    return _INCHEON in (one.province, other.province) and all(
        any(one_after_the_other(district, new) for new in second - first) for district in first - second
    )


def _same_street(one: _Parts, other: _Parts) -> bool:
    """Roads by name; lots also by the administrative quarter that people write: "성수2동" for "성수동2가"."""
    if one.street == other.street:
        return True
    if one.is_road:
        return False
    first, second = _quarter(one.street), _quarter(other.street)
    return first == second and (one.street != first or other.street != second) and not _both_wards(one, other)


def _quarter(name: str) -> str:
    numbered = _NUMBERED_DONG.match(name)
    if numbered:
        return f"{numbered[1]}동"
    ward = _WARD.match(name)
    return ward[1] if ward else name


def _both_wards(one: _Parts, other: _Parts) -> bool:
    return bool(_WARD.match(one.street) and _WARD.match(other.street))


def _parts(text: str) -> _Parts | None:
    head = text.partition("(")[0]
    road = ROAD.search(head)
    match = road or LOT.search(head)
    if match is None:
        return None
    words = head[: match.start()].split()
    province = next(
        (word for word in words[:1] if word in PROVINCES or word.endswith(("특별시", "도"))), None
    )
    return _Parts(
        province=province,
        districts=tuple(word for word in words if UNIT.match(word) and word != province),
        township=next((word for word in words if _TOWNSHIP.match(word)), None),
        is_road=road is not None,
        street=match["name"] + (match.groupdict().get("branch") or ""),
        number=building_number(match),
    )


def _romanised(text: str) -> RomanisedAddress | None:
    return None if re.search("[가-힣]", text.partition("(")[0]) else romanised_address(text.partition("(")[0])
