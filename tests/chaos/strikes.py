"""Kills, freezes and cuts: armed for a state, done when somebody is in it, and noted as what was really struck."""

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any

from emulator.service import LambdaService
from shared.db import DATABASE_FAILURES
from tests.chaos import states
from tests.chaos.database import Database
from tests.chaos.intentions import CUT, KILL, SERVER, TERMINATE, Cell, Intention
from tests.chaos.proxy import Exchange, Link, Point, Proxy
from tests.chaos.states import Process, States

PATIENCE = 12.0  # seconds that an intention waits for its state
_VICTIMS = {"sandbox": states.JOBS, "claimer": ("claimer",), "reaper": ("reaper",), "flusher": ("flusher",)}
_IN_FLIGHT = (
    states.ENDING,
    states.CLAIM,
    states.RELEASING,
    states.REAPING,
    states.CLAIMING,
    states.MARKING,
)
_WITHOUT_STATEMENTS = (states.BEFORE_START, states.WORKING, states.BEFORE_CLAIM)  # most of their time
_LONG = ("claim", "complete", "reap", "commit")  # statements that may still run when the session is looked up
_TERMINATE = "SELECT state, pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1"


@dataclass(frozen=True)
class Moment:
    """One strike: when (seconds into the run), what, and what was on the victim's connection."""

    at: float
    cell: Cell
    who: str
    statement: str | None
    point: str | None


@dataclass(eq=False)
class Trap:
    """Springs at the first passing that `fits`: the statement is held at its point while `act` is done."""

    fits: Callable[[Link, Exchange, Point], bool]
    act: Callable[[Link, Exchange, Point], Awaitable[None]]


class Strikes:
    """Carries out intentions. `passing` is the proxy's."""

    def __init__(self, database: Database, *, job_lease: float, claim_lease: float) -> None:
        self.moments: list[Moment] = []
        self.missed: Counter[Cell] = Counter()
        self._refuse = 0  # invokes of handlers that are to be refused
        self._proxy: Proxy
        self._service: LambdaService
        self._states: States
        self._database = database
        self._leases = (job_lease, claim_lease)
        self._traps: list[Trap] = []
        self._gone: set[int] = set()  # processes killed or stopped
        self._thaws: set[asyncio.Task[None]] = set()
        self.began = time.monotonic()

    def aim(self, service: LambdaService, proxy: Proxy) -> States:
        """Say at whom, before anybody connects; what is known of them from then on."""
        self._service, self._proxy, self._states = service, proxy, States(service)
        return self._states

    @property
    def hits(self) -> Counter[Cell]:
        return Counter(moment.cell for moment in self.moments)

    def asked_to_refuse(self) -> bool:
        """Whether the next invoke of a handler is to be refused: somebody waits for a claimer that releases."""
        asked = self._refuse > 0
        self._refuse -= asked
        return asked

    async def passing(self, link: Link, exchange: Exchange, point: Point) -> None:
        """Called by the proxy at each point of each exchange."""
        self._states.passing(link, exchange, point)
        for trap in self._traps:
            if trap.fits(link, exchange, point):
                self._traps.remove(trap)
                await trap.act(link, exchange, point)
                return

    async def strike(self, intention: Intention) -> None:
        """Carry one out, or note after `PATIENCE` that nobody was in that state."""
        try:
            async with asyncio.timeout(PATIENCE if intention.cell.action != SERVER else None):
                await self._strike(intention)
        except TimeoutError:
            self.missed[intention.cell] += 1

    async def _strike(self, intention: Intention) -> None:
        cell, pick = intention.cell, intention.pick
        if "release" in cell.victim or cell.state == states.RELEASING:
            self._refuse += 1
        if cell.action == SERVER:
            await self._end_server(cell)
        elif cell.action == CUT:
            await self._sprung(self._cut(intention))
        elif cell.action == TERMINATE:
            await self._sprung(self._terminate(intention))
        elif cell.state == states.IDLE or (cell.state in _WITHOUT_STATEMENTS and pick < 0.5):
            process = await self._found(cell, pick)
            await asyncio.sleep(intention.delay)
            self._end_process(cell.action, process, None, None)
        else:
            await self._sprung(self._kill(intention))

    async def _sprung(self, trap: Trap) -> None:
        done = asyncio.Event()
        act = trap.act

        async def acted(link: Link, exchange: Exchange, point: Point) -> None:
            try:
                await act(link, exchange, point)
            finally:
                done.set()

        trap.act = acted
        self._traps.append(trap)
        try:
            await done.wait()
        finally:
            if trap in self._traps:
                self._traps.remove(trap)

    def _kill(self, intention: Intention) -> Trap:
        cell = intention.cell
        point = ("asked", "sent", "answered")[int(intention.pick * 3)]

        def fits(link: Link, exchange: Exchange, at: Point) -> bool:
            process = self._states.of_link(link)
            return (
                process is not None
                and process.function in _VICTIMS[cell.victim]
                and process.pid not in self._gone
                and exchange.label != "renew_lease"
                and (at == point or cell.state not in _IN_FLIGHT)
                and self._states.state(process) == cell.state
            )

        async def act(link: Link, exchange: Exchange, at: Point) -> None:
            await asyncio.sleep(intention.delay)
            process = self._states.of_link(link)
            if process is not None:
                self._end_process(cell.action, process, exchange.label, at)

        return Trap(fits, act)

    def _cut(self, intention: Intention) -> Trap:
        label, side = intention.cell.victim, intention.cell.state
        point: Point = "asked"
        if side == "between":
            point = "sent" if intention.pick < 0.35 else "answered"
        elif side.startswith("after"):
            point = "told"

        def fits(link: Link, exchange: Exchange, at: Point) -> bool:
            return exchange.label == label and at == point and not link.closed and not link.muted

        async def act(link: Link, exchange: Exchange, at: Point) -> None:
            await asyncio.sleep(intention.delay)
            self._note(intention.cell, link.name, exchange.label, at)
            if point == "answered" and intention.pick > 0.85:
                link.mute()  # neither side hears that the line is dead
            else:
                link.cut()

        return Trap(fits, act)

    def _terminate(self, intention: Intention) -> Trap:
        point, transaction = {
            "active": ("sent", "ITE"),
            "idle in transaction": ("answered", "T"),
            "idle": ("answered", "I"),
        }[intention.cell.state]

        def fits(link: Link, exchange: Exchange, at: Point) -> bool:
            return (
                at == point
                and (point == "answered" or exchange.label in _LONG)
                and link.backend is not None
                and self._states.of_link(link) is not None
                and exchange.transaction in transaction
            )

        async def act(link: Link, exchange: Exchange, at: Point) -> None:
            try:
                rows = await self._database.ask(lambda c: c.fetch(_TERMINATE, link.backend), patience=0)
            except DATABASE_FAILURES:
                return
            for row in rows:
                self._note(Cell(TERMINATE, "backend", row["state"]), link.name, exchange.label, at)

        return Trap(fits, act)

    async def _found(self, cell: Cell, pick: float) -> Process:
        while True:
            fit = [
                process
                for process in self._states.found(_VICTIMS[cell.victim])
                if process.pid not in self._gone and self._states.state(process) == cell.state
            ]
            if fit:
                return sorted(fit, key=lambda p: p.pid)[int(pick * len(fit))]
            await asyncio.sleep(0.01)

    def _end_process(self, action: str, process: Process, label: str | None, point: str | None) -> None:
        """Kill or freeze it, if it is (still) one of the run's own."""
        name = states.PREFIX + process.function
        if process.pid not in self._service.busy(name) or process.pid in self._gone:
            return
        state = self._states.state(process)
        victim = "sandbox" if process.function in states.JOBS else process.function
        self._note(Cell(action, victim, state), f"{process.function}/{process.pid}", label, point)
        self._gone.add(process.pid)
        if action == KILL:
            os.kill(process.pid, signal.SIGKILL)
            return
        os.kill(process.pid, signal.SIGSTOP)
        job_lease, claim_lease = self._leases
        lease = job_lease if state in (states.STARTED, states.WORKING, states.ENDING) else claim_lease
        thaw = asyncio.create_task(self._thaw(name, process.pid, 1.4 * lease))
        self._thaws.add(thaw)
        thaw.add_done_callback(self._thaws.discard)

    async def _thaw(self, name: str, pid: int, seconds: float) -> None:
        try:
            await asyncio.sleep(seconds)
        finally:
            if pid in self._service.busy(name):
                os.kill(pid, signal.SIGCONT)
            self._gone.discard(pid)

    async def _end_server(self, cell: Cell) -> None:
        number = signal.SIGKILL if cell.state == "killed" else signal.SIGQUIT
        self._note(cell, "PostgreSQL", None, None)
        await self._database.end(number)
        await self._database.start()
        self._proxy.target = self._database.port

    def _note(self, cell: Cell, who: str, label: str | None, point: str | None) -> None:
        self.moments.append(Moment(round(time.monotonic() - self.began, 3), cell, who, label, point))

    async def calm(self) -> None:
        """Disarm everything and let the frozen go on."""
        self._traps.clear()
        self._refuse = 0
        for thaw in list(self._thaws):
            thaw.cancel()
        await asyncio.gather(*self._thaws, return_exceptions=True)

    def as_json(self) -> list[dict[str, Any]]:
        """The moments, in order."""
        return [{**asdict(moment), "cell": list(moment.cell)} for moment in self.moments]
