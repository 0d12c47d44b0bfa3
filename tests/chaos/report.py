"""A run's report as a table for people."""

from collections.abc import Iterable

from tests.chaos.intentions import CELLS, CUT, FREEZE, KILL, SERVER, TERMINATE, Cell
from tests.chaos.run import Report

_TITLES = {
    KILL: "killed (SIGKILL)",
    FREEZE: "stopped past the lease, then let go on",
    TERMINATE: "pg_terminate_backend, by the session's state",
    SERVER: "the whole of PostgreSQL",
}


def table(report: Report) -> str:
    """Counts by state, what became of the jobs, what is wrong."""
    size = report.size
    lines = [
        f"chaos: seed {size.seed}, {size.jobs} jobs, {size.seconds:g} s; intentions {report.intended}",
        "",
    ]
    known = [*CELLS, *sorted(set(report.hits) - set(CELLS))]
    for action, title in _TITLES.items():
        lines.append(title)
        lines += _rows(
            (f"{cell.victim}, {cell.state}", report.hits[cell]) for cell in known if cell.action == action
        )
    lines += ["connections cut", f"  {'':34}{'before':>8}{'between':>8}{'after':>8}"]
    sides: dict[str, list[int]] = {}
    for cell in known:
        if cell.action == CUT:
            sides.setdefault(cell.victim, []).append(report.hits[cell])
    lines += [f"  {label:34}" + "".join(f"{count:8}" for count in counts) for label, counts in sides.items()]
    lines += [
        "",
        f"strikes {report.hits.total()}, intentions whose state did not come in time {report.missed}",
    ]
    lines += _rows((name, value) for name, value in report.figures.items())
    lines += [f"EMPTY: {_named(cell)}" for cell in report.empty]
    lines += [f"WRONG: {problem}" for problem in report.problems[:50]]
    if len(report.problems) > 50:
        lines.append(f"and {len(report.problems) - 50} more")
    lines.append("everything held" if not report.problems else f"{len(report.problems)} things did not hold")
    return "\n".join(lines)


def _rows(pairs: Iterable[tuple[str, object]]) -> list[str]:
    return [f"  {name:58}{value!s:>8}" for name, value in pairs]


def _named(cell: Cell) -> str:
    return " / ".join(cell)
