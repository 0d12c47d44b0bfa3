"""Coordinates: degrees in WGS84, with swapped axes put right."""

import math
import re
from typing import Any

from shared.places.models import Geo

_KOREA_LAT = (33.0, 39.0)  # degrees; Marado to the northern border, with room
_KOREA_LON = (124.0, 132.0)  # degrees; Baengnyeongdo to Dokdo, with room
_DECIMALS = 6  # about 0.1 m
_NUMBER = re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]{1,30})?")


def in_korea(lat: float, lon: float) -> bool:
    """Whether the point lies in the box around South Korea."""
    return _KOREA_LAT[0] <= lat <= _KOREA_LAT[1] and _KOREA_LON[0] <= lon <= _KOREA_LON[1]


def geo_from_naver(mapx: Any, mapy: Any) -> Geo:
    """The point of Naver's local search: `mapx` longitude and `mapy` latitude, in ten-millionths of a degree.

    Raises ValueError when either is no whole number or the point is not in Korea, which is what the older plane
    coordinates of the same fields come to.
    """
    longitude, latitude = (_whole(value, name) / 1e7 for value, name in ((mapx, "mapx"), (mapy, "mapy")))
    point = normalise_geo(latitude, longitude)
    if not in_korea(point.lat, point.lon):
        raise ValueError("mapx and mapy must be a point in Korea, in ten-millionths of a degree")
    return point


def normalise_geo(lat: Any, lon: Any) -> Geo:
    """A point of numbers or numeric texts; latitude and longitude given the wrong way round for Korea are swapped.

    Kakao and TourAPI give both as texts, x the longitude. Raises ValueError when either is no finite number, lies
    outside the world, or is 0, which is what an empty field becomes.
    """
    latitude, longitude = _degrees(lat, "latitude"), _degrees(lon, "longitude")
    if in_korea(longitude, latitude):
        latitude, longitude = longitude, latitude
    if not -90 <= latitude <= 90:
        raise ValueError("latitude must lie between -90 and 90 degrees")
    if not -180 <= longitude <= 180:
        raise ValueError("longitude must lie between -180 and 180 degrees")
    if latitude == 0 or longitude == 0:
        raise ValueError("0 is no latitude or longitude of a place: it was left empty")
    return Geo(lat=round(latitude, _DECIMALS), lon=round(longitude, _DECIMALS))


def _whole(value: Any, name: str) -> int:
    text = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    if not re.fullmatch(r"[0-9]{1,10}", text):
        raise ValueError(f"{name} must be a whole number of ten-millionths of a degree")
    return int(text)


def _degrees(value: Any, name: str) -> float:
    if isinstance(value, str):
        value = value.strip()
        if not _NUMBER.fullmatch(value):
            raise ValueError(f"{name} must be a number of degrees")
    elif isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} must be a number of degrees")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{name} must be a number of degrees") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number of degrees")
    return number
