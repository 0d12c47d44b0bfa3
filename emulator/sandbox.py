"""A sandbox: one operating system process that runs one function, one invocation at a time."""

import asyncio
import importlib.util
import itertools
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emulator.invocation import Outcome, Request
from emulator.logs import LogLine, LogPipe, LogSink
from emulator.parent_death import kernel_can_signal, signal_at_parent_death
from emulator.runtime_api import RuntimeApi
from emulator.template import Function

_INIT_S = 10.0  # a cold start longer than this is counted against the function's own timeout
_PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR")  # all that a sandbox sees of the developer's environment
_FALLBACK = Path(__file__).with_name("fallback_runtime.py")
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Host:
    """What all sandboxes of a stack share.

    `environment` is laid over the template's; None takes a variable away. `freeze` stops a sandbox's process
    between two invocations, as AWS does (Linux only: elsewhere a stopped one could not see the emulator die).
    `runtime` is "awslambdaric", "fallback", or "auto".
    """

    root: Path
    lambda_url: str
    region: str
    environment: Mapping[str, str | None]
    log: LogSink
    runtime: str = "auto"
    freeze: bool = False


class Sandbox:
    """Started by its first invocation, reused warm, killed at the function's timeout."""

    def __init__(self, function: Function, host: Host, on_exit: Callable[["Sandbox"], None]) -> None:
        self.number = next(_numbers)
        self.function = function
        self._host = host
        self._on_exit = on_exit
        self._process: asyncio.subprocess.Process | None = None
        self._exit: asyncio.Task[None] | None = None
        self._pipe: LogPipe | None = None
        self._stopping = False
        self._starting: asyncio.Event | None = None  # set once the process is there, or could not be made
        self._api = RuntimeApi(function.arn, function.timeout_s, self._now_idle, self._now_working)

    @property
    def pid(self) -> int | None:
        """The process's id, None before the first invocation."""
        return self._process.pid if self._process is not None else None

    @property
    def alive(self) -> bool:
        """Whether another invocation can be given to it."""
        return not self._stopping and self._process is not None and self._process.returncode is None

    async def run(self, request: Request) -> Outcome:
        """Run one invocation to its end: an answer, a function error, a crash, or the timeout."""
        began = time.monotonic()
        cold = self._process is None
        self._api.begin(request)
        if cold:
            await self._start()
        await self._until(self._api.taken, _INIT_S)
        ready = time.monotonic()
        in_time = await self._until(self._api.finished, self.function.timeout_s)
        outcome = self._api.outcome
        if outcome is None:
            message = f"Task timed out after {self.function.timeout_s:.2f} seconds"
            outcome = Outcome.failure("Sandbox.Timedout", f"RequestId: {request.request_id} Error: {message}")
        if not in_time or not self._api.taken.is_set():  # a failed start is not tried again in this process
            await self.stop()
        if self._pipe is not None:
            self._pipe.drain()
        self._report(request, outcome, ready - began if cold else None, time.monotonic() - ready)
        return outcome

    async def stop(self) -> None:
        """Kill the process and its children at once, as AWS does."""
        self._stopping = True
        if self._starting is not None:
            await self._starting.wait()
        if self._process is not None and self._process.returncode is None:
            self._kill_group()
        if self._exit is not None:
            await self._exit

    async def _until(self, event: asyncio.Event, seconds: float) -> bool:
        """Wait for `event` or the invocation's end, at most so long; False when neither came."""
        if event.is_set() or self._api.finished.is_set():
            return True
        waits = [asyncio.ensure_future(e.wait()) for e in {event, self._api.finished}]
        try:
            done, _ = await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        return bool(done)

    async def _start(self) -> None:
        self._starting = asyncio.Event()
        try:
            await self._start_process()
        finally:
            self._starting.set()

    async def _start_process(self) -> None:
        options: dict[str, Any] = {}
        if kernel_can_signal():
            options["preexec_fn"] = signal_at_parent_death(signal.SIGKILL)
        elif sys.platform == "linux":
            raise RuntimeError("start the stack from the main thread: its sandboxes die with the thread")
        self._pipe = LogPipe(self.function.name, self.number, self._host.log)
        try:
            address = await self._api.start()
            self._process = await asyncio.create_subprocess_exec(
                *self._command(),
                cwd=self._host.root,
                env=self._environment(address),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=self._pipe.writing,
                stderr=self._pipe.writing,
                start_new_session=True,
                **options,
            )
        except BaseException:
            self._pipe.close()
            await self._api.close()
            raise
        finally:
            self._pipe.close_writing_end()
        self._exit = asyncio.create_task(self._watch(self._process, self._pipe))

    def _command(self) -> list[str]:
        runtime = self._host.runtime
        if runtime == "auto":
            found = sys.platform == "linux" and importlib.util.find_spec("awslambdaric")
            runtime = "awslambdaric" if found else "fallback"
        if runtime == "awslambdaric":
            return [sys.executable, "-m", "awslambdaric", self.function.handler]
        # -P: the script's own folder must not be searched for modules
        return [sys.executable, "-P", str(_FALLBACK), self.function.handler]

    def _environment(self, address: str) -> dict[str, str]:
        function, host = self.function, self._host
        merged = {**function.environment, **host.environment}
        return {
            **{name: os.environ[name] for name in _PASSED_ON if name in os.environ},
            **{name: value for name, value in merged.items() if value is not None},
            "AWS_LAMBDA_RUNTIME_API": address,
            "AWS_ENDPOINT_URL_LAMBDA": host.lambda_url,
            "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13",
            "AWS_LAMBDA_FUNCTION_NAME": function.name,
            "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory_mb),
            "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
            "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{function.name}",
            "AWS_LAMBDA_LOG_STREAM_NAME": str(self.number),
            "AWS_REGION": host.region,
            "AWS_DEFAULT_REGION": host.region,
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_SESSION_TOKEN": "local",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": os.devnull,  # nothing of the developer's own AWS account
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "_HANDLER": function.handler,
            "LAMBDA_TASK_ROOT": str(host.root),
            "PYTHONPATH": str(host.root),
            "TZ": ":UTC",
            "WEB4AI_EMULATOR_PID": str(os.getpid()),
        }

    async def _watch(self, process: asyncio.subprocess.Process, pipe: LogPipe) -> None:
        code = await process.wait()
        pipe.drain()
        self._api.end(Outcome.failure("Runtime.ExitError", _exit_message(pipe.request_id or "-", code)))
        self._kill_group()  # what a crashed handler started does not outlive it
        pipe.close()
        await self._api.close()
        self._on_exit(self)

    def _kill_group(self) -> None:
        assert self._process is not None  # noqa: S101 - callers have a process
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return  # the group is gone already (macOS says so with EPERM)

    def _now_idle(self) -> None:
        if self._host.freeze and self._process is not None and self._process.returncode is None:
            os.kill(self._process.pid, signal.SIGSTOP)

    def _now_working(self, request: Request) -> None:
        if self._pipe is not None:
            self._pipe.drain()
            self._pipe.request_id = request.request_id
        if self._host.freeze and self._process is not None and self._process.returncode is None:
            os.kill(self._process.pid, signal.SIGCONT)

    def _report(self, request: Request, outcome: Outcome, init_s: float | None, run_s: float) -> None:
        text = f"REPORT Duration: {run_s * 1000:.2f} ms"
        if init_s is not None:
            text += f" Init Duration: {init_s * 1000:.2f} ms"
        if outcome.error is not None:
            text += f" Status: {outcome.error}"
        self._host.log(LogLine(self.function.name, self.number, request.request_id, text))


def _exit_message(request_id: str, code: int) -> str:
    if code == 0:
        reason = "Runtime exited without providing a reason"
    elif code < 0:
        reason = f"Runtime exited with error: signal: {signal.Signals(-code).name}"
    else:
        reason = f"Runtime exited with error: exit status {code}"
    return f"RequestId: {request_id} Error: {reason}"
