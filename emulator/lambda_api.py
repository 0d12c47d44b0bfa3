"""Lambda's Invoke API on loopback: what boto3 reaches through AWS_ENDPOINT_URL_LAMBDA."""

import json
import re
from urllib.parse import parse_qs, unquote

from emulator.invocation import MAX_EVENT_BYTES, MAX_SYNC_BYTES, RecursiveLoop, Throttled
from emulator.loopback import BodyTooLarge, Receive, Scope, Send, read_body, respond, respond_json
from emulator.service import LambdaService, UnknownFunction

_PATH = re.compile(r"^/2015-03-31/functions/([^/]+)/invocations/?$")
_LIMITS = {"RequestResponse": MAX_SYNC_BYTES, "Event": MAX_EVENT_BYTES, "DryRun": MAX_SYNC_BYTES}


class LambdaApi:
    """An ASGI app over the service. Calls must be signed like AWS's, so that no web page can make one."""

    def __init__(self, service: LambdaService) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            await self._invoke(scope, receive, send)
        except _Refused as refused:
            body = {"Type": "User", "Message": refused.message, "message": refused.message, **refused.fields}
            await respond_json(send, refused.status, body, [("x-amzn-ErrorType", refused.kind)])

    async def _invoke(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name.decode().lower(): value.decode("latin-1") for name, value in scope["headers"]}
        match = _PATH.match(unquote(scope["raw_path"].decode()))
        if match is None or scope["method"] != "POST":
            raise _Refused(404, "UnknownOperationException", f"no such operation: {scope['path']}")
        if not headers.get("authorization", "").startswith("AWS4-HMAC-SHA256 "):
            raise _Refused(403, "MissingAuthenticationTokenException", "Missing Authentication Token")
        kind = headers.get("x-amz-invocation-type", "RequestResponse")
        if kind not in _LIMITS:
            raise _Refused(400, "InvalidParameterValueException", f"Unknown invocation type {kind}")
        if headers.get("x-amz-log-type", "None") != "None":
            raise _Refused(400, "InvalidParameterValueException", "LogType Tail is not emulated")
        name = _function_name(match[1], scope["query_string"].decode())
        if name not in self._service.functions:
            raise _Refused(404, "ResourceNotFoundException", f"Function not found: {name}")
        payload = await _payload(receive, kind)
        trace = unquote(headers.get("x-amzn-trace-id", "")) or None
        try:
            await self._run(send, kind, name, payload, trace)
        except UnknownFunction as error:
            raise _Refused(404, "ResourceNotFoundException", f"Function not found: {error}") from error
        except Throttled as error:
            raise _Refused(
                429,
                "TooManyRequestsException",
                "Rate Exceeded.",
                {"Reason": "ReservedFunctionConcurrentInvocationLimitExceeded"},
            ) from error
        except RecursiveLoop as error:
            raise _Refused(400, "RecursiveInvocationException", str(error)) from error

    async def _run(self, send: Send, kind: str, name: str, payload: bytes, trace: str | None) -> None:
        if kind == "DryRun":
            await respond(send, 204, b"")
        elif kind == "Event":
            request_id = self._service.send(name, payload, trace)
            await respond(send, 202, b"", [("x-amzn-RequestId", request_id)])
        else:
            request_id, outcome = await self._service.invoke(name, payload, trace)
            fields = [
                ("x-amzn-RequestId", request_id),
                ("X-Amz-Executed-Version", "$LATEST"),
                ("content-type", "application/json"),
            ]
            if outcome.error is not None:
                fields.append(("X-Amz-Function-Error", "Unhandled"))
            await respond(send, 200, outcome.payload, fields)


class _Refused(Exception):
    """The service itself refuses the call."""

    def __init__(self, status: int, kind: str, message: str, fields: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.kind, self.message, self.fields = status, kind, message, fields or {}


def _function_name(given: str, query: str) -> str:
    """The name in a name, a partial ARN or an ARN, with or without the one version there is."""
    name, _, version = given.split(":function:", 1)[-1].partition(":")
    qualifier = parse_qs(query).get("Qualifier", [version or "$LATEST"])[0]
    if qualifier != "$LATEST":
        raise _Refused(404, "ResourceNotFoundException", f"Function not found: {name}:{qualifier}")
    return name


async def _payload(receive: Receive, kind: str) -> bytes:
    limit = _LIMITS[kind]
    try:
        payload = await read_body(receive, limit) or b"{}"
    except BodyTooLarge as error:
        message = f"{error} byte payload is too large for the {kind} invocation type (limit {limit} bytes)"
        raise _Refused(413, "RequestTooLargeException", message) from error
    try:
        json.loads(payload)
    except ValueError as error:
        message = f"Could not parse request body into json: {error}"
        raise _Refused(400, "InvalidRequestContentException", message) from error
    return payload
