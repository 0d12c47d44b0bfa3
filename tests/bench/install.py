"""Peers in environments of their own, made by the ordinary clients from nothing but package names."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.bench.peers.known import Peer


def installed(peer: Peer, peers_dir: Path) -> bool:
    """Whether the peer's packages stand in its folder, whole."""
    return not peer.packages or (peers_dir / peer.name / "installed").exists()


def install(peer: Peer, peers_dir: Path) -> str | None:
    """Install the peer's packages; what went wrong, or None."""
    home = peers_dir / peer.name
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    try:
        if peer.node:
            (home / "package.json").write_text('{"private": true}\n')
            _run(["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", *peer.packages], home)
        else:
            _run([_interpreter(peer.python_minor), "-m", "venv", "."], home)
            _run(["bin/python", "-m", "pip", "install", "--disable-pip-version-check", *peer.packages], home)
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        return str(getattr(error, "stderr", None) or error).strip()[-500:]
    (home / "installed").write_text("\n".join(peer.packages) + "\n")
    return None


def _interpreter(minor: int) -> str:
    """An interpreter of Python 3 that is new enough: this one, one on the PATH, one of pyenv's. Raises `FileNotFoundError`."""
    named = [sys.executable, *(found for n in range(minor, 20) if (found := shutil.which(f"python3.{n}")))]
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    asks = f"import sys; sys.exit(sys.version_info < (3, {minor}))"
    for candidate in [*named, *map(str, sorted(pyenv.glob("versions/*/bin/python3")))]:
        # It may be a shim of a version that is not there: only running it tells.
        if subprocess.run([candidate, "-c", asks], capture_output=True, check=False).returncode == 0:
            return candidate
    raise FileNotFoundError(f"needs Python 3.{minor}, and there is none on the PATH")


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout
