"""HTTP servers on loopback inside the running event loop, and the few ASGI steps they share."""

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import uvicorn

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Iterable[tuple[str, str]]


class BodyTooLarge(ValueError):
    """A request's body is longer than its receiver takes."""


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals belong to whoever runs the emulator."""
        yield


class LoopbackServer:
    """One ASGI app on 127.0.0.1, its address known before it starts."""

    def __init__(self, port: int = 0) -> None:
        """Takes the port, a free one for 0. Raises `OSError` naming a port that is taken."""
        # The protocol is named because asyncio asks for it before it turns Nagle's algorithm off on what it accepts: with it on,
        # an answer in two writes waits 40 ms for the acknowledgement of the first.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind(("127.0.0.1", port))
            self._socket.listen(1024)  # from here on callers are kept waiting, not refused
        except OSError as error:
            self._socket.close()
            raise OSError(
                error.errno, f"port {port} of 127.0.0.1 cannot be used: {error.strerror}"
            ) from error
        self._server: _Server | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """`http://127.0.0.1:<port>`."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def start(self, app: App) -> None:
        """Serve `app` in the running loop."""

        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            try:
                await app(scope, receive, send)
            except ConnectionAbortedError:
                return  # nobody is there to be answered

        config = uvicorn.Config(
            serve,
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=2,
        )
        self._server = _Server(config)
        self._task = asyncio.get_running_loop().create_task(self._server.serve([self._socket]))

    async def stop(self) -> None:
        """Finish what is being answered, for at most 2 s, and close the port."""
        if self._server is not None and self._task is not None:
            self._server.should_exit = True
            await self._task
        self.close()

    def close(self) -> None:
        """Give up the port of a server that was not started."""
        self._socket.close()


async def read_body(receive: Receive, limit: int) -> bytes:
    """The whole body. Raises `BodyTooLarge` beyond `limit` bytes, having read it to its end."""
    body, size = bytearray(), 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionAbortedError("the caller went away")
        chunk = message.get("body", b"")
        size += len(chunk)
        if size <= limit:
            body += chunk
        if not message.get("more_body", False):
            break
    if size > limit:
        raise BodyTooLarge(f"{size} bytes are more than {limit}")
    return bytes(body)


async def respond(send: Send, status: int, body: bytes, headers: Headers = ()) -> None:
    """Send one whole answer."""
    fields = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    fields.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": body})


async def respond_json(send: Send, status: int, value: Any, headers: Headers = ()) -> None:
    """Send one JSON answer."""
    body = json.dumps(value, ensure_ascii=False).encode()
    await respond(send, status, body, [("content-type", "application/json"), *headers])
