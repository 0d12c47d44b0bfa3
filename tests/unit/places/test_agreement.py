"""What contradicts, what only says more, what says the same in other words, and what cannot be compared."""

from typing import Any

import pytest

from shared.places.agreement import contradicts, says_the_same
from shared.places.keys import FACT_KEYS


def week(**fields: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {
        "days": {},
        "breaks": {},
        "last_order": {},
        "closed_nth": [],
        "holidays": None,
        "text": None,
    }
    return {**empty, **fields}


def mon(*spans: tuple[str, str], **fields: Any) -> dict[str, Any]:
    return week(days={"mon": [list(span) for span in spans]}, **fields)


def dish(name: str, price: int | None) -> dict[str, Any]:
    return {"name": name, "price_krw": price, "note": None}


LANDLINE, OTHER_LINE, MOBILE = "+8221234567", "+8227654321", "+821012345678"
RENTED, RENTED_ELSEWHERE = "+8250712345678", "+825031234567"
CHAIN, OTHER_CHAIN = "+8215881234", "+8216611234"
ROAD = "서울특별시 성동구 연무장길 12"
OPEN = ("11:00", "21:00")
BREAK = {"mon": [["15:00", "17:00"]]}

CONTRADICTIONS: list[tuple[str, Any, Any]] = [
    ("name", "성수 국수집", "연남 국수집"),
    ("name_en", "Seongsu Noodles", "Yeonnam Noodles"),
    ("category", "Restaurant", "HairSalon"),
    ("category", "Restaurant", "CafeOrCoffeeShop"),
    ("phone", LANDLINE, OTHER_LINE),
    ("phone", LANDLINE, MOBILE),
    ("phone", CHAIN, OTHER_CHAIN),
    ("phone", LANDLINE, "+81312345678"),
    ("road_address", ROAD, "서울특별시 성동구 연무장길 14"),
    ("road_address", ROAD, "서울특별시 성동구 연무장길 12-1"),
    ("road_address", ROAD, "부산광역시 성동구 연무장길 12"),
    ("lot_address", "서울특별시 강남구 역삼동 737", "서울특별시 강남구 역삼동 738"),
    ("lot_address", "제주특별자치도 제주시 교래리 137", "제주특별자치도 제주시 교래리 산 137"),
    ("geo", {"lat": 37.5446, "lon": 127.0559}, {"lat": 37.5466, "lon": 127.0559}),
    ("website", "https://shop.kr/", "https://other.kr/"),
    ("website", "https://instagram.com/one", "https://instagram.com/two"),
    ("website", "https://shop.kr/?id=1", "https://shop.kr/?id=2"),
    ("hours", mon(OPEN), mon(("11:00", "22:00"))),
    ("hours", mon(OPEN), mon()),
    ("hours", mon(OPEN, breaks=BREAK), mon(OPEN, breaks={"mon": [["14:30", "17:00"]]})),
    ("hours", mon(("11:00", "15:00"), ("17:00", "21:00")), mon(("11:00", "14:30"), ("17:00", "21:00"))),
    ("hours", mon(OPEN, last_order={"mon": "20:30"}), mon(OPEN, last_order={"mon": "20:00"})),
    ("hours", mon(OPEN, holidays="open"), mon(OPEN, holidays="closed")),
    ("hours", mon(OPEN, holidays="closed"), mon(OPEN, holidays=[["11:00", "15:00"]])),
    ("hours", mon(OPEN, holidays=[["11:00", "15:00"]]), mon(OPEN, holidays=[["11:00", "16:00"]])),
    (
        "hours",
        mon(OPEN, closed_nth=[{"nth": [2, 4], "day": "mon"}]),
        mon(OPEN, closed_nth=[{"nth": [1, 3], "day": "mon"}]),
    ),
    ("menu", [dish("국밥", 9000)], [dish("국밥", 10000), dish("수육", 30000)]),
    ("price_range", "₩", "₩₩₩"),
    ("price_range", "10,000-20,000원", "30000~50000"),
    ("business_number", "2208162517", "1234567891"),
    ("pet_policy", "소형견만", "불가"),
]

AGREEMENTS: list[tuple[str, Any, Any]] = [
    ("name", "성수 국수집", "성수국수집"),
    ("name", "성수국수집", "성수국수집 본점"),
    ("name", "성수국수집", "Seongsu Guksu"),
    ("name_en", "Seongsu Noodles", "SEONGSU NOODLES (Main)"),
    ("category", "FoodEstablishment", "Restaurant"),
    ("category", "LocalBusiness", "HairSalon"),
    ("phone", LANDLINE, RENTED),
    ("phone", RENTED, RENTED_ELSEWHERE),
    ("phone", LANDLINE, CHAIN),
    ("phone", MOBILE, CHAIN),
    ("phone", LANDLINE, "+82801234567"),
    ("road_address", ROAD, f"{ROAD}, 2층 (성수동2가)"),
    ("road_address", f"{ROAD}, 1층", f"{ROAD} 국수빌딩"),
    ("road_address", ROAD, "12, Yeonmujang-gil, Seongdong-gu, Seoul"),
    ("road_address", ROAD, "14, Yeonmujang-gil, Seongdong-gu, Seoul"),
    ("road_address", "경기도 수원시 정조로 825", "경기도 수원시 팔달구 정조로 825"),
    ("lot_address", "서울특별시 강남구 역삼동 737", "서울특별시 강남구 역삼1동 737"),
    ("geo", {"lat": 37.5446, "lon": 127.0559}, {"lat": 37.5456, "lon": 127.0559}),
    ("website", "http://www.shop.kr", "https://shop.kr/"),
    ("website", "https://m.shop.kr/", "https://shop.kr/ko/main"),
    ("website", "https://shop.kr/", "https://shop.kr/?utm_source=map"),
    ("website", "https://shop.kr/", "https://instagram.com/shop"),
    ("website", "https://instagram.com/shop", "https://blog.naver.com/shop"),
    ("sns", ["https://instagram.com/a"], ["https://facebook.com/a"]),
    ("hours", mon(OPEN), week(days={"tue": [["10:00", "20:00"]]})),
    ("hours", mon(OPEN), mon(OPEN, breaks=BREAK)),
    ("hours", mon(OPEN), mon(OPEN, last_order={"mon": "20:30"}, holidays="closed")),
    ("hours", mon(OPEN), mon(("11:00", "15:00"), ("17:00", "21:00"))),
    ("hours", mon(OPEN, breaks=BREAK), mon(("11:00", "15:00"), ("17:00", "21:00"))),
    ("hours", mon(OPEN), mon(OPEN, closed_nth=[{"nth": [2], "day": "mon"}])),
    ("hours", mon(OPEN, holidays="open"), mon(OPEN, holidays=[["11:00", "15:00"]])),
    ("hours", mon(("00:00", "24:00")), mon(("00:00", "23:59"))),
    ("hours", mon(OPEN, text="월 11~21시"), mon(OPEN, text="Mo 11:00-21:00")),
    ("hours", mon(OPEN), week(text="재료 소진 시 마감")),
    ("hours", week(text="예약제"), week(text="전화 문의")),
    ("menu", [dish("국밥", 9000)], [dish("수육", 30000)]),
    ("menu", [dish("국 밥", 9000)], [dish("국밥", None)]),
    ("menu", [dish("국밥", 9000), dish("국밥", 11000)], [dish("국밥", 11000)]),
    ("price_range", "₩₩", "만원대"),
    ("price_range", "₩₩", "10,000-20,000원"),
    ("price_range", "1만~2만원", "10000~20000"),
    ("amenities", ["parking"], ["wifi"]),
    ("summary", "할머니의 국숫집", "성수동에서 40년"),
    ("pet_policy", "소형견만", " 소형견만 "),
]


@pytest.mark.parametrize(("key", "one", "other"), CONTRADICTIONS)
def test_a_place_cannot_have_both(key: str, one: Any, other: Any) -> None:
    assert contradicts(key, one, other)
    assert contradicts(key, other, one)
    assert not says_the_same(key, one, other)


@pytest.mark.parametrize(("key", "one", "other"), AGREEMENTS)
def test_a_place_can_have_both(key: str, one: Any, other: Any) -> None:
    assert not contradicts(key, one, other)
    assert not contradicts(key, other, one)


def test_every_key_of_the_contract_was_looked_at() -> None:
    assert {key for key, _, _ in CONTRADICTIONS} >= FACT_KEYS - {"sns", "amenities", "summary"}
    assert {key for key, _, _ in AGREEMENTS} >= FACT_KEYS - {"business_number"}


@pytest.mark.parametrize(
    ("key", "one", "other"),
    [
        ("name", "성수 국수집", "성수국수집"),
        ("name_en", "Seongsu Noodles", "SEONGSU NOODLES"),
        ("road_address", ROAD, f"{ROAD} (성수동2가)"),
        ("geo", {"lat": 37.54461, "lon": 127.05591}, {"lat": 37.54462, "lon": 127.05592}),
        ("website", "http://www.shop.kr", "https://shop.kr/"),
        ("sns", ["https://a.kr/x", "https://b.kr/y"], ["https://b.kr/y/", "http://www.a.kr/x"]),
        ("amenities", ["wifi", "parking"], ["parking", "wifi"]),
        ("hours", mon(OPEN, breaks=BREAK, text="a"), mon(("11:00", "15:00"), ("17:00", "21:00"), text="b")),
        ("hours", week(text="예약제 운영"), week(text="예약제\n운영")),
        ("menu", [dish("국밥", 9000), dish("수육", None)], [dish("수육", None), dish("국 밥", 9000)]),
        ("summary", "할머니의 국숫집", "할머니의  국숫집"),
    ],
)
def test_other_words_for_one_thing(key: str, one: Any, other: Any) -> None:
    assert says_the_same(key, one, other)
    assert says_the_same(key, other, one)
    assert not contradicts(key, one, other)


@pytest.mark.parametrize(
    ("key", "one", "other"),
    [
        ("phone", LANDLINE, RENTED),
        ("road_address", ROAD, f"{ROAD}, 2층"),
        ("hours", mon(OPEN), mon(OPEN, breaks=BREAK)),
        ("hours", mon(OPEN), mon(OPEN, holidays="open")),
        ("hours", mon(OPEN), mon(OPEN, last_order={"mon": "20:30"})),
        ("hours", mon(), mon(OPEN)),
        ("menu", [dish("국밥", 9000)], [dish("국밥", 9000), dish("수육", 30000)]),
        ("summary", "할머니의 국숫집", "성수동에서 40년"),
    ],
)
def test_to_say_more_is_not_to_say_the_same(key: str, one: Any, other: Any) -> None:
    assert not says_the_same(key, one, other)
