"""An adapter's process: orders to it, answers from it."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from emulator.bench.workload import payload
from tests.bench.peers.known import Peer

ROOT = Path(__file__).resolve().parent.parent.parent
ADAPTERS = Path(__file__).resolve().parent / "peers"
_ANSWER_SECONDS = 180.0


class AdapterFailed(RuntimeError):
    """The adapter's process ended, or did not answer; the message holds the end of what it said."""


class Adapter:
    """A running adapter on one database."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self._log = log

    async def ask(self, do: str, **order: Any) -> dict[str, Any]:
        """The answer to one order. Raises `AdapterFailed`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": do, "payload": payload(0), **order}).encode() + b"\n")
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), _ANSWER_SECONDS)
        except TimeoutError:
            line = b""
        if not line:
            raise AdapterFailed(f"{do}: no answer; {self._log.read_text(errors='replace')[-1500:]}")
        return dict(json.loads(line))


@asynccontextmanager
async def adapter(peer: Peer, peers_dir: Path, url: str, log: Path) -> AsyncIterator[Adapter]:
    """The peer's adapter on a database; killed at the end, as a worker may not stop by itself."""
    home = peers_dir / peer.name
    script = str(ADAPTERS / peer.adapter)
    if peer.node:
        command = ["node", script, url]
    elif peer.packages:
        command = [str(home / "bin" / "python"), script, url]
    else:
        command, home = [sys.executable, script, url], ROOT
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    with log.open("ab") as errors:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=home,
            env={**environment, "TZ": "UTC", **({} if peer.packages else {"PYTHONPATH": str(ROOT)})},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            limit=2**24,
            start_new_session=True,
        )
    try:
        yield Adapter(process, log)
    finally:
        # The whole group: a worker's own children would hold its pipes open, and its jobs.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
