"""Users, their passwords and tokens."""

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from pydantic import SecretStr

from shared.db import Connection
from shared.identity.passwords import hash_password, verify_password
from shared.identity.tokens import TokenError, issue_token, read_token
from shared.identity.users import EmailTakenError, create_user, find_login, get_user, revoke_tokens
from tests.db.steps import connect

SECRET = SecretStr("thirty-two bytes, as HS256 asks for it")


@pytest.fixture
async def conn(database: str) -> AsyncIterator[Connection]:
    connection = await connect(database)
    yield connection
    await connection.close()


async def test_an_address_is_kept_in_lower_case_and_found_in_any(conn: Connection) -> None:
    user = await create_user(conn, email=" Mina@Example.com ", password_hash="-", role="admin", locale="en")
    assert (user.email, user.role, user.locale, user.token_version) == ("mina@example.com", "admin", "en", 1)
    found = await find_login(conn, "MINA@example.COM")
    assert found is not None
    assert found[0] == user
    assert await get_user(conn, user.user_id) == user


async def test_of_two_at_once_one_gets_the_address(conn: Connection, database: str) -> None:
    other = await connect(database)
    try:
        made = await asyncio.gather(
            *(create_user(c, email="a@b.co", password_hash="-") for c in (conn, other)),
            return_exceptions=True,
        )
    finally:
        await other.close()
    assert sorted(type(result).__name__ for result in made) == ["EmailTakenError", "User"]
    assert any(isinstance(result, EmailTakenError) for result in made)


async def test_a_disabled_user_is_not_found_for_a_login(conn: Connection) -> None:
    user = await create_user(conn, email="a@b.co", password_hash="-")
    await conn.execute("UPDATE users SET disabled_at = now()")
    assert await find_login(conn, "a@b.co") is None
    found = await get_user(conn, user.user_id)
    assert found is not None
    assert found.disabled_at is not None


async def test_revoking_raises_the_version(conn: Connection) -> None:
    user = await create_user(conn, email="a@b.co", password_hash="-")
    assert [await revoke_tokens(conn, user.user_id) for _ in range(2)] == [2, 3]
    assert await revoke_tokens(conn, uuid4()) is None


async def test_a_password_is_kept_as_argon2id_with_a_salt_of_its_own(conn: Connection) -> None:
    one, other = await asyncio.gather(hash_password("correct horse"), hash_password("correct horse"))
    assert one != other
    assert one.startswith("$argon2id$")
    assert await verify_password(one, "correct horse")
    assert not await verify_password(one, "wrong horse")
    assert not await verify_password(None, "correct horse")
    assert not await verify_password("no hash", "correct horse")


async def test_hashing_does_not_hold_the_event_loop(conn: Connection) -> None:
    hashing = asyncio.create_task(hash_password("correct horse"))
    turns = 0
    while not hashing.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 10


async def test_a_token_says_who_and_at_which_version(conn: Connection) -> None:
    user = await create_user(conn, email="a@b.co", password_hash="-")
    token = issue_token(user, SECRET, issuer="web4ai", minutes=5)
    claims = read_token(token.text, SECRET, issuer="web4ai")
    assert (claims.user_id, claims.version) == (user.user_id, 1)
    with pytest.raises(TokenError):
        read_token(token.text, SECRET, issuer="another")
    with pytest.raises(TokenError):
        read_token(issue_token(user, SECRET, issuer="web4ai", minutes=-5).text, SECRET, issuer="web4ai")


async def test_a_secret_too_short_to_sign_with_is_refused(conn: Connection) -> None:
    user = await create_user(conn, email="a@b.co", password_hash="-")
    with pytest.raises(RuntimeError, match="at least 32 bytes"):
        issue_token(user, SecretStr("short"), issuer="web4ai", minutes=5)
