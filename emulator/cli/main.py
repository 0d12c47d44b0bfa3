"""The command line: parses, runs, says what went wrong. Exit code 0 only on success; 2 for what the caller got wrong."""

import argparse
import asyncio
import io
import sys
from pathlib import Path

from emulator.cli import bench, commands
from emulator.cli.output import Failure, Output

EPILOG = """\
examples:
  python local_runner.py demo                       the sample place, end to end
  python local_runner.py onboard my-place.json      a place of your own
  python local_runner.py up                         run everything until Ctrl-C
  python local_runner.py ops --json                 how the queue is, for a script
  python local_runner.py bench --quick              what the queue costs on this machine

exit codes: 0 success, 1 it did not succeed, 2 something in the call or the intake is wrong, 130 interrupted
"""


def parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--json",
        action="store_true",
        help="one JSON document on standard output, everything else on standard error",
    )
    common.add_argument(
        "--data-dir", type=Path, help="where state lives (default: .local, for demo .local/demo)"
    )

    root = argparse.ArgumentParser(
        prog="local_runner.py",
        description="web4ai on one machine: functions, queue, database and site from template.yaml.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = root.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, run: commands.Command, text: str) -> argparse.ArgumentParser:
        verb = verbs.add_parser(name, parents=[common], help=text, description=text)
        verb.set_defaults(run=run)
        return verb

    up = add("up", commands.up, "run the whole system until Ctrl-C")
    up.add_argument("--port", type=_port, help="of the API (default 8080, or any when that is taken)")
    up.add_argument(
        "--site-port", type=_port, help="of the published site (default 8081, or any when that is taken)"
    )
    up.add_argument("--speed", type=_speed, default=1.0, help="makes schedules and retries this much faster")
    up.add_argument(
        "--crawl-allow",
        default="",
        metavar="HOST:PORT",
        help="let the crawler fetch this one address of a private network",
    )

    add("demo", commands.run_demo, "onboard the sample place and name the page it made")

    onboard = add(
        "onboard", commands.run_onboard, "onboard a place from an intake file and wait for its page"
    )
    onboard.add_argument("file", type=Path, metavar="FILE", help="JSON; examples/place.json shows the form")

    enqueue = add("enqueue", commands.enqueue, "enqueue one job")
    enqueue.add_argument(
        "type", metavar="TYPE", help="COLLECT, VISION, COPY, BUILD, AI_CHECK or a type of your own"
    )
    enqueue.add_argument("--place", metavar="ID", help="the place it is for")
    enqueue.add_argument("--payload", default="{}", metavar="JSON")
    enqueue.add_argument(
        "--key", metavar="TEXT", help="dedupe key: an active job with it is returned instead"
    )
    enqueue.add_argument(
        "--priority", type=int, metavar="N", help="0 to 1000, lower runs first (default 100)"
    )

    for name, run, text in (
        ("job", commands.job, "show one job whole"),
        ("requeue", commands.requeue, "give a DEAD job fresh attempts"),
        ("acknowledge", commands.acknowledge, "say that a DEAD job was seen: retention may take it"),
        ("cancel", commands.cancel, "cancel a job; a running one is asked to stop"),
    ):
        add(name, run, text).add_argument("job_id", metavar="ID")

    add("ops", commands.ops, "counts, ages, alerts: how the system is")

    invoke = add("invoke", commands.invoke, "invoke a function and wait for its answer")
    invoke.add_argument("function", metavar="FUNCTION", help="its name, such as reaper or job-build")
    invoke.add_argument("--payload", default="{}", metavar="JSON")

    add("migrate", commands.run_migrate, "bring the schema up to date and say what was applied")

    user = add("create-user", commands.create_user, "make a user")
    user.add_argument("email", metavar="EMAIL")
    user.add_argument("--password", metavar="TEXT", help="made and shown once when not given")
    user.add_argument("--role", choices=("member", "admin"), default="member")
    user.add_argument("--locale", choices=("ko", "en"), default="ko")

    token = add("token", commands.token, "print a bearer token")
    token.add_argument("--email", metavar="EMAIL", help="of a user (default: the data folder's own login)")
    token.add_argument("--password", metavar="TEXT")

    add("alert-test", commands.alert_test, "write an alert and post it now")
    bench.arguments(
        add("bench", bench.bench, "measure the queue on a temporary PostgreSQL, beside its raw limit")
    )
    return root


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("a port is 0 to 65535")
    return port


def _speed(text: str) -> float:
    speed = float(text)
    if not 0.01 <= speed <= 1000:
        raise argparse.ArgumentTypeError("a speed is 0.01 to 1000")
    return speed


def main(arguments: list[str] | None = None) -> int:
    """Run one command; its exit code."""
    args = parser().parse_args(arguments)
    args.data_dir = (args.data_dir or commands.default_data_dir(args.command)).absolute()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="backslashreplace"
            )  # a terminal that knows no Hangul must not end the work
    out = Output(as_json=args.json)
    try:
        asyncio.run(args.run(args, out))
    except Failure as failure:
        out.failure(failure)
        return failure.code
    except OSError as error:
        # Of files and folders the person named, or of a full disk: what and why, without where in the code.
        named = f"{error.filename}: " if error.filename else ""
        out.failure(Failure(f"{named}{error.strerror or error}"))
        return 1
    except (KeyboardInterrupt, asyncio.CancelledError):
        sys.stderr.write("interrupted\n")
        return 130
    return 0
