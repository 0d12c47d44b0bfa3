"""Prices, menus, points, categories, amenities, web addresses, and the rule of every key."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.places.keys import FACT_KEYS, WEBSITE_KEYS, normalise_value
from shared.places.normalise import (
    SCHEMA_TYPES,
    geo_from_naver,
    is_sns,
    normalise_amenity,
    normalise_category,
    normalise_geo,
    normalise_url,
    parse_price,
)
from shared.places.normalise.category import is_general


@pytest.mark.parametrize(
    ("text", "won"),
    [
        ("9,000원", 9000),
        ("9,000 원", 9000),
        ("₩9,000", 9000),
        ("￦ 9,000", 9000),
        ("9000", 9000),
        ("9000.00", 9000),
        ("KRW 12,000", 12000),
        ("12,000 KRW", 12000),
        ("1만2천원", 12000),
        ("1만 2천 원", 12000),
        ("1만2500원", 12500),
        ("만원", 10000),
        ("2.5만원", 25000),
        ("9천원", 9000),
        ("1,234,000원", 1234000),
        ("0", 0),
        ("시가", None),
        ("(시가)", None),
        ("가격 문의", None),
        ("문의", None),
        ("market price", None),
    ],
)
def test_prices_are_won_or_asked_for(text: str, won: int | None) -> None:
    assert parse_price(text) == won


@pytest.mark.parametrize(
    "text", ["9,000~12,000원", "$9", "4.5", "12,00원", "무료나눔", "", "999,999,999원", "010-1234-5678"]
)
def test_what_is_no_price_in_won_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="won"):
        parse_price(text)


@given(st.text(max_size=30))
def test_any_text_is_a_price_or_a_value_error(text: str) -> None:
    try:
        price = parse_price(text)
    except ValueError:
        return
    assert price is None or price >= 0


def test_kakaos_and_naver_s_texts_are_points() -> None:
    assert normalise_geo("37.544612345678", " 127.0559 ").model_dump() == {"lat": 37.544612, "lon": 127.0559}
    assert geo_from_naver("1270559000", "375446000").model_dump() == {"lat": 37.5446, "lon": 127.0559}
    assert geo_from_naver(375446000, 1270559000).model_dump() == {"lat": 37.5446, "lon": 127.0559}


@pytest.mark.parametrize(
    ("mapx", "mapy"),
    [
        ("", ""),
        ("0", "0"),
        ("1270559000", "0"),
        ("310830", "552122"),  # the plane coordinates of earlier years
        ("127.0559", "37.5446"),
        ("-1270559000", "375446000"),
        (None, None),
        (True, True),
        ("1396917000", "356895000"),  # Tokyo
        ("9" * 400, "375446000"),
    ],
)
def test_what_is_no_point_of_navers_is_refused(mapx: Any, mapy: Any) -> None:
    with pytest.raises(ValueError, match=r"mapx|mapy|longitude|latitude"):
        geo_from_naver(mapx, mapy)


def test_swapped_axes_are_put_right_in_korea_only() -> None:
    assert normalise_geo(37.5, 127.0).model_dump() == {"lat": 37.5, "lon": 127.0}
    assert normalise_geo("127.0276", "37.4979").model_dump() == {"lat": 37.4979, "lon": 127.0276}
    assert normalise_geo(48.85, 2.35).model_dump() == {"lat": 48.85, "lon": 2.35}


@pytest.mark.parametrize(
    ("lat", "lon"),
    [
        (0, 0),
        (0, 127.0),
        (37.5, 0),
        ("", ""),
        ("1_0", 1),
        ("37,5", 127),
        (95, 1),
        (10, 200),
        ("x", 1),
        (float("nan"), 1),
        (True, 1),
        (None, 1),
        (10**400, 1),
    ],
)
def test_what_is_no_point_is_refused(lat: Any, lon: Any) -> None:
    with pytest.raises(ValueError, match=r"latitude|longitude"):
        normalise_geo(lat, lon)


@pytest.mark.parametrize(
    ("general", "special", "expected"),
    [
        ("LocalBusiness", "Restaurant", True),
        ("FoodEstablishment", "Restaurant", True),
        ("Restaurant", "Restaurant", True),
        ("Restaurant", "FoodEstablishment", False),
        ("Store", "AutoPartsStore", True),
        ("AutomotiveBusiness", "AutoPartsStore", True),
        ("Store", "Restaurant", False),
    ],
)
def test_one_type_is_a_kind_of_another(general: str, special: str, expected: bool) -> None:
    assert is_general(general, of=special) is expected


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Restaurant", "Restaurant"),
        ("restaurant", "Restaurant"),
        ("https://schema.org/CafeOrCoffeeShop", "CafeOrCoffeeShop"),
        ("schema:HairSalon", "HairSalon"),
        ("식당", "Restaurant"),
        ("음식점", "Restaurant"),
        ("한식당", "Restaurant"),
        ("음식점 > 한식 > 육류,고기", "Restaurant"),
        ("카페", "CafeOrCoffeeShop"),
        ("미용실", "HairSalon"),
        ("네일샵", "NailSalon"),
        ("병원", "Hospital"),
        ("치과의원", "Dentist"),
        ("약국", "Pharmacy"),
        ("숙박", "LodgingBusiness"),
        ("게스트하우스", "Hostel"),
        ("커피 전문점", "CafeOrCoffeeShop"),
        ("갈비전문점", "Restaurant"),
        ("coffee shop", "CafeOrCoffeeShop"),
        ("Organization", None),
        ("우주정거장", None),
        ("", None),
    ],
)
def test_categories_are_local_business_types(text: str, category: str | None) -> None:
    assert normalise_category(text) == category
    assert category is None or category in SCHEMA_TYPES


def test_amenities_are_codes_of_a_closed_list() -> None:
    assert normalise_value("amenities", ["무선 인터넷", "Wi-Fi", "주차"]) == ["parking", "wifi"]
    assert normalise_amenity("헬리포트") is None
    with pytest.raises(ValueError, match="헬리포트"):
        normalise_value("amenities", ["주차", "헬리포트"])


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        ("https://example.com:443/메뉴?a=1#top", "https://example.com/%EB%A9%94%EB%89%B4?a=1"),
        ("https://한글.kr/", "https://xn--bj0bj06e.kr/"),
        ("example.kr/about", "https://example.kr/about"),
        ("http://127.0.0.1:8123/", "http://127.0.0.1:8123/"),
    ],
)
def test_web_addresses_have_one_form(text: str, url: str) -> None:
    assert normalise_url(text) == url
    assert normalise_url(url) == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ftp://example.com/",
        "javascript:alert(1)",
        "http://a:b@example.com/",
        "http://",
        "http://a b/",
        "http://x:99999/",
    ],
)
def test_what_is_no_web_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="web address"):
        normalise_url(text)


def test_social_pages_are_told_from_others() -> None:
    assert is_sns("https://www.instagram.com/cafe/")
    assert is_sns("https://m.blog.naver.com/cafe")
    assert not is_sns("https://notinstagram.com/")
    for nowhere in ("http://[instagram.com", "https://instagram℀com/", "//]["):
        assert not is_sns(nowhere)


VALID: dict[str, tuple[Any, Any]] = {
    "name": (" 온기  식당 ", "온기 식당"),
    "name_en": ("Ongi Kitchen", "Ongi Kitchen"),
    "category": ("한식당", "Restaurant"),
    "phone": ("02-123-4567", "+8221234567"),
    "road_address": ("서울 강남구 테헤란로 152", "서울특별시 강남구 테헤란로 152"),
    "lot_address": ("서울 강남구 역삼동 737", "서울특별시 강남구 역삼동 737"),
    "geo": ({"lat": 127.03, "lon": 37.5}, {"lat": 37.5, "lon": 127.03}),
    "menu": (
        [
            {"name": "국밥", "price": "9,000원"},
            {"name": "국밥", "price_krw": 9000},
            {"name": "회", "price_krw": "시가"},
        ],
        [{"name": "국밥", "price_krw": 9000, "note": None}, {"name": "회", "price_krw": None, "note": None}],
    ),
    "website": ("example.kr", "https://example.kr/"),
    "sns": ("https://instagram.com/ongi", ["https://instagram.com/ongi"]),
    "price_range": ("₩₩", "₩₩"),
    "amenities": (["주차"], ["parking"]),
    "summary": ("할머니의  국밥\n\n\n\n두 줄", "할머니의 국밥\n\n두 줄"),
    "business_number": ("123-45-67891", "1234567891"),
}


@pytest.mark.parametrize("key", sorted(VALID))
def test_every_key_has_a_normal_value_that_stays(key: str) -> None:
    given_value, normal = VALID[key]
    assert normalise_value(key, given_value) == normal
    assert normalise_value(key, normal) == normal


def test_every_key_of_the_closed_list_has_a_rule() -> None:
    assert set(VALID) | {"hours"} == FACT_KEYS
    assert WEBSITE_KEYS < FACT_KEYS
    assert {"name", "category", "summary", "business_number"}.isdisjoint(WEBSITE_KEYS)


def test_hours_are_stored_as_json() -> None:
    stored = normalise_value("hours", "매일 11:00~21:00")
    assert stored["days"]["mon"] == [["11:00", "21:00"]]
    assert normalise_value("hours", stored) == stored


def test_other_keys_take_text_and_names_have_a_pattern() -> None:
    assert normalise_value("parking_note", " 가게 앞\x00 두 대 ") == "가게 앞 두 대"
    with pytest.raises(ValueError, match="parking_note: must be text"):
        normalise_value("parking_note", 3)
    with pytest.raises(ValueError, match="lower-case letters"):
        normalise_value("Parking", "x")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", ""),
        ("name", "가" * 201),
        ("category", "우주정거장"),
        ("phone", "없음"),
        ("road_address", "서울 강남구 역삼동 737"),
        ("lot_address", "서울 강남구 테헤란로 152"),
        ("geo", [37.5, 127]),
        ("geo", {"lat": 37.5}),
        ("hours", 3),
        ("menu", []),
        ("menu", [{"name": "국밥", "price_krw": -1}]),
        ("menu", [{"price_krw": 1}]),
        ("menu", [{"name": "국밥", "cost": 1}]),
        ("menu", [{"name": "국밥", "price_krw": float("inf")}]),
        ("menu", [{"name": "국밥", "price_krw": 10**400}]),
        ("website", 3),
        ("sns", ["https://instagram.com/a", "ftp://b"]),
        ("price_range", "x" * 100),
        ("amenities", "헬리포트"),
        ("business_number", "123-45-67890"),
        ("business_number", "12345"),
        ("summary", None),
    ],
)
def test_a_value_that_breaks_a_rule_is_refused_by_key_and_rule(key: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{key}"):
        normalise_value(key, value)
