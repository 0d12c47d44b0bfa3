"""Trying a provider again, within a bound."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from shared.providers.failures import ProviderFailure

Answer = TypeVar("Answer")

FIRST_PAUSE = 1.0  # seconds before the second try when the vendor named no time; doubled for each further one
MAX_TRIES = 3


async def with_patience(
    call: Callable[[], Awaitable[Answer]], *, wait: float, remaining: Callable[[], float]
) -> Answer:
    """The answer of `call`, tried up to three times while failures are retryable.

    All pauses together last at most `wait` seconds, and none is begun that would leave less of `remaining()` than it
    takes. The vendor's `retry_after` is kept to: when it does not fit, the failure is raised at once. A window of minutes
    that is used up is asked about at once: the way to the provider is closed by then, and waits or refuses by itself.
    Raises the last `ProviderFailure`.
    """
    pause = FIRST_PAUSE
    for tries_left in range(MAX_TRIES - 1, -1, -1):
        try:
            return await call()
        except ProviderFailure as failure:
            delay = failure.retry_after if failure.retry_after is not None else pause
            if failure.code == "quota_minute":
                delay = 0.0
            if not failure.retryable or tries_left == 0 or delay > wait or delay >= remaining():
                raise
            await asyncio.sleep(delay)
            wait -= delay
            pause *= 2
    raise AssertionError("the last try returns or raises")
