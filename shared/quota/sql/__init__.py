"""The quota governor's statements, one operation a file."""

from pathlib import Path

from shared.sql import Statements

SQL = Statements(Path(__file__).parent)
