"""The guard: where a request whose address comes from data may go.

An address is parsed, its name resolved once, every answer checked, and the connection made to a checked answer, so
that a name cannot change its mind in between. The client asks again for every redirect.
"""

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

import httpcore
import idna

from shared.http.addresses import is_public
from shared.http.failures import HttpFailure

Resolver = Callable[[str, int], Awaitable[list[str]]]
HostPort = tuple[str, int]

_PORTS = {"http": 80, "https": 443}
_LONGEST_URL = 2_000  # characters
_ANSWERS_TRIED = 4  # addresses of one name that a connection is tried to
_HOST = re.compile(r"^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$")
# Names that resolvers read as a number: 2130706433, 0x7f.1, 0177.0.0.1. Only four plain decimals are an address.
_NUMBER = re.compile(r"(?:^|\.)(?:\d+|0x[0-9a-f]*)$")
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\]")
_SAFE = "/%:@!$&'()*+,;=~-._?[]"


@dataclass(frozen=True)
class Target:
    """A checked address: `host` in ASCII and lower case without brackets, `path` with its query."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def netloc(self) -> str:
        """Host as the Host header and a URL write it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole address."""
        return f"{self.scheme}://{self.netloc}{self.path}"


def parse_allowance(text: str) -> frozenset[HostPort]:
    """The exact hosts and ports of a CRAWL_ALLOW value: "127.0.0.1:8123, [::1]:80".

    Raises ValueError naming the entry that is not host:port.
    """
    entries = set()
    for entry in filter(None, (part.strip() for part in text.split(","))):
        host, separator, port = entry.rpartition(":")
        if not separator or not host or not port.isdecimal() or not 0 < int(port) < 65536:
            raise ValueError(f'CRAWL_ALLOW takes host:port pairs, not "{entry}"')
        entries.add((host.strip("[]").lower(), int(port)))
    return frozenset(entries)


def parse_target(url: str, allow: frozenset[HostPort] = frozenset(), base: str | None = None) -> Target:
    """The checked address of `url`, relative to `base` if one is given.

    http or https, port 80 or 443 (or a pair of `allow`), no user, a host that IDNA can write or an address in its
    plain form. Raises HttpFailure `bad_url`.
    """
    stripped = url.strip()
    if _FORBIDDEN.search(stripped) or len(stripped) > _LONGEST_URL:
        raise HttpFailure("bad_url", "control characters, backslashes or too long")
    try:
        parts = urlsplit(urljoin(base, stripped) if base else stripped)
        port = parts.port
        hostname = parts.hostname or ""
        path = quote(parts.path, safe=_SAFE) or "/"
        query = quote(parts.query, safe=_SAFE)
    except ValueError:  # of the host, the port, or of half a character pair
        raise HttpFailure("bad_url", "no valid host, port and path") from None
    scheme = parts.scheme.lower()
    if scheme not in _PORTS:
        raise HttpFailure("bad_url", "neither http nor https")
    if "@" in parts.netloc:
        raise HttpFailure("bad_url", "carries a user")
    host = _ascii_host(hostname)
    port = _PORTS[scheme] if port is None else port
    if port not in _PORTS.values() and (host, port) not in allow:
        raise HttpFailure("bad_url", f"port {port} of {host} is neither 80 nor 443")
    if not path.startswith("/"):
        raise HttpFailure("bad_url", "path does not begin with a slash")
    return Target(scheme, host, port, path + (f"?{query}" if query else ""))


def _ascii_host(host: str) -> str:
    if ":" in host:
        return _literal(host)
    try:
        ascii_host = (host if host.isascii() else idna.encode(host, uts46=True).decode("ascii")).lower()
        ascii_host = ascii_host.removesuffix(".")
        if any(label.startswith("xn--") for label in ascii_host.split(".")):
            idna.decode(ascii_host)
    except idna.IDNAError:
        raise HttpFailure("bad_url", "a host that IDNA cannot write") from None
    if len(ascii_host) > 253 or not _HOST.match(ascii_host):
        raise HttpFailure("bad_url", "no valid host")
    return _literal(ascii_host) if _NUMBER.search(ascii_host) else ascii_host


def _literal(host: str) -> str:
    """An address in its one canonical form; others would mean different hosts to different readers."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        raise HttpFailure("bad_url", "no valid address") from None
    if "%" in host:  # a zone: an interface of this machine
        raise HttpFailure("bad_url", "an address with a zone")
    return str(address)


async def resolve(host: str, port: int) -> list[str]:
    """The system's addresses of a name, in its order. Raises HttpFailure `dns`."""
    try:
        answers = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        passing = error.errno == socket.EAI_AGAIN
        raise HttpFailure("dns", f"{host} has no address", retryable=passing) from None
    except (OSError, UnicodeError):
        raise HttpFailure("dns", f"{host} cannot be resolved", retryable=False) from None
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in answers))


def _is_literal(host: str) -> bool:
    return ":" in host or bool(_NUMBER.search(host))


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Opens connections to public addresses alone, and to the exact pairs of `allow`."""

    def __init__(
        self,
        allow: Iterable[HostPort] = (),
        resolver: Resolver = resolve,
        network: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        self._allow = frozenset(allow)
        self._resolver = resolver
        self._network = network or httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to a checked address of the host.

        Raises HttpFailure `dns` or `blocked_address`, and httpcore's errors when no address answers.
        """
        answers = [host] if _is_literal(host) else await self._resolver(host, port)
        if not answers:
            raise HttpFailure("dns", f"{host} has no address", retryable=False)
        if (host, port) not in self._allow and not all(is_public(answer) for answer in answers):
            raise HttpFailure("blocked_address", f"{host} leads to an address that is not public")
        failure: Exception | None = None
        for answer in answers[:_ANSWERS_TRIED]:
            try:
                stream = await self._network.connect_tcp(answer, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return _Stream(stream, host)
        assert failure is not None  # noqa: S101  the loop ran at least once
        raise failure

    async def sleep(self, seconds: float) -> None:
        """Waits between httpcore's own attempts, of which there are none here."""
        await asyncio.sleep(seconds)


class _Stream(httpcore.AsyncNetworkStream):
    """A connection whose failed handshake is told apart from a failed connection."""

    def __init__(self, stream: httpcore.AsyncNetworkStream, host: str) -> None:
        self._stream = stream
        self._host = host

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            stream = await self._stream.start_tls(ssl_context, server_hostname, timeout)
        except (httpcore.ConnectError, ssl.SSLError):
            await self.aclose()
            raise HttpFailure("tls", f"{self._host} offers no valid certificate or no TLS") from None
        except BaseException:  # a timeout or a cancellation: nobody else closes a connection in its handshake
            await self.aclose()
            raise
        return _Stream(stream, self._host)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
