"""The way to a provider: whoever calls one goes through a gate, and no other way leads there."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import NoReturn, TypeAlias
from uuid import UUID

from pydantic import SecretStr

from shared.db import CONNECTION_FAILURES, DATABASE_FAILURES, Connection
from shared.logging import logger
from shared.providers.calls import ProviderCall
from shared.providers.failures import FailureCode, ProviderFailure
from shared.quota import governor
from shared.quota.errors import BudgetSpentError, NoQuotaError
from shared.quota.models import BudgetSpent, Estimate, Meter, Reservation, Terms, Wait, Work

# Gives the connection for one statement, outside of any transaction: `JobContext.reading`.
Borrow: TypeAlias = Callable[[], AbstractAsyncContextManager[Connection]]
OnWait: TypeAlias = Callable[[Wait], Awaitable[None]]

SETTLE_PAUSES = (
    0.2,
    1.0,
    3.0,
)  # seconds between tries; then the call is written down as unknown by the reaper

# Reservations that one call may lose between reserving and marking: a database so slow is no way to a provider.
_MOST_MARKS = 3
# For how long a refusal closes when the vendor named no time. Longer ones are counted over ten minutes.
_UNNAMED_SECONDS: dict[FailureCode, float] = {"quota_minute": 15.0, "spend_limit": 600.0}
# After these the vendor has done no work and charges none; of any other failure nobody knows.
_UNCHARGED: frozenset[FailureCode] = frozenset(
    ["quota_minute", "quota_day", "spend_limit", "auth", "model_retired", "bad_request", "server"]
)


class Admission:
    """One admitted call. Who makes it puts the `ProviderCall` here, whatever became of it, before leaving."""

    def __init__(self) -> None:
        self.call: ProviderCall | None = None


class Gate:
    """A job's way to the models under one key of one provider.

    It waits for room at most `patience` seconds in all, never until `remaining()` is over; `on_wait` is told before each wait.
    `comes_back` says that the job is snoozed when there is no room: its turn is then kept.
    """

    def __init__(
        self,
        borrow: Borrow,
        terms: Terms,
        *,
        provider: str,
        key: SecretStr,
        work: Work,
        job_id: UUID | None = None,
        place_id: UUID | None = None,
        patience: float = 0.0,
        remaining: Callable[[], float] = lambda: math.inf,
        comes_back: bool = False,
        on_wait: OnWait | None = None,
    ) -> None:
        self._borrow = borrow
        self._terms = terms
        self._provider = provider
        self._key = key
        self._work = work
        self._job_id = job_id
        self._place_id = place_id
        self._patience = patience
        self._remaining = remaining
        self._comes_back = comes_back
        self._on_wait = on_wait

    @asynccontextmanager
    async def admission(self, model: str, estimate: Estimate) -> AsyncIterator[Admission]:
        """Reserved and marked as sent when the block begins; settled, and closed if the vendor refused, when it ends.

        Raises `NoQuotaError` and `BudgetSpentError`, having sent nothing. A block that ends neither with an answer nor with a
        `ProviderFailure` settles nothing: who was told to stop must not begin a write, and the reaper writes the call down.
        """
        meter = Meter.of(self._provider, self._key, model)
        reservation = await self._reserved(meter, estimate)
        admission = Admission()
        try:
            yield admission
        except ProviderFailure as failure:
            await self._settle(reservation, admission.call, failure)
            await self._close(meter, failure)
            raise
        await self._settle(reservation, admission.call, None)

    async def _reserved(self, meter: Meter, estimate: Estimate) -> Reservation:
        marks_left = _MOST_MARKS
        while True:
            async with self._borrow() as conn:
                verdict = await governor.reserve(
                    conn,
                    meter,
                    self._work,
                    estimate,
                    terms=self._terms,
                    job_id=self._job_id,
                    place_id=self._place_id,
                )
            match verdict:
                case Reservation():
                    if await self._marked(verdict):
                        return verdict
                    marks_left -= 1
                    if not marks_left:
                        await self._refuse(Wait(meter, governor.BUSY_SECONDS, "busy"))
                case BudgetSpent():
                    raise BudgetSpentError(verdict)
                case Wait():
                    await self._wait(verdict)

    async def _marked(self, reservation: Reservation) -> bool:
        began = time.monotonic()
        try:
            async with self._borrow() as conn:
                began = time.monotonic()
                if not await governor.mark_sent(conn, reservation, terms=self._terms):
                    return False
        except CONNECTION_FAILURES as error:  # marked or not, who knows
            logger.info("a reservation is given back", extra={"error": type(error).__name__})
        else:
            # Half of the margin is the network's. Who was held up for longer would arrive when it counts no more.
            if time.monotonic() - began <= self._terms.margin / 2:
                return True
        async with self._borrow() as conn:
            await governor.give_back(conn, reservation, terms=self._terms)
        return False

    async def _wait(self, wait: Wait) -> None:
        if wait.seconds > self._patience or wait.seconds >= self._remaining():
            await self._refuse(wait)
        if self._on_wait is not None:
            await self._on_wait(wait)
        self._patience -= wait.seconds
        await asyncio.sleep(wait.seconds)

    async def _refuse(self, wait: Wait) -> NoReturn:
        if self._job_id is not None and not self._comes_back:
            async with self._borrow() as conn:
                await governor.leave(conn, wait.meter, self._job_id)
        raise NoQuotaError(wait)

    async def _settle(
        self, reservation: Reservation, call: ProviderCall | None, failure: ProviderFailure | None
    ) -> None:
        """Never fails: an answer is not lost because it could not be accounted for."""
        call = call or ProviderCall(
            reservation.meter.provider, reservation.meter.model, failure.code if failure else "ok", 0
        )
        tokens, cost = _taken(call)
        if failure is not None and failure.code in _UNCHARGED:
            tokens, cost = tokens or 0, cost or 0.0
        for pause in (*SETTLE_PAUSES, None):
            try:
                async with self._borrow() as conn:
                    await governor.settle(
                        conn, reservation, call, terms=self._terms, tokens=tokens, cost_usd=cost
                    )
            except DATABASE_FAILURES as error:
                logger.warning("a call is not settled", extra={"error": type(error).__name__})
                if pause is None:
                    return
                await asyncio.sleep(pause)
            else:
                return

    async def _close(self, meter: Meter, failure: ProviderFailure) -> None:
        """What a refusal names is closed for everybody: the model, or for money the whole key; for the day, until it is over."""
        if failure.code not in ("quota_minute", "quota_day", "spend_limit"):
            return
        seconds = None
        if failure.code != "quota_day":
            named = failure.retry_after
            seconds = _UNNAMED_SECONDS[failure.code] if named is None else named
        try:
            async with self._borrow() as conn:
                await governor.close(
                    conn,
                    meter,
                    seconds=seconds,
                    code=failure.code,
                    detail=failure.message,
                    whole_key=failure.code == "spend_limit",
                    terms=self._terms,
                )
        except DATABASE_FAILURES as error:
            logger.warning("a refused model is not closed", extra={"error": type(error).__name__})


def _taken(call: ProviderCall) -> tuple[int | None, float | None]:
    """Tokens and dollars as the vendor said; None for what it did not say."""
    if call.input_tokens is None and call.output_tokens is None:
        return None, call.cost_usd
    return (call.input_tokens or 0) + (call.output_tokens or 0), call.cost_usd
