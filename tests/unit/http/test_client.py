"""The guarded client against real servers on loopback: what it refuses, what it bounds, what it says of failures."""

import asyncio
import gzip
import itertools
import ssl
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import httpcore
import pytest

from shared.http import Fetched, GuardedClient, HttpFailure, api_client
from shared.http.body import read_body
from tests.fakes.raw import RawServer, Request, raw_server, respond

AGENT = "web4ai/1.0 (+https://web4ai.example/bot)"
HTML = "text/html"


async def fetch(url: str, *, allow: str | Iterable[tuple[str, int]], **options: Any) -> Fetched:
    """One request with a client of its own."""
    async with GuardedClient(user_agent=AGENT, allow=allow) as client:
        return await client.get(url, **options)


async def get(server: RawServer, path: str = "/", **more: Any) -> Any:
    options = {"max_bytes": 100_000, "accept": (HTML,), "timeout": 20.0} | more
    return await fetch(server.origin + path, allow=server.allow, **options)


async def failure_of(awaitable: Any) -> HttpFailure:
    with pytest.raises(HttpFailure) as raised:
        await awaitable
    return raised.value


def answering(response: bytes) -> Any:
    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(response)

    return answer


async def test_an_answer_comes_with_its_headers_media_type_and_body() -> None:
    page = respond(body=b"<p>hi", content_type="Text/HTML; charset=utf-8", x_one="1")
    async with raw_server(answering(page)) as server:
        fetched = await get(server, "/a?b=1#c")
    assert (fetched.status, fetched.content_type, fetched.body) == (200, HTML, b"<p>hi")
    assert fetched.final_url == server.origin + "/a?b=1"
    assert fetched.headers["x-one"] == "1"
    assert fetched.milliseconds >= 0
    request = server.requests[0]
    assert request.headers["user-agent"] == AGENT
    assert request.headers["host"] == f"127.0.0.1:{server.port}"
    assert request.headers["accept-encoding"] == "gzip"


async def test_loopback_is_refused_unless_that_very_host_and_port_is_an_exception() -> None:
    async with raw_server(answering(respond(content_type=HTML))) as server:
        for allow in ("", f"127.0.0.1:{server.port + 1}", f"localhost:{server.port}"):
            failure = await failure_of(
                fetch(server.origin, allow=allow, max_bytes=1, accept=(HTML,), timeout=5)
            )
            assert failure.code == "bad_url"  # the port alone
        assert server.connections == 0


class _Network(httpcore.AsyncNetworkBackend):
    """The internet of a test: public addresses lead to loopback servers."""

    def __init__(self, servers: dict[str, RawServer]) -> None:
        self._servers = servers
        self._real = httpcore.AnyIOBackend()
        self.dialled: list[str] = []

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self.dialled.append(host)
        if host not in self._servers:
            raise httpcore.ConnectError
        server = self._servers[host]
        return await self._real.connect_tcp(server.host, server.port, timeout)


async def test_every_answer_for_a_name_must_be_public() -> None:
    async def resolver(host: str, port: int) -> list[str]:
        return ["8.8.8.8", "10.0.0.7"]

    network = _Network({})
    async with GuardedClient(user_agent=AGENT, resolver=resolver, network=network) as client:
        failure = await failure_of(client.get("http://shop.kr/", max_bytes=1, accept=(HTML,), timeout=5))
    assert (failure.code, failure.retryable, network.dialled) == ("blocked_address", False, [])


async def test_a_name_that_changes_its_mind_is_asked_once_and_then_checked_again() -> None:
    answers = itertools.chain([["8.8.8.8"]], itertools.repeat(["127.0.0.1"]))
    asked = []

    async def resolver(host: str, port: int) -> list[str]:
        asked.append(host)
        return next(answers)

    closing = respond(body=b"x", content_type=HTML, connection="close")
    async with raw_server(answering(closing)) as server:
        network = _Network({"8.8.8.8": server, "127.0.0.1": server})
        async with GuardedClient(user_agent=AGENT, resolver=resolver, network=network) as client:
            fetched = await client.get("http://shop.kr/", max_bytes=9, accept=(HTML,), timeout=20)
            assert (fetched.body, asked, network.dialled) == (b"x", ["shop.kr"], ["8.8.8.8"])
            failure = await failure_of(client.get("http://shop.kr/", max_bytes=9, accept=(HTML,), timeout=20))
    assert failure.code == "blocked_address"
    assert network.dialled == ["8.8.8.8"]
    assert server.requests[0].headers["host"] == "shop.kr"


async def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    async def resolver(host: str, port: int) -> list[str]:
        return ["8.8.4.4", "8.8.8.8"]

    async with raw_server(answering(respond(body=b"x", content_type=HTML))) as server:
        network = _Network({"8.8.8.8": server})
        async with GuardedClient(user_agent=AGENT, resolver=resolver, network=network) as client:
            fetched = await client.get("http://shop.kr/", max_bytes=9, accept=(HTML,), timeout=20)
    assert (fetched.body, network.dialled) == (b"x", ["8.8.4.4", "8.8.8.8"])


async def test_redirects_are_followed_five_times_and_no_further() -> None:
    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        left = int(request.target.rpartition("/")[2])
        page = respond(body=b"end", content_type=HTML)
        writer.write(respond("302 Found", location=f"../hop/{left - 1}") if left else page)

    async with raw_server(answer) as server:
        fetched = await get(server, "/hop/5")
        failure = await failure_of(get(server, "/hop/6"))
    assert (fetched.body, fetched.final_url) == (b"end", server.origin + "/hop/0")
    assert failure.code == "too_many_redirects"


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("http://169.254.169.254/latest/meta-data/", "blocked_address"),
        ("http://127.0.0.1/", "blocked_address"),
        ("http://[::ffff:10.0.0.1]/", "blocked_address"),
        ("http://127.0.0.1:22/", "bad_url"),
        ("file:///etc/passwd", "bad_url"),
        ("http://user:pw@example.com/", "bad_url"),
    ],
)
async def test_each_redirect_is_checked_like_the_first_address(location: str, code: str) -> None:
    async with raw_server(answering(respond("302 Found", location=location))) as server:
        failure = await failure_of(get(server))
    assert failure.code == code


async def test_cookies_and_credentials_are_neither_kept_nor_sent() -> None:
    page = respond(body=b"x", content_type=HTML, set_cookie="sid=1; Path=/")
    async with (
        raw_server(answering(page)) as server,
        GuardedClient(user_agent=AGENT, allow=server.allow) as client,
    ):
        for _ in range(2):
            await client.get(server.origin + "/", max_bytes=9, accept=(HTML,), timeout=20)
    assert server.connections == 1
    assert not any({"cookie", "authorization"} & set(request.headers) for request in server.requests)


async def test_proxies_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    async with raw_server(answering(respond(body=b"x", content_type=HTML))) as server:
        assert (await get(server)).body == b"x"
        async with api_client(5.0) as client:
            assert (await client.get(server.origin)).content == b"x"


async def test_a_gzip_body_is_decoded_also_in_several_members() -> None:
    body = gzip.compress(b"<p>one", mtime=0) + gzip.compress(b"<p>two", mtime=0)
    page = respond(body=body, content_type=HTML, content_encoding="gzip")
    async with raw_server(answering(page)) as server:
        assert (await get(server)).body == b"<p>one<p>two"


async def test_a_gzip_bomb_stops_at_the_limit() -> None:
    compressor = zlib.compressobj(9, wbits=31)
    bomb = b"".join(compressor.compress(b"\0" * 1_000_000) for _ in range(100)) + compressor.flush()
    assert len(bomb) < 100_000
    page = respond(body=bomb, content_type=HTML, content_encoding="gzip")
    async with raw_server(answering(page)) as server:
        failure = await failure_of(get(server, max_bytes=100_000))
    assert (failure.code, failure.retryable) == ("too_large", False)


async def test_a_gzip_bomb_is_never_unfolded_beyond_the_limit() -> None:
    compressor = zlib.compressobj(9, wbits=31)
    bomb = b"".join(compressor.compress(b"\0" * 1_000_000) for _ in range(60)) + compressor.flush()
    tracemalloc.start()
    try:
        failure = await failure_of(read_body(in_chunks([bomb]), "gzip", 100_000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert failure.code == "too_large"
    assert peak < 5_000_000  # bytes; the bomb holds sixty million


async def test_a_gzip_header_that_never_ends_counts_against_the_limit() -> None:
    endless_name = [b"\x1f\x8b\x08\x08" + b"\0" * 6, *[b"n" * 50_000] * 10]
    assert (await failure_of(read_body(in_chunks(endless_name), "gzip", 100_000))).code == "too_large"


async def in_chunks(chunks: list[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip, gzip", gzip.compress(gzip.compress(b"x", mtime=0), mtime=0)),
        ("br", b"x"),
        ("deflate", zlib.compress(b"x")),
        ("zstd", b"x"),
        ("gzip", b"not gzip at all"),
        ("gzip", gzip.compress(b"x" * 1000, mtime=0)[:-9]),
        ("gzip", gzip.compress(b"", mtime=0) * 20),
    ],
)
async def test_other_stacked_and_broken_encodings_are_refused(encoding: str, body: bytes) -> None:
    page = respond(body=body, content_type=HTML, content_encoding=encoding)
    async with raw_server(answering(page)) as server:
        assert (await failure_of(get(server))).code == "bad_encoding"


async def test_an_encoding_stacked_over_two_headers_is_refused() -> None:
    head = (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-encoding: gzip\r\nContent-Encoding: gzip\r\n"
    )
    async with raw_server(answering(head + b"content-length: 1\r\n\r\nx")) as server:
        assert (await failure_of(get(server))).code == "bad_encoding"


async def test_a_declared_and_an_undeclared_length_over_the_limit_are_refused() -> None:
    async def chunked(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n")
        for _ in range(20):
            writer.write(b"3e8\r\n" + b"x" * 1000 + b"\r\n")
        writer.write(b"0\r\n\r\n")

    async with raw_server(chunked) as server:
        assert (await failure_of(get(server, max_bytes=10_000))).code == "too_large"
        assert len((await get(server, max_bytes=20_000)).body) == 20_000
    async with raw_server(
        answering(respond(body=b"x", content_type=HTML, content_length="99999999"))
    ) as server:
        assert (await failure_of(get(server))).code == "too_large"


async def test_a_body_that_drips_for_ever_ends_with_the_time_of_the_whole_request() -> None:
    async def drip(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 1000000\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.01)

    async with raw_server(drip) as server, asyncio.timeout(20):
        failure = await failure_of(get(server, timeout=0.3, max_bytes=2_000_000))
    assert (failure.code, failure.retryable) == ("timeout", True)


async def test_headers_that_drip_for_ever_and_a_silent_server_end_the_same_way() -> None:
    async def drip(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n")
        while request.target == "/drip":
            writer.write(b"x-a: b\r\n")
            await writer.drain()
            await asyncio.sleep(0.01)
        await asyncio.Event().wait()

    async with raw_server(drip) as server, asyncio.timeout(20):
        for path in ("/drip", "/silent"):
            assert (await failure_of(get(server, path, timeout=0.3))).code in ("timeout", "protocol")


@pytest.mark.parametrize(
    ("response", "code", "retryable"),
    [
        (respond(content_type="application/pdf"), "bad_content_type", False),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", "bad_content_type", False),
        (respond("404 Not Found"), "http_status", False),
        (respond("500 Oops"), "http_status", True),
        (respond("503 Busy", retry_after="7"), "http_status", True),
        (respond("429 Slow", retry_after="7"), "rate_limited", True),
        (respond("304 Not Modified"), "http_status", False),
        (respond("302 Found"), "http_status", False),
        (b"SMTP ready\r\n\r\n", "protocol", True),
        (b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 50\r\n\r\nshort", "protocol", True),
    ],
)
async def test_a_failure_has_a_code_of_the_closed_list(response: bytes, code: str, retryable: bool) -> None:
    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(response)
        await writer.drain()
        writer.close()

    async with raw_server(answer) as server:
        failure = await failure_of(get(server, "/?key=secret"))
    assert (failure.code, failure.retryable) == (code, retryable)
    assert "secret" not in str(failure)
    if b"retry-after" in response:
        assert failure.retry_after == 7


async def test_a_closed_port_is_a_connection_failure_and_an_unknown_name_one_of_dns() -> None:
    async with raw_server(answering(b"")) as server:
        pass
    assert (await failure_of(get(server))).code == "connection"

    async def resolver(host: str, port: int) -> list[str]:
        raise HttpFailure("dns", host)

    async with GuardedClient(user_agent=AGENT, resolver=resolver) as client:
        failure = await failure_of(client.get("http://a.invalid/", max_bytes=1, accept=(HTML,), timeout=5))
    assert failure.code == "dns"


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context for shop.kr, and a client's that trusts it."""
    import datetime

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "shop.kr")])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("shop.kr")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = tmp_path / "shop.pem"
    pem.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pem)
    return server, ssl.create_default_context(cafile=str(pem))


@pytest.fixture
async def secure_server(certificate: tuple[ssl.SSLContext, ssl.SSLContext]) -> AsyncIterator[RawServer]:
    async with raw_server(answering(respond(body=b"x", content_type=HTML)), tls=certificate[0]) as server:
        yield server


async def test_the_handshake_names_the_host_and_not_the_address_dialled(
    secure_server: RawServer, certificate: tuple[ssl.SSLContext, ssl.SSLContext]
) -> None:
    async def resolver(host: str, port: int) -> list[str]:
        return ["8.8.8.8"]

    network = _Network({"8.8.8.8": secure_server})
    async with GuardedClient(
        user_agent=AGENT, resolver=resolver, network=network, tls=certificate[1]
    ) as client:
        fetched = await client.get("https://shop.kr/", max_bytes=9, accept=(HTML,), timeout=20)
        assert fetched.body == b"x"
        failure = await failure_of(client.get("https://other.kr/", max_bytes=9, accept=(HTML,), timeout=20))
    assert (failure.code, failure.retryable) == ("tls", False)


@pytest.mark.parametrize(("greeting", "code"), [(b"220 mail.shop.kr ready\r\n", "tls"), (b"", "timeout")])
async def test_a_server_that_speaks_no_tls_is_told_from_one_that_says_nothing(
    greeting: bytes, code: str
) -> None:
    options: dict[str, Any] = {
        "max_bytes": 9,
        "accept": (HTML,),
        "timeout": 0.5 if code == "timeout" else 20.0,
    }
    async with raw_server(answering(b""), greeting=greeting) as server:
        address = server.origin.replace("http:", "https:")
        failure = await failure_of(fetch(address, allow=server.allow, **options))
    assert failure.code == code
