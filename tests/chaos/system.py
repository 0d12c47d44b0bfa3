"""The system under the run: the emulator's sandboxes and Invoke API, and who calls the scheduled functions again and again."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable

from emulator.chaos import Chaos
from emulator.invocation import Throttled
from emulator.lambda_api import LambdaApi
from emulator.logs import LogLine
from emulator.loopback import LoopbackServer, Receive, Scope, Send, respond_json
from emulator.sandbox import Host
from emulator.service import LambdaService
from emulator.template import Function
from tests.chaos.database import ROOT, Database
from tests.chaos.states import JOBS, PREFIX

JOB_LEASE, CLAIM_LEASE = 6.0, 12.0  # seconds
ALERT_WINDOW_MINUTES = 0.1
_SPEED = 6.0  # of the emulator's retries and event ages: an event is given up after 60 / 6 seconds

_ENTRIES = {  # handler, timeout in seconds, sandboxes
    "quick": ("tests.chaos.entries.jobs.quick", 120.0, 10),
    "slow": ("tests.chaos.entries.jobs.slow", 120.0, 6),
    "claimer": ("tests.chaos.entries.claimer.handler", 20.0, 3),
    "reaper": ("tests.chaos.entries.reaper.handler", 20.0, 1),
    "flusher": ("tests.chaos.entries.alert_flusher.handler", 55.0, 1),
}


def functions() -> dict[str, Function]:
    """The run's functions by name, as a template would describe them."""
    return {
        PREFIX + name: Function(
            logical_id=name.title(),
            name=PREFIX + name,
            handler=handler,
            arn=f"arn:aws:lambda:ap-northeast-2:000000000000:function:{PREFIX}{name}",
            timeout_s=timeout,
            memory_mb=512,
            environment={},
            reserved_concurrency=sandboxes,
            retry_attempts=0,
            max_event_age_s=60.0,
            recursive_loop_allowed=True,
        )
        for name, (handler, timeout, sandboxes) in _ENTRIES.items()
    }


def environment(database_url: str, webhook: str) -> dict[str, str | None]:
    """What every sandbox is told."""
    return {
        "DATABASE_URL": database_url,
        "DB_CONNECT_TIMEOUT": "4",
        "DB_COMMAND_TIMEOUT": "8",
        "FUNCTION_PREFIX": PREFIX,
        "JOB_LEASE_SECONDS": str(JOB_LEASE),
        "CLAIM_LEASE_SECONDS": str(CLAIM_LEASE),
        "CLAIM_LIMIT": "15",
        "CLAIMER_POLL_SECONDS": "0.5",
        "TEAMS_WEBHOOK_URL": webhook,
        "ALERT_DEDUPE_MINUTES": str(ALERT_WINDOW_MINUTES),
    }


class RefusingApi:
    """The emulator's Invoke API, which refuses events for handlers: one in fifty by itself, and the next ones when asked to."""

    def __init__(self, api: LambdaApi, seed: int, asked: Callable[[], bool]) -> None:
        self.refused = 0
        self._api = api
        self._asked = asked
        self._draw = random.Random(f"{seed}/refusals")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        for_jobs = any(f"/functions/{PREFIX}{name}/" in scope["path"] for name in JOBS)
        if for_jobs and (self._draw.random() < 0.02 or self._asked()):
            self.refused += 1
            body = {"Type": "User", "Message": "Function not found"}
            await respond_json(send, 404, body, [("x-amzn-ErrorType", "ResourceNotFoundException")])
            return
        await self._api(scope, receive, send)


class System:
    """Everything that works: `ended` counts invocations by function and by how they ended."""

    def __init__(self, database: Database, seed: int) -> None:
        self.ended: Counter[str] = Counter()
        self.broken_flushes = 0
        self.service: LambdaService
        self.sinks: list[Callable[[LogLine], None]] = []
        self._database = database
        self._seed = seed
        self._server = LoopbackServer()
        self._api: RefusingApi

    def start(self, database_url: str, webhook: str) -> LambdaService:
        """Make the service; nothing runs before `open`."""
        host = Host(
            root=ROOT,
            lambda_url=self._server.url,
            region="ap-northeast-2",
            environment=environment(database_url, webhook),
            log=self._log,
        )
        fates = Chaos(drop=0.01, duplicate=0.08, max_delay_s=0.03, seed=self._seed)
        self.service = LambdaService(functions(), host, speed=_SPEED, chaos=fates)
        return self.service

    def open(self, refuses: Callable[[], bool], group: asyncio.TaskGroup) -> list[asyncio.Task[None]]:
        """Take invokes and call the scheduled functions: two claimers that poll, a reaper, a flusher; the tasks that call."""
        self._api = RefusingApi(LambdaApi(self.service), self._seed, refuses)
        self._server.start(self._api)
        loops = []
        for name, pause in (("claimer", 0.2), ("claimer", 0.2), ("reaper", 1.0), ("flusher", 1.0)):
            loops.append(group.create_task(self._call(name, pause)))
        return loops

    @property
    def refused(self) -> int:
        """Invokes of handlers that were refused."""
        return self._api.refused

    def _log(self, line: LogLine) -> None:
        for sink in self.sinks:
            sink(line)

    async def _call(self, name: str, pause: float) -> None:
        while True:
            try:
                _, outcome = await self.service.invoke(PREFIX + name, json.dumps({}).encode())
            except Throttled:
                await asyncio.sleep(pause)
                continue
            self.ended[f"{name}: {outcome.error or 'well'}"] += 1
            if name == "flusher":
                self.broken_flushes += outcome.error is not None
                # Who held these has ended, and a lease of two minutes is no use to a run of five: its time is moved.
                await self._database.execute(
                    "UPDATE alert_outbox SET lease_until = now() WHERE lease_until > now() AND status = 1"
                )
            await asyncio.sleep(pause)

    async def stop(self) -> None:
        """Kill every sandbox and close the port."""
        if hasattr(self, "service"):
            await self.service.stop()
        await self._server.stop()
