"""The alert flusher in a process of its own, as Lambda runs it, forked from one that has imported everything already."""

import os
import signal
from collections.abc import Mapping
from multiprocessing import get_context
from pathlib import Path

from functions.alert_flusher.handler import handler
from shared import sql
from shared.settings import settings

ROOT = Path(sql.__file__).parent
# What the statements are called, by their text: what a proxy sees.
STATEMENTS = {
    path.read_text(encoding="utf-8"): path.stem
    for folder in ("alerts", "jobs")
    for path in (ROOT / folder / "sql").glob("*.sql")
}

_context = get_context("forkserver")
_context.set_forkserver_preload([__name__])


def _run(environment: Mapping[str, str]) -> None:
    os.environ.update(environment)
    settings.cache_clear()
    handler({}, None)


class FlusherProcess:
    """One invocation of the flusher on a database and a webhook."""

    def __init__(self, database: str, webhook: str) -> None:
        environment = {
            "DATABASE_URL": database,
            "TEAMS_WEBHOOK_URL": webhook,
            "DB_STATEMENT_CACHE_SIZE": "100",
        }
        self._process = _context.Process(target=_run, args=(environment,), daemon=True)
        self._process.start()

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self._process.kill()
        self._process.join()

    def freeze(self) -> None:
        """SIGSTOP."""
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGCONT)

    def ended(self, seconds: float = 20.0) -> int | None:
        """Wait for its end; the exit code."""
        self._process.join(seconds)
        return self._process.exitcode
