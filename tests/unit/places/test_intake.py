"""An intake is checked whole, and every error is named."""

from typing import Any

import pytest

from shared.places.intake import IntakeError, identity_keys, intake_facts, owner_facts, parse_intake


def errors_of(obj: Any) -> set[tuple[str, str]]:
    with pytest.raises(IntakeError) as caught:
        parse_intake(obj)
    return {(error.field, error.rule) for error in caught.value.errors}


def test_a_name_is_enough() -> None:
    intake = parse_intake({"name": "  성수 국수집  "})
    assert (intake.name, intake.locale, intake.accept_website, intake.photos) == (
        "성수 국수집",
        "ko",
        True,
        [],
    )
    assert [(fact.key, fact.value, fact.channel) for fact in intake_facts(intake)] == [
        ("name", "성수 국수집", "owner")
    ]


def test_everything_becomes_a_fact_in_normal_form() -> None:
    intake = parse_intake(
        {
            "name": "성수 국수집",
            "category": "카페",
            "locale": "en",
            "address": "서울 성동구 연무장길 12",
            "phone": "02-123-4567",
            "website": "https://Shop.Example",
            "business_number": "220-81-62517",
            "region_code": "11200",
            "latitude": 37.5446,
            "longitude": 127.0559,
            "aliases": ["성수국수"],
            "accept_website": False,
            "facts": {"name_en": "Seongsu Noodles", "parking_note": " 건물 뒤 "},
            "photos": ["https://shop.example/1.jpg"],
        }
    )
    assert {fact.key: fact.value for fact in intake_facts(intake)} == {
        "name": "성수 국수집",
        "category": "CafeOrCoffeeShop",
        "road_address": "서울특별시 성동구 연무장길 12",
        "phone": "+8221234567",
        "website": "https://shop.example/",
        "business_number": "2208162517",
        "geo": {"lat": 37.5446, "lon": 127.0559},
        "name_en": "Seongsu Noodles",
        "parking_note": "건물 뒤",
    }


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"name": None}, ("name", "must_be_text")),
        ({"name": ""}, ("name", "too_short")),
        ({"name": "가" * 201}, ("name", "too_long")),
        ({"name": 5}, ("name", "must_be_text")),
        ({"plan": "gold"}, ("plan", "unknown_field")),
        ({"category": "우주선"}, ("category", "category_unreadable")),
        ({"locale": "fr"}, ("locale", "must_be_one_of")),
        ({"address": "어딘가"}, ("address", "address_unreadable")),
        ({"phone": "12"}, ("phone", "phone_unreadable")),
        ({"website": "없음"}, ("website", "website_unreadable")),
        ({"website": "ftp://shop.example"}, ("website", "website_unreadable")),
        ({"website": "https://"}, ("website", "website_unreadable")),
        ({"website": "https://u:p@shop.example/"}, ("website", "website_unreadable")),
        ({"website": "https://shop.example:99999/"}, ("website", "website_unreadable")),
        ({"business_number": "123"}, ("business_number", "business_number_unreadable")),
        ({"business_number": "2208162518"}, ("business_number", "business_number_unreadable")),
        ({"region_code": "a b"}, ("region_code", "must_match")),
        ({"latitude": 37.5}, ("longitude", "point_incomplete")),
        ({"latitude": 95.0, "longitude": 127.0}, ("latitude", "out_of_range")),
        ({"latitude": True, "longitude": 127.0}, ("latitude", "must_be_number")),
        ({"latitude": float("nan"), "longitude": 1.0}, ("latitude", "not_finite")),
        ({"aliases": ["a"] * 21}, ("aliases", "too_many")),
        ({"aliases": [""]}, ("aliases.0", "too_short")),
        ({"accept_website": "yes"}, ("accept_website", "must_be_boolean")),
        ({"facts": []}, ("facts", "must_be_object")),
        ({"facts": {"phone": "1"}}, ("facts.phone", "phone_unreadable")),
        ({"facts": {"Phone": "1"}}, ("facts.Phone", "fact_key")),
        ({"facts": {"phone\n": "1"}}, ("facts.phone\n", "fact_key")),
        (
            {"facts": {"menu": [{"name": "가" * 120, "price_krw": n} for n in range(300)]}},
            ("facts.menu", "menu_unreadable"),
        ),
        ({"facts": {"note": 5}}, ("facts.note", "free_text")),
        ({"facts": {"note": ""}}, ("facts.note", "free_text")),
        ({"facts": {"note": "x" * 5001}}, ("facts.note", "free_text")),
        ({"facts": {f"k{n}": "x" for n in range(101)}}, ("facts", "too_many")),
        ({"phone": "02-123-4567", "facts": {"phone": "02-765-4321"}}, ("facts.phone", "given_twice")),
        ({"photos": ["https://e.x/1", "1.jpg"]}, ("photos.1", "url_http")),
        ({"photos": ["https://e.x/1"] * 61}, ("photos", "too_many")),
        ({"aliases": ["a\x00"]}, ("aliases.0", "unstorable_text")),
        ({"facts": {"note": "\ud800"}}, ("facts.note", "unstorable_text")),
        ({"facts": {"a\x00": "x"}}, ("facts.a?", "unstorable_text")),
    ],
)
def test_what_breaks_a_rule_is_named_with_the_rule(change: dict[str, Any], expected: tuple[str, str]) -> None:
    assert expected in errors_of({"name": "집", **change})


@pytest.mark.parametrize("obj", [None, [], "집", 5])
def test_what_is_no_object_is_no_intake(obj: Any) -> None:
    with pytest.raises(IntakeError) as caught:
        parse_intake(obj)
    assert str(caught.value) == "(document): Must be a JSON object"
    assert [error.rule for error in caught.value.errors] == ["must_be_object"]


def test_all_errors_come_at_once() -> None:
    found = {
        field
        for field, _ in errors_of(
            {"plan": 1, "phone": "x", "latitude": 1, "facts": {"phone": "x", "menu": 5}}
        )
    }
    assert found == {"name", "plan", "phone", "longitude", "facts.phone", "facts.menu"}


@pytest.mark.parametrize(
    ("field", "written"),
    [
        ("name", " 성수\t국수집 "),
        ("category", "음식점 > 한식"),
        ("phone", "02-123-4567 (내선 2)"),
        ("website", "Shop.Example"),
        ("business_number", "220-81-62517"),
    ],
)
def test_a_field_and_the_fact_of_its_name_take_one_form(field: str, written: str) -> None:
    place = {"name": "집", field: written}
    of_field = {fact.key: fact.value for fact in intake_facts(parse_intake(place))}
    of_fact = {fact.key: fact.value for fact in owner_facts({field: written})}
    assert of_field[field] == of_fact[field]
    assert not errors_or_none({**place, "facts": {field: written}})


def errors_or_none(obj: Any) -> set[str]:
    try:
        parse_intake(obj)
    except IntakeError as error:
        return {broken.field for broken in error.errors}
    return set()


def test_a_path_is_a_photo_where_files_are_read_and_nowhere_else() -> None:
    assert parse_intake({"name": "집", "photos": ["photos/1.jpg"]}, allow_paths=True).photos == [
        "photos/1.jpg"
    ]
    with pytest.raises(IntakeError):
        parse_intake({"name": "집", "photos": ["file:///etc/passwd"]}, allow_paths=True)


def test_corrections_are_checked_like_an_intakes_facts() -> None:
    assert [(f.key, f.value) for f in owner_facts({"phone": "02-123-4567"})] == [("phone", "+8221234567")]
    with pytest.raises(IntakeError, match="phone"):
        owner_facts({"phone": "1"})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"phone": "02-123-4567"}, {"phone": "+82 2 123 4567"}),
        ({"address": "서울 성동구 연무장길 12"}, {"address": "서울특별시 성동구 연무장길 12, 2층"}),
        ({"phone": "02-123-4567"}, {"phone": "02-123-4567", "address": "서울 성동구 연무장길 12"}),
        ({"phone": "1588-1234", "region_code": "11200"}, {"phone": "1588-1234", "region_code": "11200"}),
        (
            {"address": "12, Yeonmujang-gil, Seongdong-gu, Seoul"},
            {"address": "12 Yeonmujang-gil, Seongdong-gu, Seoul 04779"},
        ),
    ],
)
def test_the_same_place_has_an_identity_in_common(one: dict[str, Any], other: dict[str, Any]) -> None:
    first = identity_keys(parse_intake({"name": "성수 국수집", **one}))
    second = identity_keys(parse_intake({"name": "성수국수집", **other}))
    assert set(first) & set(second)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"phone": "02-123-4567"}, {"phone": "02-765-4321"}),
        ({"address": "서울 성동구 연무장길 12"}, {"address": "서울 성동구 연무장길 14"}),
        ({}, {"phone": "02-123-4567"}),
        (
            {"phone": "1588-1234", "address": "서울 성동구 연무장길 12"},
            {"phone": "1588-1234", "address": "서울 성동구 연무장길 14"},
        ),
        ({"phone": "1588-1234"}, {"phone": "1588-1234", "address": "서울 성동구 연무장길 14"}),
        ({"phone": "1588-1234", "region_code": "11200"}, {"phone": "1588-1234", "region_code": "11440"}),
    ],
)
def test_branches_of_one_name_are_different_places(one: dict[str, Any], other: dict[str, Any]) -> None:
    first = identity_keys(parse_intake({"name": "성수 국수집", **one}))
    second = identity_keys(parse_intake({"name": "성수 국수집", **other}))
    assert not set(first) & set(second)
