"""One attempt of one job: run the handler, within its deadline, and say how it ended."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import ValidationError

from shared.field_errors import from_pydantic
from shared.jobs.errors import JobDeadlineExceeded, LeaseLost, PermanentJobError, Snooze
from shared.jobs.holding import Completion
from shared.jobs.jsontext import plain
from shared.jobs.models import Job
from shared.jobs.spec import JobSpec
from shared.runtime.context import JobContext, Outcome
from shared.runtime.heartbeat import Stop
from shared.runtime.sandbox import SandboxConnection
from shared.settings import Settings

Handle: TypeAlias = Callable[[Job, JobContext], Awaitable[Mapping[str, Any] | Outcome]]

CANCEL_GRACE_SECONDS = 5.0  # that a handler has to clean up in once it was told to stop


@dataclass(frozen=True)
class Failed:
    """An attempt that did not succeed; `permanent` ends the job."""

    error: BaseException | str
    permanent: bool = False


@dataclass(frozen=True)
class Stopped:
    """The handler was told to stop and has; after LOST nothing may be written."""

    why: Stop


@dataclass(frozen=True)
class Runaway:
    """The handler was told to stop and has not: its lease is left to run out."""


End: TypeAlias = Completion | Failed | Snooze | Stopped | Runaway


class Attempt:
    """A started job on its way to its end."""

    def __init__(self, spec: JobSpec, handle: Handle, job: Job) -> None:
        self.job = job
        self.runs_on = False  # the handler went on after it was told to stop: the sandbox must end
        self._spec = spec
        self._handle = handle
        self._why: Stop | None = None
        self._told: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def tell(self, why: Stop) -> None:
        """Stop the handler; called on the loop's thread. The first word counts, but LOST overrules."""
        if self._why is None or why is Stop.LOST:
            self._why = why
        if not self._told.done():
            self._told.set_result(None)

    async def run(self, config: Settings, work: SandboxConnection, deadline: float) -> End:
        """The attempt's end. Raises nothing: whatever the handler does is an outcome."""
        try:
            payload = self._spec.payload_model.model_validate(self.job.payload)
        except ValidationError as error:
            broken = from_pydantic(error.errors(include_input=False), whole="payload")
            rules = "; ".join(f"{problem.field}: {problem.message}" for problem in broken)
            return Failed(f"InvalidPayload: {rules}", permanent=True)
        if self.job.cancel_requested_at is not None:
            return Stopped(Stop.CANCELLED)
        context = JobContext(self.job, payload, config, work, deadline)
        task = asyncio.create_task(_call(self._handle, self.job, context))
        either: set[asyncio.Future[Any]] = {task, self._told}
        await asyncio.wait(either, timeout=deadline, return_when=asyncio.FIRST_COMPLETED)
        overran = not task.done() and not self._told.done()
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=CANCEL_GRACE_SECONDS)
        await context.stop_progress()
        self.runs_on = not task.done()
        if self.runs_on:
            work.take_from(task)
        if overran:
            return Failed(JobDeadlineExceeded(f"ran longer than {deadline:g} s"))
        return self._judge(task)

    def _judge(self, task: "asyncio.Task[Mapping[str, Any] | Outcome]") -> End:
        if not task.done():
            return Runaway()
        error = None if task.cancelled() else task.exception()
        if self._why is Stop.LOST or isinstance(error, LeaseLost):
            return Stopped(Stop.LOST)
        if self._why is Stop.CANCELLED and (error is not None or task.cancelled()):
            return Stopped(Stop.CANCELLED)
        if task.cancelled():
            return Failed("CancelledError: the handler cancelled itself")
        if error is not None:
            return error if isinstance(error, Snooze) else Failed(error, isinstance(error, PermanentJobError))
        outcome = task.result()
        if not isinstance(outcome, Outcome):
            outcome = Outcome(outcome)
        if not isinstance(outcome.result, Mapping):
            return Failed(f"TypeError: the handler returned {type(outcome.result).__name__}, not a dict")
        try:
            return Completion(self.job, plain(outcome.result), list(outcome.follow_ups), self._spec.watches)
        except Exception as reading:  # noqa: BLE001 - whatever the handler gave, this attempt fails of it and no other
            return Failed(reading)


async def _call(handle: Handle, job: Job, context: JobContext) -> Mapping[str, Any] | Outcome:
    try:
        return await handle(job, context)
    except (SystemExit, KeyboardInterrupt) as leaving:
        # Either would end the event loop, and with it every other job of the batch.
        raise RuntimeError(f"the handler raised {type(leaving).__name__}") from leaving
