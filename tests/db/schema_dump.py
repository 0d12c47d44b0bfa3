"""Writes `migrations/schema.sql`: what all migrations together make, as pg_dump sees it.

`python -m tests.db.schema_dump` makes it anew on an embedded server. What differs between PostgreSQL 15 and 18 in how the same
schema is printed is taken out, so that one file serves both.
"""

import asyncio
import os
import re
import subprocess
import tempfile
from pathlib import Path

from emulator.pg_binaries import find_bin_dir
from emulator.postgres import Postgres
from shared.migrate import MIGRATIONS, migrate

SCHEMA = MIGRATIONS / "schema.sql"
_HEAD = "-- The sum of the migrations, for readers; `make schema` writes it. The migrations are what is applied.\n"
# Session settings, the dump's own commands and its headings: no part of the schema.
_NOISE = re.compile(r"(SET |SELECT pg_catalog\.set_config|\\(un)?restrict |--)")


def dump(url: str) -> str:
    """The schema of the database at `url` as text."""
    chosen = os.environ.get("WEB4AI_TEST_PG_BIN")
    folder = find_bin_dir(Path(chosen) if chosen else None)
    command = [str(folder / "pg_dump"), "--schema-only", "--no-owner", "--no-privileges", url]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    kept = []
    in_body = False
    for line in text.splitlines():
        if in_body or not _NOISE.match(line):
            kept.append(line.rstrip())
        if line.count("$$") % 2:
            in_body = not in_body
    return _HEAD + re.sub(r"\n{3,}", "\n\n", "\n" + "\n".join(kept).strip() + "\n")


def main() -> None:
    """Write the file."""
    with tempfile.TemporaryDirectory(prefix="web4ai-schema-") as folder, Postgres() as postgres:
        url = postgres.start(Path(folder) / "pg", fsync=False)
        asyncio.run(migrate(url))
        SCHEMA.write_text(dump(url), encoding="utf-8")


if __name__ == "__main__":
    main()
