"""Connections to PostgreSQL: one recipe for every function."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeAlias
from urllib.parse import quote

import asyncpg
from pydantic import SecretStr

from shared.secrets import secret
from shared.settings import Settings, settings

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

# What a query raises when the connection, not the statement, was at fault: reconnect and try again.
CONNECTION_FAILURES: tuple[type[BaseException], ...] = (
    OSError,  # TimeoutError and ConnectionError among them
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # what a query meets when the server's farewell lies unread, as after a freeze
    asyncpg.PostgresConnectionError,
    asyncpg.exceptions.AdminShutdownError,
    asyncpg.exceptions.CrashShutdownError,
    asyncpg.exceptions.CannotConnectNowError,
    asyncpg.exceptions.TooManyConnectionsError,
    asyncpg.exceptions.IdleInTransactionSessionTimeoutError,
    asyncpg.exceptions.IdleSessionTimeoutError,
    # No transaction here is read-only on purpose: a failover has left the server behind this connection so.
    asyncpg.exceptions.ReadOnlySQLTransactionError,
)

# The same and what a statement may raise.
DATABASE_FAILURES: tuple[type[BaseException], ...] = (*CONNECTION_FAILURES, asyncpg.PostgresError)


ROLLBACK_SECONDS = 2.0  # then the connection is dropped, which rolls back as well


class NotConfiguredError(RuntimeError):
    """A setting without which nothing can run is missing; the message names it."""


def database_url(settings: Settings) -> str:
    """The URL from DATABASE_URL, or from the secret DATABASE_SECRET_ARN names (a URL, or RDS's JSON). Holds a password."""
    found = secret(settings.database_url, settings.database_secret_arn)
    if found is None:
        raise NotConfiguredError("set DATABASE_URL, or DATABASE_SECRET_ARN to the secret that holds it")
    return _url_of(found)


def direct_database_url(settings: Settings) -> str:
    """The URL past a transaction-pooling proxy, from DATABASE_DIRECT_URL or its secret; `database_url` where no proxy stands."""
    found = secret(settings.database_direct_url, settings.database_direct_secret_arn)
    return database_url(settings) if found is None else _url_of(found)


def _url_of(found: SecretStr) -> str:
    text = found.get_secret_value()
    if not text.lstrip().startswith("{"):
        return text
    parts = json.loads(text)
    user, password = quote(parts["username"], safe=""), quote(parts["password"], safe="")
    return f"postgresql://{user}:{password}@{parts['host']}:{parts.get('port', 5432)}/{parts.get('dbname', 'web4ai')}"


async def connect(settings: Settings) -> Connection:
    """One connection, with time limits on connecting and on every command, and no session state of its own.

    Nothing is set at start-up, so a transaction-pooling proxy may stand between.
    """
    return await open_url(
        database_url(settings),
        timeout=settings.db_connect_timeout,
        command_timeout=settings.db_command_timeout,
        statement_cache_size=settings.db_statement_cache_size,
    )


async def open_url(url: str, **options: Any) -> Connection:
    """`asyncpg.connect`, but for a URL it cannot read: its own errors quote what they stumbled over, which may be the password.

    Raises `NotConfiguredError`, which never holds the URL or a part of it.
    """
    try:
        return await asyncpg.connect(url, **options)
    except (ValueError, asyncpg.exceptions.ClientConfigurationError):
        raise NotConfiguredError(
            "DATABASE_URL cannot be read: it is postgresql://user:password@host:port/name, "
            "with # / ? : @ in the password written as %23 %2F %3F %3A %40"
        ) from None


@asynccontextmanager
async def transaction(conn: Connection) -> AsyncIterator[None]:
    """A transaction, or a savepoint within one; every transaction of more than one statement is made here.

    Whoever falls silent in it, frozen or killed without a word, keeps its locks for DB_IDLE_TRANSACTION_SECONDS and no longer:
    the server then ends the session. Set for the transaction alone, so a pooler's session keeps nothing of it. A connection on
    which BEGIN or ROLLBACK gets no answer is dropped.
    """
    outermost = not conn.is_in_transaction()
    block = conn.transaction()
    try:
        await block.start()
    except BaseException:
        conn.terminate()  # asyncpg takes it to be in a transaction from now on
        raise
    try:
        if outermost:
            milliseconds = round(settings().db_idle_transaction_seconds * 1000)
            await conn.execute(f"SET LOCAL idle_in_transaction_session_timeout = {milliseconds}")
        yield
    except BaseException:
        try:
            async with asyncio.timeout(ROLLBACK_SECONDS):
                await block.rollback()
        except DATABASE_FAILURES:
            conn.terminate()
        except BaseException:
            conn.terminate()
            raise
        raise
    await block.commit()


async def disconnect(conn: Connection) -> None:
    """Close politely for at most a second, else drop the socket."""
    try:
        await conn.close(timeout=1)
    except DATABASE_FAILURES:
        conn.terminate()
