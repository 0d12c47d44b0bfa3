"""Channels that break, hang or give what no row can hold: each harms itself alone."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from functions.collect import asking as asking_module
from functions.collect.asking import ask_channels
from functions.collect.channels import Asking, ChannelOutcome, Rejected
from functions.collect.diagnostics import DiagnosticCode
from shared.places.models import NewFact, NewPhoto
from shared.settings import Settings
from tests.channels import asking

SECRET = "a-key-and-a-number-02-555-0142"


class Playing:
    """A channel that does what a test wants."""

    def __init__(
        self,
        name: str,
        work: Callable[[Asking], Awaitable[Any]],
        skipped: Callable[[], DiagnosticCode | None] = lambda: None,
    ) -> None:
        self.name = name
        self._work = work
        self._skipped = skipped

    def skipped(self, ask: Asking) -> DiagnosticCode | None:
        return self._skipped()

    async def collect(self, ask: Asking) -> ChannelOutcome:
        return await self._work(ask)  # type: ignore[no-any-return]


async def well(ask: Asking) -> ChannelOutcome:
    return ChannelOutcome("ok", facts=[NewFact(key="phone", value="+8225550142", channel="good")])


async def nobody(done: int) -> None:
    pass


GOOD = Playing("good", well)


async def outcome_of(channel: Playing, seconds: float = 5.0) -> ChannelOutcome:
    """How the channel went beside a good one, which must have gone well."""
    ask = asking(Settings(), names=["달그릇국수"], seconds=seconds)
    outcomes = await ask_channels([channel, GOOD], ask, nobody)
    assert list(outcomes) == [channel.name, "good"]
    assert outcomes["good"].outcome == "ok"
    return outcomes[channel.name]


def breaks(error: BaseException) -> Playing:
    async def work(ask: Asking) -> None:
        try:
            int(SECRET)
        except ValueError as cause:
            raise error from cause

    return Playing("bad", work)


@pytest.mark.parametrize(
    "error",
    [
        KeyError(SECRET),
        RecursionError(SECRET),
        MemoryError(),
        asyncio.CancelledError(SECRET),
        TimeoutError(SECRET),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_a_channel_that_raises_is_failed_and_where_it_broke_is_logged_without_what_it_said(
    error: BaseException, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = await outcome_of(breaks(error))
    assert (outcome.outcome, outcome.code, outcome.retryable, outcome.facts) == (
        "failed",
        "internal",
        False,
        [],
    )
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.__dict__["channel"] == "bad"
    if not isinstance(error, asyncio.CancelledError):  # of which Python keeps no trace
        assert record.__dict__["errors"] == [type(error).__name__, "ValueError"]
        assert "test_asking.py" in record.__dict__["traceback"]
    assert SECRET not in caplog.text + str(record.__dict__) + "".join(capsys.readouterr())


async def test_a_channel_that_breaks_while_it_is_asked_whether_to_skip_is_failed() -> None:
    def broken() -> DiagnosticCode | None:
        raise ZeroDivisionError

    outcome = await outcome_of(Playing("bad", well, broken))
    assert (outcome.outcome, outcome.code) == ("failed", "internal")


async def test_a_skipped_channel_is_not_asked() -> None:
    outcome = await outcome_of(Playing("bad", breaks(KeyError())._work, lambda: "no_key"))
    assert (outcome.outcome, outcome.code) == ("skipped", "no_key")


async def test_a_channel_that_is_not_back_in_time_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking_module, "_LATE_SECONDS", 0.05)
    stopped = asyncio.Event()

    async def hangs(ask: Asking) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    outcome = await outcome_of(Playing("bad", hangs), seconds=0.05)
    assert (outcome.outcome, outcome.code, outcome.retryable) == ("failed", "out_of_time", True)
    assert stopped.is_set()


async def test_a_channel_that_will_not_stop_is_left_behind_and_its_end_is_not_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(asking_module, "_LATE_SECONDS", 0.05)
    monkeypatch.setattr(asking_module, "_STOPPING_SECONDS", 0.05)
    let_go, gone = asyncio.Event(), asyncio.Event()

    async def resists(ask: Asking) -> None:
        while not let_go.is_set():
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                continue
        gone.set()
        raise KeyError(SECRET)

    outcome = await outcome_of(Playing("bad", resists), seconds=0.05)
    assert (outcome.outcome, outcome.code) == ("failed", "out_of_time")
    assert [record.getMessage() for record in caplog.records] == [
        "a channel does not stop and is left behind"
    ]
    let_go.set()
    await gone.wait()
    await asyncio.sleep(0)
    assert SECRET not in caplog.text


async def test_a_cancelled_collection_stops_every_channel() -> None:
    began, stopped = asyncio.Event(), []

    async def hangs(ask: Asking) -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(True)

    ask = asking(Settings(), names=["달그릇국수"])
    job = asyncio.create_task(ask_channels([Playing("a", hangs), Playing("b", hangs)], ask, nobody))
    await began.wait()
    job.cancel()
    with pytest.raises(asyncio.CancelledError):
        await job
    assert stopped == [True, True]


def fact(value: Any, key: str = "note", channel: str = "bad") -> NewFact:
    return NewFact(key=key, value=value, channel=channel)


@pytest.mark.parametrize(
    "unfit",
    [
        fact("nul \x00"),
        fact({"deep": ["nul \x00"]}),
        fact("half a pair \ud800"),
        fact(float("nan")),
        fact(None),
        fact({1, 2}),
        fact("x", key="No Key"),
        fact("x", channel="good"),
        NewPhoto(channel="bad", source_url="https://e.x/\x00.jpg"),
    ],
    ids=range(9),
)
async def test_what_no_row_can_hold_is_dropped_and_the_rest_of_it_stored(unfit: NewFact | NewPhoto) -> None:
    fits = fact("a text that spells \\u0000 is none")
    given: dict[str, Any] = {"photos": [unfit]} if isinstance(unfit, NewPhoto) else {"facts": [unfit]}

    async def gives(ask: Asking) -> ChannelOutcome:
        return ChannelOutcome(
            "ok", whole=True, photos=given.get("photos", []), facts=[*given.get("facts", []), fits]
        )

    async def gives_that_alone(ask: Asking) -> ChannelOutcome:
        return ChannelOutcome("ok", whole=True, **given)

    some, none = await outcome_of(Playing("bad", gives)), await outcome_of(Playing("bad", gives_that_alone))
    assert (some.outcome, some.code, some.whole, some.facts, some.photos) == (
        "partial",
        "internal",
        False,
        [fits],
        [],
    )
    assert (none.outcome, none.code, none.whole, none.facts, none.photos) == (
        "failed",
        "internal",
        False,
        [],
        [],
    )


async def test_what_is_no_outcome_is_a_defect() -> None:
    async def nothing(ask: Asking) -> None:
        return None

    assert (await outcome_of(Playing("bad", nothing))).code == "internal"


def test_what_was_rejected_is_told_in_few_and_short_names() -> None:
    outcome = ChannelOutcome("empty", rejected=[Rejected("other_name", "가" * 20_000)] * 100)
    told = outcome.diagnostic()["rejected"]
    assert len(told) == 20
    assert told[0] == {"reason": "other_name", "name": "가" * 100}
