"""The SQL of places, and how JSON columns come out of it.

Statements take and give `jsonb` as text (`::text::jsonb`, `::text`), so that they mean the same on a connection with
a JSON codec and on one without.
"""

import json
from pathlib import Path
from typing import Any

import asyncpg

from shared.sql import Statements

SQL = Statements(Path(__file__).parent.parent / "sql")


def to_json(value: Any) -> str | None:
    """`value` as JSON text for a parameter; None stays SQL's NULL. Raises ValueError on NaN and infinities."""
    return None if value is None else json.dumps(value, ensure_ascii=False, allow_nan=False)


def from_json(text: str | None) -> Any:
    """What a `::text` column of JSON says; SQL's NULL is None."""
    return None if text is None else json.loads(text)


def decoded(row: "asyncpg.Record", *json_columns: str) -> dict[str, Any]:
    """The row as a dictionary, with the named columns read as JSON."""
    values = dict(row)
    for column in json_columns:
        values[column] = from_json(values[column])
    return values
