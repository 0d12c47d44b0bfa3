"""What each command does; `emulator.cli.main` says how it is called."""

import argparse
import asyncio
import json
import os
import secrets
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

from emulator.cli.client import Api
from emulator.cli.demo import demo
from emulator.cli.machine import ROOT, Options, machine, migrated
from emulator.cli.onboarding import onboard, read_intake, verdict
from emulator.cli.output import Failure, Output
from emulator.cli.session import session
from shared.jobs.sql import SQL

Command: TypeAlias = Callable[[argparse.Namespace, Output], Awaitable[None]]


async def up(args: argparse.Namespace, out: Output) -> None:
    """Run until Ctrl-C or SIGTERM."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    options = Options(args.speed, args.crawl_allow, args.port, args.site_port)
    async with machine(args.data_dir, out, options) as running:
        stack = running.stack
        async with Api(stack.http_url, running.login) as api:
            document = {
                "api": stack.http_url,
                "dashboard": f"{stack.http_url}/dashboard",
                "site": stack.site_url,
                "site_dir": str(running.site_dir),
                "logs": str(running.data_dir / "logs"),
                "email": running.login.email,
                "password_file": str(running.data_dir / "login.json"),
                "token": api.token,
                "schema_version": running.migrated.version,
                "pid": os.getpid(),
            }
        out.pairs(document)
        out.document(document)
        out.say("running; Ctrl-C ends it")
        waits = [asyncio.create_task(event.wait()) for event in (ended, running.database_lost)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        if running.database_lost.is_set():
            log = running.data_dir / "postgres" / "server.log"
            raise Failure(f"PostgreSQL has ended (see {log}): start `up` again, nothing is lost")
        out.say("ending")


async def run_demo(args: argparse.Namespace, out: Output) -> None:
    """The sample place, end to end."""
    document = await demo(args.data_dir, out)
    _finish(document, out)
    _name_page(document["site"], out)
    out.say(
        "your own:   .venv/bin/python local_runner.py onboard FILE   (examples/second_place.json shows the form)"
    )


async def run_onboard(args: argparse.Namespace, out: Output) -> None:
    """A place of the user's own."""
    intake = read_intake(args.file)
    async with session(args.data_dir, out) as talking:
        document = await onboard(talking.api, intake, talking.site_dir, out)
    _finish(document, out)
    _name_page(document["site"], out)


def _name_page(site: dict[str, Any], out: Output) -> None:
    folder = Path(site["path"]).parent.parent
    port = site["url"].split("/")[2].rpartition(":")[2]
    out.say("")
    out.say(f"the page:   {site['path']}", style="bold green")
    out.say(f"            open it from disk, or serve it at {site['url']} with")
    out.say(f'            python3 -m http.server --bind 127.0.0.1 --directory "{folder}" {port}')


def _finish(document: dict[str, Any], out: Output) -> None:
    problem = verdict(document)
    if problem:
        raise Failure(problem, document=document)
    out.table(
        ("job", "status", "attempts", "job_id"),
        [(job["job_type"], job["status"], job["attempts"], job["job_id"]) for job in document["jobs"]],
        title=f"onboarded in {document['elapsed_s']} s",
    )
    out.document(document)


async def enqueue(args: argparse.Namespace, out: Output) -> None:
    """One job."""
    body = {"job_type": args.type.upper(), "payload": _json(args.payload, "--payload")}
    optional = {"place_id": args.place, "dedupe_key": args.key, "priority": args.priority}
    body |= {name: value for name, value in optional.items() if value is not None}
    async with session(args.data_dir, out) as talking:
        _show_job(await talking.api.call("POST", "/jobs", json=body), out)


async def job(args: argparse.Namespace, out: Output) -> None:
    """One job whole."""
    async with session(args.data_dir, out) as talking:
        _show_job(await talking.api.call("GET", f"/jobs/{args.job_id}"), out)


async def requeue(args: argparse.Namespace, out: Output) -> None:
    """A dead job again."""
    async with session(args.data_dir, out) as talking:
        answer = await talking.api.call("POST", f"/jobs/{args.job_id}/requeue")
        out.pairs(answer)
        out.document(answer)


async def acknowledge(args: argparse.Namespace, out: Output) -> None:
    """A dead job, seen and left."""
    async with session(args.data_dir, out) as talking:
        _show_job(await talking.api.call("POST", f"/jobs/{args.job_id}/acknowledge"), out)


async def cancel(args: argparse.Namespace, out: Output) -> None:
    """A job no more."""
    async with session(args.data_dir, out) as talking:
        _show_job(await talking.api.call("POST", f"/jobs/{args.job_id}/cancel"), out)


def _show_job(answer: dict[str, Any], out: Output) -> None:
    out.pairs({name: value for name, value in answer.items() if value is not None})
    out.document(answer)


async def ops(args: argparse.Namespace, out: Output) -> None:
    """How the system is."""
    async with session(args.data_dir, out) as talking:
        answer = await talking.api.call("GET", "/ops")
    out.pairs(answer)
    out.document(answer)


async def invoke(args: argparse.Namespace, out: Output) -> None:
    """A function, synchronously."""
    async with session(args.data_dir, out) as talking:
        answer, error = await talking.invoke(args.function, _json(args.payload, "--payload"))
    if not out.as_json:
        out.say(json.dumps(answer, ensure_ascii=False, indent=2))
    if error:
        raise Failure(f"{args.function} failed ({error}): {answer.get('errorMessage')}", details=answer)
    out.document(answer)


async def run_migrate(args: argparse.Namespace, out: Output) -> None:
    """The schema, brought up to date."""
    url = os.environ.get("DATABASE_DIRECT_URL") or os.environ.get("DATABASE_URL")
    if url:
        report = await migrated(url)
        answer: Any = {"version": report.version, "applied": report.applied}
    else:
        async with session(args.data_dir, out) as talking:
            answer, error = await talking.invoke("migrate", {})
            if error:
                raise Failure(f"migrate failed: {answer.get('errorMessage')}", details=answer)
    out.say(
        f"schema at version {answer['version']}; applied now: {', '.join(answer['applied']) or 'nothing'}"
    )
    out.document(answer)


async def create_user(args: argparse.Namespace, out: Output) -> None:
    """A user; without --password one is made and shown once."""
    password = args.password or secrets.token_urlsafe(12)
    body = {"email": args.email, "password": password, "role": args.role, "locale": args.locale}
    async with session(args.data_dir, out) as talking:
        answer = await talking.api.call("POST", "/users", json=body)
    if not args.password:
        answer = {**answer, "password": password}
    out.pairs(answer)
    out.document(answer)


async def token(args: argparse.Namespace, out: Output) -> None:
    """A bearer token of the folder's own login, or of a user's."""
    async with session(args.data_dir, out) as talking:
        text = talking.api.token
        if args.email:
            body = {"email": args.email, "password": args.password or ""}
            text = (await talking.api.call("POST", "/session", json=body))["token"]
    if not out.as_json:
        sys.stdout.write(text + "\n")
    out.document({"token": text})


async def alert_test(args: argparse.Namespace, out: Output) -> None:
    """An alert of kind `alert_test`, and the flusher at once: does the webhook post?"""
    async with session(args.data_dir, out) as talking:
        async with talking.database() as conn:
            key, detail = (
                f"alert_test:{secrets.token_hex(4)}",
                json.dumps({"note": "somebody tries the webhook"}),
            )
            alert_id = await conn.fetchval(
                SQL.raise_alert, "alert_test", "test of the alerts", detail, key, 60.0
            )
        report, error = await talking.invoke("alert-flusher", {})
        if error:
            raise Failure(f"the alert flusher failed: {report.get('errorMessage')}", details=report)
        async with talking.database() as conn:
            row = await conn.fetchrow(
                "SELECT status, attempts, last_error FROM alert_outbox WHERE alert_id = $1", alert_id
            )
    status = {1: "WAITING", 2: "SENT", 3: "DEAD"}[row["status"]] if row else "GONE"
    answer = {"alert_id": str(alert_id), "status": status, "last_error": row["last_error"] if row else None}
    out.pairs(answer)
    if status != "SENT":
        missing = report.get("webhook") == "missing"
        why = answer["last_error"] or (
            "no webhook is set: give TEAMS_WEBHOOK_URL to `up`"
            if missing
            else "it waits its turn: Teams asked to be left alone, or other alerts came first"
        )
        raise Failure(f"not posted: {why}", details=answer)
    out.document(answer)


def _json(text: str, option: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise Failure(f"{option} is not JSON: {error}", code=2) from None


def default_data_dir(command: str) -> Path:
    """`.local`, and `.local/demo` for the demo, so that it disturbs nobody's data."""
    return ROOT / ".local" / "demo" if command == "demo" else ROOT / ".local"
