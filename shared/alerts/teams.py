"""Posting to a Microsoft Teams Workflows webhook.

The whole URL is the secret. httpx puts it into its exceptions and its log lines; here exceptions are translated into
ones without it and those loggers are quiet.
"""

import asyncio
import email.utils
import json
import logging
import math
import time
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

import httpx
from pydantic import SecretStr

from shared.http import api_client

POST_TIMEOUT = 10.0  # seconds
# Above four posts a second Teams answers 429.
_SECONDS_BETWEEN_POSTS = 0.26
_LONGEST_RETRY_AFTER = 3600.0  # seconds; a receiver that names a longer time is asked again after an hour

for _name in ("httpx", "httpcore"):
    logging.getLogger(_name).setLevel(logging.WARNING)


class TeamsUnavailableError(Exception):
    """The post did not arrive and may be tried again: the network, 429, 5xx. `retry_after` is in seconds."""

    def __init__(self, message: str, *, retry_after: float | None = None, throttled: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.throttled = throttled


class TeamsRefusedError(Exception):
    """The receiver will never take this post as it is."""


class TeamsWebhook:
    """A webhook, open for a run of posts that are paced to what Teams takes."""

    def __init__(self, url: SecretStr) -> None:
        self._url = url
        self._client: httpx.AsyncClient | None = None
        self._next_post = 0.0

    async def __aenter__(self) -> Self:
        self._client = api_client(POST_TIMEOUT)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def post(self, message: dict[str, Any]) -> None:
        """Post one message; returns when Teams has accepted it.

        Raises `TeamsUnavailableError` or `TeamsRefusedError`, neither of which carries the URL.
        """
        if self._client is None:
            raise RuntimeError("the webhook is used inside `async with`")
        await self._pace()
        body = json.dumps(message, ensure_ascii=False).encode()
        try:
            async with asyncio.timeout(POST_TIMEOUT):
                response = await self._client.post(
                    self._url.get_secret_value(),
                    content=body,
                    headers={"content-type": "application/json; charset=utf-8"},
                    follow_redirects=False,
                )
        except (httpx.InvalidURL, httpx.UnsupportedProtocol):
            raise TeamsRefusedError("the webhook's address is no usable URL") from None
        except (httpx.HTTPError, TimeoutError) as error:
            raise TeamsUnavailableError(f"Teams could not be reached: {type(error).__name__}") from None
        _judge(response)

    async def _pace(self) -> None:
        wait = self._next_post - time.monotonic()
        if wait > 0:
            await asyncio.sleep(wait)
        self._next_post = time.monotonic() + _SECONDS_BETWEEN_POSTS


def _judge(response: httpx.Response) -> None:
    status = response.status_code
    if 200 <= status < 300:
        return
    if status == 429 or status >= 500 or status in (408, 425):
        raise TeamsUnavailableError(
            f"Teams answered {status}",
            retry_after=_retry_after(response.headers.get("retry-after")),
            throttled=status == 429,
        )
    raise TeamsRefusedError(f"Teams answered {status}")


def _retry_after(header: str | None) -> float | None:
    """The header's seconds, or its date as seconds from now; None when there is none that can be read."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            when = email.utils.parsedate_to_datetime(header)
        except ValueError:
            return None
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        seconds = (when - datetime.now(UTC)).total_seconds()
    return None if math.isnan(seconds) else min(max(seconds, 0.0), _LONGEST_RETRY_AFTER)
