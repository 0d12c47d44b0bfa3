"""Every trick that leads a request to where it must not go is refused, and no connection is opened for it.

The network of these tests would carry any connection, whatever its address, to a listener on loopback: what the
guard lets through is seen there.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpcore
import pytest

from shared.http import GuardedClient, HttpFailure
from shared.http.guard import resolve
from tests.fakes.raw import RawServer, Request, raw_server, respond

# Names of these tests and what a resolver says of them. "|" parts the answers of one lookup from those of the next.
NAMES = {
    "public.example": "93.184.216.34",
    "loopback.example": "127.0.0.1",
    "xn--bj0bj06e.kr": "10.0.0.8",
    "mixed.example": "93.184.216.34 10.0.0.7",
    "mixed-last.example": "93.184.216.34 2606:4700::1111 fe80::1",
    "mapped.example": "::ffff:192.168.0.1",
    "nat64.example": "64:ff9b::a00:1",
    "sixtofour.example": "2002:7f00:1::",
    "multicast.example": "239.1.1.1",
    "metadata.example": "169.254.169.254",
    "six.example": "fd00:ec2::254",
    "scoped.example": "fe80::1%eth0",
    "garbage.example": "not-an-address",
    "rebinding.example": "93.184.216.34|127.0.0.1",
}

BLOCKED, BAD, UNKNOWN = "blocked_address", "bad_url", "dns"

TRICKS = [
    # plain private addresses
    ("http://127.0.0.1/", BLOCKED),
    ("http://127.0.0.1./", BLOCKED),
    ("http://10.1.2.3/", BLOCKED),
    ("http://172.31.0.1/", BLOCKED),
    ("http://192.168.0.1/", BLOCKED),
    ("http://100.64.0.1/", BLOCKED),
    ("http://0.0.0.0/", BLOCKED),
    ("http://255.255.255.255/", BLOCKED),
    ("https://169.254.169.254/latest/meta-data/", BLOCKED),
    ("http://169.254.170.2/v2/credentials/", BLOCKED),
    ("http://168.63.129.16/", BLOCKED),
    ("http://192.0.0.192/", BLOCKED),
    # one number, hex, octal, too few parts: never asked of a resolver that would understand them
    ("http://2130706433/", BAD),
    ("http://3232235521/", BAD),
    ("http://0x7f000001/", BAD),
    ("http://0x7f.0x0.0x0.0x1/", BAD),
    ("http://0X7F.1/", BAD),
    ("http://0177.0.0.1/", BAD),
    ("http://017700000001/", BAD),
    ("http://127.1/", BAD),
    ("http://127.0.1/", BAD),
    ("http://0/", BAD),
    ("http://0x/", BAD),
    ("http://127.0.0.1.1/", BAD),
    ("http://256.256.256.256/", BAD),
    ("http://shop.example.0x7f/", BAD),
    # signs that only look like dots and digits
    ("http://１２７.0.0.1/", BLOCKED),
    ("http://127。0。0。1/", BLOCKED),
    ("http://①②⑦.⓪.⓪.①/", BLOCKED),
    ("http://127%2e0%2e0%2e1/", BAD),
    ("http://%31%32%37.0.0.1/", BAD),
    # IPv6, and IPv4 within it
    ("http://[::]/", BLOCKED),
    ("http://[::1]/", BLOCKED),
    ("http://[0:0:0:0:0:0:0:1]/", BLOCKED),
    ("http://[::127.0.0.1]/", BLOCKED),
    ("http://[::ffff:127.0.0.1]/", BLOCKED),
    ("http://[::ffff:7f00:1]/", BLOCKED),
    ("http://[::ffff:a9fe:a9fe]/", BLOCKED),
    ("http://[0:0:0:0:0:ffff:10.0.0.1]/", BLOCKED),
    ("http://[64:ff9b::7f00:1]/", BLOCKED),
    ("http://[64:ff9b::10.0.0.1]/", BLOCKED),
    ("http://[64:ff9b:1::7f00:1]/", BLOCKED),
    ("http://[2002:7f00:1::]/", BLOCKED),
    ("http://[2002:a00:1::1]/", BLOCKED),
    ("http://[2001:0:7f00:1::]/", BLOCKED),
    ("http://[fc00::1]/", BLOCKED),
    ("http://[fd00:ec2::254]/", BLOCKED),
    ("http://[fe80::1]/", BLOCKED),
    ("http://[fe80::1%25eth0]/", BAD),
    ("http://[fe80::1%eth0]/", BAD),
    ("http://[fec0::1]/", BLOCKED),
    ("http://[ff02::1]/", BLOCKED),
    ("http://[ff0e::1]/", BLOCKED),
    ("http://[::1/", BAD),
    ("http://::1/", BAD),
    ("http://[127.0.0.1]/", BAD),
    ("http://[v1.1]/", BAD),
    # multicast and broadcast
    ("http://224.0.0.1/", BLOCKED),
    ("http://239.255.255.250/", BLOCKED),
    # users, and what pretends to be one
    ("http://user@public.example/", BAD),
    ("http://user:secret@public.example/", BAD),
    ("http://public.example@127.0.0.1/", BAD),
    ("http://127.0.0.1@public.example/", BAD),
    ("http://public.example:80@127.0.0.1/", BAD),
    ("http://public.example\\@127.0.0.1/", BAD),
    ("http://127.0.0.1\\@public.example/", BAD),
    ("http://public.example＠127.0.0.1/", BAD),
    ("http://@127.0.0.1/", BAD),
    ("http:///127.0.0.1/", BAD),
    ("http://public.example#@127.0.0.1:22/", None),  # a fragment, which is not sent
    # names
    ("http://localhost/", BLOCKED),
    ("http://LOCALHOST./", BLOCKED),
    ("http://loopback.example/", BLOCKED),
    ("http://한글.kr/", BLOCKED),
    ("http://xn--bj0bj06e.kr/", BLOCKED),
    ("http://xn--localhost-/", BAD),
    ("http://xn--127-0-0-1-/", BAD),
    ("http://xn--.kr/", BAD),
    ("http://mixed.example/", BLOCKED),
    ("https://mixed-last.example/", BLOCKED),
    ("http://mapped.example/", BLOCKED),
    ("http://nat64.example/", BLOCKED),
    ("http://sixtofour.example/", BLOCKED),
    ("http://multicast.example/", BLOCKED),
    ("http://metadata.example/", BLOCKED),
    ("http://six.example/", BLOCKED),
    ("http://scoped.example/", BLOCKED),
    ("http://garbage.example/", BLOCKED),
    ("http://nowhere.example/", UNKNOWN),
    # ports and schemes
    ("http://public.example:22/", BAD),
    ("http://public.example:6379/", BAD),
    ("http://public.example:8080/", BAD),
    ("http://public.example:0/", BAD),
    ("http://public.example:65616/", BAD),
    ("http://public.example:80:80/", BAD),
    ("ftp://public.example/", BAD),
    ("file:///etc/passwd", BAD),
    ("gopher://127.0.0.1/_x", BAD),
    ("javascript:alert(1)", BAD),
    ("data:text/html,x", BAD),
    ("unix:///var/run/docker.sock", BAD),
    # a second request or header in the address
    ("http://public.example/\r\nHost: 127.0.0.1", BAD),
    ("http://public.example\r\n.evil/", BAD),
    ("http://public.example/\x00", BAD),
    ("http://public.example\t.evil/", BAD),
    ("http://" + "a." * 600 + "example/", BAD),
]
REFUSED = [(url, code) for url, code in TRICKS if code is not None]
# What a Location header can carry as an address of its own.
REDIRECTS = [(url, code) for url, code in REFUSED if url.isprintable() and "://" in url and ":///" not in url]


@dataclass
class Network(httpcore.AsyncNetworkBackend):
    """Dials the listener whatever it is told to dial, and remembers what that was."""

    listener: RawServer
    dialled: list[str] = field(default_factory=list)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self.dialled.append(host)
        return await httpcore.AnyIOBackend().connect_tcp(self.listener.host, self.listener.port, timeout)


class Resolver:
    """The names of these tests; `localhost` is the system's, which needs no network for it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        lookups = self.asked.count(host)
        self.asked.append(host)
        if host == "localhost":
            return await resolve(host, port)
        if host not in NAMES:
            raise HttpFailure("dns", f"{host} has no address")
        answers = NAMES[host].split("|")
        return answers[min(lookups, len(answers) - 1)].split()


@asynccontextmanager
async def guarded(location: str | None = None) -> AsyncIterator[tuple[GuardedClient, Network, Resolver]]:
    """A client on a network whose every host answers with a page, or with a redirect to `location`."""

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        if location is None:
            writer.write(respond(body=b"inside", content_type="text/html", connection="close"))
        else:
            writer.write(
                b"HTTP/1.1 302 Found\r\nconnection: close\r\ncontent-length: 0\r\nlocation: "
                + location.encode()
                + b"\r\n\r\n"
            )

    async with raw_server(answer) as listener:
        network, resolver = Network(listener), Resolver()
        async with GuardedClient(user_agent="web4ai", resolver=resolver, network=network) as client:
            yield client, network, resolver


async def outcome(client: GuardedClient, url: str) -> str:
    try:
        fetched = await client.get(url, max_bytes=100, accept=("text/html",), timeout=20)
    except HttpFailure as failure:
        refused = failure
    else:
        return fetched.body.decode()
    assert not refused.retryable
    assert "secret" not in str(refused)
    return refused.code


@pytest.mark.parametrize(("url", "code"), REFUSED, ids=[ascii(url)[:60] for url, _ in REFUSED])
async def test_a_trick_is_refused_without_a_connection(url: str, code: str) -> None:
    async with guarded() as (client, network, _):
        assert await outcome(client, url) == code
        assert network.dialled == []
        assert network.listener.connections == 0


@pytest.mark.parametrize(("url", "code"), REDIRECTS, ids=[ascii(url)[:60] for url, _ in REDIRECTS])
async def test_a_redirect_to_a_trick_is_refused_after_the_one_connection_to_the_site(
    url: str, code: str
) -> None:
    async with guarded(location=url) as (client, network, _):
        assert await outcome(client, "http://public.example/") == code
        assert network.dialled == ["93.184.216.34"]
        assert network.listener.connections == 1


async def test_the_network_of_these_tests_does_carry_what_is_let_through() -> None:
    async with guarded() as (client, network, _):
        for url in (
            "http://public.example/",
            "http://93.184.216.34/",
            "http://[2606:4700::1111]/",
            *(url for url, code in TRICKS if code is None),
        ):
            assert await outcome(client, url) == "inside"
        assert network.dialled == ["93.184.216.34", "93.184.216.34", "2606:4700::1111", "93.184.216.34"]
        assert network.listener.connections == 4


async def test_a_name_is_looked_up_once_a_connection_and_dialled_as_it_was_checked() -> None:
    async with guarded() as (client, network, resolver):
        assert await outcome(client, "http://rebinding.example/") == "inside"
        assert resolver.asked == ["rebinding.example"]
        assert await outcome(client, "http://rebinding.example/") == BLOCKED
        assert await outcome(client, "http://rebinding.example/other") == BLOCKED
        assert network.dialled == ["93.184.216.34"]
        assert network.listener.connections == 1


async def test_a_name_that_rebinds_between_two_redirects_is_refused_at_the_second() -> None:
    async with guarded(location="http://rebinding.example/next") as (client, network, _):
        assert await outcome(client, "http://rebinding.example/") == BLOCKED
        assert network.dialled == ["93.184.216.34"]


async def test_addresses_in_plain_form_are_not_asked_of_a_resolver() -> None:
    async with guarded() as (client, _, resolver):
        for url in ("http://127.0.0.1/", "http://[::1]/", "http://2130706433/", "http://93.184.216.34/"):
            await outcome(client, url)
        assert resolver.asked == []
