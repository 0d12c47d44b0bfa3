"""The API's description: one OpenAPI 3.1 document of all functions' routes.

A function cannot import another, so the document is written to `openapi.json` beside this file (`python -m tools.openapi`),
served from there, and held against the routes by a test.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

DOCUMENT = Path(__file__).parent / "openapi.json"
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "details"],
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}, "details": {}},
        }
    },
}
_PROBLEM = {
    "description": "An error",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}


def document(apps: Iterable[APIGatewayHttpResolver], open_routes: frozenset[str]) -> dict[str, Any]:
    """The document of all routes of `apps`; those not in `open_routes` ask for a bearer token."""
    paths: dict[str, Any] = {}
    schemas: dict[str, Any] = {}
    for app in apps:
        described = json.loads(
            app.get_openapi_json_schema(title="web4ai", version="1", openapi_version="3.1.0")
        )
        for path, operations in described["paths"].items():
            paths.setdefault(path, {}).update(operations)
        schemas.update(described.get("components", {}).get("schemas", {}))
    for path, operations in paths.items():
        for method, operation in operations.items():
            is_open = f"{method.upper()} {path}" in open_routes
            operation["security"] = [] if is_open else [{"bearer": []}]
            # The resolver describes its own shapes of errors, which this API does not use.
            for status in ("422", "500"):
                operation["responses"].pop(status, None)
            operation["responses"]["default"] = _PROBLEM
    for unused in ("HTTPValidationError", "ValidationError", "ResponseValidationError"):
        schemas.pop(unused, None)
    return {
        "openapi": "3.1.0",
        "info": {"title": "web4ai", "version": "1"},
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": {"Error": _ERROR, **dict(sorted(schemas.items()))},
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
        },
    }


def text(described: dict[str, Any]) -> str:
    """The document as it is written: readable, and the same for the same routes."""
    return json.dumps(described, ensure_ascii=False, indent=1) + "\n"
