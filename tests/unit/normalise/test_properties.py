"""Whatever a source sends becomes a value in one form or a ValueError, and a value in its form stays as it is."""

from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from shared.places.agreement import contradicts, says_the_same
from shared.places.keys import FACT_KEYS, normalise_value
from shared.places.models import DAYS
from shared.places.normalise import (
    address_key,
    display_phone,
    find_phones,
    geo_from_naver,
    hours_from_google,
    hours_from_osm,
    hours_from_tourapi,
    hours_parsed_whole,
    normalise_address,
    normalise_geo,
    normalise_hours,
    normalise_phone,
    parse_hours,
    same_building,
)

# Right-to-left marks, NUL, keycaps, full width, a lone surrogate, combining letters, other scripts' digits.
ODD = st.sampled_from(
    [
        "\u202e",
        "\u200f",
        "\x00",
        "0️⃣",
        "１１：３０",
        "\ud800",
        "각",
        "٣",
        "①",
        "㍘",
        "\u2028",
        "\xa0",
        "🍜",
        "ﷺ",
        "ㅤ",
    ]
)
_DAYS_AND_TIMES = "월 ~ 금 매일 주말 공휴일 Mon - Tue Sat 11:00 ~21:00 오후 9시 9am 12pm 24시간 30분전 17:00~02:00 점심 저녁"
_WORDS = "휴무 브레이크타임 라스트오더 둘째 연중무휴 closed 없음 정상영업 , / ( ) . :"
_ADDRESSES = "서울 강남구 테헤란로 152 역삼동 산 지하 12-3 , ( ) 3층 경기 광주시 세종 Teheran-ro Gangnam-gu Seoul 06236"
_PHONES = "02 010 0507 1588 - ) ( 1234 5678 +82 ~7 내선 2 tel: 전화"
_OSM = "Mo-Fr Mo,We Sa Su,PH off 09:00-18:00 22:00-26:00 ; , || 24/7 PH Tu[2] open"


def pieces(words: str) -> st.SearchStrategy[str]:
    some = st.one_of(st.sampled_from([*words.split(), "\n"]), ODD, st.text(max_size=3))
    return st.lists(some, max_size=14).flatmap(
        lambda parts: st.sampled_from(["", " "]).map(lambda gap: gap.join(parts))
    )


TEXT = st.one_of(
    st.text(max_size=200),
    pieces(_DAYS_AND_TIMES + " " + _WORDS),
    pieces(_ADDRESSES),
    pieces(_PHONES),
    pieces(_OSM),
    ODD.map(lambda odd: odd * 3_000),
)


@given(TEXT)
def test_hours_of_any_text_are_valid_and_stay_as_they_are(text: str) -> None:
    for hours in (parse_hours(text), hours_from_osm(text), hours_from_tourapi(text, text)):
        if hours_parsed_whole(hours):
            assert normalise_hours(hours.model_dump(mode="json")) == hours
        else:
            assert hours.model_dump(exclude_defaults=True).keys() <= {"text"}
            assert parse_hours(hours.text or "").text == hours.text
        (hours.text or "").encode()


@given(st.sampled_from(sorted(FACT_KEYS)), TEXT)
def test_a_normal_value_is_its_own_normal_value(key: str, text: str) -> None:
    with suppress(ValueError):
        value = normalise_value(key, text)
        assert normalise_value(key, value) == value
        assert not contradicts(key, value, value)
        assert says_the_same(key, value, value)


@given(TEXT, TEXT)
def test_addresses_and_numbers_of_any_text_are_told_or_not(one: str, other: str) -> None:
    for text in (one, other):
        with suppress(ValueError):
            address = normalise_address(text)
            assert normalise_address(address.text) == address
            assert address_key(address.text) is not None
        number = normalise_phone(text)
        assert number is None or normalise_phone(number) == number == normalise_phone(display_phone(number))
        find_phones(text)
        display_phone(text)
    assert same_building(one, other) is same_building(other, one)


ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12), ODD),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)
POINT = st.fixed_dictionaries(
    {"day": st.integers(-1, 7), "hour": st.integers(0, 24), "minute": st.integers(0, 60)}
)
PERIOD = st.fixed_dictionaries({"open": POINT}, optional={"close": POINT})


@given(st.one_of(st.lists(PERIOD, max_size=6), ANYTHING))
def test_periods_of_any_shape_make_a_week_or_none(periods: Any) -> None:
    hours = hours_from_google(periods)
    if hours_parsed_whole(hours):
        assert set(hours.days) == set(DAYS)
        assert normalise_hours(hours.model_dump(mode="json")) == hours


@given(st.sampled_from([*sorted(FACT_KEYS), "note", "Not a key"]), ANYTHING)
def test_a_value_of_any_shape_is_taken_or_refused(key: str, value: Any) -> None:
    with suppress(ValueError):
        normal = normalise_value(key, value)
        assert normalise_value(key, normal) == normal


@given(ANYTHING, ANYTHING)
def test_points_of_any_shape_lie_in_the_world(one: Any, other: Any) -> None:
    for point in (normalise_geo, geo_from_naver):
        with suppress(ValueError):
            geo = point(one, other)
            assert normalise_geo(geo.lat, geo.lon) == geo
