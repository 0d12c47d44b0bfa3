"""Serves the published folder as the site's origin would."""

import mimetypes
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from emulator.loopback import Receive, Scope, Send, respond

# The machine's own table may not know these, or differ.
_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".xml": "application/xml",
    ".txt": "text/plain",
    ".md": "text/markdown",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
}


class SiteServer:
    """An ASGI app over `folder`, which need not exist yet. A folder answers with its index.html.

    What begins with a dot is never served: it is what a publisher has not finished.
    """

    def __init__(self, folder: Path) -> None:
        for extension, content_type in _TYPES.items():
            mimetypes.add_type(content_type, extension)
        self._files = StaticFiles(directory=folder, html=True, check_dir=False)
        self._files.config_checked = True  # a site without pages yet is no error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        parts = scope["path"].split("/")
        if any(part.startswith(".") and part != ".well-known" for part in parts):
            await respond(send, 404, b"Not Found", [("content-type", "text/plain")])
            return
        try:
            await self._files(scope, receive, _uncached(send))
        except HTTPException as error:
            await respond(send, error.status_code, error.detail.encode(), [("content-type", "text/plain")])


def _uncached(send: Send) -> Send:
    """A page that was just published again is seen at the next look."""

    async def sending(message: dict[str, object]) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", []))  # type: ignore[call-overload]
            message = {**message, "headers": [*headers, (b"cache-control", b"no-cache")]}
        await send(message)

    return sending  # type: ignore[return-value]
