"""Korean addresses in Latin letters: "12, Yeonmujang-gil, Seongdong-gu, Seoul"."""

import re
from typing import Literal, NamedTuple

_NUMBER = r"(?P<number>(?:San\s+)?\d{1,5}(?:-\d{1,5})?)(?:\s*-?beonji)?"
_ROAD = r"(?P<street>[A-Za-z][A-Za-z0-9.'’ -]*?-?(?:daero|ro|gil|(?<=ng)no)(?:\s+\d+(?:beon)?-?(?:[gn]a)?-?gil)?)(?![A-Za-z0-9-])"
_LOT = r"(?P<street>[A-Za-z][A-Za-z.'’-]*?(?:\s?\d+)?-?(?:dong|ri|ga|eup|myeon))(?![A-Za-z0-9-])"
_FORMS: tuple[tuple[Literal["road", "lot"], re.Pattern[str]], ...] = (
    ("road", re.compile(rf"(?<![\w-]){_NUMBER},?\s+{_ROAD}", re.IGNORECASE)),
    ("road", re.compile(rf"(?<![\w-]){_ROAD},?\s+{_NUMBER}(?![\w-])", re.IGNORECASE)),
    ("lot", re.compile(rf"(?<![\w-]){_NUMBER},?\s+{_LOT}", re.IGNORECASE)),
    ("lot", re.compile(rf"(?<![\w-]){_LOT},?\s+{_NUMBER}(?![\w-])", re.IGNORECASE)),
)
_DISTRICT = re.compile(r"(?<![A-Za-z-])([A-Za-z]+)-?(gu|si|gun)(?![A-Za-z-])", re.IGNORECASE)
_CITY = re.compile(
    r"\b(?:Seoul|Busan|Daegu|Incheon|Gwangju|Daejeon|Ulsan|Sejong|Jeju|Gyeonggi|Gangwon|Chungcheong(?:buk|nam)|"
    r"Jeolla(?:buk|nam)|Jeonbuk|Jeonnam|Gyeongsang(?:buk|nam)|Chungbuk|Chungnam|Gyeongbuk|Gyeongnam)\b",
    re.IGNORECASE,
)
_COUNTRY = re.compile(
    r"[\s,]*\b(?:the\s+)?(?:Republic\s+of\s+Korea|South\s+Korea|Korea|KR)\s*$", re.IGNORECASE
)
_POSTAL = re.compile(r"^\d{5}[\s,]+(?=\D)|[\s,]+\(?\d{5}\)?\s*$|(?<=[A-Za-z])\s+\d{5}(?=\s*,)")


class RomanisedAddress(NamedTuple):
    """A romanised address: its text without country and postal code, and what tells the building."""

    kind: Literal["road", "lot"]
    text: str
    district: str  # folded, "" where none is named
    street: str  # folded: "teheranro"
    number: str


def romanised_address(text: str) -> RomanisedAddress | None:
    """The address, or None when `text` names no city or district, or no road or lot with its number."""
    cleaned = text.strip(" ,")
    for noise in (_COUNTRY, _POSTAL, _COUNTRY, _POSTAL):
        cleaned = noise.sub("", cleaned).strip(" ,")
    cleaned = re.sub(r"\s*,\s*", ", ", cleaned)
    for kind, form in _FORMS:
        match = form.search(cleaned)
        if match is None:
            continue
        elsewhere = cleaned[: match.start()] + " " + cleaned[match.end() :]
        districts = _DISTRICT.findall(elsewhere)
        if not districts and not _CITY.search(elsewhere):
            continue
        district = f"{districts[0][0]}{districts[0][1]}".casefold() if districts else ""
        number = " ".join(match["number"].casefold().split())
        return RomanisedAddress(kind, cleaned, district, _folded(match["street"]), number)
    return None


def _folded(street: str) -> str:
    return re.sub(r"[\s.'’-]+", "", street).casefold()
