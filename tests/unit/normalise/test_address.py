"""Korean addresses become road or lot addresses with their province in full."""

import pytest

from shared.places.normalise import address_key, normalise_address, same_building

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
    ("서울강남구 테헤란로 152", "road", "서울특별시 강남구 테헤란로 152"),
    ("서울 강남구 테헤란로 152 (06236)", "road", "서울특별시 강남구 테헤란로 152"),
    ("서울 강남구 테헤란로 152 (우)06236", "road", "서울특별시 강남구 테헤란로 152"),
    ("서울 강남구 테헤란로 152 지하1층", "road", "서울특별시 강남구 테헤란로 152 지하1층"),
    ("서울 강남구 테헤란로 152 B1", "road", "서울특별시 강남구 테헤란로 152 B1"),
    ("서울 강남구 테헤란로 152 [역삼동]", "road", "서울특별시 강남구 테헤란로 152 [역삼동]"),
    ("서울 강남구 역삼1동 737", "lot", "서울특별시 강남구 역삼1동 737"),
    ("서울시 강남구 역삼동 737번지 강남파이낸스센터", "lot", "서울특별시 강남구 역삼동 737 강남파이낸스센터"),
    ("서울 송파구 올림픽로 300 롯데월드몰 5층", "road", "서울특별시 송파구 올림픽로 300 롯데월드몰 5층"),
    ("경기 성남시분당구 판교역로 146번길 20", "road", "경기도 성남시 분당구 판교역로146번길 20"),
    ("경기도 파주시 탄현면 헤이리마을길 59-1", "road", "경기도 파주시 탄현면 헤이리마을길 59-1"),
    ("부산 해운대구 해운대해변로298번길 24 1층", "road", "부산광역시 해운대구 해운대해변로298번길 24 1층"),
    ("세종특별자치시 조치원읍 새내로 100", "road", "세종특별자치시 조치원읍 새내로 100"),
    ("세종 나성동 715", "lot", "세종특별자치시 나성동 715"),
    ("제주도 서귀포시 안덕면 사계리 2147-1", "lot", "제주특별자치도 서귀포시 안덕면 사계리 2147-1"),
    ("인천 영종구 영종대로 1", "road", "인천광역시 영종구 영종대로 1"),
    ("전남광주통합특별시 북구 용봉로 77", "road", "전남광주통합특별시 북구 용봉로 77"),
    ("152, Teheran-ro, Gangnam-gu, Seoul", "road", "152, Teheran-ro, Gangnam-gu, Seoul"),
    ("12, Dalgeureut-gil, Seongdong-gu, Seoul", "road", "12, Dalgeureut-gil, Seongdong-gu, Seoul"),
    (
        "12 Yeonmujang-gil, Seongdong-gu, Seoul 04779, Republic of Korea",
        "road",
        "12 Yeonmujang-gil, Seongdong-gu, Seoul",
    ),
    ("Seoul, Gangnam-gu, Teheran-ro 152", "road", "Seoul, Gangnam-gu, Teheran-ro 152"),
    (
        "33-4 , Songdogwahak-ro 16beon-gil,Yeonsu-gu, Incheon",
        "road",
        "33-4, Songdogwahak-ro 16beon-gil, Yeonsu-gu, Incheon",
    ),
    (
        "2F, 20, Gangnam-daero 94-gil, Seocho-gu, Seoul",
        "road",
        "2F, 20, Gangnam-daero 94-gil, Seocho-gu, Seoul",
    ),
    ("B1 131 Euljiro, Jung-gu, Seoul, South Korea", "road", "B1 131 Euljiro, Jung-gu, Seoul"),
    ("40, Jongno, Jongno-gu, Seoul", "road", "40, Jongno, Jongno-gu, Seoul"),
    ("737 Yeoksam-dong, Gangnam-gu, Seoul", "lot", "737 Yeoksam-dong, Gangnam-gu, Seoul"),
    (
        "San 1, Hamdeok-ri, Jocheon-eup, Jeju-si, Jeju-do",
        "lot",
        "San 1, Hamdeok-ri, Jocheon-eup, Jeju-si, Jeju-do",
    ),
]

REFUSED = [
    ("", "must not be empty"),
    ("서울", "city or district"),
    ("서울 강남구", "city or district"),
    ("서울 강남구 역삼동", "city or district"),
    ("중구 세종대로 110", "province"),
    ("우리 집 앞", "province"),
    ("강남역 3번 출구", "province"),
    ("테헤란로 152", "province"),
    ("도쿄도 시부야구 진구마에 1-2", "province"),
    ("서울 강남구 테헤란로", "city or district"),
    ("서울 강남구 테헤란로 3층", "city or district"),
    ("152 Teheran-ro", "city or district"),
    ("Teheran-ro, Gangnam-gu, Seoul", "city or district"),
    ("123 Main St, Springfield", "city or district"),
    ("PO Box 12, Seoul", "city or district"),
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


def test_an_arcade_and_a_hillside_lot_are_not_the_building_of_that_number() -> None:
    assert address_key("서울특별시 중구 을지로 지하 131") != address_key("서울특별시 중구 을지로 131")
    assert address_key("제주특별자치도 제주시 교래리 산 137") != address_key(
        "제주특별자치도 제주시 교래리 137"
    )


def test_a_romanised_address_has_a_key_of_its_own() -> None:
    one = address_key("12, Yeonmujang-gil, Seongdong-gu, Seoul")
    assert one == address_key("2F, 12 Yeonmujang-Gil, Seongdong-gu, Seoul")
    assert one == ("seongdonggu", "yeonmujanggil", "12")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("서울특별시 성동구 연무장길 12", "서울특별시 성동구 연무장길 12, 2층 (성수동2가)", True),
        ("서울특별시 성동구 연무장길 12", "서울특별시 성동구 연무장길 12-1", False),
        ("서울특별시 성동구 연무장길 12", "서울특별시 성동구 연무장5길 12", False),
        ("서울특별시 중구 중앙로 10", "대전광역시 중구 중앙로 10", False),
        ("서울특별시 중구 을지로 131", "서울특별시 중구 을지로 지하 131", False),
        ("경기도 수원시 정조로 825", "경기도 수원시 팔달구 정조로 825", True),
        ("경기도 화성시 동탄대로 1", "경기도 화성시 동탄구 동탄대로 1", True),
        ("경기도 수원시 권선구 중앙로 1", "경기도 수원시 팔달구 중앙로 1", False),
        ("인천광역시 중구 영종대로 1", "인천광역시 영종구 영종대로 1", True),
        ("서울특별시 중구 중앙로 1", "서울특별시 동구 중앙로 1", False),
        ("경상북도 군위군 군위읍 중앙길 1", "대구광역시 군위군 군위읍 중앙길 1", True),
        ("광주광역시 북구 용봉로 77", "전남광주통합특별시 북구 용봉로 77", True),
        ("제주특별자치도 제주시 교래리 1", "제주특별자치도 제주시 조천읍 교래리 1", True),
        ("강원특별자치도 고성군 토성면 봉포리 1", "강원특별자치도 고성군 간성읍 봉포리 1", False),
        ("서울특별시 강남구 역삼동 737", "서울특별시 강남구 역삼1동 737", True),
        ("서울특별시 성동구 성수동2가 300", "서울특별시 성동구 성수2동 300", True),
        ("서울특별시 성동구 성수동2가 300", "서울특별시 성동구 성수동1가 300", False),
        ("서울특별시 강남구 역삼동 737", "서울특별시 강남구 논현동 737", False),
        ("서울특별시 강남구 역삼동 737", "서울특별시 강남구 테헤란로 152", None),
        ("서울특별시 성동구 연무장길 12", "12, Yeonmujang-gil, Seongdong-gu, Seoul", None),
        ("서울특별시 성동구 연무장길 12", "14, Yeonmujang-gil, Seongdong-gu, Seoul", None),
        ("12, Yeonmujang-gil, Seongdong-gu, Seoul", "12 Yeonmujang-gil, Seoul", True),
        ("12, Yeonmujang-gil, Seongdong-gu, Seoul", "12, Yeonmoojang-gil, Seongdong-gu, Seoul", None),
        ("12, Yeonmujang-gil, Seongdong-gu, Seoul", "14, Yeonmujang-gil, Seongdong-gu, Seoul", False),
        ("어딘가", "서울특별시 성동구 연무장길 12", None),
    ],
)
def test_whether_two_addresses_are_one_building(one: str, other: str, same: bool | None) -> None:
    assert same_building(one, other) is same
    assert same_building(other, one) is same
