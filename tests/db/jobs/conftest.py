"""A connection of a test's own."""

from collections.abc import AsyncIterator

import pytest

from shared.db import Connection
from tests.db import reused
from tests.db.steps import connect

database = reused.database
reused_database = reused.reused_database


@pytest.fixture
async def conn(database: str) -> AsyncIterator[Connection]:
    connection = await connect(database)
    yield connection
    await connection.close(timeout=5)
