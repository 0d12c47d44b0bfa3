"""Peers in environments of their own, made by the ordinary clients from nothing but package names."""

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
            _run([_interpreter(peer.python), "-m", "venv", "."], home)
            _run(["bin/python", "-m", "pip", "install", "--disable-pip-version-check", *peer.packages], home)
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        return str(getattr(error, "stderr", None) or error).strip()[-500:]
    (home / "installed").write_text("\n".join(peer.packages) + "\n")
    return None


def _interpreter(wanted: str) -> str:
    """An interpreter of that version; this one where it will do."""
    if sys.version_info[:2] >= tuple(int(part) for part in wanted.removeprefix(">=").split(".")):
        return sys.executable
    found = _run([sys.executable, "-m", "uv", "python", "find", "--no-python-downloads", wanted], Path.cwd())
    return found.strip()


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout
