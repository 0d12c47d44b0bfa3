"""A stack over the sample template, and ways to wait for what happens elsewhere."""

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from emulator.stack import Stack

PROJECT = Path(__file__).resolve().parents[2]
SAMPLE = Path(__file__).resolve().parent / "sample" / "template.yaml"


class MakeStack(Protocol):
    """Starts a stack over the sample template; it is stopped after the test."""

    def __call__(self, **options: Any) -> Awaitable[Stack]: ...


@pytest.fixture
async def make_stack() -> AsyncIterator[MakeStack]:
    stacks: list[Stack] = []

    async def start(**options: Any) -> Stack:
        options.setdefault("run_schedules", False)
        stack = Stack(options.pop("template", SAMPLE), **options)
        stacks.append(stack)
        await stack.start()
        return stack

    yield start
    for stack in stacks:
        await stack.stop()


@pytest.fixture
def sample() -> Path:
    """The sample template."""
    return SAMPLE


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A file that sample functions append to when RECORDS names it."""
    return tmp_path / "records"


Eventually = Callable[[Callable[[], Any]], Awaitable[Any]]


@pytest.fixture
def eventually() -> Eventually:
    """Asks until the answer is true; fails when it still is not after 20 s."""

    async def ask(condition: Callable[[], Any]) -> Any:
        end = time.monotonic() + 20
        while not (answer := condition()):
            assert time.monotonic() < end, "it never happened"
            await asyncio.sleep(0.01)
        return answer

    return ask


@pytest.fixture
def lines_of() -> Callable[[Path], list[str]]:
    """The lines of a file; none while it does not exist."""
    return lambda path: path.read_text("utf-8").splitlines() if path.exists() else []


@pytest.fixture
def is_running() -> Callable[[int], bool]:
    """Whether a process lives; one that is dead and only not collected yet does not."""

    def ask(pid: int) -> bool:
        done = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        return bool(done.stdout.strip()) and not done.stdout.strip().startswith("Z")

    return ask


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="web4ai-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def start_script(request: pytest.FixtureRequest) -> Callable[..., tuple["subprocess.Popen[str]", Any]]:
    """Runs Python source in a process of its own until it prints one JSON line; returns both."""

    def start(source: str, *arguments: str) -> tuple["subprocess.Popen[str]", Any]:
        process = subprocess.Popen(
            [sys.executable, "-c", source, *arguments], cwd=PROJECT, stdout=subprocess.PIPE, text=True
        )

        def end() -> None:
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()

        request.addfinalizer(end)
        assert process.stdout is not None
        return process, json.loads(process.stdout.readline())

    return start
