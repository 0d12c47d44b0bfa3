"""One taxonomy for whatever goes wrong between us and a provider of answers."""

from typing import Literal

from shared.providers.told import bounded, text_of

FailureCode = Literal[
    "quota_minute",  # a window of minutes is used up: wait `retry_after`
    "quota_day",  # the day's budget is used up: nothing helps before its reset
    "spend_limit",  # the whole key is closed for money
    "budget",  # our own budget for the month is spent: the vendor was not asked
    "model_retired",  # the model's name is unknown to the vendor
    "auth",  # the key is missing, wrong or not allowed
    "blocked",  # the vendor refused the question or its own answer
    "unfinished",  # the answer ended before it was complete
    "empty",  # an answer without content
    "bad_answer",  # not JSON, or not of the shape asked for
    "timeout",
    "connection",
    "server",  # 5xx
    "bad_request",
]

RETRYABLE: frozenset[FailureCode] = frozenset(["quota_minute", "timeout", "connection", "server"])

# How results of jobs name a failure; several codes tell an owner the same.
_REASONS: dict[FailureCode, str] = {
    "quota_minute": "quota",
    "quota_day": "quota",
    "bad_answer": "bad_json",
}


MESSAGE_CHARACTERS = 1000


class ProviderFailure(Exception):
    """A call that gave no usable answer. `retry_after` is in seconds, None when the vendor named no time.

    The message is safe to store: it never holds a key, nor what a database refuses. Nor is `retry_after` beyond a month.
    """

    def __init__(self, code: FailureCode, message: str, *, retry_after: float | None = None) -> None:
        self.code: FailureCode = code
        self.retry_after = None if retry_after is None else bounded(retry_after)
        self.message = text_of(message, MESSAGE_CHARACTERS)
        super().__init__(f"{code}: {self.message}")

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later in the same job."""
        return self.code in RETRYABLE

    @property
    def reason(self) -> str:
        """The name under which a job's result tells why it went on without the provider."""
        return _REASONS.get(self.code, self.code)
