"""A business's website as a process of its own, on free ports of loopback; each path fails in its own way.

    with site_process() as site:
        f"{site['site']}/status/503-60/"   # answers 503 with Retry-After: 60
        f"{site['robots-no']}/ok/"         # the same paths, behind a robots.txt that allows nothing
        requests_of(site["site"])          # ["/robots.txt", "/status/503-60/"]

A robots.txt belongs to a whole origin, so each of them has a port of its own; so has `greeting`, which speaks before it
is asked and knows no TLS.
"""

import asyncio
import json
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import httpx

from tests.fakes.raw import Answer, Request, raw_server, respond

_ROOT = Path(__file__).resolve().parent.parent.parent
_HTML = "text/html; charset=utf-8"
_SHOP = (
    '<script type="application/ld+json">{"@type": "Restaurant", "name": "온기식당", "telephone": "02-6012-3456"}</script>'
    "<p>어서 오세요</p>"
)
_BRANCH = '{{"@type": "Restaurant", "name": "온기식당", "telephone": "{phone}", "address": "{address}"}}'
_SEVERAL = (
    '<script type="application/ld+json">['
    + _BRANCH.format(phone="02-6012-3456", address="서울 강남구 테헤란로 152")
    + ","
    + _BRANCH.format(phone="031-701-2345", address="경기 성남시 분당구 판교역로 152")
    + "]</script><p>두 곳</p>"
)
_BRANCH_ELSEWHERE = _SHOP.replace("온기식당", "온기식당 판교점")

PAGES = {
    "ok": _SHOP,
    "empty": "<html><body></body></html>",
    "broken_block": _SHOP
    + '<script type="application/ld+json">{"@type": "FAQPage", "mainEntity": [</script>',
    "nested": _SHOP + "<div>" * 200_000 + "끝",
    "tags": _SHOP + "<br>" * 200_000,
    "several": _SEVERAL,
    "stranger": _SHOP.replace("온기식당", "다른집"),
    "branch": _BRANCH_ELSEWHERE,
}


def _bomb(megabytes: int) -> bytes:
    """A gzip stream of zeros, about a kilobyte a megabyte; its end is left out, which nobody reads to."""
    compressor = zlib.compressobj(9, wbits=-15)
    megabyte = compressor.compress(bytes(1_000_000)) + compressor.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff" + megabyte * megabytes


def _plain(path: str) -> bytes | None:
    """Answers that are sent whole and at once."""
    kind, _, rest = path.strip("/").partition("/")
    if kind in PAGES:
        return respond(body=PAGES[kind].encode(), content_type=_HTML)
    if kind == "status":
        number, _, wait = rest.partition("?")[0].partition("-")
        more = {"retry_after": wait} if wait else {}
        return respond(f"{number} Because", **more)
    if kind == "to":  # a redirect to whatever the path says, "//" for the scheme's own
        return respond("302 Found", location=rest)
    if kind == "pages":  # a first page whose further pages fail as the path says
        return respond(body=(_SHOP + f'<a href="/{rest}">메뉴</a>').encode(), content_type=_HTML)
    bodies = {
        "pdf": (b"%PDF-1.7", {"content_type": "application/pdf"}),
        "picture": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, {"content_type": _HTML}),
        "brotli": (b"x", {"content_type": _HTML, "content_encoding": "br"}),
        "stacked": (b"x", {"content_type": _HTML, "content_encoding": "gzip, gzip"}),
        "broken_gzip": (b"no gzip", {"content_type": _HTML, "content_encoding": "gzip"}),
        "declared": (b"x", {"content_type": _HTML, "content_length": "400000000"}),
        "cp949": (_SHOP.encode("cp949") + b"\xff\xff", {"content_type": "text/html"}),
    }
    if kind in bodies:
        body, headers = bodies[kind]
        return respond(body=body, **headers)
    return None


async def _streamed(path: str, writer: asyncio.StreamWriter) -> None:
    """Answers that are cut, slow, endless or no HTTP."""
    kind = path.strip("/").partition("/")[0]
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n"
    if kind == "garbage":
        writer.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")
    elif kind == "cut":
        writer.write(head + b"content-length: 5000\r\n\r\n<p>half")
    elif kind == "silent":
        await asyncio.Event().wait()
    elif kind == "drip":
        writer.write(head + b"content-length: 1000000\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(1)
    elif kind == "endless":
        writer.write(head + b"transfer-encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
            await writer.drain()
    elif kind == "bomb":
        body = _bomb(300)
        writer.write(respond(body=body, content_type="text/html", content_encoding="gzip"))
    else:
        writer.write(respond("404 Not Found", content_type="text/html"))
    await writer.drain()
    if kind in ("garbage", "cut"):
        writer.close()


_ROBOTS = {
    "site": respond("404 Not Found"),
    "robots-no": respond(body=b"User-agent: *\nDisallow: /\n", content_type="text/plain"),
    "robots-503": respond("503 Busy"),
    "robots-429": respond("429 Slow", retry_after="600"),
}


def _site(robots: bytes) -> Answer:
    asked: list[str] = []

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        if request.target == "/_requests":
            writer.write(respond(body=json.dumps(asked).encode(), content_type="application/json"))
            asked.clear()
            return
        asked.append(request.target)
        whole = robots if request.target == "/robots.txt" else _plain(request.target)
        if whole is not None:
            writer.write(whole)
        else:
            await _streamed(request.target, writer)

    return answer


@contextmanager
def site_process() -> Iterator[dict[str, str]]:
    """The origins of a running site by name; its process ends with the block."""
    command = [sys.executable, "-m", "tests.fakes.site_process"]
    with subprocess.Popen(
        command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield dict(json.loads(process.stdout.readline()))
        finally:
            process.kill()


def requests_of(origin: str) -> list[str]:
    """The paths asked for since the last call, in order."""
    return list(httpx.get(f"{origin}/_requests", trust_env=False, verify=False).json())


async def _main() -> None:
    """Serve until standard input ends, which it does when whoever started this is gone."""
    async with AsyncExitStack() as stack:
        origins = {
            name: (await stack.enter_async_context(raw_server(_site(robots)))).origin
            for name, robots in _ROBOTS.items()
        }
        greeting = await stack.enter_async_context(raw_server(_site(b""), greeting=b"220 mail ready\r\n"))
        sys.stdout.write(json.dumps(origins | {"greeting": greeting.origin}) + "\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_main())
