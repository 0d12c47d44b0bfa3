"""What an alert tells of channels. Its detail may hold anything: a row can be put in by hand."""

from datetime import datetime

from shared.alerts.outbox import DueAlert
from shared.alerts.reading import cut
from shared.alerts.times import local_time
from shared.alerts.wording import Wording

_LONGEST = 80  # characters of a name or a code


def channel_names(alert: DueAlert, words: Wording) -> str:
    """The channel an alert is about, or those that said it, as people call them; empty when none is named."""
    said = alert.detail.get("channels")
    named = said if isinstance(said, list) else [alert.detail.get("channel")]
    names = [words.channels.names.get(str(name), str(name)) for name in named if name]
    return cut(", ".join(names), _LONGEST, words.cut)


def code(alert: DueAlert) -> str:
    """The diagnostic code a channel fails with; empty for other alerts."""
    return str(alert.detail.get("code") or "")[:_LONGEST] if alert.kind == "channel_failing" else ""


def meaning_of_code(alert: DueAlert, words: Wording) -> str:
    """The code in words, and the code itself."""
    meaning = words.channels.meaning.get(code(alert))
    return f"{meaning} ({code(alert)})" if meaning else code(alert)


def told_of_channels(alert: DueAlert, words: Wording) -> list[tuple[str, str]]:
    """Who says that a business is closed; for how many places a channel fails, and until when its vendor is left alone."""
    said = words.channels
    if alert.kind == "business_closed":
        names = channel_names(alert, words)
        return [(said.channel, names)] if names else []
    facts: list[tuple[str, str]] = []
    failed, asked = alert.detail.get("places_failed"), alert.detail.get("places_asked")
    if isinstance(failed, int) and isinstance(asked, int):
        facts.append((said.places, said.share.format(failed=failed, asked=asked)))
    until = _moment(alert.detail.get("closed_until"))
    if until is not None:
        facts.append((said.reopens, local_time(until, alert.utc_offset, words)))
    return facts


def _moment(text: object) -> datetime | None:
    """A time with its zone, as this system writes one."""
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    if moment is None or moment.tzinfo is None or not 1970 < moment.year < 9000:
        return None
    return moment
