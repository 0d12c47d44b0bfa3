"""A server that takes Lambda's Invoke calls, for boto3 with AWS_ENDPOINT_URL_LAMBDA.

By default every asynchronous invoke is accepted with 202. What else a function's invokes are answered with is said by
`answers`: a status, RESET (the connection is closed without an answer) or SILENCE (no answer until the server stops).
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

RESET = -1
SILENCE = -2

_PATH = re.compile(r"/2015-03-31/functions/([^/]+)/invocations")
_ERRORS = {
    404: "ResourceNotFoundException",
    429: "TooManyRequestsException",
    500: "ServiceException",
    502: "EC2ThrottledException",
}


@dataclass(frozen=True)
class Call:
    """One Invoke as it came in, whatever it was answered with."""

    function: str
    kind: str
    payload: Any
    status: int


@dataclass
class FakeLambda:
    """The server's address, what it was asked, and how it answers: by function, or `"*"` for all others."""

    url: str
    answers: dict[str, int] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def accepted(self, function: str | None = None) -> list[Any]:
        """Payloads of the invokes that were taken, of one function or of all."""
        return [c.payload for c in self.calls if c.status == 202 and function in (None, c.function)]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    fake: FakeLambda


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        match = _PATH.fullmatch(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fake = self.server.fake
        name = match[1] if match else self.path
        status = fake.answers.get(name, fake.answers.get("*", 202)) if match else 404
        kind = self.headers.get("X-Amz-Invocation-Type", "RequestResponse")
        fake.calls.append(Call(name, kind, json.loads(body or b"null"), status))
        if status == SILENCE:
            fake.stopped.wait(60)
        if status < 0:
            self.close_connection = True
            return
        answer = b"" if status == 202 else json.dumps({"Type": "User", "Message": "no"}).encode()
        self.send_response(status)
        if status != 202:
            self.send_header("X-Amzn-ErrorType", _ERRORS.get(status, "ServiceException"))
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""


@contextmanager
def lambda_invoke() -> Iterator[FakeLambda]:
    """The server on a free port of loopback, until the block ends."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.fake = FakeLambda(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server.fake
    finally:
        server.fake.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
