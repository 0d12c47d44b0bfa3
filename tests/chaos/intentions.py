"""What is to be struck, and when: the part of the run that a seed repeats.

A seed repeats exactly: every job's plan, ids and the order and size of the producer's batches; and the list of intentions, each
with its time, its cell (what is done to whom in which state), its delay and its choices. It cannot repeat which process is in
that state then, how two of them interleave, worker ids, and so how many attempts a job takes; and not the make-up
intentions, which are for the cells not struck yet: they are drawn from the seed too, but which cells those are is the timing's.
"""

import hashlib
import random
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import NamedTuple

from tests.chaos import states

KILL, FREEZE, CUT, TERMINATE, SERVER = "kill", "freeze", "cut", "terminate", "server"


class Cell(NamedTuple):
    """One state that something is to be struck in."""

    action: str
    victim: str
    state: str


_SIDES = ("before the server had it", "between", "after the client had it")
_STATEMENTS = (
    "enqueue",
    "claim",
    "start",
    "renew_lease",
    "hold",
    "commit",
    "complete",
    "fail",
    "snooze",
    "release",
    "cancelled",
    "reap",
    "cancel",
    "requeue",
    "alert claim",
    "alert mark",
)
_JOB_STATES = (states.BEFORE_START, states.STARTED, states.WORKING, states.ENDING)

KILLS = (
    *(Cell(KILL, "sandbox", state) for state in (*_JOB_STATES, states.IDLE)),
    *(
        Cell(KILL, "claimer", state)
        for state in (states.BEFORE_CLAIM, states.CLAIM, states.INVOKING, states.RELEASING)
    ),
    Cell(KILL, "reaper", states.REAPING),
    *(Cell(KILL, "flusher", state) for state in (states.CLAIMING, states.POSTING, states.MARKING)),
)
FREEZES = (
    *(Cell(FREEZE, "sandbox", state) for state in _JOB_STATES),
    Cell(FREEZE, "claimer", states.INVOKING),
)
CUTS = tuple(Cell(CUT, statement, side) for statement in _STATEMENTS for side in _SIDES)
TERMINATES = tuple(Cell(TERMINATE, "backend", state) for state in ("active", "idle in transaction", "idle"))
SERVERS = (Cell(SERVER, "PostgreSQL", "stopped at once"), Cell(SERVER, "PostgreSQL", "killed"))
CELLS = (*KILLS, *FREEZES, *CUTS, *TERMINATES, *SERVERS)


SERVER_EVERY = 50.0  # seconds between two ends of the whole server


def coarse(cell: Cell) -> tuple[str, str]:
    """What a small run is content with: every kind of victim, and every side of a cut."""
    return (cell.action, cell.state if cell.action == CUT else cell.victim)


@dataclass(frozen=True)
class Intention:
    """At `at` seconds: strike the next that is in the cell, `delay` seconds into its state; `pick` chooses among several ways."""

    at: float
    cell: Cell
    delay: float
    pick: float


def intentions(seed: int, seconds: float, every: float) -> list[Intention]:
    """All intentions of a run, in order of time: round after round every cell, shuffled; one each `every` seconds."""
    draw = random.Random(f"{seed}/intentions")
    found: list[Intention] = []
    ordinary = [*KILLS, *FREEZES, *CUTS, *TERMINATES]
    at = 0.0
    while at < seconds:
        draw.shuffle(ordinary)
        for cell in ordinary:
            at += draw.uniform(0.5, 1.5) * every
            if at < seconds:
                found.append(drawn(draw, at, cell))
    ends = max(1, int(seconds / SERVER_EVERY))
    for nth in range(ends):
        when = (nth + draw.uniform(0.4, 0.8)) * seconds / ends
        found.append(drawn(draw, when, SERVERS[nth % 2]))
    return sorted(found, key=lambda intention: intention.at)


def drawn(draw: random.Random, at: float, cell: Cell) -> Intention:
    """An intention for a cell: half of them strike at once, the others some milliseconds later."""
    delay = draw.choice((0.0, draw.uniform(0.0, 0.02)))
    return Intention(at, cell, delay, draw.random())


def digest(planned: Sequence[Intention]) -> str:
    """A short name of the whole list: two runs of one seed show the same."""
    return hashlib.sha256(repr([astuple(intention) for intention in planned]).encode()).hexdigest()[:16]
