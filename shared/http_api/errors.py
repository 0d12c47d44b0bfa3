"""Every error the API answers, in one shape: `{"error": {"code", "message", "details"}}`."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import asyncpg
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import (
    RequestUnsupportedContentType,
    RequestValidationError,
)

from shared.db import CONNECTION_FAILURES, NotConfiguredError
from shared.field_errors import FieldError, from_pydantic
from shared.jobs.errors import InvalidPayload, JobConflict, UnknownJobType
from shared.logging import logger
from shared.places.intake import IntakeError
from shared.places.repository import PlaceGoneError, UnknownFactError


class ApiError(Exception):
    """An answer other than success. `message` is for people, `code` for programs, `details` for both."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        details: Any = None,
        *,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        self.headers = headers or {}


def not_found(what: str) -> ApiError:
    """There is none, or it is somebody else's: the answer does not tell which."""
    return ApiError(404, "not_found", f"There is no such {what}")


def unauthorised() -> ApiError:
    """No token, or none that holds: which rule it broke is not said."""
    return ApiError(
        401, "unauthorised", "A valid bearer token is needed", headers={"WWW-Authenticate": "Bearer"}
    )


def forbidden() -> ApiError:
    """A route for administrators."""
    return ApiError(403, "forbidden", "This needs an administrator")


def invalid(errors: Sequence[FieldError]) -> ApiError:
    """Fields that break rules, each named."""
    details = {"fields": [error.model_dump() for error in errors]}
    return ApiError(422, "invalid", "Some fields break a rule", details)


def error_response(error: ApiError) -> Response[str]:
    """The error as an answer."""
    body = {"error": {"code": error.code, "message": error.message, "details": error.details}}
    return Response(
        status_code=error.status,
        content_type="application/json",
        body=json.dumps(body, ensure_ascii=False),
        headers=dict(error.headers),
    )


def translate(error: Exception) -> ApiError:
    """The one map from what may be raised to what is answered. What nobody foresaw is logged and becomes a bare 500."""
    if isinstance(error, ApiError):
        return error
    for kind, make in _FORESEEN:
        if isinstance(error, kind):
            return make(error)
    logger.error("a request failed", exc_info=error)
    return ApiError(500, "internal", "Something went wrong on our side")


def _unavailable(error: Any) -> ApiError:
    logger.error("the database cannot be reached", extra={"error": type(error).__name__})
    return ApiError(
        503, "database_unavailable", "The database cannot be reached", headers={"Retry-After": "5"}
    )


def _refusing(error: Any) -> ApiError:
    logger.error("the database takes no changes", extra={"error": type(error).__name__})
    return ApiError(
        503,
        "database_unavailable",
        "The database takes no changes at the moment",
        headers={"Retry-After": "30"},
    )


def _busy(error: Any) -> ApiError:
    logger.warning("a request met a deadlock", extra={"error": type(error).__name__})
    return ApiError(
        503, "busy", "Something else changes the same thing: try again", headers={"Retry-After": "1"}
    )


def _not_configured(error: Any) -> ApiError:
    logger.error("a setting is missing", extra={"error": str(error)})
    return ApiError(503, "not_configured", "The service is not configured")


def _invalid_request(error: Any) -> ApiError:
    errors = error.errors()
    if any(found["type"] == "json_invalid" for found in errors):
        return ApiError(422, "invalid_json", "The body is not JSON")
    return invalid(from_pydantic(errors, drop=("body", "path", "query")))


def _payload(error: Any) -> ApiError:
    return invalid([FieldError(field="payload", rule="payload", message=str(error))])


def _job_type(error: Any) -> ApiError:
    return invalid([FieldError(field="job_type", rule="job_type_known", message=str(error))])


def _conflict(error: Any) -> ApiError:
    other = None if error.other is None else str(error.other)
    return ApiError(409, "job_conflict", str(error), {"job_id": other})


_FORESEEN: list[tuple[type[BaseException] | tuple[type[BaseException], ...], Callable[[Any], ApiError]]] = [
    (NotFoundError, lambda _: not_found("route")),
    (
        RequestUnsupportedContentType,
        lambda _: ApiError(415, "unsupported_media_type", "The body must be JSON"),
    ),
    (RequestValidationError, _invalid_request),
    (IntakeError, lambda error: invalid(error.errors)),
    (PlaceGoneError, lambda _: not_found("place")),
    (UnknownFactError, lambda _: not_found("fact")),
    (UnknownJobType, _job_type),
    (InvalidPayload, _payload),
    (JobConflict, _conflict),
    (NotConfiguredError, _not_configured),
    (asyncpg.DeadlockDetectedError, _busy),
    ((asyncpg.ReadOnlySQLTransactionError, asyncpg.DiskFullError, asyncpg.OutOfMemoryError), _refusing),
    (CONNECTION_FAILURES, _unavailable),
    (asyncpg.QueryCanceledError, _unavailable),
]
