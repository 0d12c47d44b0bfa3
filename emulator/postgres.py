"""A PostgreSQL server of one's own: made on first start, on loopback, gone with its starter."""

import atexit
import fcntl
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import IO

from emulator.parent_death import Watcher, kernel_can_signal
from emulator.pg_binaries import Binaries, reachable_binaries
from emulator.pg_data import (
    SUPERUSER,
    PostgresError,
    child_options,
    clear_stale_pid,
    initialise,
    pid_file,
    remedy,
    server_folder,
)
from emulator.unprivileged import User, server_user

__all__ = ["Postgres", "PostgresError"]

_START_TIMEOUT = 120.0  # seconds; replaying the log after a crash takes most of it
_STOP_TIMEOUT = 15.0  # seconds for an orderly shutdown before a hard one


class Postgres:
    """One server on one data folder.

    `data_dir` holds `pgdata/` (the cluster), `password` (mode 0600), `server.log` and `lock`. For root,
    where the server's unprivileged user cannot enter it, `data_dir` links to a folder of its own.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._watcher: Watcher | None = None
        self._lock: IO[str] | None = None
        self.data_dir: Path | None = None

    def start(self, data_dir: Path, *, fsync: bool = True, bin_dir: Path | None = None) -> str:
        """Start the server, creating its data on first use, and return the URL of its database.

        `fsync=False` gives up durability against a machine's crash: only for tests. Raises `PostgresError`.
        """
        if self._process is not None:
            raise PostgresError("this server is already started")
        data_dir = Path(os.path.abspath(data_dir))  # keeps a link at the end a link
        try:
            user = server_user(data_dir / "pgdata")
            folder = server_folder(data_dir, user)
            self._take_lock(folder)
            binaries = reachable_binaries(bin_dir, user, data_dir)
            password = initialise(folder, binaries, user, fsync=fsync)
            clear_stale_pid(folder / "pgdata")
            port = self._serve(folder, binaries, user, fsync=fsync)
        except OSError as error:
            self.stop()
            raise PostgresError(
                f"cannot start PostgreSQL in {data_dir}: {error}{remedy(str(error))}"
            ) from error
        except BaseException:
            self.stop()
            raise
        self.data_dir = folder
        atexit.register(self.stop)
        return f"postgresql://{SUPERUSER}:{password}@127.0.0.1:{port}/postgres"

    @property
    def pid(self) -> int | None:
        """The server's process id while it runs."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def stop(self) -> None:
        """Shut the server down in order, or hard when it does not end; nothing when it is not running."""
        process, self._process = self._process, None
        if process is not None:
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
                if process.poll() is not None:
                    break
                process.send_signal(number)
                try:
                    process.wait(_STOP_TIMEOUT)
                except subprocess.TimeoutExpired:
                    continue
        if self._watcher is not None:
            self._watcher.release()
            self._watcher = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None
        atexit.unregister(self.stop)

    def __enter__(self) -> "Postgres":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _take_lock(self, folder: Path) -> None:
        lock = open(folder / "lock", "a+", encoding="ascii")  # noqa: SIM115 - held until stop
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            owner = lock.read().strip() or "unknown"
            lock.close()
            raise PostgresError(
                f"the data in {folder} is in use by another running process (pid {owner}): "
                "end that one first, or choose another --data-dir"
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        self._lock = lock

    def _serve(self, folder: Path, binaries: Binaries, user: User, *, fsync: bool) -> int:
        log = folder / "server.log"
        if log.exists():
            log.replace(folder / "server.log.1")
        for _ in range(5):  # another process may take the free port between our look and the server's bind
            port = _free_port()
            with log.open("ab") as output:
                self._process = subprocess.Popen(
                    _server_command(folder / "pgdata", binaries, port, fsync=fsync),
                    stdout=output,
                    stderr=output,
                    **child_options(folder, user, signal.SIGINT),
                )
            if not kernel_can_signal():
                self._watcher = Watcher(self._process.pid, signal.SIGINT)
            if self._is_ready(folder / "pgdata"):
                return port
            text = _tail(log)
            self._process.wait()
            if self._watcher is not None:
                self._watcher.release()
                self._watcher = None
            if "could not bind" not in text:
                break
        raise PostgresError(
            f"PostgreSQL {binaries.version} did not start in {folder} (as user {user.name}).{remedy(text)}\n"
            f"The end of {log}:\n{text}"
        )

    def _is_ready(self, pgdata: Path) -> bool:
        """Wait for the server to accept connections; False when it ended or never got there."""
        assert self._process is not None  # noqa: S101 - set by the only caller
        end = time.monotonic() + _START_TIMEOUT
        while time.monotonic() < end:
            if self._process.poll() is not None:
                return False
            lines = pid_file(pgdata)
            if len(lines) > 7 and lines[0].strip() == str(self._process.pid) and lines[7].strip() == "ready":
                return True
            time.sleep(0.005)
        self._process.kill()
        return False


def _server_command(pgdata: Path, binaries: Binaries, port: int, *, fsync: bool) -> list[str]:
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": str(port),
        "unix_socket_directories": "",
        "max_connections": "200",
        "jit": "off",  # short queries lose more to compiling than they gain
        "timezone": "UTC",
        "log_timezone": "UTC",
    }
    if not fsync:
        settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    return [str(binaries.folder / "postgres"), "-D", str(pgdata), *options]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _tail(log: Path, size: int = 2000) -> str:
    return log.read_bytes()[-size:].decode("utf-8", "replace")
