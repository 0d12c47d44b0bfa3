"""A real HTTP server on loopback for the vendors' stand-ins: scripted answers, recorded requests."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Recorded:
    """A request as it came in. Header names are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """What to answer. `cut` closes the connection after half of the body; `drip` seconds lie between its bytes.

    `delay` seconds pass before the first of it; `dropped` closes the connection without a word.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    drip: float = 0.0
    delay: float = 0.0
    dropped: bool = False

    @staticmethod
    def of(value: Any, status: int = 200, **headers: str) -> "Reply":
        """A JSON answer; `Retry_After="3"` is the header Retry-After."""
        names = {name.replace("_", "-"): text for name, text in headers.items()}
        return Reply(status, json.dumps(value, ensure_ascii=False).encode(), headers=names)


Behaviour = Callable[[Recorded], Reply]


class VendorServer:
    """Answers with the scripted behaviours in turn, then with the default one; keeps every request."""

    def __init__(self, default: Behaviour) -> None:
        self.default = default
        self.requests: list[Recorded] = []
        self._script: list[Behaviour] = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self.url = ""

    def script(self, *behaviours: Behaviour) -> None:
        """Answer the next requests so, one each, before the default takes over again."""
        with self._lock:
            self._script.extend(behaviours)

    def _answer(self, request: Recorded) -> Reply:
        with self._lock:
            self.requests.append(request)
            behaviour = self._script.pop(0) if self._script else self.default
        return behaviour(request)

    @contextmanager
    def running(self) -> Iterator["VendorServer"]:
        """Serve on a free port of loopback until the block ends."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        server.daemon_threads = True
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._stopping.set()
            server.shutdown()
            server.server_close()
            thread.join()

    def pause(self, seconds: float) -> bool:
        """Wait between two bytes; True when the server is being stopped."""
        return self._stopping.wait(seconds)


def _handler(vendor: VendorServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = vendor._answer(Recorded(self.command, self.path, headers, body))
            try:
                self._send(reply)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client gave up, as it may

        def _send(self, reply: Reply) -> None:
            if reply.dropped or (reply.delay and vendor.pause(reply.delay)):
                self.close_connection = True
                return
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.content_type)
            self.send_header("Content-Length", str(len(reply.body)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if reply.cut:
                self.wfile.write(reply.body[: len(reply.body) // 2])
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
            elif reply.drip:
                for index in range(len(reply.body)):
                    self.wfile.write(reply.body[index : index + 1])
                    self.wfile.flush()
                    if vendor.pause(reply.drip):
                        self.close_connection = True
                        return
            else:
                self.wfile.write(reply.body)

        do_GET = do_POST = _serve  # noqa: N815 - the names the library calls

        def log_message(self, format: str, *args: Any) -> None:
            """Requests are recorded, not printed."""

    return Handler
