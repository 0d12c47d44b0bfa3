"""The page made of the facts alone reads as Korean and English do."""

from pathlib import Path
from typing import Any

import pytest

from functions.copy.english import english_page
from functions.copy.korean import korean_page
from functions.copy.opening import opening_text
from functions.copy.place_facts import PlaceFacts
from shared.places.models import Hours, Locale, MenuItem, PageCopy
from tests.unit.copy.confirmed import ODD_PLACES, PLACES, facts_of

GOLDEN = Path(__file__).parent / "pages_from_facts.txt"


def facts(**known: Any) -> PlaceFacts:
    blank: dict[str, Any] = dict.fromkeys(
        (
            "name_en",
            "category",
            "road_address",
            "lot_address",
            "phone",
            "hours",
            "price_range",
            "summary",
            "summary_en",
        )
    )
    return PlaceFacts(**(blank | {"version": 1, "name": "달그릇국수", "menu": (), "amenities": ()} | known))


def text_of(page: PageCopy) -> str:
    return "\n".join(
        [page.title, page.summary]
        + [f"{s.heading}\n{s.text}" for s in page.sections]
        + [f"{q.question}\n{q.answer}" for q in page.faq]
    )


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("달그릇국수", "달그릇국수는 서울특별시 성동구 달그릇길 12에 있는 음식점입니다."),
        ("봄날", "봄날은 서울특별시 성동구 달그릇길 12에 있는 음식점입니다."),
        ("스튜디오 51", "스튜디오 51은 서울특별시 성동구 달그릇길 12에 있는 음식점입니다."),
    ],
)
def test_the_particle_follows_the_name(name: str, sentence: str) -> None:
    page = korean_page(facts(name=name, category="Restaurant", road_address="서울특별시 성동구 달그릇길 12"))
    assert page.summary == sentence
    assert page.title == f"{name} | 서울특별시 성동구 음식점"


def test_a_trade_is_not_said_to_be_a_place() -> None:
    known = facts(category="AccountingService", road_address="서울특별시 성동구 달그릇길 12")
    assert korean_page(known).summary == (
        "달그릇국수는 서울특별시 성동구 달그릇길 12에 있습니다. 업종은 세무·회계입니다."
    )


@pytest.mark.parametrize(
    ("category", "sentence"),
    [
        ("Restaurant", "Dal is a restaurant."),
        ("ArtGallery", "Dal is an art gallery."),
        ("AccountingService", "Dal is an accounting service."),
        ("HVACBusiness", "Line of business of Dal: heating and air conditioning."),
        ("Optician", "Dal is an optician."),
    ],
)
def test_the_article_follows_the_category(category: str, sentence: str) -> None:
    assert english_page(facts(name="Dal", category=category)).summary == sentence


WEEK = {
    **{day: [["11:00", "21:00"]] for day in ("tue", "wed", "thu", "fri")},
    **{day: [["11:00", "02:00"]] for day in ("sat", "sun")},
    "mon": [],
}


@pytest.mark.parametrize(
    ("hours", "locale", "said"),
    [
        (
            {"days": WEEK},
            "ko",
            [
                "화요일부터 금요일까지 11:00부터 21:00까지 영업합니다.",
                "토요일과 일요일에는 11:00부터 다음 날 02:00까지 영업합니다.",
                "월요일은 쉽니다.",
            ],
        ),
        (
            {"days": WEEK},
            "en",
            [
                "Open Tuesday to Friday, from 11:00 to 21:00.",
                "Open Saturday and Sunday, from 11:00 to 02:00 the next day.",
                "Closed on Monday.",
            ],
        ),
        (
            {
                "days": {
                    day: [["00:00", "24:00"]] for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
                }
            },
            "ko",
            ["매일 24시간 영업합니다."],
        ),
        (
            {"days": {"mon": [["09:00", "18:00"]], "wed": [["09:00", "18:00"]]}},
            "ko",
            ["월요일과 수요일에는 09:00부터 18:00까지 영업합니다."],
        ),
        (
            {"days": {"mon": [], "tue": [], "wed": [], "thu": [["11:00", "15:00"], ["17:00", "21:00"]]}},
            "ko",
            [
                "목요일에는 11:00부터 15:00까지, 17:00부터 21:00까지 영업합니다.",
                "월요일부터 수요일까지는 쉽니다.",
            ],
        ),
        (
            {
                "days": {"fri": [["18:00", "02:00"]], "sat": [["12:00", "20:00"]]},
                "breaks": {"sat": [["15:00", "16:00"]]},
                "last_order": {"fri": "01:00", "sat": "19:30"},
                "closed_nth": [{"nth": [4, 2], "day": "sat"}],
                "holidays": "closed",
            },
            "ko",
            [
                "금요일에는 18:00부터 다음 날 02:00까지 영업합니다.",
                "토요일에는 12:00부터 20:00까지 영업합니다.",
                "토요일 브레이크타임은 15:00부터 16:00까지입니다.",
                "금요일 라스트오더는 다음 날 01:00입니다.",
                "토요일 라스트오더는 19:30입니다.",
                "매월 둘째·넷째 토요일, 공휴일은 쉽니다.",
            ],
        ),
        (
            {
                "days": {"fri": [["11:00", "20:00"]], "sat": [["11:00", "20:00"]]},
                "last_order": {"fri": "19:30", "sat": "19:30"},
                "closed_nth": [{"nth": [1, 3], "day": "fri"}],
                "holidays": [["12:00", "17:00"]],
            },
            "en",
            [
                "Open Friday and Saturday, from 11:00 to 20:00.",
                "Last orders are taken at 19:30.",
                "On public holidays open from 12:00 to 17:00.",
                "Closed every first and third Friday of the month.",
            ],
        ),
        ({"text": "날씨에 따라 다름"}, "ko", ["날씨에 따라 다름"]),
        ({"text": "날씨에 따라 다름"}, "en", []),
    ],
)
def test_hours_are_said_as_people_say_them(hours: dict[str, Any], locale: Locale, said: list[str]) -> None:
    assert list(opening_text(Hours.model_validate(hours), locale).all) == said


def test_a_menu_is_said_with_its_prices_and_asks_where_there_is_none() -> None:
    menu = (MenuItem(name="바지락칼국수", price_krw=11000), MenuItem(name="콩국수"))

    korean, english = korean_page(facts(menu=menu)), english_page(facts(menu=menu))

    assert "바지락칼국수 11,000원입니다. 콩국수는 가격을 문의해 주세요." in text_of(korean)
    assert "Prices: 바지락칼국수 ₩11,000. Please ask for the price of 콩국수." in text_of(english)


def test_what_is_not_known_is_not_spoken_of() -> None:
    korean, english = text_of(korean_page(facts())), text_of(english_page(facts()))

    assert korean == "달그릇국수\n달그릇국수에 대해 확인된 정보가 아직 많지 않습니다."
    assert english == "달그릇국수\nLittle is confirmed about 달그릇국수 yet."


def test_the_owners_summary_is_the_korean_pages_and_not_the_english_ones() -> None:
    known = facts(category="Restaurant", phone="02-555-0142", summary="생면으로 끓입니다.")

    assert korean_page(known).summary == "생면으로 끓입니다."
    assert english_page(known).summary == "달그릇국수 is a restaurant."


def test_every_section_names_the_facts_it_rests_on() -> None:
    page = korean_page(facts(phone="02-555-0142", category="Restaurant"))
    assert [(s.heading, s.facts) for s in page.sections] == [("찾아가는 길과 문의", ["phone"])]


def test_the_pages_of_seventeen_places_read_as_they_were_read_over() -> None:
    """`pages_from_facts.txt` holds them for the eye; after a change that was meant:
    `python -m tests.unit.copy.test_facts_only`.
    """
    assert GOLDEN.read_text(encoding="utf-8") == pages_from_facts()


def pages_from_facts() -> str:
    """Every page that the templates write of the tests' places."""
    lines = []
    for label, values in (PLACES | ODD_PLACES).items():
        known = facts_of(values)
        for locale, page in (("ko", korean_page(known)), ("en", english_page(known))):
            lines += [f"=== {label}, {locale}", page.title, page.summary]
            lines += [f"# {section.heading}\n{section.text}" for section in page.sections]
            lines += [f"? {asked.question}\n{asked.answer}" for asked in page.faq]
            lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    GOLDEN.write_text(pages_from_facts(), encoding="utf-8")
