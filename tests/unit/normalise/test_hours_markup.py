"""Opening hours of schema.org markup and of JSON, checked and put in one form."""

from datetime import date
from typing import Any

import pytest

from shared.places.normalise import hours_from_schema, normalise_hours


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


@pytest.mark.parametrize("empty", [None, "", "00:00"])
def test_fields_that_were_left_empty_close_no_business(empty: str | None) -> None:
    week = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    assert hours_from_schema([], [spec(day, empty, empty) for day in week], today=TODAY) is None


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
