"""The quota governor: reserve a call, mark it as sent, settle it; close what a vendor refused.

Every operation is one short transaction of its own, on a connection that is in none; nothing is kept in the session, so a
transaction-pooling proxy may stand between. The database's clock alone decides.
"""

from typing import TypeVar
from uuid import UUID, uuid4

import asyncpg

from shared.db import Connection
from shared.providers.calls import ProviderCall
from shared.providers.told import LONGEST_WAIT, MOST_TOKENS, MOST_USD
from shared.quota.errors import QuotaInTransactionError
from shared.quota.models import (
    WHOLE_KEY,
    BudgetSpent,
    Estimate,
    Limits,
    Meter,
    Reservation,
    Terms,
    Wait,
    Work,
)
from shared.quota.sql import SQL

Number = TypeVar("Number", int, float)

BUSY_SECONDS = (
    1.0  # to come back in when the meter's lock, held for a millisecond, was not to be had in two seconds
)
_DETAIL_LIMIT = 300  # characters; the table's own


async def reserve(
    conn: Connection,
    meter: Meter,
    work: Work,
    estimate: Estimate,
    *,
    terms: Terms,
    job_id: UUID | None = None,
    place_id: UUID | None = None,
) -> Reservation | Wait | BudgetSpent:
    """Leave to send one call, or when to come back and why.

    In any window of `terms.window` seconds the vendor is sent at most what its limits allow, counted at any time between
    `mark_sent` and `terms.margin` seconds after it. A job that comes back keeps its place in the queue: its `job_id` names it.
    Raises `QuotaInTransactionError`.
    """
    _outside_transactions(conn)
    reservation_id = uuid4()
    limits = terms.limits
    try:
        row = await conn.fetchrow(
            SQL.reserve,
            meter.provider,
            meter.key_hash,
            meter.model,
            meter.day_zone,
            reservation_id,
            job_id,
            place_id,
            work is Work.INTERACTIVE,
            estimate.tokens,
            estimate.cost_usd,
            terms.budget_usd,
            limits.requests_minute,
            limits.tokens_minute,
            limits.requests_day,
            limits.tokens_day,
            limits.reserved_share,
            terms.window,
            terms.margin,
            terms.lease,
        )
    except asyncpg.LockNotAvailableError:
        return Wait(meter, BUSY_SECONDS, "busy")
    assert row is not None, "quota_reserve returns one row"  # noqa: S101 - for the type checker
    if row["verdict"] == "wait":
        return Wait(meter, row["seconds"], row["reason"], row["code"], row["detail"])
    if row["verdict"] == "budget":
        return BudgetSpent(row["detail"])
    counted = Estimate(row["tokens"], estimate.cost_usd)
    return Reservation(reservation_id, row["meter_id"], meter, work, counted, job_id, place_id)


async def mark_sent(conn: Connection, reservation: Reservation, *, terms: Terms) -> bool:
    """Count the call from now: the last thing before it is sent. False: it must not be sent, reserve again.

    That is so when the lease is over and the room given back, or when somebody closed the model or the key meanwhile.
    """
    _outside_transactions(conn)
    try:
        marked: bool = await conn.fetchval(SQL.mark_sent, reservation.reservation_id, terms.window)
    except asyncpg.LockNotAvailableError:
        return False
    return marked


async def give_back(conn: Connection, reservation: Reservation, *, terms: Terms) -> bool:
    """Take back what was not sent, for certain; also when it was marked. False when it is settled or gone."""
    _outside_transactions(conn)
    taken: bool = await conn.fetchval(SQL.give_back, reservation.reservation_id, terms.window)
    return taken


async def settle(
    conn: Connection,
    reservation: Reservation,
    call: ProviderCall,
    *,
    terms: Terms,
    tokens: int | None,
    cost_usd: float | None,
) -> bool:
    """Write the call's usage row and its money, then correct the counts to what it took; False when that was done before.

    `tokens` and `cost_usd` are what the vendor counted and charged; None, or no figure at all: the estimate stands. Not fenced by
    the job's ref: the money is spent whoever holds the job. May be sent again when the answer got lost, for two minutes.
    """
    _outside_transactions(conn)
    row = await conn.fetchrow(
        SQL.settle,
        reservation.reservation_id,
        reservation.meter_id,
        reservation.work is Work.INTERACTIVE,
        reservation.estimate.tokens,
        reservation.estimate.cost_usd,
        reservation.job_id,
        reservation.place_id,
        call.outcome,
        _figure(tokens, MOST_TOKENS),
        _figure(call.input_tokens, MOST_TOKENS),
        _figure(call.output_tokens, MOST_TOKENS),
        _figure(cost_usd, MOST_USD),
        call.milliseconds,
    )
    assert row is not None, "quota_settle returns one row"  # noqa: S101 - for the type checker
    if row["settled"] and (row["requests"] or row["tokens"]):
        await conn.execute(
            SQL.count,
            reservation.meter_id,
            row["sent_at"],
            reservation.work is Work.INTERACTIVE,
            row["requests"],
            row["tokens"],
            terms.window,
        )
    settled: bool = row["settled"]
    return settled


async def leave(conn: Connection, meter: Meter, job_id: UUID) -> None:
    """Give a turn up: the job goes on without the provider."""
    _outside_transactions(conn)
    await conn.execute(SQL.leave, meter.provider, meter.key_hash, meter.model, job_id)


async def close(
    conn: Connection,
    meter: Meter,
    *,
    seconds: float | None,
    code: str,
    detail: str,
    whole_key: bool = False,
    terms: Terms,
) -> None:
    """Let nobody reserve or send on the model, or on the `whole_key`, for `seconds`; None: until the vendor's day is over.

    Closing again never shortens. `code` and `detail` (safe to show, cut at 300 characters) say why.
    """
    await conn.execute(
        SQL.close,
        meter.provider,
        meter.key_hash,
        WHOLE_KEY if whole_key else meter.model,
        meter.day_zone,
        None if seconds is None else min(max(seconds, 0.0), LONGEST_WAIT),
        code,
        detail.replace("\0", "")[:_DETAIL_LIMIT],
        terms.margin,
    )


async def reopen(conn: Connection, provider: str, key: str, model: str = WHOLE_KEY) -> bool:
    """End a closure early, by a person's word; `key` is the key's hash. False when nothing was closed."""
    return await conn.fetchval(SQL.reopen, provider, key, model) is True


async def set_limits(conn: Connection, provider: str, model: str, limits: Limits) -> None:
    """What a model, or with `*` every model without a row of its own, may take: in force with the next reservation."""
    await conn.execute(
        SQL.set_limits,
        provider,
        model,
        limits.requests_minute,
        limits.tokens_minute,
        limits.requests_day,
        limits.tokens_day,
        limits.reserved_share,
    )


def _figure(value: Number | None, most: float) -> Number | None:
    """The value, None where it cannot be one: vendors have answered with NaN, which no sum would ever lose again."""
    return value if value is not None and 0 <= value <= most else None


def _outside_transactions(conn: Connection) -> None:
    if conn.is_in_transaction():
        raise QuotaInTransactionError("the quota governor's statements are transactions of their own")
