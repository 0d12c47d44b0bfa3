import math

import pytest

from shared.providers.failures import FailureCode, ProviderFailure
from shared.providers.patience import with_patience


class Vendor:
    """Fails with the given failures in turn, then answers."""

    def __init__(self, *failures: tuple[FailureCode, float | None]) -> None:
        self._failures = list(failures)
        self.asked = 0

    async def __call__(self) -> str:
        self.asked += 1
        if self._failures:
            code, retry_after = self._failures.pop(0)
            raise ProviderFailure(code, "no", retry_after=retry_after)
        return "yes"


async def test_a_short_wait_the_vendor_names_is_waited_for() -> None:
    vendor = Vendor(("timeout", 0.01), ("server", 0.01))

    assert await with_patience(vendor, wait=1, remaining=lambda: math.inf) == "yes"
    assert vendor.asked == 3


@pytest.mark.parametrize(
    ("code", "retry_after", "wait", "remaining"),
    [
        ("server", 33.2, 20.0, math.inf),
        ("server", 5.0, 20.0, 5.0),
        ("connection", None, 0.0, math.inf),
        ("quota_day", 0.0, 20.0, math.inf),
        ("blocked", None, 20.0, math.inf),
    ],
)
async def test_a_wait_that_does_not_fit_or_help_is_not_begun(
    code: FailureCode, retry_after: float | None, wait: float, remaining: float
) -> None:
    vendor = Vendor((code, retry_after))

    with pytest.raises(ProviderFailure):
        await with_patience(vendor, wait=wait, remaining=lambda: remaining)
    assert vendor.asked == 1


async def test_a_used_up_minute_is_left_to_the_governor_to_wait_for() -> None:
    vendor = Vendor(("quota_minute", 600.0))

    assert await with_patience(vendor, wait=0, remaining=lambda: math.inf) == "yes"
    assert vendor.asked == 2


async def test_all_waits_together_stay_within_the_bound() -> None:
    vendor = Vendor(("server", 0.03), ("server", 0.03))

    with pytest.raises(ProviderFailure):
        await with_patience(vendor, wait=0.05, remaining=lambda: math.inf)
    assert vendor.asked == 2


async def test_three_tries_are_all() -> None:
    vendor = Vendor(*[("server", 0.0)] * 5)

    with pytest.raises(ProviderFailure):
        await with_patience(vendor, wait=60, remaining=lambda: math.inf)
    assert vendor.asked == 3
