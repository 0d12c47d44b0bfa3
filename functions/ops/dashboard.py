"""The operator's page: one file of markup, style, script and icon, under a policy that allows exactly those."""

import base64
import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_PAGE = Path(__file__).parent / "page"


@dataclass(frozen=True)
class Dashboard:
    """The page, and the Content-Security-Policy that names its own style and script by their hashes."""

    html: str
    policy: str


@lru_cache(maxsize=1)
def dashboard() -> Dashboard:
    """The page, put together once a sandbox."""
    style, script = _read("dashboard.css"), _read("dashboard.js")
    html = _read("dashboard.html").replace("/*style*/", style).replace("/*script*/", script)
    html = html.replace("/*icon*/", base64.b64encode(_read("icon.svg").encode()).decode())
    policy = "; ".join(
        [
            "default-src 'none'",
            f"style-src '{_hash(style)}'",
            f"script-src '{_hash(script)}'",
            "connect-src 'self'",
            "img-src data:",  # the icon, inside the page: without one the browser asks for /favicon.ico
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
    )
    return Dashboard(html, policy)


def _read(name: str) -> str:
    return (_PAGE / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
