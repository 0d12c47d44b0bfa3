"""Whether the process is up, and whether the system is ready."""

from typing import Annotated, Any

import asyncpg
from aws_lambda_powertools.event_handler import Response
from pydantic import BaseModel, Field

from functions.ops.watch import beats, schema_version
from shared.db import CONNECTION_FAILURES, Connection, NotConfiguredError
from shared.http_api.database import database
from shared.http_api.entry import new_router
from shared.migrate import newest_version

router = new_router()

# Both run every minute, the claimer for up to a minute: three of them missed is no coincidence.
SEEN_WITHIN = 180.0  # seconds
_UNREACHABLE: tuple[type[BaseException], ...] = (
    *CONNECTION_FAILURES,
    asyncpg.PostgresError,
    NotConfiguredError,
)


class Check(BaseModel):
    """One thing readiness asks; `why` says what it found."""

    name: str
    ok: bool
    why: str


class Readiness(BaseModel):
    """Ready when every check is ok."""

    ready: bool
    checks: Annotated[list[Check], Field(description="database, schema, claimer, alert_flusher")]


@router.get("/livez", summary="The process is up", tags=["health"])
async def livez() -> dict[str, bool]:
    """Answers without looking at anything."""
    return {"live": True}


@router.get("/readyz", summary="The system works", tags=["health"])
async def readyz() -> Response[Readiness]:
    """200 when every check is ok, else 503; each check is named with what it found."""
    try:
        async with database() as conn:
            checks = [Check(name="database", ok=True, why="reachable"), *await _checks(conn)]
    except _UNREACHABLE as error:
        why = f"not reachable: {type(error).__name__}"
        checks = [Check(name="database", ok=False, why=why)]
        checks += [
            Check(name=name, ok=False, why="unknown without the database")
            for name in ("schema", "claimer", "alert_flusher")
        ]
    readiness = Readiness(ready=all(check.ok for check in checks), checks=checks)
    return Response(
        status_code=200 if readiness.ready else 503, content_type="application/json", body=readiness
    )


async def _checks(conn: Connection) -> list[Check]:
    wanted, found = newest_version(), await schema_version(conn)
    seen = await beats(conn)
    return [
        Check(name="schema", ok=found == wanted, why=f"at {found}, this release is written for {wanted}"),
        *(_seen(name, seen.get(name)) for name in ("claimer", "alert_flusher")),
    ]


def _seen(name: str, beat: dict[str, Any] | None) -> Check:
    if beat is None:
        return Check(name=name, ok=False, why="never seen")
    age = beat["age_sec"]
    return Check(
        name=name, ok=age <= SEEN_WITHIN, why=f"seen {age:.0f} s ago, at most {SEEN_WITHIN:.0f} s are allowed"
    )
