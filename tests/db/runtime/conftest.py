"""A sandbox of a test's own: its environment, its one thread and event loop, and a Lambda that takes its invokes."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from shared import aws
from shared.db import Connection
from shared.jobs import wake
from shared.jobs.models import JobRef
from shared.runtime import sandbox as sandbox_module
from shared.runtime.events import jobs_event
from shared.settings import settings
from tests.db import reused
from tests.db.steps import connect
from tests.fakes.lambda_invoke import FakeLambda, lambda_invoke
from tests.pgbouncer import pooling

TEST_TYPE = 900

database = reused.database
reused_database = reused.reused_database


class LambdaContext:
    """What the runtime reads of Lambda's context object."""

    def __init__(self, aws_request_id: str, seconds: float) -> None:
        self.aws_request_id = aws_request_id
        self._ends = time.monotonic() + seconds

    def get_remaining_time_in_millis(self) -> int:
        return max(0, int((self._ends - time.monotonic()) * 1000))


class Sandbox:
    """Invokes handlers one after the other on one thread, as Lambda does in one sandbox."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "sandbox")

    async def call(self, handler: Callable[[Any, Any], Any], event: Any, *, seconds: float = 900) -> Any:
        """Invoke with `seconds` left; the answer, or the exception."""
        context = LambdaContext(str(uuid4()), seconds)
        return await asyncio.get_running_loop().run_in_executor(self._thread, handler, event, context)

    async def invoke(self, handler: Callable[[Any, Any], Any], *refs: JobRef, **options: Any) -> Any:
        """Invoke a job handler with an event of these refs."""
        return await self.call(handler, jobs_event(TEST_TYPE, refs), **options)

    def end(self) -> None:
        """Close what the sandbox kept."""
        self._thread.submit(_end).result()
        self._thread.shutdown()


def _end() -> None:
    if sandbox_module._connection is not None:
        sandbox_module.run(sandbox_module._connection.close())
        sandbox_module._connection = None
    if sandbox_module._runner is not None:
        sandbox_module._runner.close()
        sandbox_module._runner = None


@pytest.fixture
async def conn(database: str) -> AsyncIterator[Connection]:
    connection = await connect(database)
    yield connection
    await connection.close(timeout=5)


@pytest.fixture
def invokes() -> Iterator[FakeLambda]:
    with lambda_invoke() as fake:
        yield fake


@pytest.fixture
def environment(
    database: str, invokes: FakeLambda, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., None]]:
    """Sets variables for this test's sandbox; those every sandbox needs are set already."""

    def forget() -> None:
        for cached in (settings, aws.lambda_client, wake._claimer):
            cached.cache_clear()

    def put(**variables: str) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        forget()

    put(
        DATABASE_URL=database,
        DB_STATEMENT_CACHE_SIZE="0" if pooling() else "",
        AWS_ENDPOINT_URL_LAMBDA=invokes.url,
        AWS_ACCESS_KEY_ID="test",
        AWS_SECRET_ACCESS_KEY="test",
        AWS_DEFAULT_REGION="ap-northeast-2",
        FUNCTION_PREFIX="web4ai-",
    )
    yield put
    forget()


@pytest.fixture
def sandbox(environment: Callable[..., None]) -> Iterator[Sandbox]:
    made = Sandbox()
    yield made
    made.end()
