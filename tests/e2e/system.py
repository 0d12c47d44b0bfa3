"""A whole system under test: `local_runner.py` in a process of its own, and what a test needs to look at it from outside."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import asyncpg
import httpx

ROOT = Path(__file__).resolve().parent.parent.parent
RUNNER = ROOT / "local_runner.py"

T = TypeVar("T")

# Short enough that a test need not wait for a lease, long enough for a cold start on a busy machine.
QUICK = {"JOB_LEASE_SECONDS": "6", "CLAIM_LEASE_SECONDS": "20", "CLAIMER_POLL_SECONDS": "1"}


def until(condition: Callable[[], T | None], what: str, seconds: float = 60.0) -> T:
    """The condition's first true value. Fails, naming `what`, when there is none in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds:g} s for {what}")


def run_command(
    *arguments: str, data_dir: Path, environment: Mapping[str, str] | None = None, seconds: float = 120.0
) -> subprocess.CompletedProcess[str]:
    """One command to its end."""
    return subprocess.run(
        [sys.executable, str(RUNNER), *arguments, "--data-dir", str(data_dir)],
        cwd=ROOT,
        env=clean_environment(environment),
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a person's shell has, without settings of ours."""
    kept = {
        name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR", "PG_BIN") if name in os.environ
    }
    return {**kept, **(extra or {})}


class Up:
    """`up` on a data folder, as a child process."""

    def __init__(self, data_dir: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        self.data_dir = data_dir
        self.errors = data_dir.parent / f"{data_dir.name}.stderr"
        errors = self.errors.open("a")
        self.process = subprocess.Popen(
            [
                sys.executable,
                str(RUNNER),
                "up",
                "--json",
                "--data-dir",
                str(data_dir),
                "--port",
                "0",
                *arguments,
            ],
            cwd=ROOT,
            env=clean_environment(environment),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        errors.close()
        self.document = self._read_document()
        self.http = httpx.Client(
            base_url=self.document["api"],
            headers={"authorization": f"Bearer {self.document['token']}"},
            timeout=60,
            trust_env=False,
        )

    def _read_document(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        text = ""
        for line in self.process.stdout:
            text += line
            if line.rstrip() == "}":
                return dict(json.loads(text))
        raise AssertionError(f"`up` ended with {self.process.wait()}: {self.errors.read_text()}")

    def __enter__(self) -> "Up":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Ctrl-C, and wait."""
        self.http.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(30)
        if self.process.stdout:
            self.process.stdout.close()

    def kill(self) -> None:
        """kill -9."""
        self.http.close()
        self.process.kill()
        self.process.wait(30)
        if self.process.stdout:
            self.process.stdout.close()

    def call(self, method: str, path: str, **options: Any) -> Any:
        """A call that must succeed; its decoded answer."""
        answer = self.http.request(method, path, **options)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def onboard(self, place: Mapping[str, Any]) -> str:
        """A place with its generation started; its id."""
        place_id = str(self.call("POST", "/places", json=place)["place_id"])
        self.call("POST", f"/places/{place_id}/generation")
        return place_id

    def finished(self, place_id: str, seconds: float = 90.0) -> dict[str, dict[str, Any]]:
        """The steps of the place's generation by type, once it is over."""

        def over() -> dict[str, Any] | None:
            generation = self.call("GET", f"/places/{place_id}/generation")
            return None if generation["active"] else generation

        generation = until(over, f"the generation of {place_id}", seconds)
        return {step["job_type"]: step for step in generation["steps"]}

    def run_state(self) -> dict[str, Any]:
        """Addresses and the database's URL."""
        return dict(json.loads((self.data_dir / "run.json").read_text()))

    async def database(self) -> "asyncpg.Connection[asyncpg.Record]":
        """A connection of the test's own."""
        return await asyncpg.connect(self.run_state()["database_url"])

    def sandboxes(self, function: str) -> list[int]:
        """The living processes of a function of this system."""
        return [
            pid
            for pid in descendants(self.process.pid)
            if environment_of(pid).get("AWS_LAMBDA_FUNCTION_NAME", "").endswith(function)
        ]


def descendants(pid: int) -> list[int]:
    """All living processes below `pid`."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            state, parent = _stat(int(entry.name))
            if state and state != "Z":
                parents.setdefault(parent, []).append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        children = parents.get(todo.pop(), [])
        found += children
        todo += children
    return found


def alive(pid: int) -> bool:
    """Whether the process runs; one that only waits to be reaped does not."""
    state, _ = _stat(pid)
    return state is not None and state != "Z"


def _stat(pid: int) -> tuple[str | None, int]:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None, 0
    return fields[0], int(fields[1])


def environment_of(pid: int) -> dict[str, str]:
    """The variables the process was started with; empty when it is gone."""
    try:
        text = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return {}
    return dict(entry.split("=", 1) for entry in text.split("\0") if "=" in entry)
