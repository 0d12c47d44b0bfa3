"""Alerts as Adaptive Cards for a Teams Workflows webhook.

Texts that come from elsewhere, an error's above all, stand in TextRuns, which Teams does not read as Markdown: an
error cannot put a link or a heading of its own into a card.
"""

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from shared.alerts.outbox import DueAlert
from shared.alerts.wording import Wording, wording

# Teams turns 24.5 KB of request into more than the 28 KB it takes; 20 KB leaves room for what it adds.
CARD_BYTES = 20 * 1024
_LISTED = 20  # alerts a summary names
_LONGEST_TEXT = 2_000  # characters of one value, before the whole is fitted
_SEOUL = timezone(timedelta(hours=9), "KST")


def alert_message(alert: DueAlert, *, locale: str, console_url: str) -> dict[str, Any]:
    """One alert as a webhook message of at most `CARD_BYTES`; its longest texts are cut, its link is kept."""
    words = wording(locale)
    job_id = alert.detail.get("job_id")
    link = f"{console_url}/dashboard#job={job_id}" if job_id else f"{console_url}/dashboard#alerts"
    action = words.open_job if job_id else words.open_dashboard

    def build(limit: int) -> dict[str, Any]:
        body = [_heading(_title(alert, words))]
        body += [_line(label, _cut(value, limit, words)) for label, value in _lines(alert, words, locale)]
        return _message(body, action, link)

    return _fitted(build, _LONGEST_TEXT)


def summary_message(alerts: Sequence[DueAlert], *, locale: str, console_url: str) -> dict[str, Any]:
    """Many alerts of one kind as one webhook message of at most `CARD_BYTES`."""
    words = wording(locale)
    title = _kind_title(alerts[0], words)
    link = f"{console_url}/dashboard#alerts"

    def build(limit: int) -> dict[str, Any]:
        body = [_heading(words.several.format(title=title, count=len(alerts)))]
        body.append(_line(words.since, _time(min(alert.created_at for alert in alerts), locale)))
        for alert in alerts[:_LISTED]:
            label = " · ".join(part for part in (_what(alert), alert.place_name) if part) or alert.title
            often = words.times.format(count=alert.occurrences)
            reason = _cut(str(alert.detail.get("error") or ""), limit, words)
            body.append(_line(f"{label} ({often})", reason))
        if len(alerts) > _LISTED:
            body.append(_line("", words.and_more.format(count=len(alerts) - _LISTED)))
        body.append(_line(words.todo, _advice(alerts[0], words)))
        return _message(body, words.open_dashboard, link)

    return _fitted(build, 400)


def _fitted(build: Callable[[int], dict[str, Any]], limit: int) -> dict[str, Any]:
    """The message with its texts cut ever shorter until it fits."""
    while True:
        message = build(limit)
        if len(json.dumps(message, ensure_ascii=False).encode()) <= CARD_BYTES or limit <= 1:
            return message
        limit //= 2


def _title(alert: DueAlert, words: Wording) -> str:
    title = _kind_title(alert, words)
    return f"{title}: {alert.place_name}" if alert.place_name else title


def _kind_title(alert: DueAlert, words: Wording) -> str:
    template: str | None = getattr(words, alert.kind, None) if alert.kind in words.advice else None
    return alert.title if template is None else template.format(type=_what(alert) or "?")


def _what(alert: DueAlert) -> str:
    return str(alert.detail.get("job_type") or "")


def _advice(alert: DueAlert, words: Wording) -> str:
    return words.advice.get(alert.kind, words.advice_other)


def _lines(alert: DueAlert, words: Wording, locale: str) -> list[tuple[str, str]]:
    detail = alert.detail
    grown = alert.occurrences - alert.posted
    often = (
        words.how_often_grown.format(total=alert.occurrences, new=grown)
        if alert.posted
        else words.times.format(count=alert.occurrences)
    )
    job = " ".join(str(part) for part in (detail.get("job_type"), detail.get("job_id")) if part)
    place = " ".join(
        str(part) for part in (alert.place_name, detail.get("place_id"), detail.get("region_code")) if part
    )
    lines = [
        (words.what, job),
        (words.place, place),
        (words.why, str(detail.get("error") or alert.title)),
        (words.attempts, str(detail.get("attempts") or "")),
        (words.since, _time(alert.created_at, locale)),
        (words.how_often, often),
        (words.todo, _advice(alert, words)),
    ]
    return [(label, value) for label, value in lines if value]


def _time(when: datetime, locale: str) -> str:
    """In Seoul's time, which is where those who read it are; the offset is said."""
    local = when.astimezone(_SEOUL)
    return local.strftime("%Y-%m-%d %H:%M (KST)" if locale == "ko" else "%d %b %Y %H:%M KST")


def _cut(text: str, limit: int, words: Wording) -> str:
    return text if len(text) <= limit else text[:limit] + words.cut


def _heading(text: str) -> dict[str, Any]:
    run = {"type": "TextRun", "text": text[:300], "weight": "Bolder", "size": "Medium", "color": "Attention"}
    return {"type": "RichTextBlock", "inlines": [run]}


def _line(label: str, value: str) -> dict[str, Any]:
    inlines: list[dict[str, Any]] = []
    if label:
        inlines.append({"type": "TextRun", "text": f"{label}: " if value else label, "weight": "Bolder"})
    if value:
        inlines.append({"type": "TextRun", "text": value})
    return {"type": "RichTextBlock", "inlines": inlines, "spacing": "Small"}


def _message(body: list[dict[str, Any]], action: str, link: str) -> dict[str, Any]:
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
