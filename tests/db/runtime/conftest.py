"""A connection of a test's own."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from shared.db import Connection


@pytest.fixture
async def conn(database: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(database)
    yield connection
    await connection.close(timeout=5)
