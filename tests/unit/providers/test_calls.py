from datetime import date

import pytest

from shared.providers.calls import PRICES, cost_usd, most_usd
from shared.quota.estimates import generation, searched_answer


@pytest.mark.parametrize(("day", "dollars"), [(date(2026, 12, 31), 4.5), (date(2027, 1, 1), 9.0)])
def test_a_price_is_the_one_in_force_on_the_day(day: date, dollars: float) -> None:
    assert cost_usd("gemini-3.8-flash", 1_000_000, 1_000_000, on=day) == dollars


def test_what_is_not_known_costs_none_and_not_nothing() -> None:
    assert cost_usd("a-model-of-tomorrow", 1000, 1000) is None
    assert cost_usd("gemini-3.8-flash", None, None) is None


def test_a_model_without_a_price_is_reserved_at_the_dearest_so_that_the_budget_holds_it() -> None:
    unknown = most_usd("a-model-of-tomorrow", 1_000_000, 1_000_000)
    assert unknown >= max(price.input + price.output for prices in PRICES.values() for price in prices)
    assert most_usd("gemini-3.5-flash-lite", 1_000_000, 1_000_000) == 2.8
    assert (generation("a-model-of-tomorrow", ["word"], max_output_tokens=1000).cost_usd or 0) > 0
    assert (searched_answer("a-model-of-tomorrow").cost_usd or 0) > 0
