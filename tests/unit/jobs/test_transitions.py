"""The state table, and the chart that shows it."""

from collections import Counter

from shared.jobs import queue
from shared.jobs.models import JobStatus
from shared.jobs.transitions import TRANSITIONS, allowed, reachable
from tests.architecture import charted

PENDING, RUNNING, DONE, DEAD, CANCELLED = JobStatus


def test_the_chart_shows_every_transition_and_no_other() -> None:
    assert Counter(charted()) == Counter(t[:3] for t in TRANSITIONS)


def test_every_transition_is_one_and_says_when() -> None:
    assert Counter(t[:3] for t in TRANSITIONS).most_common(1)[0][1] == 1
    assert [t for t in TRANSITIONS if not t.condition] == []


def test_every_operation_is_one_of_the_queues_or_what_an_end_does() -> None:
    assert {t.operation for t in TRANSITIONS} - set(queue.__all__) == {"settle"}


def test_done_and_cancelled_are_left_by_retention_alone_and_dead_by_a_person_too() -> None:
    leaving = {(t.source, t.operation) for t in TRANSITIONS if t.source in (DONE, DEAD, CANCELLED)}
    assert leaving == {(DONE, "prune"), (DEAD, "prune"), (CANCELLED, "prune"), (DEAD, "requeue")}


def test_a_job_runs_only_by_a_claim() -> None:
    assert {t.operation for t in TRANSITIONS if t.target is RUNNING and t.source is not RUNNING} == {"claim"}


def test_what_may_be_found_after_operations_includes_what_they_settle() -> None:
    assert reachable(["enqueue"], None) == {None, PENDING, DEAD, CANCELLED}
    assert reachable(["complete"], RUNNING) == {RUNNING, DONE}
    assert reachable(["claim", "fail_permanent"], PENDING) == {PENDING, RUNNING, DEAD, CANCELLED}
    assert allowed("claim", PENDING, RUNNING)
    assert not allowed("claim", DEAD, RUNNING)
