"""A TCP proxy before PostgreSQL that names what passes: `ask X` before the server hears it, `answer X` before the client does.

X is what `names` calls the statement, else its first word. Asking takes two trips the first time, one to prepare.
"""

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from tests.fakes.moments import Moments


class PostgresProxy:
    """Before the server of `url`; `url` of the proxy itself is for clients without TLS."""

    def __init__(self, url: str, moments: Moments, names: Mapping[str, str]) -> None:
        self._target = urlsplit(url)
        self._moments = moments
        self._names = names
        self._threads: list[threading.Thread] = []
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        port = self._listener.getsockname()[1]
        self.url = url.replace(f":{self._target.port}/", f":{port}/") + "?sslmode=disable"

    @contextmanager
    def running(self) -> Iterator["PostgresProxy"]:
        """Relay until the block ends."""
        accepting = threading.Thread(target=self._accept, daemon=True)
        accepting.start()
        try:
            yield self
        finally:
            for one in (self._listener, *self._sockets):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                one.close()
            for thread in (accepting, *self._threads):
                thread.join(5)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection((self._target.hostname, self._target.port))
            self._sockets += [client, server]
            asked = _Asked(self._names)
            for source, sink, read in ((client, server, asked.ask), (server, client, asked.answer)):
                thread = threading.Thread(target=self._relay, args=(source, sink, read), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _relay(self, source: socket.socket, sink: socket.socket, read: "_Asked.Read") -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if not self._moments.happens(read(data)):
                    break
                sink.sendall(data)
        for one in (source, sink):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class _Asked:
    """Which statement a connection is at, read from what its client sends."""

    from collections.abc import Callable

    Read = Callable[[bytes], str]

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._prepared: dict[bytes, str] = {}
        self._now = "connect"

    def ask(self, data: bytes) -> str:
        kind, rest = data[:1], data[5:]
        if kind == b"P":  # Parse: name, text
            name, _, rest = rest.partition(b"\0")
            self._now = self._prepared[name] = "prepare " + self._call(rest.partition(b"\0")[0].decode())
        elif kind == b"B":  # Bind: portal, name
            name = rest.split(b"\0", 2)[1]
            self._now = self._prepared.get(name, "?").removeprefix("prepare ")
        elif kind == b"Q":
            self._now = self._call(rest.partition(b"\0")[0].decode())
        return f"ask {self._now}"

    def answer(self, data: bytes) -> str:
        return f"answer {self._now}"

    def _call(self, text: str) -> str:
        return self._names.get(text, text.split(maxsplit=1)[0] if text.strip() else "?")
