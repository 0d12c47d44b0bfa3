"""A system to talk to: the one that runs on the data folder, or one started for a single command."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from emulator.cli.client import Api
from emulator.cli.login import data_login
from emulator.cli.machine import TEMPLATE, machine
from emulator.cli.output import Failure, Output
from emulator.run_state import RunState, held, running
from emulator.template import load
from shared.db import Connection

INVOKE_SECONDS = 900.0  # Lambda's own limit
STARTING_SECONDS = 60.0
STACK = "web4ai-"  # the local stack's prefix of function names


@dataclass(frozen=True)
class Session:
    """What commands need of a system."""

    api: Api
    state: RunState
    site_dir: Path

    async def invoke(self, function: str, payload: Any) -> tuple[Any, str | None]:
        """A function's answer, and the kind of its error if it failed. `function` is its name with or without the stack's."""
        name = function if function.startswith(STACK) else STACK + function
        body = json.dumps(payload, ensure_ascii=False).encode()
        try:
            answer = await asyncio.to_thread(self._lambda().invoke, FunctionName=name, Payload=body)
        except ClientError as error:
            if error.response["Error"]["Code"] == "ResourceNotFoundException":
                names = sorted(n.removeprefix(STACK) for n in load(TEMPLATE, fill_missing=True).functions)
                raise Failure(f"no function {function!r}; there are {', '.join(names)}", code=2) from None
            raise Failure(str(error)) from None
        except BotoCoreError as error:
            raise Failure(str(error)) from None
        return json.loads(answer["Payload"].read()), answer.get("FunctionError")

    def _lambda(self) -> Any:
        limits = Config(read_timeout=INVOKE_SECONDS, retries={"total_max_attempts": 1})
        return boto3.client(
            "lambda",
            endpoint_url=self.state.lambda_url,
            region_name="local",
            aws_access_key_id="local",
            aws_secret_access_key="local",  # noqa: S106 - the local endpoint asks for a signature, not for a secret
            config=limits,
        )

    @asynccontextmanager
    async def database(self) -> AsyncIterator[Connection]:
        """A connection to the system's database."""
        conn = await asyncpg.connect(self.state.database_url, timeout=10)
        try:
            yield conn
        finally:
            await conn.close()


async def _running(data_dir: Path) -> RunState | None:
    """What runs on the folder, waited for while it is coming up."""
    for _ in range(int(STARTING_SECONDS / 0.2)):
        state = running(data_dir)
        if state is not None or not held(data_dir):
            return state
        await asyncio.sleep(0.2)
    raise Failure(f"a process has {data_dir} and does not come up: end it, or choose another --data-dir")


@asynccontextmanager
async def session(data_dir: Path, out: Output) -> AsyncIterator[Session]:
    """Talk to the running system, or start one for as long as the command lasts."""
    state = await _running(data_dir)
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
