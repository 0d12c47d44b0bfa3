"""What every process of the run is doing, told from outside: from the statements that pass and from which sandboxes are bound.

Nothing in the product says so. A sandbox's state follows from what its connection asked and was answered since its invocation
began; an invocation's end is the REPORT line of the emulator.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from emulator.logs import LogLine
from tests.chaos.proxy import Exchange, Link, Point

JOBS = ("quick", "slow")  # functions whose sandboxes run jobs
PREFIX = "chaos-"

IDLE = "idle"
BEFORE_START = "before start"
STARTED = "between start and work"
WORKING = "working"
ENDING = "ending"
ENDED = "ended, answering"
BEFORE_CLAIM = "before the claim"
CLAIM = "claim in flight"
INVOKING = "invoking"
RELEASING = "releasing"
REAPING = "reaping"
CLAIMING = "claiming"
POSTING = "posting"
MARKING = "marking"
ELSE = "something else"

_ENDS = ("complete", "fail", "snooze", "cancelled")
_WORK = ("handler's read", "handler's write", "hold")


@dataclass
class Process:
    """One sandbox, as far as it has connected."""

    function: str
    number: int
    pid: int
    phase: str | None = None
    running: int = 0  # jobs started and not ended, as the answers said
    on_its_way: str | None = None  # the statement in flight on its work connection


class Fleet(Protocol):
    """Who knows which sandboxes there are, and which of them an invocation is bound to."""

    def busy(self, name: str) -> dict[int, bool]: ...


@dataclass
class States:
    """All processes that named themselves to the proxy."""

    fleet: Fleet
    processes: dict[tuple[str, int], Process] = field(default_factory=dict)

    def of_link(self, link: Link) -> Process | None:
        """Whose connection it is; None for those that are no sandbox's."""
        parts = link.name.split("/")
        if len(parts) != 4 or parts[0] != "chaos" or int(parts[2]) == 0:
            return None
        key = (parts[1], int(parts[2]))
        if key not in self.processes:
            self.processes[key] = Process(parts[1], key[1], int(parts[3]))
        return self.processes[key]

    def bound(self, process: Process) -> bool:
        """Whether an invocation is bound to it; a process that has ended is not."""
        return self.fleet.busy(PREFIX + process.function).get(process.pid, False)

    def log(self, line: LogLine) -> None:
        """Takes the emulator's log lines: a REPORT ends an invocation."""
        if line.text.startswith("REPORT "):
            process = self.processes.get((line.function.removeprefix(PREFIX), line.sandbox))
            if process is not None:
                process.phase, process.running, process.on_its_way = None, 0, None

    def passing(self, link: Link, exchange: Exchange, point: Point) -> None:
        """A statement passes a point."""
        process = self.of_link(link)
        if process is None or exchange.label == "renew_lease":  # the heartbeat says nothing of the work
            return
        process.on_its_way = None if point == "told" else exchange.label
        step = _STEPS.get(process.function, _of_job)
        step(process, exchange, point)

    def state(self, process: Process) -> str:
        """What it does now."""
        if not self.bound(process):
            return IDLE
        if process.function in JOBS:
            return process.phase or BEFORE_START
        return process.phase or (BEFORE_CLAIM if process.function == "claimer" else ELSE)

    def found(self, functions: tuple[str, ...]) -> list[Process]:
        """The living processes of these functions, those not yet connected among them."""
        known = {process.pid: process for process in self.processes.values()}
        return [
            known.get(pid) or Process(function, 0, pid)
            for function in functions
            for pid in self.fleet.busy(PREFIX + function)
        ]


def _of_job(process: Process, exchange: Exchange, point: Point) -> None:
    label = exchange.label
    if label == "start":
        if point == "answered":
            process.phase, process.running = STARTED, exchange.rows
    elif label in _ENDS:
        process.phase = ENDING
        if point == "answered":
            process.running -= exchange.rows if label == "complete" else 1
        if point == "told" and exchange.transaction == "I":
            process.phase = WORKING if process.running > 0 else ENDED
    elif label == "commit" and process.phase == ENDING:
        if point == "told":
            process.phase = WORKING if process.running > 0 else ENDED
    elif label in _WORK and process.phase != ENDING:
        process.phase = WORKING


def _of_claimer(process: Process, exchange: Exchange, point: Point) -> None:
    if exchange.label == "claimer_beat":
        process.phase = BEFORE_CLAIM
    elif exchange.label == "claim":
        process.phase = CLAIM
        if point == "told":
            process.phase = INVOKING if exchange.rows else BEFORE_CLAIM
    elif exchange.label == "release":
        process.phase = RELEASING if point != "told" else ELSE


def _of_reaper(process: Process, exchange: Exchange, point: Point) -> None:
    process.phase = REAPING if exchange.label == "reap" and point != "told" else ELSE


def _of_flusher(process: Process, exchange: Exchange, point: Point) -> None:
    if exchange.label == "alert claim":
        process.phase = CLAIMING
        if point == "told":
            process.phase = POSTING if exchange.rows else ELSE
    elif exchange.label == "alert mark":
        process.phase = MARKING if point != "told" else POSTING


_STEPS: dict[str, Callable[[Process, Exchange, Point], None]] = {
    "claimer": _of_claimer,
    "reaper": _of_reaper,
    "flusher": _of_flusher,
}
