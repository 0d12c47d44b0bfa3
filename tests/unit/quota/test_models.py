"""Meters, estimates and refusals, without a database."""

from dataclasses import asdict

import pytest
from pydantic import SecretStr

from shared.providers.calls import cost_usd
from shared.quota import (
    BudgetSpent,
    BudgetSpentError,
    Estimate,
    Limits,
    Meter,
    NoQuotaError,
    Terms,
    Wait,
    key_hash,
)
from shared.quota.estimates import generation, searched_answer
from shared.settings import Settings

KEY = SecretStr("AIza-not-a-real-key")
METER = Meter.of("gemini", KEY, "gemini-3.8-flash")


def test_a_key_is_named_by_a_hash_that_is_always_the_same_and_not_the_key() -> None:
    assert key_hash(KEY) == key_hash(SecretStr(KEY.get_secret_value()))
    assert key_hash(KEY) != key_hash(SecretStr("AIza-not-a-real-kez"))
    assert len(key_hash(KEY)) == 12
    assert KEY.get_secret_value() not in f"{METER!r}{METER}{asdict(METER)}"


def test_a_meter_is_of_one_model() -> None:
    with pytest.raises(ValueError, match="one model"):
        Meter.of("gemini", KEY, "*")


def test_geminis_day_is_pacific_and_others_are_utc() -> None:
    assert METER.day_zone == "America/Los_Angeles"
    assert Meter.of("perplexity", KEY, "perplexity/sonar").day_zone == "UTC"


@pytest.mark.parametrize(
    ("tokens", "cost"), [(-1, None), (2**31, None), (1, -0.1), (1, float("nan")), (1, 1e9)]
)
def test_an_estimate_is_a_figure(tokens: int, cost: float | None) -> None:
    with pytest.raises(ValueError, match="not what a call may take"):
        Estimate(tokens, cost)


def test_terms_are_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "QUOTA_REQUESTS_MINUTE": "30",
        "QUOTA_TOKENS_MINUTE": "1000",
        "QUOTA_REQUESTS_DAY": "400",
        "QUOTA_TOKENS_DAY": "",
        "QUOTA_RESERVED_SHARE": "0.5",
        "QUOTA_WINDOW_SECONDS": "2",
        "QUOTA_MARGIN_SECONDS": "0.5",
        "QUOTA_SEND_SECONDS": "3",
        "AI_MONTHLY_BUDGET_USD": "12.5",
    }.items():
        monkeypatch.setenv(name, value)
    assert Terms.of(Settings()) == Terms(Limits(30, 1000, 400, None, 0.5), 12.5, 2.0, 0.5, 3.0)


def test_a_question_is_estimated_at_all_it_may_take() -> None:
    asked = generation("gemini-3.8-flash", ["가나다", "abcd"], images=2, max_output_tokens=6_000)
    given = asked.tokens - 6_000
    assert 2 * 1_120 + 3 + 1 <= given < 2 * 1_120 + 300
    assert asked.cost_usd == cost_usd("gemini-3.8-flash", given, 6_000)


def test_a_searched_answer_is_estimated_with_its_searches() -> None:
    asked = searched_answer("perplexity/sonar")
    assert asked.tokens > 10_000
    assert 0.007 < (asked.cost_usd or 0) < 0.05


@pytest.mark.parametrize(
    ("reason", "closed_by", "code", "told"),
    [
        ("requests_minute", None, "quota_minute", "quota"),
        ("tokens_minute", None, "quota_minute", "quota"),
        ("requests_day", None, "quota_day", "quota"),
        ("tokens_day", None, "quota_day", "quota"),
        ("busy", None, "quota_minute", "quota"),
        ("closed", "quota_day", "quota_day", "quota"),
        ("closed", "spend_limit", "spend_limit", "spend_limit"),
        ("closed", "by hand", "quota_minute", "quota"),
    ],
)
def test_a_refusal_is_a_failure_of_the_provider(
    reason: str, closed_by: str | None, code: str, told: str
) -> None:
    error = NoQuotaError(Wait(METER, 12.345, reason, closed_by))
    assert (error.code, error.reason, error.retry_after, error.retryable) == (code, told, 12.345, False)
    assert "gemini gemini-3.8-flash for 12.3 s" in str(error)


def test_a_spent_budget_has_a_reason_of_its_own() -> None:
    error = BudgetSpentError(BudgetSpent("5.00 of 5.0 USD are spent or under way"))
    assert (error.reason, error.retryable) == ("budget", False)


def test_progress_says_what_closed_the_way() -> None:
    assert Wait(METER, 5.04, "closed", "quota_day", "HTTP 429").progress() == {
        "waiting_for": "closed",
        "closed_by": "quota_day",
        "provider": "gemini",
        "model": "gemini-3.8-flash",
        "wait_sec": 5.0,
    }
