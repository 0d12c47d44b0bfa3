"""What is served as it is: the API's description and the operator's page."""

from aws_lambda_powertools.event_handler import Response

from functions.ops.dashboard import dashboard
from shared.http_api.entry import new_router
from shared.http_api.openapi import DOCUMENT

router = new_router()


@router.get("/openapi.json", summary="This document", tags=["pages"], enable_validation=False)
async def openapi() -> Response[str]:
    """OpenAPI 3.1 of every route."""
    return Response(
        status_code=200, content_type="application/json", body=DOCUMENT.read_text(encoding="utf-8")
    )


@router.get("/dashboard", summary="The operator's page", tags=["pages"], enable_validation=False)
async def page() -> Response[str]:
    """Reads the API with the token it is given; carries nothing of the system itself."""
    built = dashboard()
    return Response(
        status_code=200,
        content_type="text/html; charset=utf-8",
        body=built.html,
        headers={"Content-Security-Policy": built.policy},
    )
