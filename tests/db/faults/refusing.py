"""A database that takes no changes for a while: full, or read-only as a failover leaves it."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from shared.db import Connection

_TABLES = ("jobs", "job_attempts", "job_dependencies", "alert_outbox", "beats")
_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
# As PostgreSQL says it when a table cannot grow; deleting and reading go on.
_FILL = """
CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
""" + "".join(
    f"CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION full_disk();"
    for table in _TABLES
)


@asynccontextmanager
async def full(conn: Connection) -> AsyncIterator[None]:
    """Every change that needs room is refused; `conn` is the test's own."""
    await conn.execute(_FILL)
    try:
        yield
    finally:
        await conn.execute("DROP FUNCTION full_disk CASCADE")


@asynccontextmanager
async def read_only(conn: Connection) -> AsyncIterator[None]:
    """Who connects anew, and everybody must, may read. Afterwards that is over for new connections, not for those there are."""
    name = await conn.fetchval("SELECT current_database()")
    await conn.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    await conn.execute(_OTHERS)
    try:
        yield
    finally:
        await conn.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")


Refusing = Callable[[Connection], AbstractAsyncContextManager[Any]]
