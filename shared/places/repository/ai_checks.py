"""Rows of `ai_checks`: what answer engines said about a place."""

from collections.abc import Sequence
from uuid import UUID

from shared.db import Connection
from shared.places.models import AiCheck
from shared.places.repository.statements import SQL, decoded, to_json


async def save_ai_checks(
    conn: Connection, place_id: UUID, job_id: UUID | None, rows: Sequence[AiCheck]
) -> None:
    """Keep a job's answers, each with a verdict or an error, in one statement."""
    await conn.execute(
        SQL.insert_ai_checks, place_id, job_id, to_json([row.model_dump(mode="json") for row in rows])
    )


async def list_ai_checks(conn: Connection, place_id: UUID, *, limit: int = 200) -> list[AiCheck]:
    """The newest answers about the place, newest first."""
    rows = await conn.fetch(SQL.ai_checks_of_place, place_id, limit)
    return [AiCheck.model_validate(decoded(row, "accuracy", "competitors", "evidence")) for row in rows]
