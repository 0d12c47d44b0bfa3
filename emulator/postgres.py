"""A PostgreSQL server of one's own: made on first start, on loopback, gone with its starter."""

import atexit
import fcntl
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from emulator.parent_death import Watcher, kernel_can_signal, signal_at_parent_death
from emulator.pg_binaries import Binaries, reachable_binaries
from emulator.unprivileged import User, own_folder, server_user

_START_TIMEOUT = 120.0  # seconds; replaying the log after a crash takes most of it
_ORPHAN_TIMEOUT = 30.0  # seconds that a server whose parent was just killed gets to shut down
_STOP_TIMEOUT = 15.0  # seconds for an orderly shutdown before a hard one
_SUPERUSER = "postgres"

# What to do, by what the server or initdb printed.
_REMEDIES = (
    ("No space left on device", "free disk space, or choose another --data-dir"),
    ("Disk quota exceeded", "free disk space, or choose another --data-dir"),
    ("invalid locale", "the binaries do not know the C locale: set PG_BIN to another PostgreSQL"),
    (
        "Permission denied",
        "check that the folder belongs to the user named above and is not mounted read-only",
    ),
    ("Read-only file system", "choose a --data-dir on a disk that can be written"),
    (
        "shared memory",
        "the machine has too little shared memory: end other PostgreSQL servers or raise its limit",
    ),
    ("too many open files", "raise the limit of open files (ulimit -n)"),
)


class PostgresError(RuntimeError):
    """The embedded server cannot be used; the message says why and what to do."""


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
            folder = _folder(data_dir, user)
            self._take_lock(folder)
            binaries = reachable_binaries(bin_dir, user, data_dir)
            password = _initialise(folder, binaries, user, fsync=fsync)
            _clear_stale_pid(folder / "pgdata")
            port = self._serve(folder, binaries, user, fsync=fsync)
        except OSError as error:
            self.stop()
            raise PostgresError(
                f"cannot start PostgreSQL in {data_dir}: {error}{_remedy(str(error))}"
            ) from error
        except BaseException:
            self.stop()
            raise
        self.data_dir = folder
        atexit.register(self.stop)
        return f"postgresql://{_SUPERUSER}:{password}@127.0.0.1:{port}/postgres"

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
                    **_child_options(folder, user, signal.SIGINT),
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
            f"PostgreSQL {binaries.version} did not start in {folder} (as user {user.name}).{_remedy(text)}\n"
            f"The end of {log}:\n{text}"
        )

    def _is_ready(self, pgdata: Path) -> bool:
        """Wait for the server to accept connections; False when it ended or never got there."""
        assert self._process is not None  # noqa: S101 - set by the only caller
        end = time.monotonic() + _START_TIMEOUT
        while time.monotonic() < end:
            if self._process.poll() is not None:
                return False
            lines = _pid_file(pgdata)
            if len(lines) > 7 and lines[0].strip() == str(self._process.pid) and lines[7].strip() == "ready":
                return True
            time.sleep(0.005)
        self._process.kill()
        return False


def _folder(data_dir: Path, user: User) -> Path:
    """The folder that really holds the data: `data_dir`, or one of its own that `data_dir` then links to."""
    if not data_dir.is_symlink():
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not user.switch:
            if not os.access(data_dir, os.W_OK | os.X_OK):
                raise PermissionError(f"this user cannot write to {data_dir}: choose another --data-dir")
            return data_dir
        user.own(data_dir)
        if user.can("w", data_dir):
            return data_dir
        if (data_dir / "pgdata").exists():
            raise PermissionError(
                f"user {user.name}, who runs PostgreSQL for root, can no longer enter {data_dir}: "
                "a folder above it was closed; open it again or move the data"
            )
        own = own_folder(data_dir, user) / "data"
        data_dir.rmdir()  # raises, and so keeps, what somebody else put there
        data_dir.symlink_to(own)
    folder = data_dir.resolve()
    folder.mkdir(mode=0o700, exist_ok=True)
    user.own(folder)
    return folder


def _initialise(folder: Path, binaries: Binaries, user: User, *, fsync: bool) -> str:
    """Make the cluster when there is none, whole or not at all; return the superuser's password."""
    pgdata, secret = folder / "pgdata", folder / "password"
    if pgdata.exists():
        made_by = (pgdata / "PG_VERSION").read_text("ascii").strip()
        if made_by != binaries.major:
            raise PostgresError(
                f"{folder} was made by PostgreSQL {made_by} and cannot be read by {binaries.version}: "
                f"set PG_BIN to a PostgreSQL {made_by}, or choose another --data-dir"
            )
        return secret.read_text("ascii").strip()
    password = secrets.token_urlsafe(24)
    secret.unlink(missing_ok=True)
    secret.touch(0o600)
    secret.write_text(password + "\n", "ascii")
    user.own(secret)
    partial = folder / "pgdata.partial"
    shutil.rmtree(partial, ignore_errors=True)
    command = [str(binaries.folder / "initdb"), "-D", str(partial), "-U", _SUPERUSER, "--pwfile", str(secret)]
    command += ["-A", "scram-sha-256", "-E", "UTF8", "--locale=C", *([] if fsync else ["--no-sync"])]
    done = subprocess.run(
        command, capture_output=True, check=False, **_child_options(folder, user, signal.SIGKILL)
    )
    if done.returncode != 0:
        text = (done.stdout + done.stderr).decode("utf-8", "replace")[-2000:]
        shutil.rmtree(partial, ignore_errors=True)
        raise PostgresError(
            f"PostgreSQL {binaries.version} could not create its data in {folder} (as user {user.name})."
            f"{_remedy(text)}\n{text}"
        )
    partial.rename(pgdata)
    return password


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


def _child_options(folder: Path, user: User, at_parent_death: int) -> dict[str, Any]:
    """How the server's programs run: as `user`, with a clean environment, in their own session.

    The own session keeps a Ctrl-C for the emulator from the server, which is stopped last.
    """
    options: dict[str, Any] = {
        "cwd": folder,
        "env": {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"},
        "stdin": subprocess.DEVNULL,
        "start_new_session": True,
        "umask": 0o077,
        **user.popen_options(),
    }
    if kernel_can_signal():
        options["preexec_fn"] = signal_at_parent_death(at_parent_death)
    return options


def _clear_stale_pid(pgdata: Path) -> None:
    """Wait for a server whose parent was killed to end, then remove the pid file that a hard kill left.

    The server itself refuses to start while any process has the old pid, which may by now be a stranger's, or
    a dead one that nobody has collected.
    """
    end = time.monotonic() + _ORPHAN_TIMEOUT
    while (lines := _pid_file(pgdata)) and lines[0].strip().lstrip("-").isdigit():
        pid = abs(int(lines[0]))
        if not _is_server(pid):
            (pgdata / "postmaster.pid").unlink(missing_ok=True)
            return
        if time.monotonic() > end:
            raise PostgresError(
                f"a PostgreSQL server (pid {pid}) that nobody controls still runs on {pgdata}: "
                f"end it (kill -INT {pid})"
            )
        time.sleep(0.02)


def _is_server(pid: int) -> bool:
    """Whether the process lives (a dead one not yet collected does not) and is a PostgreSQL server."""
    status = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            name, _, rest = status.read_text("utf-8", "replace").rpartition(")")
        except (FileNotFoundError, ProcessLookupError):
            return False
        return "(postgres" in name and rest.split()[0] not in "ZX"
    done = subprocess.run(
        ["ps", "-o", "stat=", "-o", "comm=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    state, _, command = done.stdout.strip().partition(" ")
    return bool(state) and not state.startswith("Z") and "postgres" in command


def _pid_file(pgdata: Path) -> list[str]:
    try:
        return (pgdata / "postmaster.pid").read_text("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _tail(log: Path, size: int = 2000) -> str:
    return log.read_bytes()[-size:].decode("utf-8", "replace")


def _remedy(text: str) -> str:
    return next((f" {remedy}." for sign, remedy in _REMEDIES if sign.lower() in text.lower()), "")
