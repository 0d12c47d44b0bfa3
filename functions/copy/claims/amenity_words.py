"""What guests ask of a place beyond its goods: each allowed by its amenity alone, or by a fact of its own key."""

import re
from collections.abc import Iterable

from shared.prose.texts import lowered

# code of the closed list, or a name of ours for what that list does not have: pattern of all its words
_PATTERNS: dict[str, str] = {
    "parking": r"주차|발렛|발레\s?파킹|park(?:ing|ed|s)?\b|car park|valet",
    "wifi": r"와이파이|무선\s?인터넷|인터넷|wi-?fi|wireless|internet",
    "restroom": r"화장실|restrooms?|toilets?|bathrooms?|washrooms?",
    "wheelchair_accessible": r"휠체어|장애인|배리어|경사로|wheelchair|accessib\w+|ramps?\b|step-free|barrier",
    "elevator": r"엘리베이터|승강기|elevators?|\blifts?\b",
    "pets_allowed": r"반려|애견|애완|강아지|고양이|펫|\bpets?\b|\bdogs?\b|\bcats?\b",
    "kids_chair": r"유아\s?의자|아기\s?의자|high ?chairs?",
    "kids_playroom": r"놀이방|키즈|놀이터|아이|어린이|유아|가족|kids?\b|child\w*|playroom|famil(?:y|ies)",
    "nursing_room": r"수유|nursing",
    "reservation": r"예약|reserv\w+|book(?:ings?|ed|s)?\b|appointments?|walk-?ins?",
    "waiting_area": r"대기|waiting",
    "takeout": r"포장|테이크\s?아웃|take-?\s?(?:out|away)|to[- ]go\b|takeaway",
    "delivery": r"배달|배송|택배|퀵|찾아가\s?드|가져다|갖다\s?드|쿠팡이츠|요기요|delivery|deliver(?:s|ed|ing)?\b|shipping",
    "drive_through": r"드라이브\s?스루|drive-?\s?(?:through|thru)",
    "group_seating": r"단체|모임|회식|대관|연회|돌잔치|groups?\b|parties|party|banquets?",
    "private_room": r"개별\s?룸|개인\s?룸|룸(?:이|을|에|도)|별실|독립\s?공간|private|room\b",
    "outdoor_seating": r"야외|테라스|루프\s?탑|마당|정원|outdoor|terraces?|patio|rooftop|gardens?",
    "card_payment": r"카드|현금|결제|card(?:s)?\b|cash|payments?|\bpay(?:s|ing)?\b|visa|mastercard",
    "mobile_payment": r"간편\s?결제|페이(?![지스])|(?:apple|google|samsung|kakao|naver)\s?pay|mobile payment|zero\s?pay",
    "ev_charging": r"전기차|충전|\bev\b|charg(?:ing|ers?|e)\b",
    "smoking_area": r"흡연|금연|smok\w+",
    "shower": r"샤워|showers?",
    "locker": r"물품\s?보관|사물함|락커|lockers?|luggage",
    "seats": r"좌석|객석|테이블|자리가|자리를|\bseats?\b|seating|tables?\b|capacity",
    "languages": r"영어|일본어|중국어|외국어|통역|english|japanese|chinese|multilingual|speaks?\b",
    "air_conditioning": r"에어컨|냉방|난방|air[- ]condition\w+|heating",
    "transit": r"지하철|버스|역에서|정류장|도보|걸어서|subway|bus\b|station|walk(?:ing)?\b|minutes?\b|metro",
    "online_order": r"온라인|스마트\s?스토어|앱으로|키오스크|online|kiosk|\bapp\b",
    "phone_order": r"전화로?\s?주문|주문은 전화|orders? (?:\w+ ){0,3}by (?:tele)?phone|phone orders?|call(?:ing)? to order",
    "website": r"웹\s?사이트|홈페이지|website|web page|homepage",
    "staff": r"직원|셰프|주방장|요리사|사장|원장|디자이너|대표님|staff|chefs?\b|owners?\b|stylists?|team\b|baristas?",
}
_COMPILED = {code: re.compile(pattern) for code, pattern in _PATTERNS.items()}
_ANY = re.compile("|".join(_PATTERNS.values()))
_IMPLIED = {
    "valet_parking": ("parking",),
    "mobile_payment": ("card_payment",),
    "kids_playroom": (),
    "kids_chair": (),
}

# Keys of free text that speak of the same.
_OWN_KEYS = {
    "directions": "transit",
    "access": "transit",
    "payment": "card_payment",
    "capacity": "seats",
    "rooms": "private_room",
    "owner": "staff",
}

# Words by which a confirmed amenity may be spoken of, beside its names in the closed list.
WORDS: dict[str, str] = {
    "parking": "주차 주차장 주차공간 공간 차량 parking park cars car",
    "valet_parking": "발레파킹 valet",
    "wifi": "와이파이 wi-fi wifi",
    "restroom": "화장실 restroom restrooms toilet toilets",
    "wheelchair_accessible": "휠체어 wheelchair wheelchairs accessible",
    "elevator": "엘리베이터 승강기 elevator lift",
    "pets_allowed": "반려동물 동반 pet pets allowed bring",
    "kids_chair": "유아 의자 high chair chairs children",
    "kids_playroom": "놀이방 어린이 playroom children kids",
    "nursing_room": "수유실 nursing room",
    "reservation": "예약 reservation reservations reserve book booking bookings",
    "waiting_area": "대기 공간 대기공간 waiting area",
    "takeout": "포장 테이크아웃 takeout takeaway take food out",
    "delivery": "배달 delivery deliver delivers delivered",
    "drive_through": "드라이브스루 drive-through",
    "group_seating": "단체석 단체 group groups seating",
    "private_room": "개별룸 룸 private room rooms",
    "outdoor_seating": "야외석 야외 테라스 outdoor seating terrace",
    "card_payment": "카드 결제 card cards payment pay accepted credit 신용카드",
    "mobile_payment": "간편결제 결제 mobile payment pay accepted",
    "ev_charging": "전기차 충전 ev charging",
    "smoking_area": "흡연실 smoking",
    "shower": "샤워실 shower showers",
    "locker": "물품보관함 사물함 locker lockers",
    "transit": "거리 도착",
}


def allowed_codes(amenities: Iterable[str], own_keys: Iterable[str]) -> frozenset[str]:
    """The codes whose words may stand in a sentence: those confirmed, and those that have a text of their own key."""
    named = {_OWN_KEYS.get(key.removesuffix("_en"), key.removesuffix("_en")) for key in own_keys}
    codes = set(amenities) | (named & set(_PATTERNS))
    for code in tuple(codes):
        codes.update(_IMPLIED.get(code, ()))
    return frozenset(codes)


def speaks_of_amenity(text: str) -> bool:
    """Whether the text speaks of anything of the kind."""
    return _ANY.search(lowered(text)) is not None


def foreign_amenities(text: str, allowed: frozenset[str]) -> list[str]:
    """The words of the text that speak of what is not among the facts."""
    small = lowered(text)
    if not _ANY.search(small):
        return []
    spoken_of = [
        (match.start(), match.end(), code, text[match.start() : match.end()])
        for code, pattern in _COMPILED.items()
        for match in pattern.finditer(small)
    ]
    own = [(start, end) for start, end, code, _ in spoken_of if code in allowed]
    return [
        span
        for start, end, code, span in spoken_of
        if code not in allowed and not any(start < own_end and own_start < end for own_start, own_end in own)
    ]
