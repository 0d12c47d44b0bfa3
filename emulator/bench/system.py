"""The whole system with a job type of the bench's own, on a copy of the tree: the product has none that does nothing."""

import re
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from emulator.bench import workload
from emulator.cli.login import Login, data_login, ensure_user
from emulator.logs import LogLine
from emulator.stack import Stack

_ROOT = Path(__file__).resolve().parent.parent.parent
JOB_TYPE, NAME, FUNCTION = 950, "BENCH", "job-bench"

_SPEC = """
from shared.jobs.spec import JobSpec, Payload


class BenchPayload(Payload):
    place: str
    task: str
    number: int
    urgent: bool
    note: str


SPEC = JobSpec(
    type={type},
    name="{name}",
    function="{function}",
    payload_model=BenchPayload,
    batch_size={batch_size},
    max_in_flight={max_in_flight},
    deadline=60,
)
"""
_HANDLER = """
from shared.jobs.types.bench import SPEC
from shared.runtime import job_handler


async def handle(job, ctx):
    return {}


handler = job_handler(SPEC, handle)
"""
_BLOCK = """
  BenchFunction:
    Type: AWS::Serverless::Function
    Properties:
      FunctionName: !Sub "${{AWS::StackName}}-{function}"
      Handler: functions.bench.handler.handler
      Timeout: 90
      RecursiveLoop: Allow
      EventInvokeConfig:
        MaximumRetryAttempts: 0
        MaximumEventAgeInSeconds: 60
      Environment:
        Variables:
          FUNCTION_PREFIX: !Sub ${{AWS::StackName}}-
"""
_REPORT = re.compile(r"^REPORT Duration: ([0-9.]+) ms")


@dataclass
class Durations:
    """What sandboxes reported: of each function how often it ran and for how many milliseconds in all."""

    calls: dict[str, int] = field(default_factory=dict)
    milliseconds: dict[str, float] = field(default_factory=dict)

    def __call__(self, line: LogLine) -> None:
        """Read one line of a function's log."""
        if match := _REPORT.match(line.text):
            self.calls[line.function] = self.calls.get(line.function, 0) + 1
            self.milliseconds[line.function] = self.milliseconds.get(line.function, 0.0) + float(match[1])


@dataclass(frozen=True)
class System:
    """A running stack, the login of its administrator, its functions' durations."""

    stack: Stack
    login: Login
    durations: Durations

    @property
    def claimer(self) -> str:
        """The claimer's full name."""
        return next(name for name in self.stack.template.functions if name.endswith("-claimer"))


@asynccontextmanager
async def system(
    folder: Path, database_url: str, *, batch_size: int, max_in_flight: int, environment: Mapping[str, str]
) -> AsyncIterator[System]:
    """The stack on a migrated database, its schedules at rest: what runs was woken."""
    root = folder / "tree"
    root.mkdir(parents=True)
    _plant(root, batch_size, max_in_flight)
    login = data_login(folder)
    await ensure_user(database_url, login)
    durations = Durations()
    stack = Stack(
        root / "template.yaml",
        environment={
            "DATABASE_URL": database_url,
            "JWT_SECRET": login.jwt_secret,
            "SITE_DIR": str(folder / "site"),
            "MEDIA_DIR": str(folder / "media"),
            **environment,
        },
        log=durations,
        run_schedules=False,
    )
    async with stack:
        yield System(stack, login, durations)


def _plant(root: Path, batch_size: int, max_in_flight: int) -> None:
    """The functions and what they stand on, with one type more."""
    for name in ("functions", "shared", "migrations"):
        shutil.copytree(_ROOT / name, root / name)
    values = {"type": JOB_TYPE, "name": NAME, "function": FUNCTION}
    spec = _SPEC.format(**values, batch_size=batch_size, max_in_flight=max_in_flight)
    (root / "shared/jobs/types/bench.py").write_text(spec)
    (root / "functions/bench").mkdir()
    (root / "functions/bench/__init__.py").touch()
    (root / "functions/bench/handler.py").write_text(_HANDLER)
    template = (_ROOT / "template.yaml").read_text("utf-8")
    block = _BLOCK.format(**values)
    (root / "template.yaml").write_text(
        template.replace("\nResources:\n", f"\nResources:\n{block}", 1), "utf-8"
    )


def body(number: int) -> dict[str, object]:
    """What is posted to `/jobs`."""
    return {"job_type": NAME, "payload": workload.payload(number)}
