"""Whether a channel fails for many places at once: then something is wrong with the channel, not with a place."""

from typing import Any

from shared.alerts import outbox
from shared.collecting.outcomes import ChannelHealth, channel_health
from shared.db import Connection
from shared.settings import Settings

KIND = "channel_failing"


async def watch_channels(conn: Connection, config: Settings) -> list[str]:
    """Raises `channel_failing`, one alert a channel, while it fails for at least `CHANNEL_ALERT_PLACES` places and for most
    of those asked in the last `CHANNEL_ALERT_MINUTES`; the kinds raised.

    A place counts by the last answer it got. One that was answered in part was asked and not failed: the channel works.
    """
    failing = {
        f"{KIND}:{health.channel}": health
        for health in await channel_health(conn, config.channel_alert_minutes * 60)
        if health.failed >= config.channel_alert_places and health.failed * 2 > health.asked
    }
    for key, health in failing.items():
        title = f"channel failing: {health.channel}"
        window = config.alert_dedupe_minutes * 60
        await outbox.raise_alert(conn, KIND, title, _detail(health), key=key, window_seconds=window)
    await outbox.recovered_but(conn, KIND, list(failing))
    return [KIND] * len(failing)


def _detail(health: ChannelHealth) -> dict[str, Any]:
    detail = {
        "channel": health.channel,
        "code": health.code,
        "places_failed": health.failed,
        "places_asked": health.asked,
    }
    if health.closed_until is not None:
        detail["closed_until"] = health.closed_until.isoformat()
    return detail
