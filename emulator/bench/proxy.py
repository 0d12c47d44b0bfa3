"""A proxy that stands before PostgreSQL and counts what passes: statements, and the round trips they take.

It reads the client's messages: an Execute or a simple query is a statement, a Sync or a simple query is what the client waits for
an answer to. What the server answers is passed on unread.
"""

import asyncio
import struct
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import urlsplit

_CANNOT_BE_ENCRYPTED = {80877103, 80877104}  # SSLRequest, GSSENCRequest: answered, then the start-up comes
_CHUNK = 65536


@dataclass
class Traffic:
    """What passed since the counts were last set to nothing."""

    statements: int = 0
    round_trips: int = 0


class CountingProxy:
    """Listens on loopback for clients of one database address. Use it as an async context."""

    def __init__(self, database_url: str) -> None:
        self._parts = urlsplit(database_url)
        self._server: asyncio.Server | None = None
        self._passing: set[asyncio.Task[None]] = set()
        self.traffic = Traffic()

    @property
    def url(self) -> str:
        """The same database, through the proxy."""
        assert self._server is not None  # noqa: S101 - there is no address before the start
        port = self._server.sockets[0].getsockname()[1]
        user, _, _ = self._parts.netloc.rpartition("@")
        return self._parts._replace(netloc=f"{user}@127.0.0.1:{port}").geturl()

    async def __aenter__(self) -> "CountingProxy":
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None  # noqa: S101 - set on entering
        self._server.close()
        for task in self._passing:
            task.cancel()
        await asyncio.gather(*self._passing, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._pass(reader, writer))
        self._passing.add(task)
        task.add_done_callback(self._passing.discard)

    async def _pass(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        try:
            server, to_server = await asyncio.open_connection(self._parts.hostname, self._parts.port)
        except OSError:
            to_client.close()
            return
        back = asyncio.create_task(_answers(server, to_client))
        try:
            await self._questions(client, to_server)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # a client that ended, in order or not
        finally:
            back.cancel()
            to_server.close()
            to_client.close()

    async def _questions(self, client: asyncio.StreamReader, to_server: asyncio.StreamWriter) -> None:
        code = 0
        while code == 0 or code in _CANNOT_BE_ENCRYPTED:
            head = await client.readexactly(8)
            length, code = struct.unpack("!ii", head)
            to_server.write(head + await client.readexactly(length - 8))
        while True:
            head = await client.readexactly(5)
            kind, length = head[:1], struct.unpack("!i", head[1:])[0]
            to_server.write(head + await client.readexactly(length - 4))
            self.traffic.statements += kind in b"EQ"
            self.traffic.round_trips += kind in b"SQ"


async def _answers(server: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
    try:
        while chunk := await server.read(_CHUNK):
            to_client.write(chunk)
        to_client.close()
    except ConnectionError:
        return  # nobody listens any more
