"""Alerts as Adaptive Cards for a Teams Workflows webhook, in the order in which somebody woken at night asks.

Texts that come from elsewhere, an error's above all, stand in TextRuns, which Teams does not read as Markdown: an
error cannot put a link or a heading of its own into a card. Facts hold only what this module wrote.
"""

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from shared.alerts.about_channels import channel_names, code, meaning_of_code, told_of_channels
from shared.alerts.outbox import DueAlert
from shared.alerts.reading import cut, without_stack
from shared.alerts.times import local_time, span
from shared.alerts.wording import Wording, wording

# Teams turns 24.5 KB of request into more than the 28 KB it takes; 20 KB leaves room for what it adds.
CARD_BYTES = 20 * 1024
_CAUSES, _NAMED = 5, 5  # what a summary lists, and whom it names for each: one screen of a phone
_LONGEST_TEXT = 800  # characters of an error: one screen of a phone; the job has the whole
_LONGEST_NAME = 80  # characters of a place's name, and of a type's
# What lasts rather than happens: how often it was looked at says nothing the first time.
_LASTING = frozenset(["queue_stalled", "claimer_missing", "reaper_missing", "vacuum_held", "channel_failing"])
_LOCAL = frozenset(["127.0.0.1", "localhost", "::1"])

Message = dict[str, Any]


def encoded(message: Message) -> bytes:
    """The message as it is sent, and so as it is measured. Characters that are no text become question marks."""
    return json.dumps(message, ensure_ascii=False).encode(errors="replace")


def alert_message(alert: DueAlert, *, locale: str, console_url: str) -> Message:
    """One alert as a webhook message of at most `CARD_BYTES`; its longest texts are cut, its link is kept."""
    words = wording(locale)
    job_id = _job_id(alert)

    def build(limit: int) -> Message:
        body = [_heading(_title(alert, words)), *_why(alert, limit, words), _facts(_told(alert, words))]
        region = str(alert.detail.get("region_code") or "")
        if region:
            body.append(_line(words.region, cut(region, _LONGEST_NAME, words.cut)))
        body.append(_line(words.todo, _advice(alert, words), apart=True))
        if alert.kind == "job_dead" and job_id:
            body.append(_command(requeue_command(job_id, console_url)))
        elif job_id:
            body.append(_line(words.job, f"{_what(alert)} {job_id}".strip(), quiet=True))
        if job_id:
            return _message(body, words.open_job, f"{console_url}/dashboard#job={job_id}")
        return _message(body, words.open_dashboard, f"{console_url}/dashboard#alerts")

    return _fitted(build, _LONGEST_TEXT)


def summary_message(alerts: Sequence[DueAlert], *, locale: str, console_url: str) -> Message:
    """Many alerts of one kind as one webhook message of at most `CARD_BYTES`."""
    words = wording(locale)
    kind, count = alerts[0].kind, len(alerts)
    types = {_what(alert) for alert in alerts}
    mixed = len(types) > 1
    title = words.several.format(title=_kind_title(alerts[0], words), count=count)
    if kind == "job_dead":
        type_name = "" if mixed else types.pop()
        title = _words(words.dead_several.format(type=type_name, count=count))
    causes = _by_cause(alerts)
    told = sum(len(of_cause) for _, of_cause in causes[:_CAUSES])

    def build(limit: int) -> Message:
        body = [_heading(title), _facts([(words.since, _when(min(alerts, key=_raised), words))])]
        for cause, of_cause in causes[:_CAUSES]:
            label = f"{words.why} ({words.cases.format(count=len(of_cause))})"
            body.append(_line(label, cut(cause, limit, words.cut), apart=True))
            names = _names(of_cause, words, with_type=mixed)
            if names:
                body.append(_line("", names, quiet=True))
        if count > told:
            body.append(_line("", words.and_more.format(count=count - told)))
        advice = words.advice_several if kind == "job_dead" else words.advice.get(kind, words.advice_other)
        body.append(_line(words.todo, advice, apart=True))
        anchor = "dead-section" if kind == "job_dead" else "alerts"
        return _message(body, words.open_dashboard, f"{console_url}/dashboard#{anchor}")

    return _fitted(build, _LONGEST_TEXT // 4)


def _by_cause(alerts: Sequence[DueAlert]) -> list[tuple[str, list[DueAlert]]]:
    """Alerts that tell the same, the most frequent first: at night one cause is behind most of them."""
    causes: dict[str, list[DueAlert]] = {}
    for alert in alerts:
        causes.setdefault(_error(alert) or alert.title, []).append(alert)
    return sorted(causes.items(), key=lambda cause: -len(cause[1]))


def _names(alerts: Sequence[DueAlert], words: Wording, *, with_type: bool) -> str:
    """The first places of these, each with how often it failed, and what, where that differs."""
    names = []
    for alert in alerts[:_NAMED]:
        parts = (_place(alert, words), _what(alert) if with_type else "")
        name = " · ".join(part for part in parts if part)
        if name:
            names.append(f"{name} ({_often(alert, words)})" if alert.occurrences > 1 else name)
    more = (
        words.more_names.format(count=len(alerts) - len(names)) if names and len(alerts) > len(names) else ""
    )
    return ", ".join(names) + more


def _raised(alert: DueAlert) -> datetime:
    return alert.created_at


def _often(alert: DueAlert, words: Wording) -> str:
    return words.once if alert.occurrences == 1 else words.times.format(count=alert.occurrences)


def _words(text: str) -> str:
    return " ".join(text.split())


def requeue_command(job_id: UUID, console_url: str) -> str:
    """What puts a dead job back: the command on one machine, the call of the API elsewhere."""
    if urlsplit(console_url).hostname in _LOCAL:
        return f".venv/bin/python local_runner.py requeue {job_id}"
    return f'curl -X POST -H "Authorization: Bearer $TOKEN" {console_url}/jobs/{job_id}/requeue'


def _fitted(build: Callable[[int], Message], longest: int) -> Message:
    """The message with the most of its texts that fits."""
    message = build(longest)
    if len(encoded(message)) <= CARD_BYTES:
        return message
    least, most = 0, longest
    while most - least > 1:
        middle = (least + most) // 2
        if len(encoded(build(middle))) <= CARD_BYTES:
            least = middle
        else:
            most = middle
    return build(least)


def _title(alert: DueAlert, words: Wording) -> str:
    title = _kind_title(alert, words)
    place = _place(alert, words)
    return f"{title}: {place}" if place else title


def _kind_title(alert: DueAlert, words: Wording) -> str:
    if alert.kind not in words.advice:
        return cut(alert.title, 300, words.cut)
    template: str = getattr(words, alert.kind)
    return _words(template.format(type=_what(alert), channel=channel_names(alert, words)))


def _advice(alert: DueAlert, words: Wording) -> str:
    advice = words.advice.get(alert.kind, words.advice_other)
    return words.channels.advice.get(code(alert), advice) if alert.kind == "channel_failing" else advice


def _what(alert: DueAlert) -> str:
    return str(alert.detail.get("job_type") or "")[:_LONGEST_NAME]


def _place(alert: DueAlert, words: Wording) -> str:
    """By its name; a place that is gone by its id."""
    return cut(str(alert.place_name or alert.detail.get("place_id") or ""), _LONGEST_NAME, words.cut)


def _job_id(alert: DueAlert) -> UUID | None:
    """The job's id, if what stands there is one: it goes into a link and into a command."""
    try:
        return UUID(str(alert.detail.get("job_id")))
    except ValueError:
        return None


def _error(alert: DueAlert) -> str:
    return without_stack(str(alert.detail.get("error") or alert.detail.get("note") or ""))


def _why(alert: DueAlert, limit: int, words: Wording) -> list[dict[str, Any]]:
    """What the error means, where that is known, and the error itself."""
    error = _error(alert)
    if not error:
        return [_line(words.why, meaning_of_code(alert, words))] if meaning_of_code(alert, words) else []
    kind = error.partition(":")[0]
    meaning = words.lease_expired if error.endswith("[lease-expired reclaim]") else words.reasons.get(kind)
    if meaning is None:
        return [_line(words.why, cut(error, limit, words.cut))]
    return [_line(words.why, meaning), _line("", cut(error, limit, words.cut), quiet=True)]


def _told(alert: DueAlert, words: Wording) -> list[tuple[str, str]]:
    detail = alert.detail
    facts = [(words.since, _when(alert, words))]
    if alert.posted:
        grown = alert.occurrences - alert.posted
        facts.append((words.how_often, words.how_often_grown.format(total=alert.occurrences, new=grown)))
    elif alert.kind not in _LASTING:
        facts.append((words.how_often, _often(alert, words)))
    if isinstance(detail.get("attempts"), int):
        facts.append((words.attempts, str(detail["attempts"])))
    lengths = (
        (words.waited, "oldest_pending_sec"),
        (words.silent, "silent_sec"),
        (words.open_for, "oldest_transaction_sec"),
    )
    for label, key in lengths:
        seconds = detail.get(key)
        if isinstance(seconds, int | float) and 0 <= seconds < 1e9:
            facts.append((label, span(timedelta(seconds=seconds), words) or words.just_now))
    return facts + told_of_channels(alert, words)


def _when(alert: DueAlert, words: Wording) -> str:
    """The local time of the first event, and how long ago that was by the database's clock."""
    ago = span(alert.claimed_at - alert.created_at, words)
    said = words.ago.format(time=ago) if ago else words.just_now
    return f"{local_time(alert.created_at, alert.utc_offset, words)} ({said})"


def _heading(text: str) -> dict[str, Any]:
    run = {"type": "TextRun", "text": text, "weight": "Bolder", "size": "Medium", "color": "Attention"}
    return {"type": "RichTextBlock", "inlines": [run]}


def _line(label: str, value: str, *, quiet: bool = False, apart: bool = False) -> dict[str, Any]:
    inlines: list[dict[str, Any]] = []
    if label:
        inlines.append({"type": "TextRun", "text": f"{label}: " if value else label, "weight": "Bolder"})
    if value:
        inlines.append({"type": "TextRun", "text": value})
    if quiet:
        for run in inlines:
            run |= {"isSubtle": True, "size": "Small"}
    return {"type": "RichTextBlock", "inlines": inlines, "spacing": "Medium" if apart else "Small"}


def _command(text: str) -> dict[str, Any]:
    run = {"type": "TextRun", "text": text, "fontType": "Monospace", "size": "Small"}
    return {"type": "RichTextBlock", "inlines": [run], "spacing": "Small"}


def _facts(facts: list[tuple[str, str]]) -> dict[str, Any]:
    """Titles are one short word: a phone gives them a third of its width."""
    return {"type": "FactSet", "facts": [{"title": title, "value": value} for title, value in facts]}


def _message(body: list[dict[str, Any]], action: str, link: str) -> Message:
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "msteams": {"width": "Full"},
        "body": body,
        "actions": [{"type": "Action.OpenUrl", "title": action, "url": link}],
    }
    return {
        "type": "message",
        "attachments": [
            {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
        ],
    }
