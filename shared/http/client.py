"""Requests to addresses that come from data: guarded, bounded in time and size, without memory between them."""

import asyncio
import logging
import ssl
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import TracebackType
from typing import Self

import httpcore
import httpx

from shared.http.body import read_body
from shared.http.failures import HttpFailure
from shared.http.guard import (
    GuardedBackend,
    HostPort,
    Resolver,
    Target,
    parse_allowance,
    parse_target,
    resolve,
)
from shared.http.waiting import retry_after

# Both log the address of every request, in which some vendors take their key, when whoever runs the code asks for INFO.
for _name in ("httpx", "httpcore"):
    logging.getLogger(_name).setLevel(logging.WARNING)

REDIRECTS = 5
_CONNECTIONS = 20  # of one client, to as many hosts
_REDIRECT_STATUS = frozenset([301, 302, 303, 307, 308])


@dataclass(frozen=True)
class Fetched:
    """A successful answer. `url` was asked for, `final_url` answered; `content_type` is the media type alone."""

    url: str
    final_url: str
    status: int
    headers: Mapping[str, str]
    content_type: str
    body: bytes
    milliseconds: int

    @property
    def is_redirect(self) -> bool:
        """Whether this is a redirect that was not followed; `final_url` is where it leads."""
        return self.status in _REDIRECT_STATUS


@lru_cache(maxsize=1)
def ssl_context() -> ssl.SSLContext:
    """The verification every request uses: the bundled authorities, nothing of the environment."""
    return httpx.create_ssl_context(trust_env=False)


class GuardedClient:
    """GET requests through the guard; no proxies, no cookies, no credentials, redirects checked one by one.

    `allow` holds the exceptions, as "host:port, host:port" or as pairs. `resolver`, `network` and `tls` take the
    place of the system's own, for hosts that a test runs. Used as an async context manager; requests to one host
    take turns on one connection.
    """

    def __init__(
        self,
        *,
        user_agent: str,
        allow: str | Iterable[HostPort] = (),
        resolver: Resolver = resolve,
        network: httpcore.AsyncNetworkBackend | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._allow = parse_allowance(allow) if isinstance(allow, str) else frozenset(allow)
        self._user_agent = user_agent
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls or ssl_context(),
            max_connections=_CONNECTIONS,
            max_keepalive_connections=_CONNECTIONS,
            keepalive_expiry=15.0,
            retries=0,
            network_backend=GuardedBackend(self._allow, resolver, network),
        )
        self._turns: dict[HostPort, asyncio.Lock] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._pool.aclose()

    def is_allowed_exception(self, url: str) -> bool:
        """Whether the address is one of the exceptions rather than of the public internet."""
        target = parse_target(url, self._allow)
        return (target.host, target.port) in self._allow

    async def get(
        self,
        url: str,
        *,
        max_bytes: int,
        accept: tuple[str, ...],
        timeout: float,
        cut: bool = False,
        leave: bool = True,
    ) -> Fetched:
        """The answer of `url` after at most five redirects.

        `accept` lists the media types that are taken ("text/html"), or "*/*". `timeout` is in seconds, for
        everything together but the wait for another request to the same host. `cut` takes the beginning of a body
        that is too large. Without `leave` a redirect to another origin is not followed but is the answer: its status,
        and in `final_url` where it leads. Raises HttpFailure.
        """
        target = parse_target(url, self._allow)
        asking = _Asking(max_bytes, accept, timeout, cut)
        async with self._turns.setdefault((target.host, target.port), asyncio.Lock()):
            return await self._within(url, target, asking, leave)

    async def _within(self, url: str, target: Target, asking: "_Asking", leave: bool) -> Fetched:
        """The answer within the time, with every failure of the network translated."""
        began = time.monotonic()
        origin, host = (target.scheme, target.netloc), target.host
        try:
            async with asyncio.timeout(asking.timeout):
                for _ in range(REDIRECTS + 1):
                    host = target.host
                    status, headers, body, moved = await self._ask(target, asking)
                    target = moved or target
                    if moved and (leave or (moved.scheme, moved.netloc) == origin):
                        continue
                    return Fetched(
                        url=url,
                        final_url=target.url,
                        status=status,
                        headers=headers,
                        content_type=_media_type(headers),
                        body=body,
                        milliseconds=round((time.monotonic() - began) * 1000),
                    )
        except (TimeoutError, httpcore.TimeoutException):
            raise HttpFailure("timeout", f"{host} took longer than {asking.timeout:g} s") from None
        except httpcore.ConnectError:
            raise HttpFailure("connection", f"{host} does not accept the connection") from None
        except httpcore.NetworkError:
            raise HttpFailure("connection", f"{host} broke the connection") from None
        except (httpcore.ProtocolError, httpcore.UnsupportedProtocol):
            raise HttpFailure("protocol", f"{host} does not speak HTTP as it should") from None
        raise HttpFailure("too_many_redirects", f"more than {REDIRECTS} redirects")

    async def _ask(
        self, target: Target, asking: "_Asking"
    ) -> tuple[int, Mapping[str, str], bytes, Target | None]:
        """Status, headers and body of an answer, or of a redirect without its body and with where it leads."""
        url = httpcore.URL(
            scheme=target.scheme.encode(),
            host=target.host.encode(),
            port=target.port,
            target=target.path.encode(),
        )
        request_headers: dict[bytes | str, bytes | str] = {
            "Host": target.netloc,
            "User-Agent": self._user_agent,
            "Accept": ", ".join(asking.accept),
            "Accept-Language": "ko, en;q=0.8",
            "Accept-Encoding": "gzip",
        }
        extensions = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), asking.timeout)}
        async with self._pool.stream("GET", url, headers=request_headers, extensions=extensions) as response:
            status, headers = response.status, _headers(response.headers)
            if status in _REDIRECT_STATUS and "location" in headers:
                return status, headers, b"", parse_target(headers["location"], self._allow, base=target.url)
            if not 200 <= status < 300:
                raise _status_failure(target.host, status, headers)
            if "*/*" not in asking.accept and _media_type(headers) not in asking.accept:
                named = _media_type(headers)[:60] or "no content type"
                raise HttpFailure("bad_content_type", f"{target.host} sent {named}", status=status)
            length = headers.get("content-length", "")
            if not asking.cut and length.isdecimal() and int(length) > asking.max_bytes:
                raise HttpFailure(
                    "too_large", f"{length} bytes, of which {asking.max_bytes} are taken", status=status
                )
            body = await read_body(
                response.aiter_stream(),
                headers.get("content-encoding", ""),
                asking.max_bytes,
                cut=asking.cut,
            )
            return status, headers, body, None


@dataclass(frozen=True)
class _Asking:
    """What one request takes: bytes, media types, seconds, and whether a longer body is cut."""

    max_bytes: int
    accept: tuple[str, ...]
    timeout: float
    cut: bool


def api_client(timeout: float) -> httpx.AsyncClient:
    """A client for the fixed vendor addresses of the settings, which need no guard.

    `timeout` is in seconds and holds for each read: wrap a call in `asyncio.timeout` for a total. No proxies of
    the environment, no redirects.
    """
    return httpx.AsyncClient(
        timeout=httpx.Timeout(timeout), trust_env=False, follow_redirects=False, verify=ssl_context()
    )


def _headers(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Header names in lower case; values of a repeated header are joined, so a stacked encoding shows."""
    joined: dict[str, str] = {}
    for name, value in raw:
        key = name.decode("latin-1").lower()
        try:
            text = value.decode("utf-8")
        except UnicodeDecodeError:
            text = value.decode("latin-1")
        joined[key] = f"{joined[key]}, {text}" if key in joined else text
    return joined


def _media_type(headers: Mapping[str, str]) -> str:
    """The media type alone; of a header that was sent twice the first."""
    return headers.get("content-type", "").partition(";")[0].partition(",")[0].strip().lower()


def _status_failure(host: str, status: int, headers: Mapping[str, str]) -> HttpFailure:
    wait = retry_after(headers.get("retry-after", ""))
    code = "rate_limited" if status == 429 else "http_status"
    return HttpFailure(code, f"{host} answered {status}", status=status, retry_after=wait)  # type: ignore[arg-type]
