"""The system at a glance, and the switch of each job type."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from functions.ops.watch import beats, schema_version
from shared.alerts.outbox import AlertCounts, count_alerts
from shared.collecting.outcomes import ChannelHealth, channel_health
from shared.http_api.auth import current_admin
from shared.http_api.database import database, wake_after_commit
from shared.http_api.entry import new_router
from shared.http_api.errors import not_found
from shared.jobs import queue
from shared.jobs.errors import UnknownJobType
from shared.jobs.types import spec_named
from shared.places.rendering import RENDER_VERSION
from shared.places.repository import count_sites
from shared.quota import QuotaState, Terms, quota_state
from shared.settings import settings

router = new_router()
_HOUR = 3600.0


class TypeView(BaseModel):
    """A job type; `max_in_flight` null is without limit."""

    job_type: int
    name: str
    paused: bool
    max_in_flight: int | None
    running: int


class PagesView(BaseModel):
    """Published pages, and those of them another version of the template made."""

    published: int
    behind: int
    render_version: str


class BeatView(BaseModel):
    """When a scheduled function was last seen."""

    seen_at: datetime
    age_sec: float


class Overview(BaseModel):
    """The queue's counts by status and its signals of trouble, alerts, types, pages, channels, quota."""

    pending: int
    running: int
    done: int
    done_estimated: bool
    dead: int
    cancelled: int
    dead_1h: int
    stuck_running: int
    oldest_pending_sec: float | None = Field(description="Since it became ready; null when nothing is")
    deadline_1h: int
    oldest_transaction_sec: float = Field(
        description="Of anybody's open transaction: no row that died since can be removed"
    )
    dead_rows: int = Field(
        description="Rows of jobs that died and are still there, by the server's statistics"
    )
    alerts: AlertCounts
    alerts_webhook: Literal["configured", "missing"]
    types: list[TypeView]
    pages: PagesView
    channels: list[ChannelHealth] = Field(
        description="Of the last hour: places by how each channel went for them, and which vendors are closed until when"
    )
    quota: QuotaState = Field(
        description="Models of AI vendors: what was used of which limit, who waits, what is closed until when; the month's money"
    )
    beats: dict[str, BeatView]
    schema_version: int


class TypeSwitch(BaseModel):
    """Whether jobs of a type are claimed."""

    job_type: int
    name: str
    paused: bool


@router.get("/ops", summary="At a glance", tags=["ops"])
async def overview() -> Overview:
    """Everything an operator asks first."""
    current_admin()
    config = settings()
    has_webhook = config.teams_webhook_url is not None or bool(config.teams_webhook_secret_arn)
    async with database() as conn:
        published, behind = await count_sites(conn, RENDER_VERSION)
        vacuum = await queue.vacuum(conn)
        return Overview(
            **await queue.ops(conn),
            oldest_transaction_sec=vacuum.oldest_transaction_sec,
            dead_rows=vacuum.dead_rows,
            alerts=await count_alerts(conn),
            alerts_webhook="configured" if has_webhook else "missing",
            types=[TypeView(**found) for found in await queue.type_settings(conn)],
            pages=PagesView(published=published, behind=behind, render_version=RENDER_VERSION),
            channels=await channel_health(conn, _HOUR),
            quota=await quota_state(conn, Terms.of(config)),
            beats={name: BeatView(**beat) for name, beat in (await beats(conn)).items()},
            schema_version=await schema_version(conn),
        )


@router.post("/ops/types/<job_type>/pause", summary="Stop claiming a type", tags=["ops"])
async def pause_type(job_type: str) -> TypeSwitch:
    """Running jobs go on; waiting ones wait until the type is resumed."""
    return await _switch(job_type, paused=True)


@router.post("/ops/types/<job_type>/resume", summary="Claim a type again", tags=["ops"])
async def resume_type(job_type: str) -> TypeSwitch:
    """What waited is claimed at once."""
    return await _switch(job_type, paused=False)


async def _switch(job_type: str, *, paused: bool) -> TypeSwitch:
    """By the type's name or its number: an operator may pause one that this release does not know."""
    current_admin()
    async with database() as conn:
        found = {row["job_type"]: row["name"] for row in await queue.type_settings(conn)}
        number = _number(job_type)
        if number not in found:
            raise not_found("job type")
        await queue.pause(conn, number, paused)
        if not paused:
            await wake_after_commit(conn)
    return TypeSwitch(job_type=number, name=found[number], paused=paused)


def _number(job_type: str) -> int:
    if job_type.isascii() and job_type.isdigit() and len(job_type) < 6:
        return int(job_type)
    try:
        return spec_named(job_type).type
    except UnknownJobType:
        raise not_found("job type") from None
