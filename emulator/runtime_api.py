"""The Lambda Runtime API of one sandbox: hands it one event at a time and takes its answers.

Each sandbox has its own port, since the runtime's client knows an address and no path.
"""

import asyncio
import json
import re
import socket
import time
from collections.abc import Callable

import h11

from emulator.invocation import MAX_SYNC_BYTES, Outcome, Request

_ANSWER = re.compile(r"^/2018-06-01/runtime/invocation/([^/]+)/(response|error)$")
_NEXT = "/2018-06-01/runtime/invocation/next"
_INIT_ERROR = "/2018-06-01/runtime/init/error"


class RuntimeApi:
    """State of one sandbox's conversation. `begin` an invocation, then wait for `taken` and `finished`."""

    def __init__(
        self, arn: str, timeout_s: float, on_idle: Callable[[], None], on_work: Callable[[Request], None]
    ) -> None:
        self._arn = arn
        self._timeout_s = timeout_s
        self._on_idle, self._on_work = on_idle, on_work
        self._server: asyncio.Server | None = None
        self._conversations: set[asyncio.Task[None]] = set()
        self._inbox: asyncio.Queue[Request] = asyncio.Queue()
        self._request: Request | None = None
        self.outcome: Outcome | None = None
        self.taken = asyncio.Event()
        self.finished = asyncio.Event()

    async def start(self) -> str:
        """Listen on a free loopback port; returns `host:port`."""
        # The protocol is named for asyncio to turn Nagle's algorithm off: see `emulator.loopback`.
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        # In two steps: a task cancelled in the second one leaves a server that `close` knows of.
        self._server = await asyncio.start_server(self._accept, sock=listening, start_serving=False)
        await self._server.start_serving()
        return f"127.0.0.1:{listening.getsockname()[1]}"

    async def close(self) -> None:
        """Stop listening and end what is being said."""
        if self._server is not None:
            self._server.close()
        for conversation in self._conversations:
            conversation.cancel()
        await asyncio.gather(*self._conversations, return_exceptions=True)

    def begin(self, request: Request) -> None:
        """Offer the next event. `taken` is set when the runtime has it, `finished` when it is ready again."""
        self._request, self.outcome = request, None
        self.taken, self.finished = asyncio.Event(), asyncio.Event()
        self._inbox.put_nowait(request)

    def end(self, outcome: Outcome) -> None:
        """The process is gone: an unanswered invocation ends with `outcome`."""
        if self.outcome is None:
            self.outcome = outcome
        self.finished.set()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._conversations.add(task)
        task.add_done_callback(self._conversations.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = h11.Connection(h11.SERVER)
        try:
            while True:
                request, body = await _read_request(connection, reader, writer)
                if request is None:
                    break
                status, headers, answer = await self._answer(
                    request.method.decode(), request.target.decode(), body
                )
                fields = [
                    *headers,
                    ("content-type", "application/json"),
                    ("content-length", str(len(answer))),
                ]
                said = (
                    h11.Response(status_code=status, headers=fields),
                    h11.Data(data=answer),
                    h11.EndOfMessage(),
                )
                writer.write(b"".join(connection.send(part) or b"" for part in said))
                await writer.drain()
                if connection.our_state is h11.MUST_CLOSE:
                    break
                connection.start_next_cycle()
        except (ConnectionError, h11.RemoteProtocolError):
            pass  # the sandbox died while it talked; its exit is what counts
        finally:
            writer.close()

    async def _answer(
        self, method: str, target: str, body: bytes
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        if (method, target) == ("GET", _NEXT):
            return await self._next()
        if (method, target) == ("POST", _INIT_ERROR):
            self.end(Outcome(body, _error_type(body)))
            return 202, [], b'{"status":"OK"}'
        if method == "POST" and (match := _ANSWER.match(target)):
            request_id, kind = match[1], match[2]
            if self._request is None or request_id != self._request.request_id or self.outcome is not None:
                return 400, [], b'{"errorType":"InvalidRequestID","errorMessage":"Invalid request ID"}'
            if len(body) > MAX_SYNC_BYTES:
                self.outcome = Outcome.failure(
                    "Function.ResponseSizeTooLarge",
                    f"Response payload size exceeded maximum allowed payload size ({MAX_SYNC_BYTES} bytes).",
                )
                return 413, [], b'{"errorType":"RequestEntityTooLarge","errorMessage":"Response too large"}'
            self.outcome = Outcome(body, _error_type(body) if kind == "error" else None)
            return 202, [], b'{"status":"OK"}'
        return 404, [], b'{"errorType":"NotFound","errorMessage":"no such path"}'

    async def _next(self) -> tuple[int, list[tuple[str, str]], bytes]:
        if self.outcome is not None:
            self.finished.set()
        if self._inbox.empty():
            self._on_idle()
        request = await self._inbox.get()
        self._on_work(request)
        deadline_ms = int((time.time() + self._timeout_s) * 1000)
        self.taken.set()
        headers = [
            ("Lambda-Runtime-Aws-Request-Id", request.request_id),
            ("Lambda-Runtime-Deadline-Ms", str(deadline_ms)),
            ("Lambda-Runtime-Invoked-Function-Arn", self._arn),
            ("Lambda-Runtime-Trace-Id", request.trace_id),
        ]
        return 200, headers, request.payload


async def _read_request(
    connection: h11.Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> tuple[h11.Request | None, bytes]:
    """One whole request, chunked or not; (None, b"") when the peer is done."""
    request: h11.Request | None = None
    body = bytearray()
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            if connection.they_are_waiting_for_100_continue:
                writer.write(connection.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
            connection.receive_data(await reader.read(65536))
        elif isinstance(event, h11.Request):
            request = event
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage):
            return request, bytes(body)
        else:  # the connection closed or is paused for good
            return None, b""


def _error_type(body: bytes) -> str:
    try:
        return str(json.loads(body).get("errorType") or "Unhandled")
    except (ValueError, AttributeError):
        return "Unhandled"
