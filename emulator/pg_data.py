"""What an embedded PostgreSQL has on disk: its folder, its cluster, and what a killed server left behind."""

import os
import secrets
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from emulator.parent_death import kernel_can_signal, signal_at_parent_death
from emulator.pg_binaries import Binaries
from emulator.unprivileged import User, own_folder

SUPERUSER = "postgres"
_ORPHAN_TIMEOUT = 30.0  # seconds that a server whose parent was just killed gets to shut down

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


def server_folder(data_dir: Path, user: User) -> Path:
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


def initialise(folder: Path, binaries: Binaries, user: User, *, fsync: bool) -> str:
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
    command = [str(binaries.folder / "initdb"), "-D", str(partial), "-U", SUPERUSER, "--pwfile", str(secret)]
    command += ["-A", "scram-sha-256", "-E", "UTF8", "--locale=C", *([] if fsync else ["--no-sync"])]
    done = subprocess.run(
        command, capture_output=True, check=False, **child_options(folder, user, signal.SIGKILL)
    )
    if done.returncode != 0:
        text = (done.stdout + done.stderr).decode("utf-8", "replace")[-2000:]
        shutil.rmtree(partial, ignore_errors=True)
        raise PostgresError(
            f"PostgreSQL {binaries.version} could not create its data in {folder} (as user {user.name})."
            f"{remedy(text)}\n{text}"
        )
    partial.rename(pgdata)
    return password


def child_options(folder: Path, user: User, at_parent_death: int) -> dict[str, Any]:
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


def clear_stale_pid(pgdata: Path) -> None:
    """Wait for a server whose parent was killed to end, then remove the pid file that a hard kill left.

    The server itself refuses to start while any process has the old pid, which may by now be a stranger's, or
    a dead one that nobody has collected.
    """
    end = time.monotonic() + _ORPHAN_TIMEOUT
    while (lines := pid_file(pgdata)) and lines[0].strip().lstrip("-").isdigit():
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


def pid_file(pgdata: Path) -> list[str]:
    try:
        return (pgdata / "postmaster.pid").read_text("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []


def remedy(text: str) -> str:
    return next((f" {remedy}." for sign, remedy in _REMEDIES if sign.lower() in text.lower()), "")
