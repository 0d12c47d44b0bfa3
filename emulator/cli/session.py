"""A system to talk to: the one that runs on the data folder, or one started for a single command."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import httpx

from emulator.cli.client import Api
from emulator.cli.login import data_login
from emulator.cli.machine import machine
from emulator.cli.output import Failure, Output
from emulator.run_state import RunState, running
from shared.db import Connection

INVOKE_SECONDS = 900.0  # Lambda's own limit


@dataclass(frozen=True)
class Session:
    """What commands need of a system."""

    api: Api
    state: RunState
    site_dir: Path

    async def invoke(self, function: str, payload: Any) -> tuple[Any, str | None]:
        """A function's answer, and the kind of its error if it failed. `function` is its name with or without the prefix."""
        async with httpx.AsyncClient(
            base_url=self.state.lambda_url, timeout=INVOKE_SECONDS, trust_env=False
        ) as http:
            path = f"/2015-03-31/functions/{function}/invocations"
            answer = await http.post(path, content=json.dumps(payload, ensure_ascii=False))
        if answer.status_code >= 400:
            raise Failure(f"{function}: {answer.json().get('Message') or answer.text[:300]}")
        return answer.json(), answer.headers.get("x-amz-function-error")

    @asynccontextmanager
    async def database(self) -> AsyncIterator[Connection]:
        """A connection to the system's database."""
        conn = await asyncpg.connect(self.state.database_url, timeout=10)
        try:
            yield conn
        finally:
            await conn.close()


@asynccontextmanager
async def session(data_dir: Path, out: Output) -> AsyncIterator[Session]:
    """Talk to the running system, or start one for as long as the command lasts."""
    state = running(data_dir)
    if state is not None:
        async with Api(state.http_url, data_login(data_dir)) as api:
            yield Session(api, state, data_dir / "site")
        return
    out.say(f"nothing runs on {data_dir}: starting the system for this command")
    async with machine(data_dir, out) as started:
        state = running(data_dir)
        if state is None:
            raise Failure(f"the system on {data_dir} did not come up")
        async with Api(started.stack.http_url, started.login) as api:
            yield Session(api, state, started.site_dir)
