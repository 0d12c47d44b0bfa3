"""A loopback server that answers connections with exactly the bytes it is told to, at the pace it is told to."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Answer = Callable[["Request", asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Request:
    """One request as it came: the request line's target and the headers, names in lower case."""

    method: str
    target: str
    headers: dict[str, str]


@dataclass
class RawServer:
    """Where it listens, and every request so far."""

    host: str
    port: int
    requests: list[Request] = field(default_factory=list)
    connections: int = 0

    @property
    def origin(self) -> str:
        """The server's address without a path."""
        return f"http://{self.host}:{self.port}"

    @property
    def allow(self) -> str:
        """The exception of the guard that lets requests through to it."""
        return f"{self.host}:{self.port}"


def respond(status: str = "200 OK", body: bytes = b"", **headers: str) -> bytes:
    """A whole response; a keyword `content_type` becomes the header Content-Type."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    named.setdefault("content-length", str(len(body)))
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body


@asynccontextmanager
async def raw_server(
    answer: Answer, *, tls: ssl.SSLContext | None = None, greeting: bytes = b""
) -> AsyncIterator[RawServer]:
    """Serves every request of a connection with `answer` until the block ends; `greeting` is sent before any."""
    state: RawServer
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        state.connections += 1
        try:
            writer.write(greeting)
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                method, target, _ = head[0].split(" ", 2)
                headers = dict(line.split(": ", 1) for line in head[1:] if line)
                request = Request(method, target, {name.lower(): value for name, value in headers.items()})
                state.requests.append(request)
                await answer(request, writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError, asyncio.CancelledError):
            return
        finally:
            tasks.discard(task)
            writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    host, port = server.sockets[0].getsockname()[:2]
    state = RawServer(host, port)
    try:
        yield state
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()
        await asyncio.sleep(0)  # the transports' own last step
