"""Asking every channel side by side, so that none can harm another: not by failing, by hanging, nor by what it gives."""

import asyncio
import json
import re
import time
import traceback
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from functions.collect.channels import Asking, Channel, ChannelOutcome, OutcomeName
from shared.logging import logger
from shared.places.keys import KEY_PATTERN
from shared.places.models import NewFact, NewPhoto

_LATE_SECONDS = 2.0  # past its time, for a channel to come back with what it has
_STOPPING_SECONDS = 2.0  # for a cancelled channel to close what it has open; then it is left behind
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")  # in JSON: the escape, not a text that spells it


async def ask_channels(
    channels: Sequence[Channel], ask: Asking, answered: Callable[[int], Awaitable[None]]
) -> dict[str, ChannelOutcome]:
    """Every channel's outcome by name, in the channels' order. `answered` is told how many are through.

    Takes at most a few seconds longer than `ask.ends`. A channel that raises is `failed` with `internal`, one that is
    not back in time with `out_of_time`. Raises nothing of the channels'; being cancelled stops them all.
    """
    outcomes: dict[str, ChannelOutcome] = {}

    async def one(channel: Channel) -> None:
        outcomes[channel.name] = await _outcome(channel, ask)
        await answered(len(outcomes))

    await asyncio.gather(*(one(channel) for channel in channels))
    return {channel.name: outcomes[channel.name] for channel in channels}


async def _outcome(channel: Channel, ask: Asking) -> ChannelOutcome:
    began = time.monotonic()
    asked = asyncio.create_task(_asked(channel, ask), name=f"channel {channel.name}")
    asked.add_done_callback(_hear)
    try:
        await asyncio.wait([asked], timeout=max(0.0, ask.left()) + _LATE_SECONDS)
        late = not asked.done()
    finally:
        await _stop(channel, asked)
    milliseconds = round((time.monotonic() - began) * 1000)
    if late:
        return ChannelOutcome("failed", code="out_of_time", retryable=True, milliseconds=milliseconds)
    error = asyncio.CancelledError() if asked.cancelled() else asked.exception()
    if error is not None:
        _log_defect(channel, error)
        return ChannelOutcome("failed", code="internal", milliseconds=milliseconds)
    return asked.result()


async def _asked(channel: Channel, ask: Asking) -> ChannelOutcome:
    reason = channel.skipped(ask)
    if reason is not None:
        return ChannelOutcome("skipped", code=reason)
    return _storable(channel, await channel.collect(ask))


def _hear(asked: "asyncio.Task[ChannelOutcome]") -> None:
    """Keeps the event loop from logging, message and all, how a channel ended that nobody waits for any more."""
    if not asked.cancelled():
        asked.exception()


async def _stop(channel: Channel, asked: "asyncio.Task[ChannelOutcome]") -> None:
    if asked.done():
        return
    asked.cancel()
    await asyncio.wait([asked], timeout=_STOPPING_SECONDS)
    if not asked.done():
        logger.error("a channel does not stop and is left behind", extra={"channel": channel.name})


def _storable(channel: Channel, outcome: ChannelOutcome) -> ChannelOutcome:
    """The outcome less what no row can hold, which would take the other channels' facts with it."""
    facts = [fact for fact in outcome.facts if _fits(channel, fact)]
    photos = [photo for photo in outcome.photos if _fits(channel, photo)]
    if len(facts) == len(outcome.facts) and len(photos) == len(outcome.photos):
        return outcome
    logger.error("a channel gave what cannot be stored", extra={"channel": channel.name})
    name: OutcomeName = "partial" if facts or photos else "failed"
    return replace(outcome, outcome=name, code="internal", facts=facts, photos=photos, whole=False)


def _fits(channel: Channel, given: NewFact | NewPhoto) -> bool:
    """Whether it is under the channel's own name, and JSON and text that PostgreSQL takes."""
    if given.channel != channel.name:
        return False
    if isinstance(given, NewFact) and (given.value is None or not KEY_PATTERN.match(given.key)):
        return False
    try:
        text = json.dumps(given.model_dump(), allow_nan=False, ensure_ascii=False)
        text.encode()
    except (ValueError, TypeError, RecursionError):
        return False
    return not _NUL.search(text)


def _log_defect(channel: Channel, error: BaseException) -> None:
    """Where it broke, and with what kind of error. Not its message: that may quote a key, or a value nobody may keep."""
    kinds: list[str] = []
    frames: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(kinds) < 5:
        kinds.append(type(cause).__name__)
        frames += traceback.format_tb(cause.__traceback__)
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    logger.error(
        "a channel broke", extra={"channel": channel.name, "errors": kinds, "traceback": "".join(frames)}
    )
