"""`bench`: what the queue costs on this machine, beside the least that PostgreSQL would take for the same."""

import argparse
from typing import Any

from emulator.bench import run
from emulator.cli.output import Failure, Output
from emulator.postgres import PostgresError


def arguments(verb: argparse.ArgumentParser) -> None:
    """The command's own options."""
    verb.add_argument("--quick", action="store_true", help="under half a minute, and as rough as that")
    verb.add_argument(
        "--only",
        choices=tuple(run.PARTS),
        action="append",
        metavar="PART",
        help=f"one of {', '.join(run.PARTS)}",
    )


async def bench(args: argparse.Namespace, out: Output) -> None:
    """Measure on a temporary PostgreSQL; nobody's data is touched."""
    out.say(f"measuring on a temporary PostgreSQL; {'under half a minute' if args.quick else 'some minutes'}")
    try:
        document = await run.run(
            run.QUICK if args.quick else run.FULL, out.aside, args.only or tuple(run.PARTS)
        )
    except PostgresError as error:
        raise Failure(str(error)) from None
    out.table(
        ("measure", "ours", "limit", "ratio", "spread", "goal"),
        [_row(measure) for measure in document["measures"]],
        title=f"medians of {document['rounds']} rounds in {document['elapsed_s']} s; goals met: {document['goals_met']}",
    )
    out.document(document)


def _row(measure: dict[str, Any]) -> list[str]:
    limit, ratio = measure["limit"], measure["ratio"]
    spread = ratio or measure["ours"]
    goal = "" if measure["goal"] is None else f"{measure['goal']} {'met' if measure['met'] else 'MISSED'}"
    return [
        measure["name"],
        f"{measure['ours']['median']:,.10g} {measure['unit']}",
        "" if limit is None else f"{limit['median']:,.10g} {measure['limit_name']}",
        "" if ratio is None else f"{ratio['median']:.3g}",
        f"{spread['low']:.3g} to {spread['high']:.3g}",
        goal,
    ]
