"""Lambda entry of the reaper: every minute."""

from dataclasses import asdict
from typing import Any

from functions.reaper.reaper import run_once
from shared.jobs.wake import wake_claimer
from shared.runtime.sandbox import connection, run
from shared.settings import settings


def handler(event: Any, context: Any) -> dict[str, Any]:
    """One round; what it made ready wakes the claimer. Raises at its end when a part of the round failed, to be counted."""
    return run(_main())


async def _main() -> dict[str, Any]:
    async with connection() as conn:
        report = await run_once(conn, settings())
        if report.wake:
            await wake_claimer(conn)
    if report.failed:
        raise RuntimeError(f"the reaper's round went on without: {', '.join(report.failed)}")
    return asdict(report)
