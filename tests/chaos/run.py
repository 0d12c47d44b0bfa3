"""One run: the system is set up, worked and struck for its time, left to finish, and judged."""

import asyncio
import random
import shutil
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from emulator.logs import LogLine
from shared.jobs.models import JobStatus
from tests.chaos import registered  # noqa: F401 - before the queue is used
from tests.chaos.database import Database
from tests.chaos.evidence import Evidence, gather
from tests.chaos.intentions import CELLS, SERVER, Cell, Intention, coarse, digest, drawn, intentions
from tests.chaos.people import Operator, Producer
from tests.chaos.proxy import Proxy
from tests.chaos.strikes import Strikes
from tests.chaos.system import CLAIM_LEASE, JOB_LEASE, System
from tests.chaos.verdict import alert_verdict, root_deaths, server_verdict, verdict
from tests.chaos.watch import DRAIN_SECONDS, Watch
from tests.fakes.http_server import Recorded, Reply
from tests.fakes.teams import Teams


@dataclass(frozen=True)
class Size:
    """A run's measures. `every` is the mean time between two intentions; a `thorough` run goes on until no cell is empty."""

    seed: int
    jobs: int
    seconds: float
    every: float
    thorough: bool

    @property
    def longest(self) -> float:
        """Seconds that it strikes at most, if cells stay empty."""
        return max(2 * self.seconds, self.seconds + 120)


@dataclass
class Report:
    """What a run showed."""

    size: Size
    intended: str
    problems: list[str] = field(default_factory=list)
    moments: list[dict[str, Any]] = field(default_factory=list)
    hits: Counter[Cell] = field(default_factory=Counter)
    missed: int = 0
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def empty(self) -> list[Cell]:
        """Cells nobody was struck in; of a run that is not thorough, those whose like was not struck at all."""
        return lacking(self.hits, thorough=self.size.thorough)


def lacking(hits: Counter[Cell], *, thorough: bool) -> list[Cell]:
    """The cells a run still has to strike."""
    if thorough:
        return [cell for cell in CELLS if not hits[cell]]
    struck = {coarse(cell) for cell in hits}
    return [cell for cell in CELLS if coarse(cell) not in struck]


class SlowTeams(Teams):
    """The webhook, with a moment's thought before each answer; now and then it cannot, or has too much to do."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._draw = random.Random(f"{seed}/teams")
        self._stopped = threading.Event()

    def _judge(self, request: Recorded) -> Reply:
        chance = self._draw.random()
        if chance < 0.03:
            return Reply(503) if chance < 0.02 else Reply(429, headers={"Retry-After": "1"})
        reply = super()._judge(request)
        self._stopped.wait(0.04)
        return reply


class Run:
    """One run's parts, while it lasts."""

    def __init__(
        self,
        size: Size,
        planned: list[Intention],
        report: Report,
        database: Database,
        teams: Teams,
        say: Callable[[str], None],
        log: TextIO | None,
    ) -> None:
        self._size, self._planned, self._report = size, planned, report
        self._database, self._teams, self._say = database, teams, say
        self._log = log
        self._watch = Watch(database, say)
        self._system = System(database, size.seed)
        self._lines: deque[str] = deque(maxlen=400)
        self._system.sinks.append(self._keep)

    def _keep(self, line: LogLine) -> None:
        if self._log is not None:
            print(f"{time.time():.3f} {line.function}/{line.sandbox} {line.text}", file=self._log)
        if '"level":"ERROR"' in line.text or "Traceback" in line.text:
            self._lines.append(f"{line.function}/{line.sandbox} {line.text[:500]}")

    async def whole(self) -> None:
        """From the first process to the verdict. Raises what any part of the run itself fails of."""
        size, database = self._size, self._database
        strikes = Strikes(database, job_lease=JOB_LEASE, claim_lease=CLAIM_LEASE)
        proxy = Proxy(database.port, strikes.passing)
        try:
            url = database.through(await proxy.start())
            service = self._system.start(url, self._teams.webhook)
            self._system.sinks.append(strikes.aim(service, proxy).log)
            producer = Producer(url, size.seed, size.jobs, 0.9 * size.seconds)
            operator = Operator(url, database)
            async with asyncio.TaskGroup() as group:
                loops = self._system.open(strikes.asked_to_refuse, group)
                loops += [group.create_task(operator.run()), group.create_task(self._watch.run(strikes))]
                producing = group.create_task(producer.run())
                await self._watch.warm()
                strikes.began = time.monotonic()
                await self._strike(strikes, group)
                await strikes.calm()
                struck = time.monotonic() - strikes.began
                async with asyncio.timeout(DRAIN_SECONDS):
                    await producing
                await self._watch.drained()
                for loop in loops:
                    loop.cancel()
            producer.leave()
            operator.leave()
        finally:
            await self._system.stop()
            await proxy.stop()
        self._report.problems += self._watch.problems + producer.problems
        self._judge(await gather(database), producer, strikes, struck)
        self._report.figures |= {
            "invocations": dict(sorted(self._system.ended.items())),
            "invokes refused": self._system.refused,
            "events given up": dict(Counter(f.condition for f in service.failures)),
            "broken connections of the producer and the operator": producer.broken + operator.broken,
        }

    async def _strike(self, strikes: Strikes, group: asyncio.TaskGroup) -> None:
        """The intentions at their times; then, and between them, make-ups for the cells not struck yet."""
        size = self._size
        began = time.monotonic()
        draw = random.Random(f"{size.seed}/make up")
        under_way: dict[asyncio.Task[None], Cell] = {}

        def begin(intention: Intention) -> None:
            task = group.create_task(strikes.strike(intention))
            under_way[task] = intention.cell
            task.add_done_callback(under_way.pop)

        for intention in self._planned:
            await asyncio.sleep(max(0.0, began + intention.at - time.monotonic()))
            begin(intention)
            empty = lacking(strikes.hits, thorough=size.thorough)
            empty = [cell for cell in empty if cell not in under_way.values() and cell.action != SERVER]
            if intention.at > 0.4 * size.seconds and empty:
                begin(drawn(draw, intention.at, draw.choice(empty)))
        await asyncio.sleep(max(0.0, began + size.seconds - time.monotonic()))
        while (empty := lacking(strikes.hits, thorough=size.thorough)) and (
            time.monotonic() < began + size.longest
        ):
            for cell in empty if size.thorough else draw.sample(empty, 1):
                if cell not in under_way.values():
                    begin(drawn(draw, size.seconds, cell))
            await asyncio.sleep(1.0)
        if ending := [task for task, cell in under_way.items() if cell.action == SERVER]:
            await asyncio.wait(ending)  # a server is not left half started
        for task in list(under_way):
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    def _judge(self, evidence: Evidence, producer: Producer, strikes: Strikes, struck: float) -> None:
        report, size = self._report, self._size
        report.problems += verdict(evidence, size.seed, size.jobs, producer.twins)
        report.problems += alert_verdict(evidence, len(self._teams.cards), self._system.broken_flushes)
        report.hits, report.moments, report.missed = strikes.hits, strikes.as_json(), strikes.missed.total()
        if report.problems:
            self._say("\n".join(self._lines))
        outcomes = Counter(a["outcome"] for rows in evidence.attempts.values() for a in rows)
        report.figures |= {
            "seconds of strikes": round(struck),
            "jobs enqueued by the producer": producer.enqueued,
            "jobs in all": len(evidence.jobs),
            "ended": dict(Counter(JobStatus(row["status"]).name for row in evidence.jobs.values())),
            "claims": sum(c["old"] == 1 and c["new"] == 2 for cs in evidence.changes.values() for c in cs),
            "attempts that did not end DONE": dict(sorted(outcomes.items())),
            "requeued": len(evidence.requeued),
            "root deaths": len(root_deaths(evidence)),
            "alert rows": len(evidence.alerts),
            "occurrences counted": sum(row["occurrences"] for row in evidence.alerts),
            "cards posted": len(self._teams.cards),
            "flushers broken": self._system.broken_flushes,
            "starts of PostgreSQL": self._database.starts,
        }


async def run(size: Size, say: Callable[[str], None], log: TextIO | None = None) -> Report:
    """The whole of it. What it made, processes and files, is gone when it returns or raises."""
    planned = intentions(size.seed, size.seconds, size.every)
    report = Report(size, digest(planned))
    folder = _folder()
    database = Database(folder / "pg")
    teams = SlowTeams(size.seed)
    try:
        with teams.running():
            await database.start()
            await Run(size, planned, report, database, teams, say, log).whole()
    finally:
        await database.stop()
        shutil.rmtree(folder, ignore_errors=True)
    report.problems += server_verdict(database.errors)
    report.figures["errors PostgreSQL logged"] = dict(database.errors)
    return report


def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="web4ai-chaos-"))
    folder.chmod(0o755)  # for root, another user runs the server
    return folder
