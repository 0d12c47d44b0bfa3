"""Whatever an alert holds, its card is one that Teams shows, of at most 20 KB, with its link."""

import unicodedata
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.alerts.card import CARD_BYTES, alert_message, encoded, summary_message
from shared.alerts.outbox import DueAlert
from shared.alerts.reading import cut, without_stack
from tests.fakes.http_server import Recorded
from tests.fakes.teams import PATH, Teams, link_of, text_of

NOW = datetime(2026, 11, 30, 14, 5, tzinfo=UTC)
JOB = UUID("0f8fad5b-d9cb-469f-a165-70867728950e")
CONSOLE = "https://abc123.execute-api.ap-northeast-2.amazonaws.com"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
LONG = {
    "Korean": "국수집 화면이 열리지 않습니다. " * 4_000,
    "four bytes each": "\U00020000" * 60_000,
    "emoji of many parts": FAMILY * 10_000,
    "syllables in parts": unicodedata.normalize("NFD", "뷁" * 20_000),
    "accents": "e\u0301\u0323" * 20_000,
    "escapes": '"\\\n\t\x01' * 12_000,
    "one word": "x" * 60_000,
    "flags": "\U0001f1f0\U0001f1f7" * 15_000,
}


def alert(kind: str = "job_dead", title: str = "COPY DEAD", **fields: Any) -> DueAlert:
    detail = fields.pop(
        "detail", {"job_id": str(JOB), "job_type": "COPY", "error": "Boom: no", "attempts": 3}
    )
    values = {
        "alert_id": uuid4(),
        "occurrences": 1,
        "posted": 0,
        "attempts": 0,
        "created_at": NOW - timedelta(minutes=12),
        "updated_at": NOW,
        "window_until": NOW,
        "place_name": None,
        "claimed_at": NOW,
        "utc_offset": 9 * 3600,
        **fields,
    }
    return DueAlert(kind=kind, title=title, detail=detail, **values)


def shown(message: dict[str, Any]) -> dict[str, Any]:
    """The card as Teams takes it; fails when it would not."""
    teams = Teams()
    body = encoded(message)
    assert len(body) <= CARD_BYTES
    headers = {"content-type": "application/json; charset=utf-8"}
    reply = teams.default(Recorded("POST", PATH, headers, body))
    assert reply.status == 202, teams.refusals
    return teams.cards[0]


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
@pytest.mark.parametrize("locale", ["ko", "en"])
def test_a_long_text_is_cut_and_the_link_kept(text: str, locale: str) -> None:
    one = alert(
        detail={"job_id": str(JOB), "job_type": text, "error": text, "region_code": text}, place_name=text
    )
    card = shown(alert_message(one, locale=locale, console_url=CONSOLE))
    assert link_of(card) == f"{CONSOLE}/dashboard#job={JOB}"
    assert str(JOB) in text_of(card)
    assert len(text_of(card)) < 2_000  # two screens of a phone
    other = alert("by_hand", text[:300], detail={"error": text})
    assert link_of(shown(alert_message(other, locale=locale, console_url=CONSOLE))).endswith("#alerts")
    many = shown(summary_message([one] * 40, locale=locale, console_url=CONSOLE))
    assert ("외 35곳" if locale == "ko" else "and 35 more") in text_of(many)


def test_what_is_too_much_for_a_card_is_cut_as_little_as_fits() -> None:
    many = [
        alert(detail={"error": f"{n}" + "\x03" * 2_000, "job_type": "\x01" * 80}, place_name="\x02" * 80)
        for n in range(25)
    ]
    size = len(encoded(summary_message(many, locale="ko", console_url=CONSOLE)))
    assert CARD_BYTES * 0.5 < size <= CARD_BYTES


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=50),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)
_KEYS = (
    "job_id",
    "job_type",
    "place_id",
    "region_code",
    "attempts",
    "error",
    "note",
    "oldest_pending_sec",
    "silent_sec",
    "channel",
    "channels",
    "code",
    "places_failed",
    "places_asked",
    "closed_until",
)
_KINDS = (
    "job_dead",
    "publish_failed",
    "queue_stalled",
    "claimer_missing",
    "reaper_missing",
    "vacuum_held",
    "channel_failing",
    "business_closed",
    "ai_refused",
    "ai_budget_spent",
    "alert_test",
)


@given(
    detail=st.dictionaries(st.sampled_from(_KEYS) | st.text(max_size=10), _JSON, max_size=9),
    kind=st.sampled_from(_KINDS) | st.text(max_size=20),
    title=st.text(min_size=1, max_size=300),
    place=st.none() | st.text(min_size=1),
    occurrences=st.integers(1, 2**31 - 1),
    posted=st.integers(0, 5),
    ago=st.timedeltas(timedelta(0), timedelta(days=4000)),
    offset=st.integers(-14, 14),
    locale=st.sampled_from(["ko", "en"]),
)
def test_every_card_is_one_that_teams_shows(
    detail: dict[str, Any],
    kind: str,
    title: str,
    place: str | None,
    occurrences: int,
    posted: int,
    ago: timedelta,
    offset: int,
    locale: str,
) -> None:
    one = alert(
        kind,
        title,
        detail=detail,
        place_name=place,
        occurrences=occurrences,
        posted=min(posted, occurrences),
        created_at=NOW - ago,
        utc_offset=offset * 3600,
    )
    shown(alert_message(one, locale=locale, console_url=CONSOLE))
    shown(summary_message([one, alert(kind), *[one] * 12], locale=locale, console_url=CONSOLE))


@given(text=st.text(), limit=st.integers(0, 40))
def test_a_cut_text_is_a_beginning_of_the_whole(text: str, limit: int) -> None:
    short = cut(text, limit, "…")
    if len(text) <= limit:
        assert short == text
    else:
        assert len(short) <= limit + 1
        assert text.startswith(short.removesuffix("…"))


@pytest.mark.parametrize(
    "whole",
    [
        FAMILY,
        "\U0001f44d\U0001f3fd",
        "\u2764\ufe0f",
        "\U0001f1f0\U0001f1f7",
        "e\u0301\u0323",
        unicodedata.normalize("NFD", "뷁"),
    ],
)
def test_no_character_is_cut_in_two(whole: str) -> None:
    for limit in range(1, 3 * len(whole)):
        short = cut(whole * 3, limit, "…").removesuffix("…")
        assert short == whole * (limit // len(whole))


def test_of_a_stack_only_the_last_line_is_told() -> None:
    stack = (
        "RuntimeError: Traceback (most recent call last):\n"
        '  File "/var/task/functions/copy/work.py", line 3, in f\n    go()\n    ^^\n'
        "ValueError: the menu has no price\n"
    )
    assert without_stack(stack) == "RuntimeError:\nValueError: the menu has no price"
    assert without_stack("Boom: one\nand two") == "Boom: one\nand two"
