"""The closed list of amenities, with the names owners, websites and readers use."""

import re
import unicodedata
from collections.abc import Iterable

# code: (Korean name, English name, other names seen)
_TABLE: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "parking": ("주차 가능", "Parking", ("주차", "주차장", "무료주차", "parking lot", "free parking")),
    "valet_parking": ("발레파킹", "Valet parking", ("대리주차", "발렛파킹", "발렛")),
    "wifi": ("와이파이", "Wi-Fi", ("무선인터넷", "무선 인터넷", "free wifi", "wireless internet")),
    "restroom": ("화장실", "Restroom", ("남녀 화장실 구분", "toilet", "toilets")),
    "wheelchair_accessible": (
        "휠체어 이용 가능",
        "Wheelchair accessible",
        ("휠체어", "장애인 편의시설", "wheelchair accessible entrance", "wheelchair"),
    ),
    "elevator": ("엘리베이터", "Elevator", ("승강기", "lift")),
    "pets_allowed": ("반려동물 동반", "Pets allowed", ("애견동반", "반려동물", "pet friendly", "pets")),
    "kids_chair": ("유아 의자", "High chairs", ("유아의자", "아기의자", "high chair", "유아시설")),
    "kids_playroom": ("놀이방", "Kids' playroom", ("키즈존", "어린이 놀이방", "playroom")),
    "nursing_room": ("수유실", "Nursing room", ("모유수유실",)),
    "reservation": ("예약 가능", "Reservations", ("예약", "accepts reservations", "booking")),
    "waiting_area": ("대기 공간", "Waiting area", ("대기공간", "대기실")),
    "takeout": ("포장 가능", "Takeout", ("포장", "테이크아웃", "take out", "takeaway")),
    "delivery": ("배달", "Delivery", ("배달 가능", "home delivery")),
    "drive_through": ("드라이브스루", "Drive-through", ("드라이브 스루", "drive thru")),
    "group_seating": ("단체석", "Group seating", ("단체 이용 가능", "단체", "단체이용", "large groups")),
    "private_room": (
        "개별룸",
        "Private rooms",
        ("룸", "개인룸", "독립 룸", "private room", "private dining"),
    ),
    "outdoor_seating": ("야외석", "Outdoor seating", ("테라스", "야외 좌석", "terrace", "patio")),
    "card_payment": ("카드 결제", "Card payment", ("카드결제", "신용카드", "credit cards")),
    "mobile_payment": ("간편결제", "Mobile payment", ("네이버페이", "카카오페이", "제로페이", "삼성페이")),
    "ev_charging": ("전기차 충전", "EV charging", ("전기차충전소", "전기차 충전소", "ev charger")),
    "smoking_area": ("흡연실", "Smoking area", ("흡연 공간", "흡연부스")),
    "shower": ("샤워실", "Showers", ("샤워", "shower")),
    "locker": ("물품보관함", "Lockers", ("락커", "사물함", "locker")),
}

AMENITIES: dict[str, dict[str, str]] = {code: {"ko": ko, "en": en} for code, (ko, en, _) in _TABLE.items()}


def _folded(text: str) -> str:
    return re.sub(r"[\s_\-.·'’]+", "", unicodedata.normalize("NFKC", text)).casefold()


_BY_NAME = {
    _folded(name): code for code, (ko, en, others) in _TABLE.items() for name in (code, ko, en, *others)
}


def normalise_amenity(text: str) -> str | None:
    """The code of the closed list that `text` names in Korean or English, or None."""
    return _BY_NAME.get(_folded(text))


def normalise_amenities(texts: Iterable[str]) -> list[str]:
    """Codes of the closed list in its own order, once each.

    Raises ValueError naming the first text that is not in it.
    """
    codes: set[str] = set()
    for text in texts:
        code = normalise_amenity(text)
        if code is None:
            raise ValueError(f'amenities: "{text[:60]}" is not in the closed list ({", ".join(AMENITIES)})')
        codes.add(code)
    return [code for code in AMENITIES if code in codes]
