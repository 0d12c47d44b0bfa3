"""A proxy before PostgreSQL that knows which statement passes, and stops at four points of every exchange.

The points: `asked` (the request is here, the server has nothing of it), `sent` (the server has it), `answered` (its answer is
here, the client has nothing of it), `told` (the client has it).
"""

import asyncio
import itertools
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tests.chaos.wire import Messages, application_name, bound, label_of, parsed, queried, rows_of

Point: TypeAlias = Literal["asked", "sent", "answered", "told"]
Passing: TypeAlias = Callable[["Link", "Exchange", Point], Awaitable[None]]

_numbers = itertools.count(1)
_ENDS_A_REQUEST = (b"", b"S", b"H", b"Q", b"X", b"p")


@dataclass
class Exchange:
    """One statement and its answer: how many rows it spoke of, and the server's I, T or E after it."""

    label: str
    rows: int = 0
    transaction: str = "I"


class Link:
    """One client's connection; `exchange` is what is on its way."""

    def __init__(self, client: asyncio.StreamWriter) -> None:
        self.number = next(_numbers)
        self.name = ""  # the client's application_name
        self.backend: int | None = None  # the server's process
        self.exchange: Exchange | None = None
        self.muted = False
        self.closed = False
        self._client = client
        self._server: asyncio.StreamWriter | None = None
        self._statements: dict[bytes, str] = {}

    def cut(self) -> None:
        """End both sides at once."""
        self.closed = True
        for writer in (self._client, self._server):
            if writer is not None:
                writer.close()

    def mute(self) -> None:
        """Pass nothing on any more and leave both sides open: the client has to find out."""
        self.muted = True

    async def serve(self, reader: asyncio.StreamReader, port: int, passing: Passing) -> None:
        """Pass on until one side ends."""
        try:
            answers, self._server = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            self.cut()
            return
        ways = [
            asyncio.ensure_future(self._requests(reader, passing)),
            asyncio.ensure_future(self._answers(answers, passing)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            self.cut()

    async def _requests(self, reader: asyncio.StreamReader, passing: Passing) -> None:
        messages, request, label = Messages(started=False), bytearray(), None
        while data := await _read(reader):
            for kind, message in messages.feed(data):
                request += message
                if kind == b"":
                    self.name = application_name(message) or ""
                elif kind == b"P":
                    name, text = parsed(message)
                    self._statements[name] = label_of(text)
                elif kind == b"B":
                    label = self._statements.get(bound(message), "other")
                elif kind == b"Q":
                    label = label_of(queried(message))
                if kind not in _ENDS_A_REQUEST:
                    continue
                exchange = None if label is None else Exchange(label)
                if exchange is not None:
                    self.exchange = exchange
                    await passing(self, exchange, "asked")
                if not await self._pass_on(self._server, request):
                    return
                if exchange is not None:
                    await passing(self, exchange, "sent")
                request.clear()
                label = None

    async def _answers(self, reader: asyncio.StreamReader, passing: Passing) -> None:
        messages, answer = Messages(started=True), bytearray()
        while data := await _read(reader):
            exchange, ready = self.exchange, False
            for kind, message in messages.feed(data):
                answer += message
                if kind == b"K":
                    self.backend = struct.unpack_from("!I", message, 5)[0]
                elif exchange is not None and kind == b"C":
                    exchange.rows = rows_of(message)
                elif exchange is not None and kind == b"Z":
                    exchange.transaction = chr(message[5])
                    ready = True
            if exchange is not None and not ready:
                continue
            if exchange is not None:
                await passing(self, exchange, "answered")
                self.exchange = None  # the client may ask on as soon as it has this
            if not await self._pass_on(self._client, answer):
                return
            if exchange is not None:
                await passing(self, exchange, "told")
            answer.clear()
        await self._pass_on(self._client, answer)  # what the server said before it went

    async def _pass_on(self, writer: asyncio.StreamWriter | None, data: bytes | bytearray) -> bool:
        if self.closed or writer is None:
            return False
        if not self.muted:
            try:
                writer.write(bytes(data))
                await writer.drain()
            except OSError:
                return False
        return True


class Proxy:
    """Listens on a free port of loopback; `target` is the server's port, which may change."""

    def __init__(self, target: int, passing: Passing) -> None:
        self.target = target
        self.links: set[Link] = set()
        self._passing = passing
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[Any]] = set()

    async def start(self) -> int:
        """Listen; the port."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = Link(writer)
        self.links.add(link)
        serving = asyncio.current_task()
        if serving is not None:
            self._serving.add(serving)
            serving.add_done_callback(self._serving.discard)
        try:
            await link.serve(reader, self.target, self._passing)
        finally:
            self.links.discard(link)

    async def stop(self) -> None:
        """Cut every link and close the port."""
        if self._server is not None:
            self._server.close()
        for link in list(self.links):
            link.cut()
        if self._serving:
            await asyncio.wait(set(self._serving), timeout=10)


async def _read(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read(65536)
    except OSError:
        return b""
