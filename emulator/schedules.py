"""Sends the template's scheduled events."""

import asyncio
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from emulator.schedule_expression import Cron, Rate, parse
from emulator.template import Schedule

SendEvent = Callable[[str, bytes], object]


class Schedules:
    """One task a schedule. `speed` makes the schedules' clock run so many times faster than the real one.

    A rate fires at once at the start, so that a system that comes up catches up without waiting; turns missed
    (a suspended laptop) are not made up for.
    """

    def __init__(self, schedules: tuple[Schedule, ...], send: SendEvent, *, speed: float = 1.0) -> None:
        """Raises `ScheduleError`, before anything fires, for an expression that cannot be emulated."""
        self._schedules = [(schedule, parse(schedule.expression)) for schedule in schedules]
        self._send = send
        self._speed = speed
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Fire from now on."""
        loop = asyncio.get_running_loop()
        for schedule, expression in self._schedules:
            work = (
                self._rate(schedule, expression)
                if isinstance(expression, Rate)
                else self._cron(schedule, expression)
            )
            self._tasks.append(loop.create_task(work))

    async def stop(self) -> None:
        """Fire no more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _rate(self, schedule: Schedule, rate: Rate) -> None:
        period = rate.every.total_seconds() / self._speed
        due = time.monotonic()
        while True:
            self._fire(schedule)
            due += period
            late = time.monotonic() - due
            if late > 0:
                due += (late // period) * period
            await asyncio.sleep(max(due - time.monotonic(), 0))

    async def _cron(self, schedule: Schedule, cron: Cron) -> None:
        began, began_at = time.monotonic(), datetime.now(UTC)
        due = cron.after(began_at)
        while due is not None:
            wait = (due - began_at).total_seconds() / self._speed - (time.monotonic() - began)
            await asyncio.sleep(max(wait, 0))
            self._fire(schedule)
            now = began_at + timedelta(seconds=(time.monotonic() - began) * self._speed)
            due = cron.after(max(due, now))

    def _fire(self, schedule: Schedule) -> None:
        default = {
            "version": "0",
            "source": "aws.scheduler",
            "detail-type": "Scheduled Event",
            "detail": "{}",
        }
        self._send(schedule.function, (schedule.input or json.dumps(default)).encode())
