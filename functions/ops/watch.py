"""What the operator looks at, beside the queue's own counts."""

from pathlib import Path
from typing import Any

import asyncpg

from shared.db import Connection
from shared.sql import Statements

SQL = Statements(Path(__file__).parent / "sql")


async def beats(conn: Connection) -> dict[str, dict[str, Any]]:
    """When each scheduled function was last seen: `seen_at` and `age_sec` by its name."""
    return {
        row["name"]: {"seen_at": row["seen_at"], "age_sec": row["age_sec"]}
        for row in await conn.fetch(SQL.beats)
    }


async def schema_version(conn: Connection) -> int:
    """The newest migration that was applied, 0 for a database that has none."""
    try:
        return int(await conn.fetchval(SQL.schema_version))
    except asyncpg.UndefinedTableError:
        return 0
