"""API Gateway's HTTP API on loopback: a request becomes a payload 2.0 event, the function's answer a response."""

import asyncio
import base64
import binascii
import json
import re
import time
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, unquote

from emulator.cors import actual_headers, preflight
from emulator.invocation import MAX_SYNC_BYTES, Outcome, Throttled
from emulator.loopback import BodyTooLarge, Receive, Scope, Send, read_body, respond, respond_json
from emulator.service import LambdaService
from emulator.template import Cors, Route

MAX_BODY_BYTES = 10 * 1024 * 1024
INTEGRATION_TIMEOUT_S = 30.0
_TEXT = re.compile(r"^(text/.*|application/(.*\+)?(json|xml)|application/javascript)$")


class HttpApi:
    """An ASGI app over the template's routes."""

    def __init__(
        self,
        routes: tuple[Route, ...],
        service: LambdaService,
        cors: Cors | None = None,
        *,
        timeout_s: float = INTEGRATION_TIMEOUT_S,
    ) -> None:
        self._routes = [_Compiled(route) for route in routes]
        self._service = service
        self._cors = cors
        self._timeout_s = timeout_s
        self._running: set[asyncio.Task[tuple[str, Outcome]]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = _headers(scope)
        extra: list[tuple[str, str]] = []
        if self._cors is not None and "origin" in headers:
            if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
                await respond(send, 204, b"", preflight(self._cors, headers))
                return
            extra = actual_headers(self._cors, headers["origin"])
        found = self._match(scope["method"], scope["path"])
        if found is None:
            await respond_json(send, 404, {"message": "Not Found"}, extra)
            return
        try:
            body = await read_body(receive, MAX_BODY_BYTES)
        except BodyTooLarge:
            await respond_json(send, 413, {"message": "Request Entity Too Large"}, extra)
            return
        route, parameters = found
        event = json.dumps(_event(scope, headers, body, route.key, parameters), ensure_ascii=False).encode()
        if len(event) > MAX_SYNC_BYTES:
            await respond_json(send, 413, {"message": "Request Entity Too Large"}, extra)
            return
        status, fields, answer = await self._call(route.route.function, event)
        await respond(send, status, answer, [*fields, *extra])

    async def _call(self, function: str, event: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        # The function goes on when the gateway stops waiting for it, as in the cloud.
        task = asyncio.ensure_future(self._service.invoke(function, event))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            _, outcome = await asyncio.wait_for(asyncio.shield(task), self._timeout_s)
        except (TimeoutError, Throttled):
            return 503, [("content-type", "application/json")], b'{"message":"Service Unavailable"}'
        try:
            return _response(outcome)
        except (ValueError, TypeError, AttributeError, binascii.Error):
            return 500, [("content-type", "application/json")], b'{"message":"Internal Server Error"}'

    async def stop(self) -> None:
        """Wait for invocations that nobody waits for any more."""
        await asyncio.gather(*self._running, return_exceptions=True)

    def _match(self, method: str, path: str) -> tuple["_Compiled", dict[str, str]] | None:
        best: tuple[_Compiled, dict[str, str]] | None = None
        for route in self._routes:
            if route.route.method not in (method, "ANY"):
                continue
            match = route.pattern.match(path)
            if match and (best is None or route.rank > best[0].rank):
                best = route, match.groupdict()
        return best


class _Compiled:
    """A route with its pattern; of the routes that match, the one with the highest rank wins."""

    def __init__(self, route: Route) -> None:
        self.route = route
        self.key = f"{route.method} {route.path}"
        if route.path == "/$default":
            self.key = "$default"
            self.pattern = re.compile("")
            self.rank: tuple[int, ...] = (-1,)
            return
        pattern, rank = "", []
        for part in route.path.strip("/").split("/"):
            if part.startswith("{") and part.endswith("+}"):
                pattern += f"/(?P<{part[1:-2]}>.+)"
                rank.append(0)
            elif part.startswith("{") and part.endswith("}"):
                pattern += f"/(?P<{part[1:-1]}>[^/]+)"
                rank.append(1)
            else:
                pattern += "/" + re.escape(part)
                rank.append(2)
        self.pattern = re.compile(f"^{pattern}$")
        self.rank = (*rank, int(route.method != "ANY"))


def _headers(scope: Scope) -> dict[str, str]:
    """Lower-case names; a header given more than once is joined by commas."""
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        headers[key] = f"{headers[key]},{text}" if key in headers else text
    return headers


def _event(
    scope: Scope, headers: dict[str, str], body: bytes, route_key: str, parameters: Mapping[str, str]
) -> dict[str, Any]:
    now = time.time()
    source = scope["client"][0] if scope.get("client") else "127.0.0.1"
    query = scope["query_string"].decode("latin-1")
    cookies = [part.strip() for part in headers.pop("cookie", "").split(";") if part.strip()]
    host = headers.get("host", "127.0.0.1")
    headers.setdefault("x-forwarded-for", source)
    headers.setdefault("x-forwarded-proto", "http")
    headers.setdefault("x-forwarded-port", host.rpartition(":")[2] if ":" in host else "80")
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": route_key,
        "rawPath": scope["path"],
        "rawQueryString": query,
        "headers": headers,
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "local",
            "domainName": host.rpartition(":")[0] or host,
            "domainPrefix": "local",
            "http": {
                "method": scope["method"],
                "path": scope["path"],
                "protocol": "HTTP/" + scope["http_version"],
                "sourceIp": source,
                "userAgent": headers.get("user-agent", ""),
            },
            "requestId": str(uuid.uuid4()),
            "routeKey": route_key,
            "stage": "$default",
            "time": datetime.fromtimestamp(now, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000"),
            "timeEpoch": int(now * 1000),
        },
        "isBase64Encoded": False,
    }
    if cookies:
        event["cookies"] = cookies
    if query:
        joined: dict[str, str] = {}
        for name, value in parse_qsl(query, keep_blank_values=True):
            joined[name] = f"{joined[name]},{value}" if name in joined else value
        event["queryStringParameters"] = joined
    if parameters:
        event["pathParameters"] = {name: unquote(value) for name, value in parameters.items()}
    if body:
        text = _as_text(body, headers.get("content-type", ""))
        event["isBase64Encoded"] = text is None
        event["body"] = base64.b64encode(body).decode() if text is None else text
    return event


def _as_text(body: bytes, content_type: str) -> str | None:
    if not _TEXT.match(content_type.partition(";")[0].strip().lower()):
        return None
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _response(outcome: Outcome) -> tuple[int, list[tuple[str, str]], bytes]:
    """Status, headers and body. Raises ValueError, TypeError or AttributeError for what is no response."""
    if outcome.error is not None:
        raise ValueError(outcome.error)
    value = json.loads(outcome.payload)
    if not isinstance(value, dict) or "statusCode" not in value:
        body = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return 200, [("content-type", "application/json")], body.encode()
    headers = [(str(name), _header_text(text)) for name, text in (value.get("headers") or {}).items()]
    if not any(name.lower() == "content-type" for name, _ in headers):
        headers.append(("content-type", "text/plain;charset=UTF-8"))
    headers = [(name, text) for name, text in headers if name.lower() != "content-length"]
    headers += [("set-cookie", str(cookie)) for cookie in value.get("cookies") or []]
    body = value.get("body") or ""
    if not isinstance(body, str):
        raise TypeError("a body is text")
    raw = base64.b64decode(body, validate=True) if value.get("isBase64Encoded") else body.encode()
    return int(value["statusCode"]), headers, raw


def _header_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
