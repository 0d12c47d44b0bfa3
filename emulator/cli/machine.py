"""The whole system on one data folder: database, schema, login, stack."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from emulator.cli.login import Login, data_login, ensure_user
from emulator.cli.output import Failure, Output
from emulator.logs import LogFiles, LogLine, LogSink
from emulator.postgres import Postgres, PostgresError
from emulator.run_state import AlreadyRunning, DataDir, RunState
from emulator.stack import Stack
from shared.db import NotConfiguredError
from shared.migrate import MigrationError, Report, migrate

ROOT = Path(__file__).resolve().parent.parent.parent
TEMPLATE = ROOT / "template.yaml"
DATA_DIR = ROOT / ".local"

HTTP_PORT, SITE_PORT = 8080, 8081

# What a developer may hand to the functions through their own environment: keys and servers of providers, the webhook,
# lengths of time.
PASSED_ON = (
    "AI_MONTHLY_BUDGET_USD",
    "ALERT_DEDUPE_MINUTES",
    "ALERT_LOCALE",
    "ALERT_TIMEZONE",
    "CHANNEL_ALERT_MINUTES",
    "CHANNEL_ALERT_PLACES",
    "CHANNEL_TIMEOUT",
    "CLAIMER_POLL_SECONDS",
    "COPY_AI_WAIT_SECONDS",
    "CRAWL_CONTACT",
    "DB_STATEMENT_CACHE_SIZE",
    "GEMINI_API_KEY",
    "GEMINI_BASE_URL",
    "GEMINI_COPY_MODEL",
    "GEMINI_VISION_MODEL",
    "GOOGLE_PLACES_API_KEY",
    "GOOGLE_PLACES_BASE_URL",
    "JOB_DEADLINE_SECONDS",
    "JOB_LEASE_SECONDS",
    "CLAIM_LEASE_SECONDS",
    "JOB_RETENTION_DAYS",
    "KAKAO_API_KEY",
    "KAKAO_BASE_URL",
    "NAVER_API",
    "NAVER_CLIENT_ID",
    "NAVER_CLIENT_SECRET",
    "NAVER_DEVELOPERS_BASE_URL",
    "NAVER_HUB_BASE_URL",
    "NOMINATIM_BASE_URL",
    "NTS_BASE_URL",
    "NTS_KEY",
    "OVERPASS_BASE_URL",
    "PERPLEXITY_API_KEY",
    "PERPLEXITY_BASE_URL",
    "PERPLEXITY_MODEL",
    "QUEUE_STALLED_SECONDS",
    "QUOTA_MARGIN_SECONDS",
    "QUOTA_REQUESTS_DAY",
    "QUOTA_REQUESTS_MINUTE",
    "QUOTA_RESERVED_SHARE",
    "QUOTA_SEND_SECONDS",
    "QUOTA_TOKENS_DAY",
    "QUOTA_TOKENS_MINUTE",
    "QUOTA_WINDOW_SECONDS",
    "RECOLLECT_DAYS",
    "TEAMS_WEBHOOK_URL",
    "TOURAPI_BASE_URL",
    "TOURAPI_KEY",
    "VISION_AI_WAIT_SECONDS",
)


@dataclass(frozen=True)
class Machine:
    """A running system."""

    data_dir: Path
    login: Login
    database_url: str
    stack: Stack
    migrated: Report
    database_lost: asyncio.Event

    @property
    def site_dir(self) -> Path:
        """Where pages are published."""
        return self.data_dir / "site"


@dataclass(frozen=True)
class Options:
    """How to run: `speed` makes schedules and retries faster, `crawl_allow` is the guard's exception, ports None: any free."""

    speed: float = 1.0
    crawl_allow: str = ""
    http_port: int | None = None
    site_port: int | None = None
    log: LogSink | None = None


@asynccontextmanager
async def machine(data_dir: Path, out: Output, options: Options | None = None) -> AsyncIterator[Machine]:
    """Start everything on `data_dir`, and stop it at the end. Raises `Failure` when something stands in the way."""
    options = options or Options()
    held = DataDir(data_dir)
    try:
        held.acquire()
    except AlreadyRunning as error:
        raise Failure(str(error)) from None
    except OSError as error:
        raise Failure(f"cannot use {data_dir}: {error.strerror}: choose another --data-dir") from None
    postgres = Postgres()
    files = LogFiles(data_dir / "logs")
    try:
        urls, report = await _database(postgres, data_dir, out)
        login = data_login(data_dir)
        await ensure_user(urls.direct, login)
        stack = _stack(data_dir, urls, login, options, files)
        await stack.start()
        try:
            held.publish(RunState(os.getpid(), stack.http_url, stack.lambda_url, stack.site_url, urls.direct))
            lost = asyncio.Event()
            watch = asyncio.create_task(_watch(postgres, lost))
            try:
                yield Machine(data_dir, login, urls.direct, stack, report, lost)
            finally:
                watch.cancel()
        finally:
            await stack.stop()
    finally:
        postgres.stop()
        files.close()
        held.release()


async def _watch(postgres: Postgres, lost: asyncio.Event) -> None:
    """Notice that the server this process started has ended."""
    started = postgres.pid
    while started is not None:
        await asyncio.sleep(0.5)
        if postgres.pid is None:
            lost.set()
            return


@dataclass(frozen=True)
class _Urls:
    """The database as functions reach it, a transaction-pooling proxy between perhaps, and past that."""

    functions: str
    direct: str


async def _database(postgres: Postgres, data_dir: Path, out: Output) -> tuple[_Urls, Report]:
    given = os.environ.get("DATABASE_URL")
    try:
        if not given and not (data_dir / "postgres").exists():
            out.say("making a database (once)")
        url = given or postgres.start(data_dir / "postgres")
    except PostgresError as error:
        raise Failure(str(error)) from None
    direct = (given and os.environ.get("DATABASE_DIRECT_URL")) or url
    return _Urls(url, direct), await migrated(direct)


async def migrated(url: str) -> Report:
    """Bring the database to this release's schema. Raises `Failure`, in words that never hold the URL or a part of it."""
    try:
        return await migrate(url)
    except (MigrationError, NotConfiguredError) as error:
        raise Failure(str(error)) from None
    except (OSError, asyncpg.PostgresError) as error:
        reason = str(error) or "no answer in time"
        raise Failure(f"cannot use the database of DATABASE_URL: {reason}") from None


def _stack(data_dir: Path, urls: _Urls, login: Login, options: Options, files: LogFiles) -> Stack:
    environment: dict[str, str | None] = {
        name: os.environ[name] for name in PASSED_ON if os.environ.get(name)
    }
    environment |= {
        "DATABASE_URL": urls.functions,
        "DATABASE_DIRECT_URL": urls.direct,
        "JWT_SECRET": login.jwt_secret,
        "QUEUE_NOTIFY": "1",
        "SITE_DIR": str((data_dir / "site").resolve()),
        "MEDIA_DIR": str((data_dir / "media").resolve()),
        "SITE_BUCKET": None,
        "MEDIA_BUCKET": None,
        "CRAWL_ALLOW": options.crawl_allow,
    }
    extra = options.log

    def log(line: LogLine) -> None:
        files(line)
        if extra is not None:
            extra(line)

    problem: OSError | None = None
    for http_port, site_port in _ports(options, _known_port(data_dir)):
        try:
            stack = Stack(
                TEMPLATE,
                environment=environment,
                log=log,
                speed=options.speed,
                http_port=http_port,
                site_port=site_port,
            )
        except OSError as error:
            problem = error
            continue
        if stack.site_url:
            (data_dir / "site-port").write_text(stack.site_url.rpartition(":")[2])
        return stack
    raise Failure(f"{problem.strerror if problem else 'no port'}: end what uses it, or choose another port")


def _ports(options: Options, known_site: int | None) -> Iterator[tuple[int, int]]:
    """Pairs to try, of the API and of the site. What was asked for stays; the rest are the usual ones and then some beyond them.

    None of those is a port the kernel gives to outgoing connections: a folder that was served on one finds it free again.
    """
    wanted = options.http_port, options.site_port
    alternatives = [(HTTP_PORT, SITE_PORT), *((8100 + n, 8200 + n) for n in range(50)), (0, 0)]
    if known_site is not None:
        alternatives = [*((http, known_site) for http, _ in alternatives[:-1]), *alternatives]
    seen = set()
    for http, site in alternatives:
        pair = (http if wanted[0] is None else wanted[0], site if wanted[1] is None else wanted[1])
        if pair not in seen:
            seen.add(pair)
            yield pair


def _known_port(data_dir: Path) -> int | None:
    """Pages carry the site's origin, so a data folder keeps the port it was first served on while that is free."""
    path = data_dir / "site-port"
    return int(path.read_text()) if path.exists() else None
