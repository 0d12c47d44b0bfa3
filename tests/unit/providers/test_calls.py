from datetime import date

import pytest

from shared.providers.calls import cost_usd


@pytest.mark.parametrize(("day", "dollars"), [(date(2026, 12, 31), 4.5), (date(2027, 1, 1), 9.0)])
def test_a_price_is_the_one_in_force_on_the_day(day: date, dollars: float) -> None:
    assert cost_usd("gemini-3.8-flash", 1_000_000, 1_000_000, on=day) == dollars


def test_what_is_not_known_costs_none_and_not_nothing() -> None:
    assert cost_usd("a-model-of-tomorrow", 1000, 1000) is None
    assert cost_usd("gemini-3.8-flash", None, None) is None
