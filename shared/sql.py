"""SQL statements kept one a file, loaded by name.

A package that talks to PostgreSQL keeps its statements in a folder `sql/` beside it, one operation a file,
and names that folder once::

    SQL = Statements(Path(__file__).parent / "sql")
    await conn.fetchrow(SQL.get_place, place_id)
    await conn.fetchrow(SQL["get_place"], place_id)
"""

from collections.abc import Iterator
from pathlib import Path


class UnknownStatementError(LookupError, AttributeError):
    """No file of the folder has that name."""


class Statements:
    """The `.sql` files of one folder, by their names without the suffix.

    A file is read when its statement is first asked for and kept for the life of the process. Asking for a
    name no file has raises `UnknownStatementError`, which says what was looked for and where.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._texts: dict[str, str] = {}

    def __getitem__(self, verb: str) -> str:
        text = self._texts.get(verb)
        if text is None:
            text = self._texts[verb] = self._read(verb)
        return text

    def __getattr__(self, verb: str) -> str:
        if verb.startswith("_"):  # copy and pickle look for such names before __init__ has run
            raise AttributeError(verb)
        return self[verb]

    def __iter__(self) -> Iterator[str]:
        """The names of all statements, sorted."""
        return iter(sorted(path.stem for path in self._folder.glob("*.sql")))

    def _read(self, verb: str) -> str:
        path = self._folder / f"{verb}.sql"
        if not verb.isidentifier() or not path.is_file():
            raise UnknownStatementError(f"no statement {verb!r} in {self._folder}")
        return path.read_text(encoding="utf-8")
