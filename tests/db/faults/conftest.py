"""Real sandboxes, as the emulator runs them, and a database past any pooler: it is sessions that die here."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from emulator.invocation import Outcome, Request, new_trace
from emulator.logs import LogLine
from emulator.sandbox import Host, Sandbox
from emulator.template import Function
from shared.jobs.models import JobRef
from shared.runtime.events import jobs_event
from tests.conftest import Server
from tests.db.runtime import conftest as runtime
from tests.db.runtime.conftest import TEST_TYPE
from tests.fakes.lambda_invoke import FakeLambda

ROOT = Path(__file__).resolve().parents[3]

conn, invokes, environment, sandbox = runtime.conn, runtime.invokes, runtime.environment, runtime.sandbox


@pytest.fixture
def database(postgres_server: Server) -> Iterator[str]:
    with postgres_server.fresh() as name:
        yield postgres_server.database_url(name)


class Process:
    """A sandbox of its own process under awslambdaric, running `tests.db.faults.program`."""

    def __init__(self, inner: Sandbox, folder: Path, said: list[str]) -> None:
        self._inner = inner
        self._folder = folder
        self.said = said  # its log, line by line

    async def invoke(self, *refs: JobRef, error: str | None = None) -> Any:
        """Invoke with an event of these refs; the answer. `error` is the type of the function error to be expected."""
        event = json.dumps(jobs_event(TEST_TYPE, refs)).encode()
        outcome: Outcome = await self._inner.run(Request(event, new_trace()))
        assert outcome.error == error, "\n".join([outcome.payload.decode(), *self.said])
        return json.loads(outcome.payload)

    def invoking(self, *refs: JobRef, error: str | None = None) -> "asyncio.Task[Any]":
        """The same beside the test."""
        return asyncio.create_task(self.invoke(*refs, error=error))

    def go(self) -> None:
        """Let the jobs that wait go on."""
        (self._folder / "go").touch()

    def stopped(self, n: int) -> bool:
        """Whether the waiting job of that number was told to stop."""
        return (self._folder / f"stopped-{n}").exists()

    def signal(self, number: signal.Signals) -> None:
        assert self._inner.pid is not None
        os.kill(self._inner.pid, number)

    def freeze(self) -> None:
        self.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.signal(signal.SIGCONT)

    async def end(self) -> None:
        await self._inner.stop()


Processes = Callable[..., Process]


@pytest.fixture
async def processes(database: str, invokes: FakeLambda, tmp_path: Path) -> AsyncIterator[Processes]:
    """Makes sandboxes; what is given is laid over their environment. They are killed after the test."""
    made: list[Process] = []

    def make(**variables: str) -> Process:
        folder = tmp_path / f"sandbox-{len(made)}"
        folder.mkdir()
        said: list[str] = []

        def log(line: LogLine) -> None:
            said.append(line.text)

        variables = {
            "DATABASE_URL": database,
            "FUNCTION_PREFIX": "web4ai-",
            "WATCHED": str(folder),
            **variables,
        }
        name = "web4ai-job-test"
        function = Function(
            "Test",
            name,
            "tests.db.faults.program.handler",
            f"arn:{name}",
            900.0,
            512,
            {},
            None,
            0,
            60.0,
            True,
        )
        host = Host(ROOT, invokes.url, "ap-northeast-2", variables, log)
        made.append(Process(Sandbox(function, host, lambda _: None), folder, said))
        return made[-1]

    yield make
    await asyncio.gather(*(process.end() for process in made))
