"""Opening hours in Korean and English are understood whole or kept as text; nothing is invented."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.places.models import DAYS
from shared.places.normalise import hours_from_schema, hours_parsed_whole, normalise_hours, parse_hours

WEEKDAYS, WEEKEND = DAYS[:5], DAYS[5:]


def on(days: Any, *spans: tuple[str, str]) -> dict[str, list[list[str]]]:
    return {day: [list(span) for span in spans] for day in days}


def every(*spans: tuple[str, str]) -> dict[str, list[list[str]]]:
    return on(DAYS, *spans)


ELEVEN_TO_NINE = ("11:00", "21:00")

# text, days, and what else it states
UNDERSTOOD: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("매일 11:30-21:00", every(("11:30", "21:00")), {}),
    ("매일 11시~21시", every(ELEVEN_TO_NINE), {}),
    ("매일 오전 11시 ~ 오후 9시", every(ELEVEN_TO_NINE), {}),
    ("오전 11시 ~ 오후 9시 매일", every(ELEVEN_TO_NINE), {}),
    ("매일 오전 11시 30분부터 오후 9시 반까지", every(("11:30", "21:30")), {}),
    ("영업시간 : 매일 11:00 - 21:00", every(ELEVEN_TO_NINE), {}),
    ("매일 OPEN 11:00 CLOSE 21:00", every(ELEVEN_TO_NINE), {}),
    ("매일 오후 6시~10시", every(("18:00", "22:00")), {}),
    ("월~금 09:00~18:00", on(WEEKDAYS, ("09:00", "18:00")), {}),
    ("월요일부터 금요일까지 09:00~18:00", on(WEEKDAYS, ("09:00", "18:00")), {}),
    ("월화수목금 09:00-18:00", on(WEEKDAYS, ("09:00", "18:00")), {}),
    ("평일(월~금) 09:00~18:00", on(WEEKDAYS, ("09:00", "18:00")), {}),
    ("월,수,금 10:00~19:00", on(["mon", "wed", "fri"], ("10:00", "19:00")), {}),
    ("토·일 10:00~22:00", on(WEEKEND, ("10:00", "22:00")), {}),
    ("토요일~월요일 10:00~18:00", on(["mon", "sat", "sun"], ("10:00", "18:00")), {}),
    (
        "평일 10:00~20:00 주말 11:00~18:00",
        on(WEEKDAYS, ("10:00", "20:00")) | on(WEEKEND, ("11:00", "18:00")),
        {},
    ),
    ("매일 11:00~21:00, 주말 10:00~22:00", every(ELEVEN_TO_NINE) | on(WEEKEND, ("10:00", "22:00")), {}),
    ("매주 화요일 휴무", {"tue": []}, {}),
    ("매일 11:00~21:00, 매주 화요일 휴무", every(ELEVEN_TO_NINE) | {"tue": []}, {}),
    ("11:00~21:00 (매주 월요일 휴무)", every(ELEVEN_TO_NINE) | {"mon": []}, {}),
    ("월요일은 쉽니다. 화~일 11:00~21:00", every(ELEVEN_TO_NINE) | {"mon": []}, {}),
    ("휴무: 월, 화\n11:00~21:00", every(ELEVEN_TO_NINE) | {"mon": [], "tue": []}, {}),
    ("정기휴무: 매주 일요일, 영업시간: 11:00~21:00", every(ELEVEN_TO_NINE) | {"sun": []}, {}),
    ("연중무휴 11:00~21:00", every(ELEVEN_TO_NINE), {"holidays": "open"}),
    ("매일 11시~21시(연중무휴)", every(ELEVEN_TO_NINE), {"holidays": "open"}),
    ("24시간 연중무휴", every(("00:00", "24:00")), {"holidays": "open"}),
    ("매일 24시간 영업", every(("00:00", "24:00")), {}),
    ("매일 18:00~02:00", every(("18:00", "02:00")), {}),
    ("매일 18:00 ~ 익일 02:00", every(("18:00", "02:00")), {}),
    ("매일 17:00~26:00", every(("17:00", "02:00")), {}),
    ("매일 정오~자정", every(("12:00", "24:00")), {}),
    ("매일 저녁 6시 ~ 새벽 3시", every(("18:00", "03:00")), {}),
    ("매일 11:00~15:00, 17:00~22:00", every(("11:00", "15:00"), ("17:00", "22:00")), {}),
    (
        "매일 11:00~21:00 브레이크타임 15:00~17:00",
        every(ELEVEN_TO_NINE),
        {"breaks": every(("15:00", "17:00"))},
    ),
    (
        "매일 11:00~21:00, 15:00~17:00 브레이크타임",
        every(ELEVEN_TO_NINE),
        {"breaks": every(("15:00", "17:00"))},
    ),
    (
        "매일 11:00~21:00 (브레이크타임 15:00~17:00, 라스트오더 20:30)",
        every(ELEVEN_TO_NINE),
        {"breaks": every(("15:00", "17:00")), "last_order": dict.fromkeys(DAYS, "20:30")},
    ),
    (
        "매일 11:00~21:00 (20:30 라스트오더)",
        every(ELEVEN_TO_NINE),
        {"last_order": dict.fromkeys(DAYS, "20:30")},
    ),
    ("매일 11:00~21:00 L.O 20:30", every(ELEVEN_TO_NINE), {"last_order": dict.fromkeys(DAYS, "20:30")}),
    (
        "매일 11:00~21:00 마감 30분 전 주문마감",
        every(ELEVEN_TO_NINE),
        {"last_order": dict.fromkeys(DAYS, "20:30")},
    ),
    (
        "매일 11:00-21:00 라스트오더 14:30, 20:20 브레이크타임 15:00-17:00",
        every(ELEVEN_TO_NINE),
        {"breaks": every(("15:00", "17:00")), "last_order": dict.fromkeys(DAYS, "20:20")},
    ),
    (
        "평일 11:00~21:00 15:00~17:00 브레이크타임 / 주말 11:00~22:00",
        on(WEEKDAYS, ELEVEN_TO_NINE) | on(WEEKEND, ("11:00", "22:00")),
        {"breaks": on(WEEKDAYS, ("15:00", "17:00"))},
    ),
    (
        "평일 09:00~18:30\n토요일 09:00~13:00\n점심시간 13:00~14:00\n일요일, 공휴일 휴진",
        on(WEEKDAYS, ("09:00", "18:30")) | on(["sat"], ("09:00", "13:00")) | {"sun": []},
        {"breaks": on(WEEKDAYS, ("13:00", "14:00")), "holidays": "closed"},
    ),
    (
        "매일 11:00~21:00, 둘째·넷째 주 월요일 휴무",
        every(ELEVEN_TO_NINE),
        {"closed_nth": [{"nth": [2, 4], "day": "mon"}]},
    ),
    (
        "11:00~21:00 / 매월 2, 4번째 일요일 휴무",
        every(ELEVEN_TO_NINE),
        {"closed_nth": [{"nth": [2, 4], "day": "sun"}]},
    ),
    (
        "정기휴무 : 첫째주, 셋째주 화요일 / 영업시간 : 매일 11시~21시",
        every(ELEVEN_TO_NINE),
        {"closed_nth": [{"nth": [1, 3], "day": "tue"}]},
    ),
    (
        "평일 09:00~18:00, 토요일 09:00~13:00, 일요일·공휴일 휴무",
        on(WEEKDAYS, ("09:00", "18:00")) | on(["sat"], ("09:00", "13:00")) | {"sun": []},
        {"holidays": "closed"},
    ),
    ("매일 11:00~21:00, 공휴일 휴무", every(ELEVEN_TO_NINE), {"holidays": "closed"}),
    (
        "주말 및 공휴일 10:00~20:00, 평일 11:00~21:00",
        on(WEEKDAYS, ELEVEN_TO_NINE) | on(WEEKEND, ("10:00", "20:00")),
        {"holidays": [["10:00", "20:00"]]},
    ),
    ("매일 11:00~21:00 공휴일 정상영업", every(ELEVEN_TO_NINE), {"holidays": "open"}),
    ("Mon-Fri 9am-6pm, Sat closed", on(WEEKDAYS, ("09:00", "18:00")) | {"sat": []}, {}),
    (
        "Monday to Friday: 9:00 AM – 6:00 PM; Saturday 10 am - 2 pm; Sunday closed",
        on(WEEKDAYS, ("09:00", "18:00")) | on(["sat"], ("10:00", "14:00")) | {"sun": []},
        {},
    ),
    (
        "Daily 11:00–21:00 (break 15:00–17:00, last order 20:30)",
        every(ELEVEN_TO_NINE),
        {"breaks": every(("15:00", "17:00")), "last_order": dict.fromkeys(DAYS, "20:30")},
    ),
    ("Tuesday to Sunday 11:00 to 21:00. Closed Mondays.", every(ELEVEN_TO_NINE) | {"mon": []}, {}),
    ("Open every day from 11am to 9pm", every(ELEVEN_TO_NINE), {}),
    ("Open 24 hours daily", every(("00:00", "24:00")), {}),
    ("9am-5pm Mon-Fri", on(WEEKDAYS, ("09:00", "17:00")), {}),
    (
        "Mon-Thu 5pm-12am, Fri-Sat 5pm-2am, Sun closed",
        on(DAYS[:4], ("17:00", "24:00")) | on(["fri", "sat"], ("17:00", "02:00")) | {"sun": []},
        {},
    ),
    (
        "Daily 11am-9pm, closed on the second Tuesday",
        every(ELEVEN_TO_NINE),
        {"closed_nth": [{"nth": [2], "day": "tue"}]},
    ),
    (
        "Closed every 2nd and 4th Monday, daily 11:00-21:00",
        every(ELEVEN_TO_NINE),
        {"closed_nth": [{"nth": [2, 4], "day": "mon"}]},
    ),
    ("Mo-Fr 09:00-18:00", on(WEEKDAYS, ("09:00", "18:00")), {}),
    ("Mo,We,Fr 09:00-12:00", on(["mon", "wed", "fri"], ("09:00", "12:00")), {}),
]

KEPT_AS_TEXT = [
    "11:00~21:00",  # on which days?
    "11:00~21:00, 공휴일 휴무",
    "매일 오전 10시~8시",
    "매일 10:00~8:00",
    "매일 1:00~5:00",
    "9-6 Mon-Fri",
    "월~금 9-18",
    "매일 09:00~06:00",
    "매일 11:00~21:00 (재료 소진 시 조기마감)",
    "격주 월요일 휴무",
    "명절 당일 휴무, 매일 11:00~21:00",
    "월 11:00-21:00 월 10:00-20:00",
    "토 10:00-15:00, 토 휴무",
    "매일 11:00~21:00 라스트오더 22:00",
    "매일 11:00~21:00 브레이크타임 22:00~23:00",
    "월~금 11:00-21:00, 토 11:00-20:00 브레이크타임 15:00-17:00",  # whose break?
    "Closed: Sunday, Mon-Sat 10:00-19:00",  # until where do the closed days reach?
    "매일(월~금) 09:00~18:00",
    "연중무휴 11:00~21:00, 월요일 휴무",
    "금일휴무",
    "매일 25:70~31:00",
    "10월 1일 휴무",
    "예약제로 운영합니다",
    "전화로 문의해 주세요 02-123-4567",
    "브레이크타임 15:00~17:00",
    "매일",
    "휴무",
]


@pytest.mark.parametrize(("text", "days", "more"), UNDERSTOOD, ids=[text for text, _, _ in UNDERSTOOD])
def test_hours_are_understood_whole(text: str, days: dict[str, Any], more: dict[str, Any]) -> None:
    hours = parse_hours(text)
    assert hours_parsed_whole(hours)
    stated = hours.model_dump(mode="json", exclude_defaults=True)
    assert stated == {"days": days, "text": text, **more}
    assert list(stated["days"]) == [day for day in DAYS if day in days]


@pytest.mark.parametrize("text", KEPT_AS_TEXT)
def test_what_leaves_a_doubt_is_kept_as_text_alone(text: str) -> None:
    hours = parse_hours(text)
    assert not hours_parsed_whole(hours)
    assert hours.model_dump(exclude_defaults=True) == {"text": text}


_DAYS_AND_TIMES = "월 ~ 금 매일 주말 공휴일 Mon - 11:00 ~21:00 오후 9시 9am 24시간 30분전"
_WORDS = "휴무 브레이크타임 라스트오더 둘째 연중무휴 closed 없음 정상영업 , / ( )"
PIECES = st.sampled_from([*_DAYS_AND_TIMES.split(), *_WORDS.split(), "\n"])


@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=14).map(" ".join)))
def test_no_text_makes_it_raise_and_what_it_returns_is_valid(text: str) -> None:
    hours = parse_hours(text)
    if hours_parsed_whole(hours):
        assert normalise_hours(hours.model_dump(mode="json")) == hours


def spec(day: Any, opens: str | None, closes: str | None, **more: str) -> dict[str, Any]:
    return {"@type": "OpeningHoursSpecification", "dayOfWeek": day, "opens": opens, "closes": closes, **more}


TODAY = date(2026, 11, 30)


def test_specifications_are_read_with_prefixes_lists_and_closed_days() -> None:
    hours = hours_from_schema(
        [],
        [
            spec(
                ["Monday", "https://schema.org/Tuesday", "http://schema.org/Wednesday"], "09:00", "18:00:00"
            ),
            spec({"@id": "schema:Thursday"}, "18:00", "02:00"),
            spec("Sunday", "00:00", "00:00"),
            spec("Saturday", "00:00", "23:59"),
            spec("PublicHolidays", None, None),
        ],
        today=TODAY,
    )
    assert hours is not None
    assert hours.model_dump(mode="json", exclude_defaults=True) == {
        "days": {
            "mon": [["09:00", "18:00"]],
            "tue": [["09:00", "18:00"]],
            "wed": [["09:00", "18:00"]],
            "thu": [["18:00", "02:00"]],
            "sat": [["00:00", "24:00"]],
            "sun": [],
        },
        "holidays": "closed",
    }


def test_two_specifications_of_a_day_are_a_divided_day_and_overlapping_ones_are_not_guessed() -> None:
    divided = hours_from_schema(
        [], [spec("Monday", "17:00", "21:00"), spec("Monday", "11:00", "15:00")], today=TODAY
    )
    assert divided is not None
    assert divided.days == {"mon": [("11:00", "15:00"), ("17:00", "21:00")]}
    assert (
        hours_from_schema(
            [], [spec("Monday", "11:00", "21:00"), spec("Monday", "10:00", "20:00")], today=TODAY
        )
        is None
    )


def test_a_past_season_and_a_single_day_make_no_weekly_hours() -> None:
    weekly = spec("Monday", "09:00", "18:00")
    past = spec("Monday", "10:00", "16:00", validFrom="2026-01-01", validThrough="2026-02-01")
    christmas = spec("Monday", "10:00", "12:00", validFrom="2026-11-29", validThrough="2026-12-01")
    hours = hours_from_schema([], [weekly, past, christmas], today=TODAY)
    assert hours is not None
    assert hours.days == {"mon": [("09:00", "18:00")]}


def test_opening_hours_texts_are_read_together() -> None:
    hours = hours_from_schema(["Mo-Fr 09:00-18:00", "Sa 10:00-14:00"], [], today=TODAY)
    assert hours is not None
    assert hours.days["sat"] == [("10:00", "14:00")]
    assert hours_from_schema([], [], today=TODAY) is None


@pytest.mark.parametrize(
    "broken", [spec("Someday", "09:00", "18:00"), spec("Monday", "9", "18:00"), spec("Monday", "09:00", None)]
)
def test_a_specification_that_is_not_understood_makes_no_hours(broken: dict[str, Any]) -> None:
    assert hours_from_schema([], [spec("Tuesday", "09:00", "18:00"), broken], today=TODAY) is None


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("", "must not be empty"),
        (7, "text or an object"),
        ({}, "at least one day"),
        ({"days": {"someday": []}}, "someday"),
        ({"days": {"mon": [["9:00", "18:00"]]}}, "HH:MM"),
        ({"days": {"mon": [["24:00", "02:00"]]}}, "begin before"),
        ({"days": {"mon": [["09:00", "18:00"], ["17:00", "20:00"]]}}, "overlap"),
        ({"days": {"mon": [["09:00", "18:00"]]}, "breaks": {"mon": [["18:00", "19:00"]]}}, "within"),
        ({"days": {"mon": []}, "last_order": {"mon": "20:00"}}, "within"),
        ({"days": {"mon": []}, "closed_nth": [{"nth": [6], "day": "mon"}]}, "1 to 5"),
        ({"days": {"mon": []}, "open": True}, "unknown field open"),
    ],
)
def test_hours_as_json_are_refused_with_field_and_rule(value: Any, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        normalise_hours(value)
