"""Rows of `usage`: every call of a paid provider."""

from shared.db import Connection
from shared.places.models import UsageRow
from shared.places.repository.statements import SQL


async def record_usage(conn: Connection, usage: UsageRow) -> None:
    """Append one call to the ledger."""
    await conn.execute(
        SQL.insert_usage,
        usage.provider,
        usage.model,
        usage.job_id,
        usage.place_id,
        usage.outcome,
        usage.input_tokens,
        usage.output_tokens,
        usage.cost_usd,
        usage.milliseconds,
    )
