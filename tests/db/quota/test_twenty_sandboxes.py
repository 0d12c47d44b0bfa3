"""Twenty sandboxes, each a process, against one key for a minute; the vendor, a process too, counts what reaches it."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from shared.quota import Work
from tests.db.quota.steps import METER
from tests.fakes.metered_gemini import Call, calls_of, metered_gemini, most_in_window

ROOT = Path(__file__).resolve().parents[3]
REQUESTS_A_MINUTE = 300
SHARE = 0.3
BATCH_A_MINUTE = 210
SANDBOXES, OF_THEM_INTERACTIVE = 20, 5


@contextmanager
def sandbox(database: str, vendor: str, work: Work) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.db.quota.greedy", database, vendor, work.value]
    command += [str(REQUESTS_A_MINUTE), str(SHARE)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def begin(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def wait_for(vendor: str, count: int, seconds: float) -> list[Call]:
    """The calls, once there are so many, or when the time is over."""
    ends = time.monotonic() + seconds
    while len(calls := calls_of(vendor)) < count and time.monotonic() < ends:
        time.sleep(0.1)
    return calls


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_each_class_gets_what_it_may_and_the_vendor_never_more_than_it_allows(database: str) -> None:
    with metered_gemini(REQUESTS_A_MINUTE) as vendor, ExitStack() as running:
        works = [Work.INTERACTIVE] * OF_THEM_INTERACTIVE + [Work.BATCH] * (SANDBOXES - OF_THEM_INTERACTIVE)
        processes = [running.enter_context(sandbox(database, vendor, work)) for work in works]
        for process in processes[OF_THEM_INTERACTIVE:]:
            begin(process)
        batch = wait_for(vendor, BATCH_A_MINUTE, 45)
        assert batch
        began = batch[0].at
        assert BATCH_A_MINUTE * 0.98 <= len(batch) <= BATCH_A_MINUTE, "the quota less the reserve"

        asked = time.time()
        begin(processes[0])
        first = next(call for call in wait_for(vendor, len(batch) + 1, 10) if call.about == "interactive")
        assert first.at - asked < 1.0, "the reserved share is free within a second"
        for process in processes[1:OF_THEM_INTERACTIVE]:
            begin(process)
        calls = wait_for(
            vendor, REQUESTS_A_MINUTE + 1, began + 60 - time.time()
        )  # to the minute's end, unless too many

    minute = [call for call in calls if call.at < began + 60]
    assert {call.model for call in minute} == {METER.model}
    by_class = {work: sum(call.about == work.value for call in minute) for work in Work}
    assert BATCH_A_MINUTE * 0.98 <= by_class[Work.BATCH] <= BATCH_A_MINUTE
    assert REQUESTS_A_MINUTE * 0.98 <= sum(by_class.values()) <= REQUESTS_A_MINUTE
    assert most_in_window(calls, 60) <= REQUESTS_A_MINUTE
    assert all(call.admitted for call in calls)
