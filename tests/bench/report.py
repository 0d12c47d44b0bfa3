"""What came out, as the tables of docs/PERFORMANCE.md."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import quantiles
from typing import Any

from emulator.bench.measure import Goal, Measure, Series
from tests.bench.compare import WAYS, Found
from tests.bench.peers.known import PEERS

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
OURS = "web4ai"
_DRAINS = ("drain default", "drain tuned")


def goals_against_peers(found: Mapping[str, Found]) -> list[Measure]:
    """Ours to the peers', round by round, each at its best."""
    ours = found.get(OURS, Found())
    measures = []
    for peer, at_least in (("pgqueuer", 1.5), ("graphile-worker", None), ("pg-boss", None)):
        mine, theirs = _best(ours, _DRAINS), _best(found.get(peer, Found()), _DRAINS)
        if mine and theirs:
            goal = None if at_least is None else Goal(at_least)
            measures.append(
                Measure("drain 10,000, best setting", "jobs/s", *_paired(mine, theirs), peer, goal)
            )
    bulks = {name: f.series("bulk") for name, f in found.items() if name != OURS and f.series("bulk")}
    mine = ours.series("bulk")
    if mine and bulks:
        best = max(bulks, key=lambda name: bulks[name].median)
        measures.append(
            Measure("enqueue 10,000 at once", "jobs/s", *_paired(mine, bulks[best]), best, Goal(1.5))
        )
    return measures


def _best(found: Found, ways: Sequence[str]) -> Series | None:
    series = [s for s in (found.series(way) for way in ways) if s]
    return max(series, key=lambda s: s.median, default=None)


def _paired(a: Series, b: Series) -> tuple[Series, Series]:
    """Of two contenders the rounds that both went through."""
    rounds = min(len(a.values), len(b.values))
    return Series(a.values[:rounds]), Series(b.values[:rounds])


def markdown(
    machine: Mapping[str, Any],
    measures: Sequence[Measure],
    found: Mapping[str, Found],
    missing: Mapping[str, str],
) -> str:
    """The generated section."""
    server = machine["postgresql"]
    lines = [
        f"{machine['system']}, {machine['cpus']} processors, load {machine['load']} at the start; Python {machine['python']}, "
        f"asyncpg {machine['asyncpg']}, PostgreSQL {server['server_version']} (fsync {server['fsync']}, synchronous_commit "
        f"{server['synchronous_commit']}, full_page_writes {server['full_page_writes']}, shared_buffers "
        f"{server['shared_buffers']}, jit {server['jit']}).",
        "",
    ]
    if measures:
        lines += [
            "| measure | ours | limit | ratio | spread | goal |",
            "|---|---|---|---|---|---|",
            *(_row(measure) for measure in measures),
            "",
        ]
    if found:
        lines += _peers(found, missing)
    return "\n".join(lines).rstrip() + "\n"


def _row(measure: Measure) -> str:
    ratio = measure.ratio
    spread = (ratio or measure.ours).document()
    limit = "" if measure.limit is None else f"{_figure(measure.limit.median)} {measure.limit_name}"
    goal = "" if measure.goal is None else f"{measure.goal}, {'met' if measure.met else '**missed**'}"
    cells = (
        measure.name,
        f"{_figure(measure.ours.median)} {measure.unit}".rstrip(),
        limit,
        "" if ratio is None else f"{ratio.median:.2f}",
        f"{_figure(spread['low'])} to {_figure(spread['high'])}" if spread["rounds"] > 1 else "",
        goal,
    )
    return "| " + " | ".join(cells) + " |"


def _peers(found: Mapping[str, Found], missing: Mapping[str, str]) -> list[str]:
    tuning = {peer.name: peer.tuning for peer in PEERS}
    lines = [
        "Jobs a second, median of the rounds, and in brackets the ratio to web4ai's, lowest to highest round. Wake in",
        "milliseconds, p50 / p99, within one process; web4ai's own goes through the HTTP API and two functions: see above.",
        "",
        "| | " + " | ".join(WAYS) + " | tuned |",
        "|---" * (len(WAYS) + 2) + "|",
    ]
    for name, figures in found.items():
        cells = [_cell(found[OURS], figures, way, name) for way in WAYS]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {tuning.get(name, '')} |")
    problems = {name: f"{way}: {text}" for name, f in found.items() for way, text in f.problems.items()}
    lines += ["", *(f"- {name} is missing: {text}" for name, text in missing.items())]
    lines += [f"- {name} could not be measured at {_one_line(text)}" for name, text in problems.items()]
    return lines


def _cell(ours: Found, figures: Found, way: str, name: str) -> str:
    series = figures.series(way)
    if series is None:
        return "–"
    if way == "wake":
        cuts = quantiles(series.values, n=100, method="inclusive")
        return f"{cuts[49]:.1f} / {cuts[98]:.1f}"
    mine = ours.series(way)
    if mine is None or name == OURS:
        return _figure(series.median)
    theirs, mine = _paired(series, mine)
    ratio = theirs.per(mine).document()
    return f"{_figure(series.median)} ({_figure(ratio['low'])}–{_figure(ratio['high'])})"


def _figure(value: float) -> str:
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2g}" if abs(value) < 10 else f"{value:.3g}"


def _one_line(text: str) -> str:
    return " ".join(text.split())[-300:].replace("|", "/")


def write(path: Path, section: str) -> None:
    """Put the section between the page's markers. Raises `ValueError` when it has none."""
    text = path.read_text("utf-8")
    if BEGIN not in text or END not in text:
        raise ValueError(f"{path} has no lines {BEGIN} and {END}")
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    path.write_text(f"{before}{BEGIN}\n{section}{END}{after}", "utf-8")
