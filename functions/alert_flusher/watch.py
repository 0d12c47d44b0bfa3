"""Watches the reaper, which watches the claimer. Who watches this function stands outside: readiness, and an alarm."""

from shared.alerts import outbox
from shared.db import Connection
from shared.jobs.sql import SQL
from shared.settings import Settings

KEY = "reaper_missing"

# It beats every minute; five missed rounds are no hiccup.
REAPER_SILENT_SECONDS = 300.0


async def watch_reaper(conn: Connection, settings: Settings) -> None:
    """Raise `reaper_missing` while the reaper is silent for five minutes in which this function ran."""
    await conn.execute(SQL.returned, "alert_flusher")
    silent: float | None = await conn.fetchval(SQL.silence, "reaper", "alert_flusher")
    if silent is None or silent <= REAPER_SILENT_SECONDS:
        await outbox.recovered(conn, KEY)
        return
    window = settings.alert_dedupe_minutes * 60
    detail = {"silent_sec": round(silent)}
    await outbox.raise_alert(conn, KEY, "reaper missing", detail, key=KEY, window_seconds=window)
