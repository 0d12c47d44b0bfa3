"""The sandboxes of one function: a warm one when there is one, another one up to its concurrency."""

import asyncio

from emulator.invocation import Outcome, Request, Throttled
from emulator.sandbox import Host, Sandbox
from emulator.template import Function


class Pool:
    """Binds each invocation to one sandbox for as long as it runs."""

    def __init__(self, function: Function, host: Host, *, limit: int | None, idle_s: float) -> None:
        self._function = function
        self._host = host
        self._limit = limit
        self._idle_s = idle_s
        self._idle: list[Sandbox] = []
        self._expiry: dict[Sandbox, asyncio.TimerHandle] = {}
        self._all: set[Sandbox] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._running = 0

    @property
    def running(self) -> int:
        """Invocations that run now."""
        return self._running

    @property
    def pids(self) -> set[int]:
        """Processes of this function's sandboxes, warm ones included."""
        return {sandbox.pid for sandbox in self._all if sandbox.pid is not None}

    @property
    def busy(self) -> dict[int, bool]:
        """The same processes, each with whether an invocation is bound to it."""
        return {sandbox.pid: sandbox not in self._idle for sandbox in self._all if sandbox.pid is not None}

    async def invoke(self, request: Request) -> Outcome:
        """Run one invocation. Raises `Throttled`, before anything is started, at the concurrency limit."""
        if self._limit is not None and self._running >= self._limit:
            raise Throttled(self._function.name)
        sandbox = self._take()
        self._running += 1
        try:
            outcome = await sandbox.run(request)
        except BaseException:  # given up by the caller, or its process could not be started
            self._end(sandbox)
            raise
        finally:
            self._running -= 1
        if sandbox.alive:
            self._idle.append(sandbox)
            loop = asyncio.get_running_loop()
            self._expiry[sandbox] = loop.call_later(self._idle_s, self._end, sandbox)
        return outcome

    async def stop(self) -> None:
        """Kill every sandbox and start no more."""
        self._limit = 0
        for timer in self._expiry.values():
            timer.cancel()
        await asyncio.gather(*(sandbox.stop() for sandbox in list(self._all)), *self._ending)

    def _take(self) -> Sandbox:
        while self._idle:
            sandbox = self._idle.pop()  # the one used last is the warmest
            self._expiry.pop(sandbox).cancel()
            if sandbox.alive:
                return sandbox
        sandbox = Sandbox(self._function, self._host, self._forget)
        self._all.add(sandbox)
        return sandbox

    def _end(self, sandbox: Sandbox) -> None:
        if sandbox.pid is None:
            self._all.discard(sandbox)
        task = asyncio.get_running_loop().create_task(sandbox.stop())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def _forget(self, sandbox: Sandbox) -> None:
        self._all.discard(sandbox)
        if sandbox in self._idle:
            self._idle.remove(sandbox)
            self._expiry.pop(sandbox).cancel()
