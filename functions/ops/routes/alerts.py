"""The alert outbox, for the operator."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Query
from pydantic import BaseModel

from shared.alerts.outbox import Alert, AlertStatus, get_alert, retry_alert
from shared.alerts.outbox import list_alerts as alerts_page
from shared.http_api.auth import current_admin
from shared.http_api.cursors import decode_cursor, encode_cursor
from shared.http_api.database import database
from shared.http_api.entry import new_router
from shared.http_api.errors import ApiError, not_found

router = new_router()


class AlertStatusName(StrEnum):
    """`AlertStatus` by name."""

    WAITING = "WAITING"
    SENT = "SENT"
    DEAD = "DEAD"


class AlertView(BaseModel):
    """An alert; `posted` of its `occurrences` were told."""

    alert_id: UUID
    kind: str
    title: str
    detail: dict[str, Any]
    status: AlertStatusName
    occurrences: int
    posted: int
    attempts: int
    next_attempt_at: datetime
    error: str | None
    created_at: datetime
    sent_at: datetime | None

    @classmethod
    def of(cls, alert: Alert) -> "AlertView":
        """The alert's view."""
        values = alert.model_dump(exclude={"status", "last_error"})
        return cls(**values, status=AlertStatusName(alert.status.name), error=alert.last_error)


class AlertPage(BaseModel):
    """Alerts, newest first; `next` is the `cursor` of the page after, null at the end."""

    alerts: list[AlertView]
    next: str | None


@router.get("/alerts", summary="Alerts", tags=["alerts"])
async def list_alerts(
    status: Annotated[AlertStatusName | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(max_length=200)] = None,
) -> AlertPage:
    """Newest first."""
    current_admin()
    async with database() as conn:
        alerts = await alerts_page(
            conn,
            status=None if status is None else AlertStatus[status.value],
            before=decode_cursor(cursor),
            limit=limit + 1,
        )
    shown = alerts[:limit]
    more = encode_cursor(shown[-1].created_at, shown[-1].alert_id) if len(alerts) > limit else None
    return AlertPage(alerts=[AlertView.of(alert) for alert in shown], next=more)


@router.post("/alerts/<alert_id>/retry", summary="Post an alert again", tags=["alerts"])
async def retry(alert_id: UUID) -> AlertView:
    """A refused or waiting alert is due now. 409 when it was sent or is being posted."""
    current_admin()
    async with database() as conn:
        retried = await retry_alert(conn, alert_id)
        alert = await get_alert(conn, alert_id)
    if alert is None:
        raise not_found("alert")
    if not retried:
        raise ApiError(409, "not_waiting", "The alert was sent, or is being posted")
    return AlertView.of(alert)
