"""One database for the tests of what collections leave across places, emptied before each."""

from collections.abc import AsyncIterator, Iterator

import pytest

from shared.db import Connection
from tests.conftest import Server
from tests.db.steps import connect

_EMPTY = """
TRUNCATE channel_outcomes, channel_pace, alert_outbox, job_dependencies, job_attempts, jobs;
TRUNCATE places, users CASCADE
"""


@pytest.fixture(scope="module")
def across_places_url(postgres_server: Server) -> Iterator[str]:
    with postgres_server.fresh() as name:
        yield postgres_server.test_url(name)


@pytest.fixture
async def across_places(across_places_url: str) -> AsyncIterator[Connection]:
    """A connection to an empty database."""
    connection = await connect(across_places_url)
    await connection.execute(_EMPTY)
    yield connection
    await connection.close(timeout=5)
