"""The page as HTML bytes: one self-contained document, with its style inside and no script that runs."""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from functions.build import images, jsonld
from functions.build.view import PageView
from shared.places.models import ConfirmedFacts

_TEMPLATES = Path(__file__).parent / "templates"
# Code points HTML forbids in a document (controls, surrogates, noncharacters), and those that turn the direction of
# all the text after them: names are isolated by `bdi` and `dir`, they need no such marks.
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\u202a-\u202e\u2066-\u2069"
    + "".join(chr(plane * 0x10000 + last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
    + "]"
)


def render(view: PageView, facts: ConfirmedFacts) -> bytes:
    """The document of one language, UTF-8. The same view gives the same bytes."""
    style = _style()
    html = (
        _environment()
        .get_template("page.html.j2")
        .render(
            page=view,
            t=view.words,
            style=Markup(style),  # noqa: S704 - our own file
            policy=_policy(style),
            icon=_icon(view.name.text),
            structured=jsonld.script_text(jsonld.business(view, facts)),
            formats=images.FORMATS,
            mime=images.MIME,
        )
    )
    return html.encode("utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable,
    )
    environment.filters["initial"] = _initial
    return environment


def _printable(value: Any) -> Any:
    """What stands in the document for a value: without the characters HTML forbids."""
    if isinstance(value, Markup):
        return Markup(_FORBIDDEN.sub("", value))  # noqa: S704 - it was markup before
    return _FORBIDDEN.sub("", value) if isinstance(value, str) else value


@cache
def _style() -> str:
    """The stylesheet without comments and indentation."""
    css = (_TEMPLATES / "page.css").read_text("utf-8")
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    return "".join(f"{line.strip()}\n" for line in css.splitlines() if line.strip())


def _policy(style: str) -> str:
    """The page's content security policy: nothing but its own style and its own pictures, no script at all."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'self' data:; base-uri 'none'; form-action 'none'"


def _initial(name: str) -> str:
    return next((character.upper() for character in name if character.isalnum()), "·")


def _icon(name: str) -> str:
    """A small icon as a data address, so that browsers ask for no /favicon.ico."""
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
        '<rect width="32" height="32" rx="8" fill="#14594a"/>'
        '<text x="16" y="22.5" font-family="sans-serif" font-size="18" font-weight="700" fill="#fff" '
        f'text-anchor="middle">{escape(_printable(_initial(name)))}</text></svg>'
    )
    return f"data:image/svg+xml,{quote(svg, safe='')}"
