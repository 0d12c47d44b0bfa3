"""The Lambda service: runs functions at once, or takes events and delivers them with AWS's retries and limits."""

import asyncio
import json
import time
from collections.abc import Coroutine, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from emulator.chaos import Chaos
from emulator.invocation import Outcome, RecursiveLoop, Request, Throttled, next_hop
from emulator.logs import LogLine
from emulator.pool import Pool
from emulator.sandbox import Host
from emulator.template import Function

_RETRY_WAITS_S = (60.0, 120.0)
_THROTTLED_FIRST_S, _THROTTLED_MOST_S = 1.0, 300.0


@dataclass(frozen=True)
class Failure:
    """An event that no attempt could settle: what the on-failure destination would get.

    `condition` is RetriesExhausted, EventAgeExceeded, RecursiveLoop or ZeroReservedConcurrency.
    """

    function: str
    request_id: str
    condition: str
    attempts: int
    payload: str
    error: str | None = None


class UnknownFunction(LookupError):
    """No function has this name."""


class LambdaService:
    """Every function's sandboxes and its queue of asynchronous events.

    `speed` divides the waits between retries and multiplies an event's age; a function's own timeout is real.
    `concurrency` caps what one function may run on this machine, below its reserved concurrency.
    """

    def __init__(
        self,
        functions: Mapping[str, Function],
        host: Host,
        *,
        speed: float = 1.0,
        chaos: Chaos | None = None,
        concurrency: int | None = None,
        idle_s: float = 600.0,
    ) -> None:
        self.functions = functions
        self.failures: list[Failure] = []
        self._host = host
        self._speed = speed
        self._chaos = chaos or Chaos()
        self._pools: dict[str, Pool] = {}
        for name, function in functions.items():
            limits = [n for n in (function.reserved_concurrency, concurrency) if n is not None]
            self._pools[name] = Pool(function, host, limit=min(limits, default=None), idle_s=idle_s)
        self._deliveries: set[asyncio.Task[None]] = set()

    async def invoke(self, name: str, payload: bytes, trace: str | None = None) -> tuple[str, Outcome]:
        """Run a function and wait for it; returns the request id and the outcome.

        Raises `UnknownFunction`, `Throttled`, `RecursiveLoop`.
        """
        function = self._function(name)
        header = next_hop(trace, name, loop_allowed=function.recursive_loop_allowed)
        request = Request(payload, header)
        return request.request_id, await self._pools[name].invoke(request)

    def send(self, name: str, payload: bytes, trace: str | None = None) -> str:
        """Accept an event to be delivered later; returns its request id. Raises `UnknownFunction`."""
        return self._accept(name, payload, trace)[0]

    async def deliver(self, name: str, payload: bytes) -> None:
        """Send an event and wait until it was delivered, given up or lost."""
        await asyncio.gather(*self._accept(name, payload, None)[1], return_exceptions=True)

    def _accept(self, name: str, payload: bytes, trace: str | None) -> tuple[str, list[asyncio.Task[None]]]:
        function = self._function(name)
        try:
            header = next_hop(trace, name, loop_allowed=function.recursive_loop_allowed)
        except RecursiveLoop as error:
            request = Request(payload, trace or "")
            self._fail(function, request, "RecursiveLoop", 0, str(error))
            return request.request_id, []
        request = Request(payload, header)
        if function.reserved_concurrency == 0:
            self._fail(function, request, "ZeroReservedConcurrency", 0)
            return request.request_id, []
        delays = self._chaos.deliveries(name)
        return request.request_id, [self._spawn(self._deliver(function, request, s)) for s in delays]

    def running(self, name: str) -> int:
        """Invocations of a function that run now."""
        return self._pools[name].running

    @property
    def pids(self) -> set[int]:
        """The processes of all sandboxes."""
        return set[int]().union(*(pool.pids for pool in self._pools.values()))

    def busy(self, name: str) -> dict[int, bool]:
        """The processes of a function's sandboxes, each with whether an invocation is bound to it."""
        return self._pools[name].busy

    async def settled(self) -> None:
        """Wait until every accepted event was delivered, given up or lost."""
        while self._deliveries:
            await asyncio.wait(set(self._deliveries))

    async def stop(self) -> None:
        """Forget events that wait and kill every sandbox."""
        for task in list(self._deliveries):
            task.cancel()
        await asyncio.gather(*self._deliveries, return_exceptions=True)
        await asyncio.gather(*(pool.stop() for pool in self._pools.values()))

    def _function(self, name: str) -> Function:
        if name not in self.functions:
            raise UnknownFunction(name)
        return self.functions[name]

    def _spawn(self, delivery: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(delivery)
        self._deliveries.add(task)
        task.add_done_callback(self._deliveries.discard)
        return task

    async def _deliver(self, function: Function, request: Request, delay_s: float) -> None:
        accepted = time.monotonic()
        if delay_s:
            await asyncio.sleep(delay_s)
        attempts, throttled_s, error = 0, _THROTTLED_FIRST_S, None
        while True:
            if (time.monotonic() - accepted) * self._speed > function.max_event_age_s:
                self._fail(function, request, "EventAgeExceeded", attempts, error)
                return
            try:
                outcome = await self._pools[function.name].invoke(request)
            except Throttled:
                await asyncio.sleep(throttled_s / self._speed)
                throttled_s = min(throttled_s * 2, _THROTTLED_MOST_S)
                continue
            if outcome.error is None:
                return
            attempts, error = attempts + 1, outcome.payload.decode("utf-8", "replace")
            if attempts > function.retry_attempts:
                self._fail(function, request, "RetriesExhausted", attempts, error)
                return
            await asyncio.sleep(_RETRY_WAITS_S[min(attempts, len(_RETRY_WAITS_S)) - 1] / self._speed)

    def _fail(
        self, function: Function, request: Request, condition: str, attempts: int, error: str | None = None
    ) -> None:
        payload = request.payload.decode("utf-8", "replace")
        failure = Failure(function.name, request.request_id, condition, attempts, payload, error)
        self.failures.append(failure)
        text = "EVENT FAILED " + json.dumps(asdict(failure), ensure_ascii=False)
        self._host.log(LogLine(function.name, 0, request.request_id, text))
