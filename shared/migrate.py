"""Applies `migrations/NNNN_name.sql` in order, each in a transaction of its own, and says what it did.

Safe with two at once: each step takes the same transaction-level advisory lock and reads what is applied under it. A file that
was applied and has changed since stops everything before anything runs.
"""

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg

from shared.db import Connection, open_url
from shared.jobs.steering import register_types

MIGRATIONS = Path(__file__).resolve().parent.parent / "migrations"
_NAME = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")
_LOCK = 0x77656234  # "web4": any number, the same for every runner

_TABLE = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    version    integer PRIMARY KEY,
    name       text NOT NULL,
    sha256     text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)"""


class MigrationError(RuntimeError):
    """The folder and the database do not fit together; the message says which file and what to do."""


@dataclass(frozen=True)
class Migration:
    """One file."""

    version: int
    name: str
    text: str

    @property
    def sha256(self) -> str:
        """Of the file's text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True)
class Report:
    """`version` is where the schema stands now; `applied` are the files this run applied."""

    version: int
    applied: list[str] = field(default_factory=list)


def read_migrations(directory: Path = MIGRATIONS) -> list[Migration]:
    """The folder's migrations in order. Raises `MigrationError` on a strange name, a gap or a number used twice."""
    found = []
    for path in sorted(directory.glob("*.sql")):
        match = _NAME.fullmatch(path.name)
        if match:
            found.append(Migration(int(match[1]), path.stem, path.read_text(encoding="utf-8")))
        elif path.name != "schema.sql":
            raise MigrationError(f"{path.name}: migrations are named NNNN_name.sql")
    if [m.version for m in found] != list(range(1, len(found) + 1)):
        raise MigrationError(
            f"{directory}: versions must be 0001, 0002, … without a gap, found {[m.version for m in found]}"
        )
    return found


async def migrate(url: str, directory: Path = MIGRATIONS) -> Report:
    """Bring the database at `url` (a direct one, not through a pooler) to the folder's schema.

    Raises `MigrationError` when an applied file has changed or is missing, and PostgreSQL's own error, with the file named in a
    note, when a statement fails: what was applied before stays, the failing file leaves nothing.
    """
    migrations = read_migrations(directory)
    conn = await open_url(url, timeout=10)
    applied = []
    try:
        for migration in [None, *migrations]:
            async with conn.transaction():
                await conn.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
                if migration is None:
                    await conn.execute(_TABLE)
                    _verify(
                        migrations,
                        {r["version"]: r for r in await conn.fetch("SELECT * FROM schema_migrations")},
                    )
                elif await _apply(conn, migration):
                    applied.append(migration.name)
        await register_types(conn)
        await conn.execute("ANALYZE job_type_settings")
    finally:
        await conn.close()
    return Report(migrations[-1].version if migrations else 0, applied)


async def _apply(conn: Connection, migration: Migration) -> bool:
    if await conn.fetchval("SELECT true FROM schema_migrations WHERE version = $1", migration.version):
        return False
    try:
        await conn.execute(migration.text)
    except asyncpg.PostgresError as error:
        error.add_note(f"in migrations/{migration.name}.sql, of which nothing was kept")
        raise
    await conn.execute(
        "INSERT INTO schema_migrations (version, name, sha256) VALUES ($1, $2, $3)",
        migration.version,
        migration.name,
        migration.sha256,
    )
    return True


def _verify(migrations: list[Migration], landed: dict[int, asyncpg.Record]) -> None:
    by_version = {m.version: m for m in migrations}
    for version, row in sorted(landed.items()):
        migration = by_version.get(version)
        if migration is None:
            if version > len(migrations):
                raise MigrationError(
                    f"the database is at {row['name']}, which this release does not have: run the release that has it"
                )
            raise MigrationError(f"{row['name']} was applied and its file is missing")
        if migration.sha256 != row["sha256"]:
            raise MigrationError(
                f"{row['name']}.sql has changed since it was applied at {row['applied_at']:%Y-%m-%d %H:%M} UTC:"
                " put it back, and write the change as a new migration"
            )


def newest_version(directory: Path = MIGRATIONS) -> int:
    """The schema version this release was written for."""
    return len(read_migrations(directory))
