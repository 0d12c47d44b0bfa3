"""JSON-LD says of the place what its page shows."""

import json
from typing import Any

import pytest

from functions.build.jsonld import business, postal_address, script_text
from shared.places.models import Locale
from tests.unit.build import samples


def node(locale: Locale = "ko", **changed: Any) -> dict[str, Any]:
    confirmed = samples.facts(**changed)
    return business(samples.view(confirmed, locale=locale), confirmed)


def test_a_restaurant() -> None:
    found = node()
    assert found["@type"] == "Restaurant"
    assert (found["name"], found["alternateName"]) == ("봄날식당", ["Bomnal Kitchen", "봄날"])
    assert (found["telephone"], found["taxID"]) == ("+8225550199", "123-45-67891")
    assert found["address"] == {
        "@type": "PostalAddress",
        "addressCountry": "KR",
        "addressRegion": "경기도",
        "addressLocality": "수원시 팔달구",
        "streetAddress": "봄날로 7, 2층",
    }
    assert found["geo"] == {"@type": "GeoCoordinates", "latitude": 37.26612, "longitude": 127.0}
    assert found["sameAs"] == ["https://bomnal.example/", "https://instagram.com/bomnal"]
    assert found["hasMap"].startswith("https://map.kakao.com/")
    assert [feature["name"] for feature in found["amenityFeature"]] == ["주차 가능", "와이파이"]
    assert {
        "dayOfWeek": "Friday",
        "opens": "18:00",
        "closes": "02:00",
        "@type": "OpeningHoursSpecification",
    } in found["openingHoursSpecification"]
    first, second = found["hasMenu"]["hasMenuItem"]
    assert first["offers"] == {"@type": "Offer", "price": 9000, "priceCurrency": "KRW"}
    assert "offers" not in second


def test_a_shop_has_offers_and_no_menu() -> None:
    found = node(category="BookStore")
    assert "hasMenu" not in found
    assert [offer["name"] for offer in found["makesOffer"]] == ["된장찌개"]


def test_what_is_not_confirmed_is_absent() -> None:
    confirmed = samples.facts({"name": "봄날", "category": "Store", "phone": "+8225550199"})
    found = business(samples.view(confirmed, of=samples.place(aliases=())), confirmed)
    assert set(found) == {"@context", "@type", "@id", "name", "url", "telephone"}


def test_both_languages_speak_of_one_thing() -> None:
    korean, english = node("ko"), node("en")
    assert korean["@id"] == english["@id"] == "https://pages.example/bomnal/#place"
    assert english["name"] == "Bomnal Kitchen"
    assert english["url"] == "https://pages.example/bomnal/en/"


def test_holidays_stand_only_if_stated() -> None:
    stated = [spec["dayOfWeek"] for spec in node()["openingHoursSpecification"]]
    assert "PublicHolidays" in stated
    silent = node(hours={"days": {"mon": [["09:00", "18:00"]]}})["openingHoursSpecification"]
    assert [spec["dayOfWeek"] for spec in silent] == ["Monday"]


def test_an_address_that_cannot_be_split_is_a_street() -> None:
    assert postal_address("12 Bomnal-ro") == {
        "@type": "PostalAddress",
        "addressCountry": "KR",
        "streetAddress": "12 Bomnal-ro",
    }


@pytest.mark.parametrize("text", ["</script>", "<!--", "]]>", "a\u2028b", "&lt;", '"'])
def test_no_text_can_end_the_script(text: str) -> None:
    written = str(script_text({"name": text}))
    assert "<" not in written
    assert ">" not in written
    assert json.loads(written) == {"name": text}
