"""A connection, an owner and a place of a test."""

from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from shared.db import Connection
from shared.places import repository
from tests.db.steps import connect
from tests.one_database import database, file_database

__all__ = ["database", "file_database"]


@pytest.fixture
async def conn(database: str) -> AsyncIterator[Connection]:
    connection = await connect(database)
    yield connection
    await connection.close()


@pytest.fixture
async def owner(conn: Connection) -> UUID:
    return await conn.fetchval(
        "INSERT INTO users (email, password_hash) VALUES ('o@example.com', '-') RETURNING user_id"
    )


@pytest.fixture
async def place(conn: Connection, owner: UUID) -> UUID:
    place_id, _ = await repository.find_or_create_place(
        conn, owner, identity_keys=["noodles"], name="성수 국수집"
    )
    return place_id
