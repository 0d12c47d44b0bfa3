"""A business's website on loopback: pages, robots.txt and pictures by path, as bytes and headers of one's choice."""

import asyncio
import mimetypes
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from tests.fakes.raw import RawServer, Request, raw_server, respond


@dataclass(frozen=True)
class Reply:
    """What a path answers. Further headers are `(name, value)` pairs, with underscores for dashes."""

    body: bytes = b""
    content_type: str = "text/html; charset=utf-8"
    status: str = "200 OK"
    headers: tuple[tuple[str, str], ...] = ()


def page(html: str, encoding: str = "utf-8", content_type: str | None = None) -> Reply:
    """An HTML page in an encoding; the header names it unless another content type is given."""
    return Reply(html.encode(encoding), content_type or f"text/html; charset={encoding}")


def folder(path: Path) -> dict[str, Reply]:
    """Every file of a folder by its path, index.html also as the folder itself."""
    replies = {}
    for file in sorted(path.rglob("*")):
        if file.is_file():
            kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            reply = Reply(file.read_bytes(), f"{kind}; charset=utf-8" if kind.startswith("text/") else kind)
            replies["/" + file.relative_to(path).as_posix()] = reply
    return replies | ({"/": replies["/index.html"]} if "/index.html" in replies else {})


@asynccontextmanager
async def website(replies: Mapping[str, Reply | str]) -> AsyncIterator[RawServer]:
    """Serves the replies by path (and query); everything else is 404. A text is a UTF-8 page."""

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        found = replies.get(request.target) or replies.get(unquote(request.target.partition("?")[0]))
        if found is None:
            writer.write(respond("404 Not Found", b"not here", content_type="text/html"))
            return
        reply = page(found) if isinstance(found, str) else found
        writer.write(
            respond(reply.status, reply.body, content_type=reply.content_type, **dict(reply.headers))
        )

    async with raw_server(answer) as server:
        yield server


def asked(server: RawServer) -> list[str]:
    """The paths asked for, in order."""
    return [request.target for request in server.requests]
