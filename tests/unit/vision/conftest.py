"""The tests of a file share a database."""

from tests.one_database import database, file_database

__all__ = ["database", "file_database"]
