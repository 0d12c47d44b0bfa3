"""The SQL of collections."""

from pathlib import Path

from shared.sql import Statements

SQL = Statements(Path(__file__).parent / "sql")
