"""What the services of Korea's open data portal share: their key, their many ways to refuse, their lists of items.

The gateway answers for all services, and whatever form was asked for: with JSON, with XML, with a line of text, under
200 as well as under 4xx. Its XML is searched for one number and never parsed, so that no entity can unfold.
"""

import json
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import unquote

from pydantic import SecretStr

from functions.collect.channels.reading import text_at
from functions.collect.channels.vendor import Answer, VendorFailure, until_midnight
from functions.collect.diagnostics import DiagnosticCode

EVERY = 0.05  # seconds between two calls; the gateway refuses more than thirty a second
_SECOND = timedelta(seconds=5)  # how long nobody asks after that refusal
_LOOKED_AT = 4096  # characters of an answer that is not JSON in which its reason must stand

_GOOD = frozenset(["0", "00", "000", "0000", "OK"])
_NO_DATA = "03"
# By the number of the gateway, or the negative one of its younger part. `http_status` and `timeout` are those of the
# service behind the gateway, which says so inside an answer of its own.
_REASONS: dict[str, DiagnosticCode] = {
    **dict.fromkeys(["01", "02", "04", "99", "-1"], "http_status"),
    "05": "timeout",
    **dict.fromkeys(["10", "11", "12", "-2", "-3", "-9"], "bad_request"),
    **dict.fromkeys(["20", "21", "29", "30", "31", "32", "33", "-4", "-401"], "auth"),
    **dict.fromkeys(["22", "-10"], "quota_day"),
    "23": "rate_limited",
}
# What stands in place of a number, each with the number it means.
_WORDS = {
    "APPLICATION_ERROR": "01",
    "INTERNAL_ERROR": "01",
    "DB_ERROR": "02",
    "NODATA_ERROR": _NO_DATA,
    "HTTP_ERROR": "04",
    "Error receiving response from backend server": "04",
    "SERVICETIMEOUT_ERROR": "05",
    "SERVICETIME_OUT": "05",
    "INVALID_REQUEST_PARAMETER_ERROR": "10",
    "BAD_JSON_REQUEST": "10",
    "REQUEST_DATA_MALFORMED": "10",
    "TOO_LARGE_REQUEST": "10",
    "NO_MANDATORY_REQUEST_PARAMETERS_ERROR": "11",
    "NO_OPENAPI_SERVICE_ERROR": "12",
    "SERVICE_ACCESS_DENIED_ERROR": "20",
    "SERVICE_KEY_IS_NULL": "20",
    "TEMPORARILY_DISABLE_THE_SERVICEKEY_ERROR": "21",
    "LIMITED_NUMBER_OF_SERVICE_REQUESTS_EXCEEDS_ERROR": "22",
    "API token quota exceeded": "22",
    "LIMITED_NUMBER_OF_SERVICE_REQUESTS_PER_SECOND_EXCEEDS_ERROR": "23",
    "API rate limit exceeded": "23",
    "BLACKLIST_IP_ACCESS_ERROR": "29",
    "SERVICE_KEY_IS_NOT_REGISTERED_ERROR": "30",
    "DEADLINE_HAS_EXPIRED_ERROR": "31",
    "UNREGISTERED_IP_ERROR": "32",
    "UNSIGNED_CALL_ERROR": "33",
    "UNKNOWN_ERROR": "99",
}
_NUMBER = re.compile(r"<(?:returnReasonCode|resultCode)>\s*(-?\d{1,4})\s*<")
_PATHS = (
    ("response", "header", "resultCode"),
    ("OpenAPI_ServiceResponse", "cmmMsgHeader", "returnReasonCode"),
    ("cmmMsgHeader", "returnReasonCode"),
    ("resultCode",),
    ("status_code",),
    ("code",),
)


def service_key(key: SecretStr) -> str:
    """The key as it goes into the parameters of a request, which encode it.

    The portal issues every key twice, plain and percent-encoded, and knows none that is encoded two times.
    """
    text = key.get_secret_value().strip()
    return unquote(text) if re.search("%[0-9A-Fa-f]{2}", text) else text


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> VendorFailure | None:
    """The refusal that an answer holds, under whatever status; None for a good one and one that gives no reason."""
    reason = _reason(body)
    if reason is None or reason in _GOOD or reason == _NO_DATA:
        return None
    code = _REASONS.get(reason, "bad_answer")
    message = f"reason {reason}"
    if code == "quota_day":
        return VendorFailure(code, message, status=status, closes=until_midnight())
    if code == "rate_limited":
        return VendorFailure(code, message, status=status, closes=_SECOND)
    passes = code in ("http_status", "timeout", "bad_answer")
    return VendorFailure(code, message, status=status, retryable=passes)


def items(answer: Answer) -> tuple[list[Mapping[str, Any]], int]:
    """The items of an answer, and how many the service has in all.

    An empty list comes as an empty text, a list of one as the item itself, the number as a text. Raises
    `VendorFailure` (`bad_answer`) for anything but these.
    """
    reason = _reason(answer.body)
    if reason == _NO_DATA:
        return [], 0
    body = _under(answer.object(), "response", "body")
    if reason not in _GOOD or not isinstance(body, Mapping) or "items" not in body:
        raise VendorFailure("bad_answer", "an answer without a header or items", status=answer.status)
    held = body["items"]
    found = _under(held, "item") if held else []
    listed = [found] if isinstance(found, Mapping) else found or []
    if not isinstance(listed, list) or not all(isinstance(item, Mapping) for item in listed):
        raise VendorFailure("bad_answer", "items that are no list of objects", status=answer.status)
    total = text_at(body, "totalCount")
    return listed, int(total) if re.fullmatch("[0-9]{1,9}", total) else len(listed)


def _reason(body: bytes) -> str | None:
    """The number an answer gives as its reason, or its word for it when that is not known; None without one."""
    text = body.decode("utf-8", "replace").lstrip("\ufeff \r\n\t")
    if text.startswith("{"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return None
        reason = next(filter(None, (text_at(value, *path) for path in _PATHS)), None)
        return None if reason is None else _WORDS.get(reason, reason)
    text = text[:_LOOKED_AT]
    number = _NUMBER.search(text)
    if number is not None:
        return number[1]
    return next((reason for word, reason in _WORDS.items() if word in text), None)


def _under(value: Any, *path: str) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
