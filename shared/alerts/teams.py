"""Posting to a Microsoft Teams Workflows webhook.

The whole URL is the secret. httpx puts it into its exceptions and its log lines; here exceptions are translated into
ones without it and those loggers are quiet.
"""

import asyncio
import email.utils
import math
import re
import time
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

import httpx
from pydantic import SecretStr

from shared.http import api_client

POST_TIMEOUT = 10.0  # seconds
# Above four posts a second Teams answers 429.
_SECONDS_BETWEEN_POSTS = 0.3  # room for a post that is held up on its way
_LONGEST_RETRY_AFTER = 3600.0  # seconds; a receiver that names a longer time is asked again after an hour
# Connectors that Workflows replaced answer 200 and say in words what went wrong behind them.
_FAILED_BEHIND = re.compile(rb"returned HTTP error (\d{3})")
_READ = 4 * 1024  # bytes of an answer that are looked at


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

    def __init__(self, url: SecretStr, *, timeout: float = POST_TIMEOUT) -> None:
        self._url = url
        self._timeout = timeout
        self._client: httpx.AsyncClient | None = None
        self._next_post = 0.0

    async def __aenter__(self) -> Self:
        self._client = api_client(self._timeout)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def turn(self) -> None:
        """Wait until one more post is within what Teams takes."""
        wait = self._next_post - time.monotonic()
        if wait > 0:
            await asyncio.sleep(wait)
        self._next_post = time.monotonic() + _SECONDS_BETWEEN_POSTS

    async def post(self, body: bytes) -> None:
        """Post one message; returns when Teams has accepted it. Await `turn` before.

        Raises `TeamsUnavailableError` or `TeamsRefusedError`, neither of which carries the URL.
        """
        if self._client is None:
            raise RuntimeError("the webhook is used inside `async with`")
        try:
            async with (
                asyncio.timeout(self._timeout),
                self._client.stream(
                    "POST",
                    self._url.get_secret_value(),
                    content=body,
                    headers={"content-type": "application/json; charset=utf-8"},
                    follow_redirects=False,
                ) as response,
            ):
                # 202 is the acceptance: whatever becomes of its body, posting again would post twice.
                text = b"" if response.status_code == 202 else await _beginning(response)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, ValueError):
            # No row's fault: they wait for a better setting.
            raise TeamsUnavailableError("the webhook's address is no usable URL") from None
        except (httpx.HTTPError, TimeoutError) as error:
            raise TeamsUnavailableError(f"Teams could not be reached: {type(error).__name__}") from None
        _judge(response, text)


async def _beginning(response: httpx.Response) -> bytes:
    text = b""
    async for chunk in response.aiter_raw():
        text += chunk
        if len(text) >= _READ:
            break
    return text[:_READ]


def _judge(response: httpx.Response, text: bytes) -> None:
    status = response.status_code
    behind = _FAILED_BEHIND.search(text) if status == 200 else None
    if behind is not None:
        status = int(behind[1])
    elif 200 <= status < 300:
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
        except (ValueError, OverflowError):
            return None
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        seconds = (when - datetime.now(UTC)).total_seconds()
    return None if math.isnan(seconds) else min(max(seconds, 0.0), _LONGEST_RETRY_AFTER)
