"""What a failed call of Gemini means, read defensively: details come as objects, lists, text or not at all."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from shared.providers.failures import ProviderFailure
from shared.providers.told import seconds_of

_DURATION = re.compile(r"^\s*(\d+(?:\.\d+)?)s\s*$")
_SPEND = re.compile(r"spend|billing|budget|prepay", re.IGNORECASE)
_KEY_REASONS = ("API_KEY_INVALID", "API_KEY_EXPIRED", "API_KEY_SERVICE_BLOCKED")
_MESSAGE_LIMIT = 300  # characters


def failure_of_status(
    status: int, message: str | None, details: Any, headers: Mapping[str, str] | None = None
) -> ProviderFailure:
    """The failure behind an HTTP status that is not 200. `details` is the decoded body, of whatever shape."""
    text = f"HTTP {status}: {(message or 'no message')[:_MESSAGE_LIMIT]}"
    retry_after = _retry_after(details, headers or {})
    if status == 429:
        return _quota_failure(text, details, retry_after)
    if status in (401, 403):
        return ProviderFailure("auth", text)
    if status == 404:
        return ProviderFailure("model_retired", text)
    if status in (408, 504):
        return ProviderFailure("timeout", text, retry_after=retry_after)
    if status >= 500:
        return ProviderFailure("server", text, retry_after=retry_after)
    if status == 400 and any(reason in json.dumps(details, default=str) for reason in _KEY_REASONS):
        return ProviderFailure("auth", text)
    if 400 <= status < 500:
        return ProviderFailure("bad_request", text)
    return ProviderFailure("bad_answer", text)  # a redirect, or a success that is none


def _quota_failure(text: str, details: Any, retry_after: float | None) -> ProviderFailure:
    quota_ids = [
        str(violation.get(name, ""))
        for violation in _violations(details)
        for name in ("quotaId", "quota_id", "quotaMetric", "quota_metric")
    ]
    if any("PerDay" in quota_id for quota_id in quota_ids):
        return ProviderFailure("quota_day", text, retry_after=retry_after)
    if any(_SPEND.search(quota_id) for quota_id in quota_ids) or _SPEND.search(text):
        return ProviderFailure("spend_limit", text, retry_after=retry_after)
    return ProviderFailure("quota_minute", text, retry_after=retry_after)


def _violations(details: Any) -> Iterator[Mapping[str, Any]]:
    for detail in _details(details):
        violations = detail.get("violations")
        if isinstance(violations, list):
            yield from (violation for violation in violations if isinstance(violation, Mapping))


def _details(body: Any) -> Iterator[Mapping[str, Any]]:
    error = body.get("error") if isinstance(body, Mapping) else None
    details = error.get("details") if isinstance(error, Mapping) else None
    if isinstance(details, Mapping):
        details = [details]
    if isinstance(details, list):
        yield from (detail for detail in details if isinstance(detail, Mapping))


def _retry_after(body: Any, headers: Mapping[str, str]) -> float | None:
    for detail in _details(body):
        match = _DURATION.match(str(detail.get("retryDelay", detail.get("retry_delay", ""))))
        if match:
            return float(match.group(1))
    # The header's other form, a date, would have to be read against this machine's clock: it counts as not given.
    stated = str({name.lower(): value for name, value in headers.items()}.get("retry-after", "")).strip()
    return seconds_of(stated)
