"""A small website on loopback that holds its first answers back until the test opens the gate."""

import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class GatedWebsite:
    """Serves `pages` by path. While the gate is closed every request is taken and waits."""

    def __init__(self, pages: Mapping[str, str], *, is_open: bool = True) -> None:
        self._pages = dict(pages)
        self._gate = threading.Event()
        self.reached = threading.Event()  # somebody has asked for something
        if is_open:
            self._gate.set()
        website = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                website.reached.set()
                website._gate.wait(120)
                page = website._pages.get(self.path.split("?")[0])
                body = (page or "not here").encode()
                self.send_response(200 if page is not None else 404)
                self.send_header(
                    "content-type", "text/plain" if self.path == "/robots.txt" else "text/html; charset=utf-8"
                )
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                return None

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def host(self) -> str:
        """`127.0.0.1:<port>`."""
        return f"127.0.0.1:{self._server.server_port}"

    @property
    def url(self) -> str:
        """The home page's address."""
        return f"http://{self.host}/"

    def open(self) -> None:
        """Let every request through from now on."""
        self._gate.set()

    def __enter__(self) -> "GatedWebsite":
        return self

    def __exit__(self, *_: object) -> None:
        self._gate.set()
        self._server.shutdown()
        self._server.server_close()
