"""Measures web4ai beside its raw limits and beside its peers, on one server: `python -m tests.bench --help`."""

import argparse
import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from emulator.bench.run import FULL, PARTS, described, measured
from emulator.bench.server import bench_server, temporary_folder
from tests.bench.compare import Found, Sizes, compare
from tests.bench.install import install, installed
from tests.bench.peers.known import PEERS, Peer
from tests.bench.report import goals_against_peers, markdown, write

ROOT = Path(__file__).resolve().parent.parent.parent


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def _ready(wanted: list[Peer], peers_dir: Path, *, with_install: bool) -> dict[str, str]:
    """The peers that cannot be measured, and why; with `with_install` those missing are installed first."""
    missing = {}
    for peer in wanted:
        if installed(peer, peers_dir):
            continue
        problem: str | None = "not installed: run with --install"
        if with_install:
            _say(f"installing {peer.name} in {peers_dir}")
            problem = install(peer, peers_dir)
        if problem:
            missing[peer.name] = problem
            _say(f"{peer.name} is missing: {problem}")
    return missing


async def _main(args: argparse.Namespace) -> str:
    wanted = [peer for peer in PEERS if not peer.packages or not args.peer or peer.name in args.peer]
    missing = {} if args.own else _ready(wanted, args.peers_dir, with_install=args.install)
    here = [peer for peer in wanted if peer.name not in missing]
    found: dict[str, Found] = {}
    sizes = Sizes()
    if args.rounds:
        sizes = replace(sizes, rounds=args.rounds)
    if args.jobs:
        sizes = replace(sizes, bulk=args.jobs, drained=args.jobs)
    with temporary_folder() as folder:
        async with bench_server() as server:
            machine = await described(server)
            measures = [] if args.peers else await measured(server, FULL, _say, args.only or tuple(PARTS))
            if not args.own:
                found = await compare(server, here, args.peers_dir, folder, sizes, _say)
    return markdown(machine, [*measures, *goals_against_peers(found)], found, missing)


def main() -> None:
    """Parse, measure, print or write."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--own", action="store_true", help="web4ai and its raw limits alone")
    which.add_argument("--peers", action="store_true", help="the comparison with the peers alone")
    parser.add_argument("--only", action="append", choices=tuple(PARTS), help="of our own measures")
    parser.add_argument("--peer", action="append", metavar="NAME", choices=[p.name for p in PEERS])
    parser.add_argument(
        "--install", action="store_true", help="install the peers that are missing, by pip and npm"
    )
    parser.add_argument("--peers-dir", type=Path, default=ROOT / ".local" / "peers")
    parser.add_argument("--rounds", type=int, help="of the comparison (default 3)")
    parser.add_argument(
        "--jobs", type=int, help="put in at once and drained in the comparison (default 10,000)"
    )
    parser.add_argument(
        "--write", type=Path, metavar="FILE", help="put the tables between the markers of this page"
    )
    args = parser.parse_args()
    args.peers_dir = args.peers_dir.absolute()
    section = asyncio.run(_main(args))
    sys.stdout.write(section)
    if args.write:
        write(args.write, section)


main()
