"""What the two servers say when they do not answer."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from functions.collect.channels.vendor import VendorFailure, wait_of

_BLOCKED = timedelta(hours=1)  # a server that turned us away is not asked by the next job as well
_BUSY = 60.0  # seconds; what is refused is refused for its load


def nominatim_refusal(status: int, headers: Mapping[str, str], body: bytes) -> VendorFailure | None:
    """A 403 is for who breaks the usage policy; an `error` object may come with any status."""
    if status == 403:
        return VendorFailure("auth", "HTTP 403: the server does not serve us", closes=_BLOCKED)
    if status == 429:
        return VendorFailure("rate_limited", "HTTP 429", closes=timedelta(seconds=wait_of(headers, _BUSY)))
    error = _object(body).get("error")
    if error:
        said = error.get("message") if isinstance(error, Mapping) else error
        return VendorFailure(
            "bad_request" if status in (200, 400) else "http_status", str(said), status=status
        )
    return None


def overpass_refusal(status: int, headers: Mapping[str, str], body: bytes) -> VendorFailure | None:
    """429 and 504 are its load; a query that ran out of time or memory says so in the `remark` of a 200."""
    if status in (429, 504):
        closes = timedelta(seconds=wait_of(headers, _BUSY))
        return VendorFailure("rate_limited", f"HTTP {status}: no free slot", closes=closes)
    if status == 403:
        return VendorFailure("auth", "HTTP 403: the server does not serve us", closes=_BLOCKED)
    remark = _object(body).get("remark") if status == 200 else None
    if isinstance(remark, str) and "error" in remark.lower():
        return VendorFailure("timeout" if "timed out" in remark else "bad_answer", remark)
    return None


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}
