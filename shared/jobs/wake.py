"""Waking the claimer: one asynchronous Invoke, at most one outstanding."""

import asyncio
from functools import lru_cache
from typing import Any

import botocore.exceptions

from shared.aws import lambda_client
from shared.db import Connection
from shared.jobs.sql import SQL
from shared.logging import logger
from shared.settings import settings

EVENT = b'{"source": "wake"}'


async def wake_claimer(conn: Connection) -> bool:
    """After commit: invoke the claimer unless an invoke is under way already; whether this call did."""
    return await may_wake(conn) and await invoke_claimer()


async def may_wake(conn: Connection) -> bool:
    """Whether no wake is under way; then it is the caller's to `invoke_claimer`."""
    return await conn.fetchval(SQL.wake) is True


async def invoke_claimer() -> bool:
    """Invoke the claimer asynchronously; whether Lambda took the event.

    A wake that fails is not an error of the caller's: the claimer's own polling finds the work within seconds.
    """
    try:
        await asyncio.to_thread(_invoke)
    except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError) as error:
        logger.warning("the claimer could not be woken", extra={"error": type(error).__name__})
        return False
    return True


def _invoke() -> None:
    lambda_client().invoke(FunctionName=_claimer(), InvocationType="Event", Payload=EVENT)


@lru_cache(maxsize=1)
def _claimer() -> str:
    return f"{settings().function_prefix}claimer"


def is_wake(event: Any) -> bool:
    """Whether an event is a wake: the claimer then works off what there is and does not go on polling."""
    return isinstance(event, dict) and event.get("source") in ("wake", "notify")
