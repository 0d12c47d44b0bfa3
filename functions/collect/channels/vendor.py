"""Asking a vendor at the fixed address of the settings: bounded, in turn, and told apart in one list of codes.

No message, note or log of this module holds a key: vendors quote it, and some of them take it in the address.
"""

import asyncio
import json
import re
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from pydantic import SecretStr

from functions.collect.channels import Asking, ChannelOutcome
from functions.collect.channels.redaction import Redaction
from functions.collect.diagnostics import DiagnosticCode
from shared.http import HttpFailure, api_client, retry_after
from shared.http.body import read_body
from shared.logging import logger

ANSWER_BYTES = 2_000_000  # the largest documented answers are some tens of kilobytes
_TRIES = 2  # a passing failure is asked about once more where time allows
_PAUSE = 0.5  # seconds before the second try
_PASSING: frozenset[str] = frozenset(
    ["timeout", "out_of_time", "rate_limited", "connection", "dns", "protocol", "bad_answer"]
)
_QUOTA_DAY_ZONE = timedelta(hours=9)  # Korean vendors' days end at midnight in Seoul
_MESSAGE = 200  # characters of a vendor's own words that are logged


class VendorFailure(Exception):
    """A call that gave no usable answer. `closes` is how long nobody should ask again, None for an ordinary failure."""

    def __init__(
        self,
        code: DiagnosticCode,
        message: str,
        *,
        status: int | None = None,
        retryable: bool | None = None,
        closes: timedelta | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code: DiagnosticCode = code
        self.status = status
        self.retryable = (code in _PASSING or (status or 0) >= 500) if retryable is None else retryable
        self.closes = closes


@dataclass(frozen=True)
class Answer:
    """A 200 of a vendor: `body` as it came, `json` what it decodes to."""

    status: int
    content_type: str
    body: bytes

    def json(self) -> Any:
        """The decoded body. Raises `VendorFailure` (`bad_answer`)."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise VendorFailure("bad_answer", "not the JSON that is documented", status=self.status) from None

    def object(self) -> Mapping[str, Any]:
        """The decoded body, which is to be a JSON object. Raises `VendorFailure` (`bad_answer`)."""
        value = self.json()
        if not isinstance(value, Mapping):
            raise VendorFailure("bad_answer", "no JSON object", status=self.status)
        return value


Refusal = Callable[[int, Mapping[str, str], bytes], VendorFailure | None]


class Vendor:
    """One vendor's interface. `refusal` reads the vendor's own errors, also those inside a 200.

    It is given the status, the headers (names in lower case) and the body with the `secrets` taken out, and takes any
    body. `every` is the least number of seconds between two calls of all sandboxes together; 0 for vendors whose limit
    is beyond our numbers.
    """

    def __init__(
        self,
        channel: str,
        base_url: str,
        ask: Asking,
        *,
        secrets: Sequence[SecretStr],
        refusal: Refusal,
        headers: Mapping[str, str] | None = None,
        every: float = 0.0,
    ) -> None:
        self._channel = channel
        self._base_url = base_url.rstrip("/")
        self._ask = ask
        self._redaction = Redaction(secrets)
        self._refusal = refusal
        self._headers = dict(headers or {})
        self._every = every
        self._http = api_client(ask.settings.channel_timeout)
        self.status: int | None = None  # of the last answer
        self.calls = 0

    async def __aenter__(self) -> "Vendor":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def get(self, path: str, params: Mapping[str, str | int | float], **headers: str) -> Answer:
        """The answer to a GET. Raises `VendorFailure`."""
        return await self._asked("GET", path, params=params, headers=headers)

    async def post(
        self,
        path: str,
        body: Any = None,
        *,
        params: Mapping[str, str | int | float] | None = None,
        form: Mapping[str, str] | None = None,
        **headers: str,
    ) -> Answer:
        """The answer to a POST of a JSON body or a form. Raises `VendorFailure`."""
        return await self._asked("POST", path, params=params, json_body=body, form=form, headers=headers)

    async def _asked(self, method: str, path: str, **request: Any) -> Answer:
        for attempt in range(1, _TRIES + 1):
            await self._turn()
            try:
                return await self._once(method, path, **request)
            except VendorFailure as failure:
                if failure.closes is not None:
                    await self._ask.gate.close(self._channel, failure.code, failure.closes)
                again = failure.retryable and failure.closes is None and attempt < _TRIES
                if not again or self._ask.left() < _PAUSE + 1:
                    self._log(failure)
                    raise
            await asyncio.sleep(_PAUSE)
        raise AssertionError("unreachable")

    async def _turn(self) -> None:
        left = self._ask.left()
        if left > 0:
            await asyncio.sleep(await self._ask.gate.turn(self._channel, every=self._every, at_most=left / 2))
        if self._ask.left() <= 0:
            raise VendorFailure("out_of_time", "no time was left to ask")

    async def _once(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int | float] | None = None,
        json_body: Any = None,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str],
    ) -> Answer:
        seconds = min(self._ask.settings.channel_timeout, self._ask.left())
        self.calls += 1
        try:
            async with asyncio.timeout(seconds):
                return await self._read(method, path, params, json_body, form, headers)
        except (TimeoutError, httpx.TimeoutException):
            raise VendorFailure("timeout", f"no whole answer within {seconds:.3g} s") from None
        except (httpx.RemoteProtocolError, httpx.DecodingError):
            raise VendorFailure("protocol", "an answer that is cut or not HTTP") from None
        except httpx.RequestError as error:
            raise VendorFailure(_connection_code(error), type(error).__name__) from None

    async def _read(
        self,
        method: str,
        path: str,
        params: Mapping[str, str | int | float] | None,
        json_body: Any,
        form: Mapping[str, str] | None,
        headers: Mapping[str, str],
    ) -> Answer:
        sent = {"Accept-Encoding": "identity", "Accept": "application/json", **self._headers, **headers}
        async with self._http.stream(
            method, self._base_url + path, params=params, json=json_body, data=form, headers=sent
        ) as response:
            self.status = response.status_code
            named = {name.lower(): value for name, value in response.headers.items()}
            try:
                body = await read_body(response.aiter_raw(), named.get("content-encoding", ""), ANSWER_BYTES)
            except HttpFailure as failure:
                raise VendorFailure(
                    failure.code,
                    f"{ANSWER_BYTES} bytes of plain or gzip are read",
                    status=self.status,
                    retryable=failure.retryable,
                ) from None
        told = self._redaction.body(body)
        refused = self._refusal(response.status_code, named, told) or _by_status(response.status_code, named)
        if refused is not None:
            raise self._told(refused, response.status_code)
        return Answer(response.status_code, named.get("content-type", ""), body)

    def _told(self, failure: VendorFailure, status: int) -> VendorFailure:
        return VendorFailure(
            failure.code,
            self._redaction.text(str(failure).partition(": ")[2])[:_MESSAGE],
            status=failure.status or status,
            retryable=failure.retryable,
            closes=failure.closes,
        )

    def _log(self, failure: VendorFailure) -> None:
        logger.warning(
            "a vendor gave no usable answer",
            extra={
                "channel": self._channel,
                "place_id": str(self._ask.known.place.place_id),
                "code": failure.code,
                "http_status": failure.status,
                "said": str(failure),
            },
        )


def _connection_code(error: httpx.RequestError) -> DiagnosticCode:
    """What kept a connection from being made: the name, the certificate, or the rest."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, socket.gaierror):
            return "dns"
        if isinstance(cause, ssl.SSLError):
            return "tls"
        cause = cause.__cause__ or cause.__context__
    return "connection"


def _by_status(status: int, headers: Mapping[str, str]) -> VendorFailure | None:
    """What a status says by itself, for what the vendor's own error does not explain."""
    if status == 200:
        return None
    if status in (401, 403):
        return VendorFailure("auth", f"HTTP {status}", status=status)
    if status == 429:
        return VendorFailure(
            "rate_limited", "HTTP 429", status=status, closes=timedelta(seconds=wait_of(headers))
        )
    if status == 400:
        return VendorFailure("bad_request", "HTTP 400", status=status)
    return VendorFailure("http_status", f"HTTP {status}", status=status)


def wait_of(headers: Mapping[str, str], default: float = 60.0) -> float:
    """The seconds of a Retry-After header; at most a day, `default` without one."""
    wait = retry_after(headers.get("retry-after", ""))
    return default if wait is None else wait


def until_midnight(now: datetime | None = None) -> timedelta:
    """How long a Korean vendor's day still lasts."""
    seoul = (now or datetime.now(UTC)) + _QUOTA_DAY_ZONE
    return seoul.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1) - seoul


async def asked(
    ask: Asking, keys: Sequence[SecretStr | None], work: Callable[[ChannelOutcome], Awaitable[None]]
) -> ChannelOutcome:
    """The outcome of `work`, which fills in what it finds; what it found before a failure stays: `partial`.

    `keys` are those the vendor needs; `work` is not begun without one. An outcome without facts and photos is
    `empty`, with `not_this_place` where answers were rejected.
    """
    began = time.monotonic()
    outcome = ChannelOutcome("ok", whole=True)
    try:
        _check(ask, keys)
        await work(outcome)
    except VendorFailure as failure:
        outcome.code = failure.code
        outcome.http_status = failure.status
        outcome.retryable = failure.retryable
        outcome.whole = False
        outcome.outcome = "partial" if outcome.facts or outcome.photos else "failed"
    else:
        if not outcome.facts and not outcome.photos and outcome.counts is None:
            outcome.outcome = "empty"
            if outcome.rejected and outcome.code is None:
                outcome.code = "not_this_place"
    outcome.milliseconds = round((time.monotonic() - began) * 1000)
    return outcome


def missing_key(ask: Asking, *keys: SecretStr | None) -> DiagnosticCode | None:
    """`no_key` where a key is not set; a secret of keys that cannot be read is no reason to skip but a failure."""
    return None if all(keys) or ask.keys.problem is not None else "no_key"


def _check(ask: Asking, keys: Sequence[SecretStr | None]) -> None:
    if not all(keys):
        raise VendorFailure("auth", ask.keys.problem or "no key is set")
    if not all(re.fullmatch(r"[!-~]+", key.get_secret_value()) for key in keys if key):
        raise VendorFailure("auth", "a key with signs that no key has")
