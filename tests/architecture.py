"""What docs/ARCHITECTURE.md says of a job's life, read out of its chart and its table."""

import re
from pathlib import Path
from typing import NamedTuple

from shared.jobs.models import JobStatus
from shared.jobs.transitions import State

_PAGE = Path(__file__).resolve().parent.parent / "docs" / "ARCHITECTURE.md"
_EDGE = re.compile(r"^\s*(\S+) --> (\w+|\[\*\]): (.+)$", re.MULTILINE)
_ROW = re.compile(
    r"^\| (\d) (\w+) \| (none|both) \| (none|set)(, with `last_error`)? \| (yes|no) \|$", re.MULTILINE
)


def charted() -> list[tuple[str, State, State]]:
    """(operation, from, to) of everything the chart's arrows are labelled with; each label's first word is an operation."""
    [chart] = re.findall(
        r"```mermaid\nstateDiagram-v2\n(.*?)```", _PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    edges = _EDGE.findall(chart)
    assert len(edges) == len(chart.strip().splitlines()), "every line of the chart is an arrow with a label"
    return [
        (part.split()[0], _state(source), _state(target))
        for source, target, label in edges
        for part in label.split(", ")
    ]


def _state(name: str) -> State:
    return None if name == "[*]" else JobStatus[name]


class StatusRow(NamedTuple):
    """What a status implies: held by a worker with a lease, over since `finished_at`, with an error, counted as active."""

    status: JobStatus
    held: bool
    over: bool
    says_why: bool
    active: bool


def statuses() -> list[StatusRow]:
    """The table under the chart, one row a status."""
    rows = [
        StatusRow(JobStatus(int(number)), held == "both", over == "set", bool(why), active == "yes")
        for number, name, held, over, why, active in _ROW.findall(_PAGE.read_text(encoding="utf-8"))
        if JobStatus(int(number)).name == name
    ]
    assert [row.status for row in rows] == list(JobStatus)
    return rows
