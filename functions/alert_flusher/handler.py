"""Lambda entry of the alert flusher: every minute."""

from dataclasses import asdict
from typing import Any

from functions.alert_flusher.flush import run_once
from shared.runtime.sandbox import connection, run
from shared.settings import settings


def handler(event: Any, context: Any) -> dict[str, Any]:
    """One run; what it did."""
    return run(_main())


async def _main() -> dict[str, Any]:
    async with connection() as conn:
        return asdict(await run_once(conn, settings()))
