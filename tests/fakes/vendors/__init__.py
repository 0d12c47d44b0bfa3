"""The vendors of the channels as they answer, each a module with `SCENARIOS`: behaviours by name, "ok" among them.

A behaviour takes a request as it came and gives the reply. Every vendor has `BROKEN` beside its own: what can happen
on the way to any of them.
"""

import gzip
import importlib
import json
from collections.abc import Callable
from typing import Any

from tests.fakes.http_server import Recorded, Reply

Scenario = Callable[[Recorded], Reply]

_PAGE = "<!DOCTYPE html><html><head><title>점검 중</title></head><body>서비스 점검 중입니다</body></html>".encode()
_XML = (
    b'<?xml version="1.0" encoding="UTF-8"?><OpenAPI_ServiceResponse><cmmMsgHeader><errMsg>SERVICE ERROR</errMsg>'
    b"<returnAuthMsg>UNKNOWN_ERROR</returnAuthMsg><returnReasonCode>99</returnReasonCode></cmmMsgHeader>"
    b"</OpenAPI_ServiceResponse>"
)


def says(value: Any, status: int = 200, **headers: str) -> Scenario:
    """Always the same JSON."""
    return lambda request: Reply.of(value, status, **headers)


def sends(reply: Reply) -> Scenario:
    """Always the same reply."""
    return lambda request: reply


def _zipped(body: bytes) -> Reply:
    return Reply(body=gzip.compress(body), headers={"Content-Encoding": "gzip"})


BROKEN: dict[str, Scenario] = {
    "html": sends(Reply(body=_PAGE, content_type="text/html; charset=utf-8")),
    "xml": sends(Reply(body=_XML, content_type="application/xml; charset=utf-8")),
    "html_as_json": sends(Reply(body=_PAGE)),
    "no_body": sends(Reply()),
    "half_json": sends(Reply(body=b'{"documents": [{"id": "1", "pl')),
    "not_an_object": says(["an", "array"]),
    "not_utf8": sends(Reply(body='{"name": "달그릇국수"}'.encode("cp949"))),
    "deep": sends(Reply(body=b"[" * 100_000)),
    "cut": sends(Reply(body=json.dumps({"padding": "x" * 400}).encode(), cut=True)),
    "dropped": sends(Reply(dropped=True)),
    "hangs": sends(Reply(body=b"{}", delay=30.0)),
    "drips": sends(Reply(body=b" " * 600, drip=0.05)),
    "too_large": lambda request: Reply(body=b" " * 2_000_001),
    "bomb": lambda request: _zipped(b" " * 8_000_000),
    "brotli": sends(Reply(body=b"\x0b\x02\x80", headers={"Content-Encoding": "br"})),
    "redirect": sends(Reply(302, headers={"Location": "/elsewhere"})),
    "unavailable": sends(Reply(503, b"busy", "text/plain")),
    "gateway": sends(Reply(502, _PAGE, "text/html")),
    "not_found": sends(Reply(404, b"{}")),
}


def scenarios(vendor: str) -> dict[str, Scenario]:
    """Every scenario of a vendor by name, with what may happen to any. Raises `ModuleNotFoundError`."""
    module = importlib.import_module(f"{__name__}.{vendor}")
    own: dict[str, Scenario] = module.SCENARIOS
    return BROKEN | own
