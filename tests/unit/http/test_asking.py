"""How the guarded client asks: one request a host at a time, to the limit or past it, over redirects or up to them."""

import asyncio
import gzip
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.http import Fetched, GuardedClient, HttpFailure, retry_after
from tests.fakes.raw import RawServer, Request, raw_server, respond

HTML = "text/html"


async def get(client: GuardedClient, url: str, **more: Any) -> Fetched:
    options: dict[str, Any] = {"max_bytes": 1000, "accept": (HTML,), "timeout": 20.0} | more
    return await client.get(url, **options)


async def once(server: RawServer, path: str = "/", **more: Any) -> Fetched:
    async with GuardedClient(user_agent="web4ai", allow=server.allow) as client:
        return await get(client, server.origin + path, **more)


async def test_requests_to_one_host_take_turns_on_one_connection() -> None:
    at_once = most = 0

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        for _ in range(20):
            await asyncio.sleep(0)
        at_once -= 1
        writer.write(respond(body=b"x", content_type=HTML))

    async with (
        raw_server(answer) as one,
        raw_server(answer) as other,
        GuardedClient(user_agent="web4ai", allow=f"{one.allow},{other.allow}") as client,
    ):
        await asyncio.gather(
            *(get(client, f"{server.origin}/{n}") for n in range(4) for server in (one, other))
        )
        assert (one.connections, other.connections) == (1, 1)
        assert (len(one.requests), len(other.requests)) == (4, 4)
    assert most <= 2  # one a host


async def test_a_redirect_that_leaves_the_origin_is_the_answer_when_it_is_not_to_be_followed() -> None:
    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        places = {"/": "/inside", "/inside": "http://elsewhere.example/x?y=1", "/bad": "http://10.0.0.1:22/"}
        writer.write(respond("301 Moved", location=places[request.target]))

    async with raw_server(answer) as server:
        fetched = await once(server, leave=False)
        assert [request.target for request in server.requests] == ["/", "/inside"]
        with pytest.raises(HttpFailure, match="bad_url"):
            await once(server, "/bad", leave=False)
    assert (fetched.status, fetched.final_url, fetched.body) == (301, "http://elsewhere.example/x?y=1", b"")


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
async def test_a_longer_body_is_cut_at_the_limit_when_its_beginning_is_enough(encoding: str) -> None:
    whole = b"".join(b"%06d\n" % number for number in range(50_000))
    body = gzip.compress(whole, mtime=0) if encoding == "gzip" else whole

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(respond(body=body, content_type=HTML, content_encoding=encoding))

    async with raw_server(answer) as server:
        cut = await once(server, max_bytes=200_000, cut=True)
        with pytest.raises(HttpFailure, match="too_large"):
            await once(server, max_bytes=200_000)
    assert cut.body == whole[:200_000]


@pytest.mark.parametrize(
    ("headers", "codes"),
    [
        (b"content-type: text/html\r\ncontent-length: " + b"9" * 5000, {"protocol", "too_large"}),
        (b"content-type: text/html\r\ncontent-length: -1", {"protocol"}),
        (b"content-type: text/html\r\ncontent-length: 1\r\ncontent-length: 2", {"protocol"}),
        (b"content-type: \xff\xfe\r\ncontent-length: 1", {"bad_content_type"}),
        (b"x: " + b"a" * 200_000, {"protocol"}),
        (b"\r\n".join(b"x-%d: a" % n for n in range(50_000)), {"protocol"}),
    ],
    ids=[
        "huge-length",
        "negative-length",
        "two-lengths",
        "type-in-no-charset",
        "huge-header",
        "many-headers",
    ],
)
async def test_headers_made_to_break_a_reader_are_a_failure_by_name(headers: bytes, codes: set[str]) -> None:
    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n" + headers + b"\r\n\r\nx")

    async with raw_server(answer) as server:
        with pytest.raises(HttpFailure) as failure:
            await once(server)
    assert failure.value.code in codes


async def test_a_content_type_sent_twice_is_taken_once() -> None:
    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nContent-Type: text/html; charset=utf-8\r\n"
            b"content-length: 1\r\n\r\nx"
        )

    async with raw_server(answer) as server:
        assert (await once(server)).content_type == HTML


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        (" 120 ", 120.0),
        ("9" * 5000, 86_400.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 21 Oct 9999 07:28:00 GMT", 86_400.0),
        ("Wed, 21 Oct 99999999999 07:28:00 GMT", None),
        ("Wed, 21 Oct 2026 99999999999999999999:28:00 GMT", None),
        ("soon", None),
        ("-1", None),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str, seconds: float | None) -> None:
    assert retry_after(header) == seconds


@settings(deadline=None)
@given(
    st.text(max_size=40)
    | st.from_regex(r"(?:Mon, )?\d{1,3} [A-Z][a-z]{2} \d{1,20} \d{1,20}:\d{1,3}(?: [+-]?\d{1,6})?")
)
def test_no_retry_after_makes_it_raise(header: str) -> None:
    seconds = retry_after(header)
    assert seconds is None or 0 <= seconds <= 86_400
