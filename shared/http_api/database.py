"""The request's way to the database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from shared.db import CONNECTION_FAILURES, Connection
from shared.jobs.wake import wake_claimer
from shared.logging import logger
from shared.runtime.sandbox import connection

_FAILURES: tuple[type[BaseException], ...] = (*CONNECTION_FAILURES, asyncpg.PostgresError)


@asynccontextmanager
async def database() -> AsyncIterator[Connection]:
    """The sandbox's connection, for one route."""
    async with connection() as conn:
        yield conn


async def wake_after_commit(conn: Connection) -> None:
    """Wake the claimer for work that is committed: whatever happens here, the request has succeeded."""
    try:
        await wake_claimer(conn)
    except _FAILURES as error:
        logger.warning("the claimer could not be woken", extra={"error": type(error).__name__})
