"""Coordinates: degrees in WGS84, with swapped axes put right."""

import math
from typing import Any

from shared.places.models import Geo

_KOREA_LAT = (33.0, 39.0)  # degrees; Marado to the northern border, with room
_KOREA_LON = (124.0, 132.0)  # degrees; Baengnyeongdo to Dokdo, with room
_DECIMALS = 6  # about 0.1 m


def in_korea(lat: float, lon: float) -> bool:
    """Whether the point lies in the box around South Korea."""
    return _KOREA_LAT[0] <= lat <= _KOREA_LAT[1] and _KOREA_LON[0] <= lon <= _KOREA_LON[1]


def normalise_geo(lat: Any, lon: Any) -> Geo:
    """A point of numbers or numeric texts; latitude and longitude given the wrong way round for Korea are swapped.

    Raises ValueError when either is no finite number, lies outside the world, or the point is 0, 0, which is
    what an empty form sends.
    """
    latitude, longitude = _degrees(lat, "latitude"), _degrees(lon, "longitude")
    if in_korea(longitude, latitude):
        latitude, longitude = longitude, latitude
    if not -90 <= latitude <= 90:
        raise ValueError("latitude must lie between -90 and 90 degrees")
    if not -180 <= longitude <= 180:
        raise ValueError("longitude must lie between -180 and 180 degrees")
    if latitude == 0 and longitude == 0:
        raise ValueError("0, 0 is no place: latitude and longitude were left empty")
    return Geo(lat=round(latitude, _DECIMALS), lon=round(longitude, _DECIMALS))


def _degrees(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"{name} must be a number of degrees")
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise ValueError(f"{name} must be a number of degrees") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number of degrees")
    return number
