"""The comparison with the peers, by hand: `python -m tests.bench [--peer NAME …] [--install]`."""

import argparse
import asyncio
import json
import sys
from pathlib import Path

from emulator.bench.run import described
from emulator.bench.server import bench_server, temporary_folder
from tests.bench.compare import Sizes, compare
from tests.bench.install import install, installed
from tests.bench.peers.known import PEERS


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


async def _main(args: argparse.Namespace) -> None:
    wanted = [peer for peer in PEERS if not peer.packages or not args.peer or peer.name in args.peer]
    missing = {}
    for peer in wanted:
        if not installed(peer, args.peers_dir):
            _say(f"{peer.name}: " + ("installing" if args.install else "not installed (--install)"))
            problem = (
                await asyncio.to_thread(install, peer, args.peers_dir) if args.install else "not installed"
            )
            if problem:
                missing[peer.name] = problem
                _say(f"{peer.name}: missing: {problem}")
    here = [peer for peer in wanted if peer.name not in missing]
    with temporary_folder() as folder:
        async with bench_server() as server:
            machine = await described(server)
            found = await compare(server, here, args.peers_dir, folder, Sizes(rounds=args.rounds), _say)
    print(
        json.dumps(
            {
                n: {
                    "figures": {w: [min(v), sorted(v)[len(v) // 2], max(v)] for w, v in f.figures.items()},
                    "problems": f.problems,
                }
                for n, f in found.items()
            },
            indent=1,
        ),
        machine,
        missing,
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "--peers-dir", type=lambda text: Path(text).absolute(), default=Path(".local/peers").absolute()
    )
    parser.add_argument("--peer", action="append", metavar="NAME")
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    asyncio.run(_main(parser.parse_args()))


main()
