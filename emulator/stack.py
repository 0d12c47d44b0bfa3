"""A whole stack on one machine, from its template: functions, HTTP API, Invoke API, schedules, site."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from emulator.chaos import Chaos
from emulator.http_api import INTEGRATION_TIMEOUT_S, HttpApi
from emulator.invocation import Outcome
from emulator.lambda_api import LambdaApi
from emulator.logs import LogSink
from emulator.loopback import App, LoopbackServer
from emulator.notifications import Notifications
from emulator.sandbox import Host
from emulator.schedules import Schedules
from emulator.service import Failure, LambdaService
from emulator.site_server import SiteServer
from emulator.template import load

_FOLDER_FOR_BUCKET = {"MEDIA_DIR": "MEDIA_BUCKET", "SITE_DIR": "SITE_BUCKET"}


class Stack:
    """Start it from the main thread's event loop; its sandboxes die with that thread.

    `environment` is laid over the template's variables of every function; None takes one away. With DATABASE_URL
    in it (DATABASE_DIRECT_URL where a pooler stands between), NOTIFY on `web4ai_job` wakes the function whose name ends
    in `-claimer`; with SITE_DIR, that folder is served. SITE_DIR and MEDIA_DIR take SITE_BUCKET and MEDIA_BUCKET away.
    CONSOLE_URL and SITE_ORIGIN are the stack's own addresses unless given. Template parameters without a default that
    are not given are empty. `speed` makes schedules, retries and event ages run faster.
    """

    def __init__(
        self,
        template: Path,
        *,
        environment: Mapping[str, str | None] | None = None,
        parameters: Mapping[str, str] | None = None,
        root: Path | None = None,
        log: LogSink = lambda _: None,
        speed: float = 1.0,
        chaos: Chaos | None = None,
        concurrency: int | None = None,
        idle_s: float = 600.0,
        http_port: int = 0,
        site_port: int = 0,
        http_timeout_s: float = INTEGRATION_TIMEOUT_S,
        run_schedules: bool = True,
        runtime: str = "auto",
        freeze: bool = False,
    ) -> None:
        """Reads the template and takes the ports.

        Raises `TemplateError` or `ScheduleError` for what cannot be emulated, `OSError` for a port that is taken.
        """
        if freeze and sys.platform != "linux":
            raise ValueError("freeze needs Linux")
        self.template = load(template, parameters, fill_missing=True)
        overrides = dict(environment or {})
        site_dir = overrides.get("SITE_DIR")
        self._servers: list[tuple[LoopbackServer, App]] = []
        sockets: list[LoopbackServer] = []
        try:
            for port in (0, http_port, *([site_port] if site_dir else [])):
                sockets.append(LoopbackServer(port))
            self.lambda_url, self.http_url = sockets[0].url, sockets[1].url
            self.site_url = sockets[2].url if site_dir else None
            overrides.setdefault("CONSOLE_URL", self.http_url)
            for folder, bucket in _FOLDER_FOR_BUCKET.items():
                if overrides.get(folder):
                    overrides.setdefault(bucket, None)
            overrides.setdefault("SITE_ORIGIN", self.site_url)
            host = Host(
                root=(root or template.parent).resolve(),
                lambda_url=self.lambda_url,
                region=self.template.region,
                environment=overrides,
                log=log,
                runtime=runtime,
                freeze=freeze,
            )
            self.service = LambdaService(
                self.template.functions,
                host,
                speed=speed,
                chaos=chaos,
                concurrency=concurrency,
                idle_s=idle_s,
            )
            schedules = self.template.schedules if run_schedules else ()
            self._schedules = Schedules(schedules, self.service.send, speed=speed)
        except BaseException:
            for server in sockets:
                server.close()
            raise
        self._http_api = HttpApi(
            self.template.routes, self.service, self.template.cors, timeout_s=http_timeout_s
        )
        apps: list[App] = [LambdaApi(self.service), self._http_api]
        if site_dir:
            apps.append(SiteServer(Path(site_dir)))
        self._servers = list(zip(sockets, apps, strict=True))
        # A session that listens must be one's own, so not behind a proxy that pools transactions.
        self._notifications = self._listener(
            overrides.get("DATABASE_DIRECT_URL") or overrides.get("DATABASE_URL")
        )

    def _listener(self, database_url: str | None) -> Notifications | None:
        claimer = next((name for name in self.template.functions if name.endswith("-claimer")), None)
        if database_url is None or claimer is None:
            return None
        event = json.dumps({"source": "notify"}).encode()
        return Notifications(database_url, lambda: self.service.deliver(claimer, event))

    @property
    def failures(self) -> list[Failure]:
        """Events that no attempt could settle, oldest first."""
        return self.service.failures

    @property
    def notifications(self) -> Notifications | None:
        """The listener on the database, when there is one."""
        return self._notifications

    async def start(self) -> None:
        """Open for calls; schedules with a rate fire at once."""
        for server, app in self._servers:
            server.start(app)
        if self._notifications is not None:
            self._notifications.start()
        self._schedules.start()

    async def stop(self) -> None:
        """End in order: no new events, then every sandbox killed, then the ports closed."""
        await self._schedules.stop()
        if self._notifications is not None:
            await self._notifications.stop()
        await self.service.stop()
        await self._http_api.stop()
        for server, _ in self._servers:
            await server.stop()

    async def invoke(self, name: str, payload: Any = None) -> Outcome:
        """Run a function by its name, or its logical id, and wait for the outcome.

        Raises `UnknownFunction` or `Throttled`.
        """
        by_id = {function.logical_id: function.name for function in self.template.functions.values()}
        event = json.dumps({} if payload is None else payload, ensure_ascii=False).encode()
        _, outcome = await self.service.invoke(by_id.get(name, name), event)
        return outcome

    async def __aenter__(self) -> "Stack":
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
