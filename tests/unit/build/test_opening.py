"""Opening hours read as people write them, and say the same to machines."""

from typing import Any

import pytest

from functions.build.opening import Opening, opening_specification, opening_table
from shared.places.models import Hours


def hours(**fields: Any) -> Hours:
    return Hours.model_validate(fields)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"days": {"mon": [["09:00", "18:00"]]}}, [(["Monday"], "09:00", "18:00")]),
        ({"days": {"mon": []}}, [(["Monday"], "00:00", "00:00")]),
        ({"days": {"mon": [["00:00", "24:00"]]}}, [(["Monday"], "00:00", "23:59")]),
        ({"days": {"mon": [["00:00", "00:00"]]}}, [(["Monday"], "00:00", "23:59")]),
        ({"days": {"fri": [["18:00", "02:00"]]}}, [(["Friday"], "18:00", "02:00")]),
        ({"days": {"fri": [["18:00", "24:00"]]}}, [(["Friday"], "18:00", "00:00")]),
        (
            {"days": {"mon": [["09:00", "18:00"]], "tue": [["09:00", "18:00"]], "wed": [["10:00", "18:00"]]}},
            [(["Monday", "Tuesday"], "09:00", "18:00"), (["Wednesday"], "10:00", "18:00")],
        ),
        (
            {"days": {"mon": [["11:00", "21:00"]]}, "breaks": {"mon": [["15:00", "17:00"]]}},
            [(["Monday"], "11:00", "15:00"), (["Monday"], "17:00", "21:00")],
        ),
        (
            {"days": {"sat": [["18:00", "04:00"]]}, "breaks": {"sat": [["00:30", "01:30"]]}},
            [(["Saturday"], "18:00", "00:30"), (["Saturday"], "01:30", "04:00")],
        ),
        (
            {"days": {"sat": [["18:00", "04:00"]]}, "breaks": {"sat": [["23:30", "00:30"]]}},
            [(["Saturday"], "18:00", "23:30"), (["Saturday"], "00:30", "04:00")],
        ),
        (
            {"days": {"mon": [["11:00", "14:00"], ["17:00", "22:00"]]}},
            [(["Monday"], "11:00", "14:00"), (["Monday"], "17:00", "22:00")],
        ),
        (
            {"days": {"mon": [["09:00", "18:00"]]}, "holidays": "closed"},
            [(["Monday"], "09:00", "18:00"), (["PublicHolidays"], "00:00", "00:00")],
        ),
        (
            {"days": {"mon": [["09:00", "18:00"]]}, "holidays": [["10:00", "15:00"]]},
            [(["Monday"], "09:00", "18:00"), (["PublicHolidays"], "10:00", "15:00")],
        ),
        ({"days": {"mon": [["09:00", "18:00"]]}, "holidays": "open"}, [(["Monday"], "09:00", "18:00")]),
        ({"text": "재료 소진 시 마감"}, []),
    ],
)
def test_for_machines(fields: dict[str, Any], expected: list[tuple[list[str], str, str]]) -> None:
    assert opening_specification(hours(**fields)) == [Opening(*row) for row in expected]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"days": {"mon": [["09:00", "18:00"]]}}, ["09:00 – 18:00"]),
        ({"days": {"mon": []}}, ["휴무"]),
        ({"days": {"mon": [["18:00", "02:00"]]}}, ["18:00 – 다음 날 02:00"]),
        ({"days": {"mon": [["18:00", "24:00"]]}}, ["18:00 – 24:00"]),
        ({"days": {"mon": [["00:00", "24:00"]]}}, ["24시간 영업"]),
        ({"days": {"mon": [["06:00", "06:00"]]}}, ["06:00 – 다음 날 06:00 (24시간 영업)"]),
        ({"days": {"mon": [["11:00", "14:00"], ["17:00", "22:00"]]}}, ["11:00 – 14:00", "17:00 – 22:00"]),
        (
            {"days": {"mon": [["11:00", "21:00"]]}, "breaks": {"mon": [["15:00", "17:00"]]}},
            ["11:00 – 21:00", "브레이크타임 15:00–17:00"],
        ),
        (
            {"days": {"mon": [["18:00", "03:00"]]}, "last_order": {"mon": "02:00"}},
            ["18:00 – 다음 날 03:00", "라스트오더 다음 날 02:00"],
        ),
        (
            {"days": {"mon": [["11:00", "21:00"]]}, "last_order": {"mon": "20:30"}},
            ["11:00 – 21:00", "라스트오더 20:30"],
        ),
        ({"days": {"tue": [["09:00", "18:00"]]}}, []),
    ],
)
def test_monday_for_people(fields: dict[str, Any], expected: list[str]) -> None:
    monday = opening_table(hours(**fields), "ko").days[0]
    assert [*monday.hours, *monday.notes] == expected


def test_what_holds_beyond_the_week_is_said_in_sentences() -> None:
    table = opening_table(
        hours(
            days={"mon": [["09:00", "18:00"]]},
            closed_nth=[{"nth": [4, 2], "day": "tue"}],
            holidays=[["10:00", "15:00"]],
        ),
        "ko",
    )
    assert table.notes == ["매월 둘째·넷째 화요일 휴무", "공휴일: 10:00 – 15:00"]
    english = opening_table(hours(days={"mon": []}, closed_nth=[{"nth": [1], "day": "sun"}]), "en")
    assert english.notes == ["Closed every first Sunday of the month"]


def test_hours_that_nobody_could_read_stand_as_they_were_said() -> None:
    table = opening_table(hours(text="재료 소진 시 마감"), "ko")
    assert (table.days, table.text) == ([], "재료 소진 시 마감")
