"""Every request to the outside: guarded for addresses that come from data, plain for vendors of the settings."""

from shared.http.client import REDIRECTS, Fetched, GuardedClient, api_client, ssl_context
from shared.http.failures import FAILURE_CODES, FailureCode, HttpFailure
from shared.http.guard import parse_allowance
from shared.http.waiting import retry_after

__all__ = [
    "FAILURE_CODES",
    "REDIRECTS",
    "FailureCode",
    "Fetched",
    "GuardedClient",
    "HttpFailure",
    "api_client",
    "parse_allowance",
    "retry_after",
    "ssl_context",
]
