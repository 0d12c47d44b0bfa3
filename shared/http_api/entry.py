"""The Lambda entry of an HTTP function: one request at a time, from the event to the answer.

API Gateway has matched the route before (`routeKey`). Whoever is not let in hears so before anything of the body is
looked at.
"""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from shared.field_errors import FieldError, unstorable
from shared.http_api.auth import authenticate, set_user
from shared.http_api.errors import ApiError, error_response, invalid, translate
from shared.logging import logger
from shared.runtime.sandbox import connection, run
from shared.settings import settings

JSON_BYTES = 1024 * 1024
UPLOAD_BYTES = 10 * 1024 * 1024  # API Gateway's own limit

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Strict-Transport-Security": "max-age=31536000",
    "X-Content-Type-Options": "nosniff",
}

Handler = Callable[[dict[str, Any], Any], dict[str, Any]]


def new_resolver() -> APIGatewayHttpResolver:
    """A resolver that validates requests and answers and maps every error by `shared.http_api.errors`.

    It keeps the event it works on in a class attribute: one request at a time a process, which is how Lambda calls it.
    """
    app = APIGatewayHttpResolver(enable_validation=True, response_validation_error_http_code=500)

    def answer(error: Exception) -> Any:
        return error_response(translate(error))

    app.exception_handler(Exception)(answer)
    return app


def new_router() -> APIGatewayHttpRouter:
    """A router for one resource's routes, to be included in a resolver."""
    return APIGatewayHttpRouter()  # type: ignore[no-untyped-call]


def http_handler(app: APIGatewayHttpResolver, *, open_routes: frozenset[str]) -> Handler:
    """The Lambda handler of `app`. `open_routes` (`GET /livez`) need no token, every other route does."""

    def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
        return run(_answer(app, open_routes, event, context))

    return handler


async def _answer(
    app: APIGatewayHttpResolver, open_routes: frozenset[str], event: dict[str, Any], context: Any
) -> dict[str, Any]:
    try:
        if str(event.get("routeKey")) not in open_routes:
            async with connection() as conn:
                set_user(await authenticate(conn, _headers(event).get("authorization"), settings()))
        answer = await app.resolve_async(_checked(event), context)
    except Exception as error:  # noqa: BLE001 - a request's outcome is decided here
        failed = error_response(translate(error))
        answer = {
            "statusCode": failed.status_code,
            "body": failed.body,
            "isBase64Encoded": False,
            "headers": {"Content-Type": "application/json", **failed.headers},
        }
    finally:
        set_user(None)
    answer["headers"] = {**_HEADERS, **answer.get("headers", {})}
    _log(event, answer)
    return answer


def _headers(event: Mapping[str, Any]) -> dict[str, str]:
    return {name.lower(): value for name, value in (event.get("headers") or {}).items()}


def is_json(content_type: str) -> bool:
    """Whether a body of that type is read as JSON; one of no type is."""
    return content_type.partition(";")[0].strip().lower() in ("", "application/json")


def _checked(event: dict[str, Any]) -> dict[str, Any]:
    """The event with a body that is not too large and, if it is JSON, can be read and stored. No body is an empty object."""
    body: str | None = event.get("body")
    if not body:
        return {**event, "body": "{}", "isBase64Encoded": False}
    json_expected = is_json(_headers(event).get("content-type", ""))
    limit = JSON_BYTES if json_expected else UPLOAD_BYTES
    if len(body) > limit * 2:
        raise _too_large(limit)
    data = _bytes(body, encoded=bool(event.get("isBase64Encoded")))
    if len(data) > limit:
        raise _too_large(limit)
    if json_expected:
        _check_json(data)
    return event


def _bytes(body: str, *, encoded: bool) -> bytes:
    try:
        return base64.b64decode(body, validate=True) if encoded else body.encode()
    except (binascii.Error, UnicodeEncodeError):
        raise ApiError(422, "invalid_body", "The body cannot be read") from None


def _too_large(limit: int) -> ApiError:
    return ApiError(413, "too_large", f"The body has more than {limit} bytes", {"limit_bytes": limit})


def _check_json(data: bytes) -> None:
    try:
        document = json.loads(data.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise ApiError(422, "invalid_json", "The body is not JSON") from None
    errors: list[FieldError] = unstorable(document)
    if errors:
        raise invalid(errors)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"JSON has no {name}")


def _log(event: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
    logger.info("request", extra={"route": event.get("routeKey"), "status": answer["statusCode"]})
