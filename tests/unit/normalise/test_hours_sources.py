"""The hours of OpenStreetMap, Google and TourAPI: a week where they say one, their text where they say more."""

from typing import Any

import pytest

from shared.places.models import DAYS, Hours
from shared.places.normalise import (
    hours_from_google,
    hours_from_osm,
    hours_from_tourapi,
    hours_parsed_whole,
    normalise_hours,
)

WEEKDAYS, WEEKEND = DAYS[:5], DAYS[5:]


def on(days: Any, *spans: tuple[str, str]) -> dict[str, list[list[str]]]:
    return {day: [list(span) for span in spans] for day in days}


def stated(hours: Hours) -> dict[str, Any]:
    json = hours.model_dump(mode="json", exclude_defaults=True)
    if hours_parsed_whole(hours):
        assert normalise_hours(hours.model_dump(mode="json")) == hours
    return json


NINE_TO_SIX = ("09:00", "18:00")
OSM: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("Mo-Fr 09:00-18:00", on(WEEKDAYS, NINE_TO_SIX), {}),
    ("Mo-Fr 09:00-18:00;", on(WEEKDAYS, NINE_TO_SIX), {}),
    ("09:00-18:00", on(DAYS, NINE_TO_SIX), {}),
    ("24/7", on(DAYS, ("00:00", "24:00")), {}),
    ("24/7; Mo off", on(DAYS[1:], ("00:00", "24:00")) | {"mon": []}, {}),
    (
        "Mo-Fr 09:00-18:00; Sa 10:00-14:00; Su,PH off",
        on(WEEKDAYS, NINE_TO_SIX) | on(["sat"], ("10:00", "14:00")) | {"sun": []},
        {"holidays": "closed"},
    ),
    ("Mo-Su 10:00-20:00; Tu off", on(DAYS, ("10:00", "20:00")) | {"tue": []}, {}),
    ("Mo-Su 10:00-20:00; Tu 12:00-20:00", on(DAYS, ("10:00", "20:00")) | on(["tue"], ("12:00", "20:00")), {}),
    ("Tu off; Mo-Su 10:00-20:00", on(DAYS, ("10:00", "20:00")), {}),
    ("Mo-Fr 11:00-15:00,17:00-22:00", on(WEEKDAYS, ("11:00", "15:00"), ("17:00", "22:00")), {}),
    (
        "Mo-Fr 09:00-12:00, 13:00-18:00, Sa 10:00-14:00",
        on(WEEKDAYS, ("09:00", "12:00"), ("13:00", "18:00")) | on(["sat"], ("10:00", "14:00")),
        {},
    ),
    ("Mo 09:00-12:00, Mo 13:00-18:00", on(["mon"], ("09:00", "12:00"), ("13:00", "18:00")), {}),
    ("Fr,Sa 22:00-02:00", on(["fri", "sat"], ("22:00", "02:00")), {}),
    ("Fr-Mo 18:00-26:00", on(["fri", "sat", "sun", "mon"], ("18:00", "02:00")), {}),
    ("Mo-Su 10:00-00:00", on(DAYS, ("10:00", "24:00")), {}),
    ("Mo-Su,PH 9:00-18:00 open", on(DAYS, NINE_TO_SIX), {"holidays": [["09:00", "18:00"]]}),
    ("Mo-Fr 09:00-18:00; PH 10:00-15:00", on(WEEKDAYS, NINE_TO_SIX), {"holidays": [["10:00", "15:00"]]}),
    (
        "Mo-Su 10:00-20:00; Tu[2,4] off",
        on(DAYS, ("10:00", "20:00")),
        {"closed_nth": [{"nth": [2, 4], "day": "tue"}]},
    ),
    (
        "Mo-Su 10:00-20:00; Su[1-3] closed",
        on(DAYS, ("10:00", "20:00")),
        {"closed_nth": [{"nth": [1, 2, 3], "day": "sun"}]},
    ),
]

OSM_TEXT = [
    'Mo-Fr 09:00-18:00 "by appointment"',
    "Mo-Fr 09:00-18:00 || Sa 10:00-14:00",
    "Mo-Fr 09:00-18:00+",
    "Mo-Fr 09:00-18:00 unknown",
    "Mo-Fr sunrise-sunset",
    "Mo-Fr 09:00-(sunset+01:00)",
    "Mar-Oct Mo-Su 09:00-18:00; Nov-Feb 10:00-17:00",
    "week 1-26 Mo 09:00-18:00",
    "2026 Dec 25 off; 09:00-18:00",
    "Mo-Fr 09:00-18:00; Dec 25 off",
    "Mo-Fr 09:00-18:00; SH off",
    "Mo-Fr 09:00-18:00; PH -1 day off",
    "easter off; 09:00-18:00",
    "PH off; Mo-Su 09:00-18:00",
    "Tu[2] off; Mo-Su 09:00-18:00",
    "Mo-Su 09:00-18:00; Tu[-1] off",
    "Mo-Fr 09:00-18:00; Sa[1] off",
    "Sa[1] 10:00-14:00",
    "Mo-Fr 09:00-18:00, Mo off",
    "Mo-Fr 09:00-18:00, We 17:00-20:00",
    "Mo-Fr 09:00-18:00,",
    "Mo-Fr 9-18",
    "Mo-Fr 09:00-25:70",
    "Mo-Fr 09:00-36:00",
    "Monday 09:00-18:00",
    "Mo-Fr 9am-6pm",
    "09:00-18:00 Mo-Fr",
    "off",
    "PH off",
    "closed",
    "매일 11:00~21:00",
]


@pytest.mark.parametrize(("text", "days", "more"), OSM, ids=[text for text, _, _ in OSM])
def test_a_week_of_openstreetmap_is_read_whole(text: str, days: dict[str, Any], more: dict[str, Any]) -> None:
    assert stated(hours_from_osm(text)) == {"days": days, "text": text, **more}


@pytest.mark.parametrize("text", OSM_TEXT)
def test_what_openstreetmap_says_beyond_a_week_is_kept_as_text(text: str) -> None:
    assert stated(hours_from_osm(text)) == {"text": text}


def test_an_empty_tag_says_nothing() -> None:
    assert hours_from_osm(" ") == Hours()
    assert stated(hours_from_osm("Mo 09:00-18:00; " * 40)).keys() == {"text"}


def at(day: int, hour: int, minute: int = 0) -> dict[str, int]:
    return {"day": day, "hour": hour, "minute": minute}


def period(opens: dict[str, int], closes: dict[str, int]) -> dict[str, Any]:
    return {"open": opens, "close": closes}


def test_googles_periods_are_a_whole_week_with_sunday_first() -> None:
    periods = [
        period(at(0, 11), at(0, 20)),
        period(at(2, 11, 30), at(2, 15)),
        period(at(2, 17), at(2, 21, 30)),
        period(at(5, 18), at(6, 2)),
        period(at(6, 18), at(0, 2)),
    ]
    assert stated(hours_from_google(periods)) == {
        "days": {
            "mon": [],
            "tue": [["11:30", "15:00"], ["17:00", "21:30"]],
            "wed": [],
            "thu": [],
            "fri": [["18:00", "02:00"]],
            "sat": [["18:00", "02:00"]],
            "sun": [["11:00", "20:00"]],
        }
    }


def test_one_period_without_an_end_is_open_day_and_night() -> None:
    assert stated(hours_from_google([{"open": at(0, 0)}])) == {"days": on(DAYS, ("00:00", "24:00"))}


@pytest.mark.parametrize(
    ("opens", "closes", "open_days"),
    [
        (at(1, 0), at(2, 0), on(["mon"], ("00:00", "24:00"))),
        (at(1, 0), at(1, 23, 59), on(["mon"], ("00:00", "24:00"))),
        (at(5, 6), at(6, 6), on(["fri"], ("06:00", "06:00"))),
        (
            at(6, 9),
            at(1, 2),
            on(["sat"], ("09:00", "24:00"))
            | on(["sun"], ("00:00", "24:00"))
            | on(["mon"], ("00:00", "02:00")),
        ),
    ],
)
def test_a_period_to_midnight_and_one_over_several_days(opens: Any, closes: Any, open_days: Any) -> None:
    days = stated(hours_from_google([period(opens, closes)]))["days"]
    assert days == {day: [] for day in DAYS} | open_days


@pytest.mark.parametrize(
    "periods",
    [
        [],
        None,
        "closed",
        [{}],
        [{"open": at(1, 9)}],
        [{"open": at(0, 0)}, {"open": at(1, 9)}],
        [period(at(7, 9), at(7, 18))],
        [period(at(1, 24), at(1, 18))],
        [period(at(1, 9), {"day": 1})],
        [period({"day": 1, "hour": "9"}, at(1, 18))],  # type: ignore[dict-item]
        [period(at(1, 9), at(1, 18)), period(at(1, 10), at(1, 19))],
        [{"open": {**at(1, 9), "date": {"year": 2026}}, "close": at(1, 18)}],
        [{"open": {**at(1, 9), "truncated": True}, "close": at(1, 18)}],
        [period(at(1, 9), at(1, 18))] * 101,
    ],
)
def test_periods_that_are_no_week_make_no_hours(periods: Any) -> None:
    assert hours_from_google(periods) == Hours()


ELEVEN_TO_NINE = ("11:00", "21:00")
TOURAPI: list[tuple[str | None, str | None, dict[str, Any]]] = [
    (
        "11:00~21:00<br>브레이크타임 15:00~17:00",
        "매주 월요일",
        {"days": on(DAYS, ELEVEN_TO_NINE) | {"mon": []}, "breaks": on(DAYS[1:], ("15:00", "17:00"))},
    ),
    ("11:00~21:00", "연중무휴", {"days": on(DAYS, ELEVEN_TO_NINE), "holidays": "open"}),
    ("11:00 ~ 21:00<br />\n", "월요일 휴무", {"days": on(DAYS, ELEVEN_TO_NINE) | {"mon": []}}),
    ("[평일] 11:00~21:00<br>[주말] 11:00~22:00", "",
     {"days": on(WEEKDAYS, ELEVEN_TO_NINE) | on(WEEKEND, ("11:00", "22:00"))}),
    ("매일 11:00~21:00", None, {"days": on(DAYS, ELEVEN_TO_NINE)}),
    ("11:00&#126;21:00", "매주 화요일, 수요일", {"days": on(DAYS, ELEVEN_TO_NINE) | {"tue": [], "wed": []}}),
    ("11:00~21:00", "둘째, 넷째 월요일",
     {"days": on(DAYS, ELEVEN_TO_NINE), "closed_nth": [{"nth": [2, 4], "day": "mon"}]}),
    ("11:00~21:00 (라스트오더 20:30)", "매주 일요일",
     {"days": on(DAYS, ELEVEN_TO_NINE) | {"sun": []}, "last_order": dict.fromkeys(DAYS[:6], "20:30")}),
    ("24시간", "연중무휴", {"days": on(DAYS, ("00:00", "24:00")), "holidays": "open"}),
    (None, "매주 월요일", {"days": {"mon": []}}),
    ("11:00~21:00", "", {}),
    ("11:00~21:00", "명절 당일", {}),
    ("11:00~21:00", "매주 월요일, 설날·추석 당일", {}),
    ("11:00~21:00<br>※ 재료 소진 시 조기 마감", "매주 월요일", {}),
    ("하절기 10:00~18:00<br>동절기 10:00~17:00", "연중무휴", {}),
    ("11:00~21:00", "연중무휴 (명절 당일 휴무)", {}),
    ("점포별 상이", "점포별 상이", {}),
    ("11:00~21:00", "부정기 휴무", {}),
    ("<b>11:00~21:00</b>", "매월 마지막 월요일", {}),
]  # fmt: skip


@pytest.mark.parametrize(("opened", "rest", "expected"), TOURAPI)
def test_the_two_texts_of_tourapi_are_read_together(
    opened: str | None, rest: str | None, expected: dict[str, Any]
) -> None:
    read = stated(hours_from_tourapi(opened, rest))
    text = read.pop("text")
    assert read == expected
    assert "<" not in text
    assert "&" not in text
    for part in (rest or "").split(", "):
        assert part in text


def test_nothing_is_nothing() -> None:
    assert hours_from_tourapi("", None) == hours_from_tourapi("<br>", " ") == Hours()
