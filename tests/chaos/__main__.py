"""The chaos run by hand: `python -m tests.chaos --seed N --jobs 10000 --seconds 300`."""

import argparse
import asyncio
import json
import os
import signal
import sys
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from tests.chaos.report import table
from tests.chaos.run import Report, Size, run


def main() -> int:
    """Run, print the table, and say by the exit code whether everything held."""
    words = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--jobs", type=int, default=10_000)
    words.add_argument("--seconds", type=float, default=300.0, help="how long it is struck")
    words.add_argument("--every", type=float, help="mean seconds between two strikes")
    words.add_argument("--report", type=Path, help="write everything, each strike's moment too, as JSON")
    words.add_argument("--log", type=Path, help="write what the sandboxes print")
    given = words.parse_args()
    thorough = given.seconds >= 120
    size = Size(given.seed, given.jobs, given.seconds, given.every or (0.5 if thorough else 0.25), thorough)
    os.nice(5)  # whoever else is on this machine goes first
    with given.log.open("w") if given.log else nullcontext() as log:
        try:
            report = asyncio.run(_until_told(size, log))
        except asyncio.CancelledError:
            return 128 + signal.SIGINT
    print(table(report))
    if given.report:
        document = {
            "size": asdict(size),
            "intended": report.intended,
            "problems": report.problems,
            "empty": [list(cell) for cell in report.empty],
            "hits": [[*cell, count] for cell, count in sorted(report.hits.items())],
            "figures": report.figures,
            "moments": report.moments,
        }
        given.report.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return int(bool(report.problems or report.empty))


async def _until_told(size: Size, log: TextIO | None) -> Report:
    """Ended by SIGTERM as by Ctrl-C: in order, with nothing left behind."""

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    task = asyncio.create_task(run(size, say, log))
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    return await task


if __name__ == "__main__":
    sys.exit(main())
