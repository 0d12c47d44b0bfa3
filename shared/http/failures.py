"""How a request can fail: one closed list of codes, for diagnostics and for deciding whether to try again."""

from typing import Literal, get_args

FailureCode = Literal[
    "timeout",
    "dns",
    "blocked_address",
    "robots",
    "http_status",
    "rate_limited",
    "too_large",
    "bad_content_type",
    "bad_encoding",
    "too_many_redirects",
    "bad_url",
    "connection",
    "tls",
    "protocol",
]
FAILURE_CODES: frozenset[str] = frozenset(get_args(FailureCode))

_PASSING = frozenset(["timeout", "rate_limited", "connection", "protocol"])
_PASSING_STATUS = frozenset([408, 425, 429])  # beside every 5xx


class HttpFailure(Exception):
    """A request that gave no usable answer.

    `retryable` says whether the same request may succeed later; `retry_after` is what the server asked for, in
    seconds. The message names the host and never the query, which may carry a key.
    """

    def __init__(
        self,
        code: FailureCode,
        message: str,
        *,
        status: int | None = None,
        retryable: bool | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code: FailureCode = code
        self.status = status
        self.retryable = _passes(code, status) if retryable is None else retryable
        self.retry_after = retry_after


def _passes(code: FailureCode, status: int | None) -> bool:
    if code == "http_status" and status is not None:
        return status >= 500 or status in _PASSING_STATUS
    return code in _PASSING
