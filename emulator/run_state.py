"""Who runs the emulator on a data folder, and where it can be reached."""

import fcntl
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

_LOCK, _STATE = "lock", "run.json"


class AlreadyRunning(RuntimeError):
    """Another process runs on the data folder; `state` is what it says about itself, if it got so far."""

    def __init__(self, data_dir: Path, state: "RunState | None") -> None:
        who = f"by process {state.pid} ({state.http_url})" if state else "by another process"
        super().__init__(f"{data_dir} is in use {who}: end that one first, or choose another --data-dir")
        self.state = state


@dataclass(frozen=True)
class RunState:
    """What commands beside a running `up` need. The file is readable by its owner alone: the URL has a password."""

    pid: int
    http_url: str
    lambda_url: str
    site_url: str | None
    database_url: str | None


class DataDir:
    """The hold on a data folder: one process at a time, given up when it ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: IO[bytes] | None = None

    def acquire(self) -> None:
        """Take the folder, making it when missing. Raises `AlreadyRunning`."""
        self.path.mkdir(parents=True, exist_ok=True)
        lock = open(self.path / _LOCK, "ab")  # noqa: SIM115 - held until release
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            raise AlreadyRunning(self.path, _read(self.path)) from None
        self._lock = lock
        (self.path / _STATE).unlink(missing_ok=True)

    def publish(self, state: RunState) -> None:
        """Tell commands beside this process where it can be reached."""
        partial = self.path / (_STATE + ".partial")
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(asdict(state), file)
        partial.replace(self.path / _STATE)

    def release(self) -> None:
        """Give the folder up."""
        if self._lock is not None:
            (self.path / _STATE).unlink(missing_ok=True)
            self._lock.close()
            self._lock = None


def held(data_dir: Path) -> bool:
    """Whether a process has the folder, come up or not."""
    try:
        lock = open(data_dir / _LOCK, "rb")  # noqa: SIM115 - closed below
    except FileNotFoundError:
        return False
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def running(data_dir: Path) -> RunState | None:
    """What runs on the folder now; None when nothing does, or when it has not come up yet."""
    return _read(data_dir) if held(data_dir) else None


def _read(data_dir: Path) -> RunState | None:
    try:
        return RunState(**json.loads((data_dir / _STATE).read_text("utf-8")))
    except FileNotFoundError:
        return None
