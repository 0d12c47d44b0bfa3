"""How a job gets to a paid provider: through the quota governor, and through nothing else."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from pydantic import SecretStr

from shared.alerts import outbox
from shared.db import DATABASE_FAILURES
from shared.logging import logger
from shared.providers.failures import FailureCode, ProviderFailure
from shared.quota import Admission, Estimate, Gate, Terms, Wait, Work
from shared.runtime import JobContext

# What time alone does not mend: somebody has to look at a key, a name or an account.
_FOR_PEOPLE: frozenset[FailureCode] = frozenset(["auth", "model_retired", "spend_limit"])


class Access(Protocol):
    """What a client of a provider asks before each call. `shared.quota.Gate` is the one that counts."""

    def admission(self, model: str, estimate: Estimate) -> AbstractAsyncContextManager[Admission]:
        """Leave to send one call, which is put into the admission when it has ended. Raises `ProviderFailure`."""


def access_of(
    ctx: JobContext,
    provider: str,
    key: SecretStr,
    *,
    work: Work,
    step: str,
    patience: float,
    remaining: Callable[[], float],
    comes_back: bool = False,
) -> Access:
    """The job's way to the models under one key; what it waits for stands in its progress, under `step`.

    `patience` is in seconds, for the whole job. `comes_back`: the job is snoozed when there is no room, and keeps its turn.
    Refusals that only people can mend raise an alert, once a window for a model and a reason.
    """

    async def on_wait(wait: Wait) -> None:
        await ctx.progress(step=step, **wait.progress())

    gate = Gate(
        ctx.reading,
        Terms.of(ctx.settings),
        provider=provider,
        key=key,
        work=work,
        job_id=ctx.job.job_id,
        place_id=ctx.job.place_id,
        patience=patience,
        remaining=remaining,
        comes_back=comes_back,
        on_wait=on_wait,
    )
    return _Told(gate, ctx, provider)


class _Told:
    """A gate whose lasting refusals reach people."""

    def __init__(self, gate: Gate, ctx: JobContext, provider: str) -> None:
        self._gate = gate
        self._ctx = ctx
        self._provider = provider

    @asynccontextmanager
    async def admission(self, model: str, estimate: Estimate) -> AsyncIterator[Admission]:
        """See `Access`."""
        try:
            async with self._gate.admission(model, estimate) as admission:
                yield admission
        except ProviderFailure as failure:
            if failure.code in _FOR_PEOPLE:
                await self._tell("ai_refused", model, failure, key=f"{self._provider}:{model}:{failure.code}")
            elif failure.code == "budget":
                await self._tell("ai_budget_spent", model, failure, key="month")
            raise

    async def _tell(self, kind: str, model: str, failure: ProviderFailure, *, key: str) -> None:
        """Never fails: the work goes on without the provider, told of or not."""
        detail = {"provider": self._provider, "model": model, "error": f"{self._provider} {model}: {failure}"}
        window = self._ctx.settings.alert_dedupe_minutes * 60
        title = kind.replace("_", " ")
        try:
            async with self._ctx.reading() as conn:
                await outbox.raise_alert(
                    conn, kind, title, detail, key=f"{kind}:{key}", window_seconds=window
                )
        except DATABASE_FAILURES as error:
            logger.warning("a refusal is not told", extra={"kind": kind, "error": type(error).__name__})
