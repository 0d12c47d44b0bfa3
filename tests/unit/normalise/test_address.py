"""Korean addresses become road or lot addresses with their province in full."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.places.normalise import address_key, normalise_address

WRITTEN = [
    ("서울 강남구 테헤란로 152", "road", "서울특별시 강남구 테헤란로 152"),
    ("서울시 강남구 테헤란로152", "road", "서울특별시 강남구 테헤란로 152"),
    ("서울특별시  강남구   테헤란로 152", "road", "서울특별시 강남구 테헤란로 152"),
    ("(06236) 서울 강남구 테헤란로 152", "road", "서울특별시 강남구 테헤란로 152"),
    ("대한민국 서울 강남구 테헤란로 152", "road", "서울특별시 강남구 테헤란로 152"),
    ("주소 : 서울 강남구 테헤란로 152", "road", "서울특별시 강남구 테헤란로 152"),
    ("강남구 테헤란로 152", "road", "서울특별시 강남구 테헤란로 152"),
    ("서울시 강남구 역삼동 737", "lot", "서울특별시 강남구 역삼동 737"),
    ("서울 중구 을지로 지하 131", "road", "서울특별시 중구 을지로 지하 131"),
    (
        "서울 서초구 강남대로94길 20, 3층 (역삼동, 강남빌딩)",
        "road",
        "서울특별시 서초구 강남대로94길 20, 3층 (역삼동, 강남빌딩)",
    ),
    ("서울 중구 명동2길 14", "road", "서울특별시 중구 명동2길 14"),
    ("서울 종로구 북촌로5가길 3", "road", "서울특별시 종로구 북촌로5가길 3"),
    ("서울 종로구 종로1가 24", "lot", "서울특별시 종로구 종로1가 24"),
    ("서울 마포구 동교로 212-6 1층", "road", "서울특별시 마포구 동교로 212-6 1층"),
    ("부산 해운대구 우동 1411", "lot", "부산광역시 해운대구 우동 1411"),
    ("인천 연수구 송도과학로16번길 33-4", "road", "인천광역시 연수구 송도과학로16번길 33-4"),
    ("경기 수원시 팔달구 중앙로 12번길 5-3", "road", "경기도 수원시 팔달구 중앙로12번길 5-3"),
    ("수원시 팔달구 정조로 825", "road", "경기도 수원시 팔달구 정조로 825"),
    ("광주시 북구 용봉로 77", "road", "광주광역시 북구 용봉로 77"),
    ("광주시 경안동 10-1", "lot", "경기도 광주시 경안동 10-1"),
    ("경기 광주시 경안로 10", "road", "경기도 광주시 경안로 10"),
    ("강원도 강릉시 창해로14번길 20-1", "road", "강원특별자치도 강릉시 창해로14번길 20-1"),
    ("강원 고성군 토성면 봉포리 40-1", "lot", "강원특별자치도 고성군 토성면 봉포리 40-1"),
    ("전라북도 전주시 완산구 한옥길 12", "road", "전북특별자치도 전주시 완산구 한옥길 12"),
    ("전북 전주시 완산구 풍남동3가 64-1", "lot", "전북특별자치도 전주시 완산구 풍남동3가 64-1"),
    ("충남 태안군 안면읍 안면대로 1", "road", "충청남도 태안군 안면읍 안면대로 1"),
    ("경북 울릉군 울릉읍 도동리 123번지", "lot", "경상북도 울릉군 울릉읍 도동리 123"),
    ("세종시 한누리대로 2130", "road", "세종특별자치시 한누리대로 2130"),
    ("제주시 조천읍 교래리 산 137-1번지", "lot", "제주특별자치도 제주시 조천읍 교래리 산 137-1"),
    ("제주 서귀포시 중문관광로72번길 75", "road", "제주특별자치도 서귀포시 중문관광로72번길 75"),
    ("152, Teheran-ro, Gangnam-gu, Seoul", "road", "152, Teheran-ro, Gangnam-gu, Seoul"),
]

REFUSED = [
    ("", "must not be empty"),
    ("서울", "city or district"),
    ("서울 강남구", "city or district"),
    ("서울 강남구 역삼동", "city or district"),
    ("중구 세종대로 110", "province"),
    ("우리 집 앞", "province"),
    ("서울 " + "가" * 300, "longer"),
]


@pytest.mark.parametrize(("written", "kind", "text"), WRITTEN)
def test_an_address_is_written_in_one_way(written: str, kind: str, text: str) -> None:
    assert normalise_address(written) == (kind, text)


@pytest.mark.parametrize("text", sorted({text for _, _, text in WRITTEN}))
def test_a_normal_address_stays_as_it_is(text: str) -> None:
    assert normalise_address(text).text == text


@pytest.mark.parametrize(("written", "rule"), REFUSED)
def test_what_is_no_address_is_refused_with_the_rule(written: str, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        normalise_address(written)


def test_addresses_are_the_same_building_by_district_street_and_number() -> None:
    one = normalise_address("서울 서초구 강남대로 94길 20, 3층").text
    other = normalise_address("서울특별시 서초구 강남대로94길 20 (반포동)").text
    assert address_key(one) == address_key(other) == ("서초구", "강남대로94길", "20")
    assert address_key("서울특별시 서초구 강남대로94길 22") != address_key(one)


@given(st.text(max_size=80))
def test_any_text_is_an_address_or_a_value_error(text: str) -> None:
    with suppress(ValueError):
        normalise_address(text)
    address_key(text)
