"""Who runs PostgreSQL (never root), and where that user can reach its files."""

import hashlib
import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Folders for what the unprivileged user cannot reach in the project; the first outlives a reboot.
OWN_FOLDER_BASES = (Path("/var/lib"), Path("/var/tmp"), Path("/tmp"))  # noqa: S108 - ownership is checked


@dataclass(frozen=True)
class User:
    """An account to run a child process as; `switch` is False when it is the one we are already."""

    name: str
    uid: int
    gid: int
    switch: bool

    def popen_options(self) -> dict[str, Any]:
        """Keyword arguments for `subprocess` that run a child as this user."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.switch else {}

    def can(self, test: str, path: Path) -> bool:
        """Whether this user passes the shell's `test -<test> path`, asked of the kernel: ACLs count."""
        command = ["/bin/sh", "-c", f'test -{test} "$1"', "sh", str(path)]
        return subprocess.run(command, cwd="/", check=False, env={}, **self.popen_options()).returncode == 0

    def own(self, path: Path) -> None:
        """Give one file or folder of ours to this user."""
        if self.switch:
            os.chown(path, self.uid, self.gid)


def server_user(existing: Path | None = None) -> User:
    """The current user, or for root the owner of the `existing` data, else `postgres`, else `nobody`.

    Raises `OSError` when root finds none of these accounts.
    """
    if os.geteuid() != 0:
        uid = os.geteuid()
        return User(str(uid), uid, os.getegid(), switch=False)
    if existing is not None and existing.exists() and (status := existing.stat()).st_uid != 0:
        return User(str(status.st_uid), status.st_uid, status.st_gid, switch=True)
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return User(name, entry.pw_uid, entry.pw_gid, switch=True)
    raise OSError("PostgreSQL does not run as root, and neither account `postgres` nor `nobody` exists")


def own_folder(for_path: Path, user: User) -> Path:
    """A folder that `user` can enter and only we can write, one for each `for_path`, made when missing.

    Raises `OSError` when no base folder allows it.
    """
    digest = hashlib.sha256(os.fsencode(for_path)).hexdigest()[:12]
    reasons = []
    for base in OWN_FOLDER_BASES:
        folder = base / f"web4ai-{os.geteuid()}-{digest}"
        try:
            folder.mkdir(mode=0o755, exist_ok=True)
            status = folder.lstat()
            if folder.is_symlink() or status.st_uid != os.geteuid():
                reasons.append(f"{folder} belongs to someone else")
                continue
            folder.chmod(0o755)  # the umask may have taken it away
        except OSError as error:
            reasons.append(str(error))
            continue
        if user.can("x", folder):
            return folder
        reasons.append(f"{user.name} cannot enter {folder}")
    raise OSError("no folder that the server's user can enter: " + "; ".join(reasons))
