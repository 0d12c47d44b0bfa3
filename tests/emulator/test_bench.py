"""The bench measures what it says, whole and small: this does not judge how fast, for a test machine is busy, but what does not
depend on that.
"""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest

from emulator.bench import run, traffic
from emulator.bench.measure import Goal, Measure, Rounds, Series, in_turns
from emulator.bench.proxy import CountingProxy, Traffic
from emulator.bench.server import BenchServer, temporary_folder
from tests.bench.compare import Found
from tests.bench.report import BEGIN, END, goals_against_peers, markdown, write
from tests.conftest import Server

ROOT = Path(__file__).resolve().parent.parent.parent
TINY = replace(
    run.QUICK,
    rounds=Rounds(1, 0.0),
    singles_s=0.02,
    bulk=50,
    drained=50,
    wakes=3,
    finished=300,
    delayed=200,
    claims=1,
)


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_a_document_tells_every_part_with_its_limit_ratio_and_goal():
    said: list[str] = []
    document = await run.run(TINY, said.append, [part for part in run.PARTS if part != "cost"])
    assert document["machine"]["postgresql"]["fsync"] == "on"
    assert document["machine"]["postgresql"]["synchronous_commit"] == "on"
    measures = {measure["name"]: measure for measure in document["measures"]}
    for name in (
        "enqueue, 1 connection",
        "enqueue 50 at once",
        "drain, 1 type, 1 connection",
        "claim 10 beside a history",
    ):
        assert measures[name]["ratio"]["median"] > 0, name
        assert measures[name]["met"] in (True, False), name
    assert measures["wake, commit to handler, p50"]["ours"]["median"] > 0
    assert document["goals_met"].split()[0].isdigit()
    assert said, "progress is told"


@pytest.fixture
async def server(postgres_server: Server) -> BenchServer:
    """The tests' own server, which need not be durable."""
    server = BenchServer(postgres_server.url)
    await server.prepare()
    return server


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_a_thousand_jobs_take_a_quarter_of_the_statements_when_batched(server: BenchServer):
    with temporary_folder() as folder:
        found = await traffic.thousand(server, folder, 40, lambda _: None, sandboxes=2, batch_size=10)
    measures = {measure.name: measure for measure in found}
    for name in ("a thousand jobs: statements", "a thousand jobs: round trips"):
        ratio = measures[name].ratio
        assert ratio is not None
        assert ratio.median <= 0.25, f"{name}: {measures[name].document()}"


@pytest.mark.timeout(300)
def test_the_command_prints_one_document_and_tells_its_progress_beside_it():
    done = subprocess.run(
        [sys.executable, "local_runner.py", "bench", "--quick", "--json", "--only", "enqueue"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=290,
        check=True,
    )
    document = json.loads(done.stdout)
    assert {measure["limit_name"] for measure in document["measures"]} == {"INSERT"}
    assert "round 1" in done.stderr


async def test_contenders_take_turns_and_another_one_is_first_in_each_round():
    order: list[str] = []

    def contender(name: str):
        async def go() -> float:
            order.append(name)
            return float(len(order))

        return go

    found = await in_turns(Rounds(3, 60), {name: contender(name) for name in "abc"}, lambda _: None)
    assert "".join(order) == "abcbcacab"
    assert found["a"].values == [1, 6, 8]


@pytest.mark.parametrize(
    ("goal", "met"), [(Goal(0.5), True), (Goal(0.6), False), (Goal(0.5, False), True), (None, None)]
)
def test_a_goal_is_judged_by_the_median_of_the_rounds_ratios(goal: Goal | None, met: bool | None):
    measure = Measure("m", "jobs/s", Series([5, 100, 1]), Series([10, 10, 10]), goal=goal)
    assert measure.met is met


async def test_the_proxy_counts_each_statement_and_each_round_trip(server: BenchServer):
    async with server.database(migrated=False) as url, CountingProxy(url) as proxy:
        conn = await asyncpg.connect(proxy.url)
        await conn.fetchval("SELECT $1::integer", 1)
        proxy.traffic = Traffic()
        for _ in range(5):
            assert await conn.fetchval("SELECT $1::integer", 7) == 7  # prepared before: one round trip
        assert proxy.traffic == Traffic(statements=5, round_trips=5)
        async with conn.transaction():
            await conn.execute("CREATE TABLE t (n integer)")
        assert proxy.traffic == Traffic(statements=8, round_trips=8)
        await conn.close()


def test_the_page_gets_every_table_between_its_markers_and_keeps_the_rest(tmp_path: Path):
    machine = {"system": "Linux", "cpus": 2, "load": 0.1, "python": "3.11", "asyncpg": "0"}
    machine["postgresql"] = dict.fromkeys(
        ("server_version", "fsync", "synchronous_commit", "full_page_writes", "shared_buffers", "jit"), "on"
    )
    found = {
        "web4ai": Found({"bulk": [300.0, 330.0], "drain default": [30.0, 30.0], "drain tuned": [20.0, 20.0]}),
        "pgqueuer": Found(
            {"bulk": [100.0, 110.0], "drain tuned": [10.0, 20.0], "wake": [1.0, 2.0]},
            {"drain default": "no | such\nthing"},
        ),
    }
    measures = [Measure("wake, p50", "ms", Series([20.0]), goal=Goal(30, False)), *goals_against_peers(found)]
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write(page, markdown(machine, measures, found, {"oban": "not installed"}))
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "| wake, p50 | 20 ms |  |  |  | ≤ 30, met |" in text
    assert "| drain 10,000, best setting | 30 jobs/s | 15 pgqueuer | 2.25 | 1.5 to 3 | ≥ 1.5, met |" in text
    assert "| enqueue 10,000 at once | 315 jobs/s | 105 pgqueuer | 3.00 | 3 to 3 | ≥ 1.5, met |" in text
    assert "- oban is missing: not installed" in text
    assert "pgqueuer could not be measured at drain default: no / such thing" in text
    (tmp_path / "other.md").touch()
    with pytest.raises(ValueError, match="has no lines"):
        write(tmp_path / "other.md", "")
