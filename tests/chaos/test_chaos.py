"""The chaos run itself: small in the first tier, ten thousand jobs and five minutes of strikes in the second."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.system import ROOT, alive, clean_environment, descendants, until

# A machine that has other things to do takes many times as long; what hangs is told from what is slow by the run itself.
_LONGEST = 3600.0


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where the run keeps its server: a folder that any user can enter."""
    made = Path(tempfile.mkdtemp(prefix="web4ai-chaos-test-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


def begin(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    """The run as a person starts it, with its output in files of the folder."""
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.chaos", *arguments],
            cwd=ROOT,
            env=clean_environment({"TMPDIR": str(folder)}),
            stdout=out,
            stderr=err,
            text=True,
        )


def whole(folder: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """A run to its end: its exit code and its report."""
    report = folder / "report.json"
    process = begin(folder, *arguments, "--report", str(report))
    try:
        code = process.wait(_LONGEST)
    finally:
        process.kill()
        process.wait()
    said = (folder / "out").read_text() + (folder / "err").read_text()[-5000:]
    assert report.exists(), said
    found = json.loads(report.read_text())
    assert (found["problems"], code) == ([], 0), said
    return code, found


@pytest.mark.timeout(_LONGEST)
def test_a_few_hundred_jobs_end_as_they_must_while_everything_is_killed_and_cut(folder: Path) -> None:
    _, report = whole(folder, "--seed", "7", "--jobs", "300", "--seconds", "12")
    struck = Counter[tuple[str, str]]()
    for action, victim, _, count in report["hits"]:
        struck[action, victim] += count
    assert all(struck["kill", victim] for victim in ("sandbox", "claimer", "reaper", "flusher")), struck
    assert all(struck["freeze", victim] for victim in ("sandbox", "claimer")), struck
    assert struck["server", "PostgreSQL"] >= 1
    assert report["figures"]["root deaths"] == report["figures"]["occurrences counted"] > 0
    assert sum(report["figures"]["ended"].values()) == report["figures"]["jobs in all"] > 300


@pytest.mark.slow
@pytest.mark.timeout(_LONGEST)
def test_a_run_that_is_interrupted_leaves_nothing_behind(folder: Path) -> None:
    process = begin(folder, "--seed", "7", "--jobs", "300", "--seconds", "60", "--every", "0.2")
    try:
        until(lambda: "'kill'" in (folder / "err").read_text() or process.poll() is not None, "kills", 300)
        assert process.poll() is None, (folder / "err").read_text()
        children = descendants(process.pid)
        assert len(children) > 5  # PostgreSQL with its own, and sandboxes
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == 128 + signal.SIGINT
        until(lambda: not [pid for pid in children if alive(pid)], "every process to be gone", 60)
        assert sorted(os.listdir(folder)) == ["err", "out"]
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.timeout(2 * _LONGEST)
def test_ten_thousand_jobs_and_five_minutes_of_strikes_in_every_state(folder: Path) -> None:
    _, report = whole(folder, "--seed", "20261130", "--jobs", "10000", "--seconds", "300")
    assert report["empty"] == []
    assert sum(report["figures"]["ended"].values()) == report["figures"]["jobs in all"] > 10_000
