"""Rows of `users`."""

from datetime import datetime
from pathlib import Path
from typing import Literal
from uuid import UUID

from asyncpg import Record
from pydantic import BaseModel, ConfigDict

from shared.db import Connection
from shared.places.models import Locale
from shared.sql import Statements

SQL = Statements(Path(__file__).parent / "sql")

Role = Literal["member", "admin"]


class EmailTakenError(Exception):
    """Somebody has that address already."""


class User(BaseModel):
    """Who calls. The password's hash is read apart, where it is needed."""

    model_config = ConfigDict(frozen=True)

    user_id: UUID
    email: str
    role: Role
    locale: Locale
    token_version: int
    created_at: datetime
    disabled_at: datetime | None

    @property
    def is_admin(self) -> bool:
        """Whether the user sees everything."""
        return self.role == "admin"


async def create_user(
    conn: Connection, *, email: str, password_hash: str, role: Role = "member", locale: Locale = "ko"
) -> User:
    """A new user. Raises `EmailTakenError`."""
    row = await conn.fetchrow(SQL.create_user, email.strip().lower(), password_hash, role, locale)
    if row is None:
        raise EmailTakenError(email)
    return _user(row)


async def get_user(conn: Connection, user_id: UUID) -> User | None:
    """The user, disabled or not; None when unknown."""
    row = await conn.fetchrow(SQL.get_user, user_id)
    return None if row is None else _user(row)


async def find_login(conn: Connection, email: str) -> tuple[User, str] | None:
    """The user of that address who may log in, and the password's hash."""
    row = await conn.fetchrow(SQL.find_login, email.strip().lower())
    return None if row is None else (_user(row), row["password_hash"])


async def revoke_tokens(conn: Connection, user_id: UUID) -> int | None:
    """Log every token of the user out; the new `token_version`, None for an unknown user."""
    version: int | None = await conn.fetchval(SQL.revoke_tokens, user_id)
    return version


def _user(row: Record) -> User:
    return User.model_validate({name: row[name] for name in User.model_fields})
