"""The verdict finds what it is there to find: each test breaks one thing in a run that went well."""

from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.chaos.evidence import Evidence
from tests.chaos.plan import Kind, job_id_of, plan_of
from tests.chaos.verdict import alert_verdict, verdict

SEED = 1
FOLLOW = next(n for n in range(7) if plan_of(SEED, n).kind is Kind.FOLLOW)
QUICK = next(n for n in range(7) if plan_of(SEED, n).kind is Kind.QUICK)
JOBS = max(FOLLOW, QUICK) + 1


def done(n: int, job_id: UUID) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The row and the history of a job that ended DONE in as few attempts as its plan allows."""
    plan, worker = plan_of(SEED, n), uuid4()
    fails = plan.times if plan.kind is Kind.FLAKY else 0
    row = {
        "job_id": job_id,
        "job_type": plan.job_type,
        "status": 3,
        "attempts": fails + 1,
        "max_attempts": plan.max_attempts,
        "worker_id": None,
        "lease_until": None,
        "waiting_on": 0,
        "snoozes": plan.times if plan.kind is Kind.SNOOZE else 0,
        "last_error": None,
        "n": n,
        "region": plan.region,
        "worker": str(worker),
        "result_n": n,
    }
    steps = [(None, 1, None), (1, 2, worker), (2, 2, worker), (2, 3, worker)]
    history = [
        {"job_id": job_id, "old": old, "new": new, "worker_id": by, "attempt": 1, "error": None}
        for old, new, by in steps
    ]
    return row, history


@pytest.fixture
def well() -> Evidence:
    """All jobs succeeded; those whose plan says otherwise are left out by asking only about some."""
    numbers = [n for n in range(JOBS) if plan_of(SEED, n).kind in (Kind.QUICK, Kind.FOLLOW, Kind.FLAKY)]
    numbers += plan_of(SEED, FOLLOW).followers
    evidence = Evidence({}, {}, {}, {}, {}, Counter(), {}, set(), [], [], [])
    for n in numbers:
        job_id = job_id_of(SEED, n)
        row, history = done(n, job_id)
        evidence.jobs[job_id], evidence.changes[job_id], evidence.numbers[job_id] = row, history, n
        evidence.by_number[n] = [job_id]
        evidence.starts[job_id, history[1]["worker_id"]] = 1
        evidence.ledger[job_id] = [{}]
    return evidence


def problems(evidence: Evidence) -> str:
    known = (f"job {n} stands 0 times" for n in range(JOBS) if n not in evidence.by_number)
    left_out = tuple(known)
    found = [p for p in verdict(evidence, SEED, JOBS, {}) if not p.startswith(left_out or ("-",))]
    return "\n".join(found)


def test_a_run_that_went_well_has_no_problem(well: Evidence) -> None:
    assert problems(well) == ""


def _double(evidence: Evidence, job_id: UUID) -> None:
    evidence.by_number[evidence.numbers[job_id]].append(uuid4())


def _run_on(evidence: Evidence, job_id: UUID) -> None:
    evidence.jobs[job_id]["status"] = 2


def _die(evidence: Evidence, job_id: UUID) -> None:
    evidence.jobs[job_id]["status"] = 4
    evidence.changes[job_id][-1]["new"] = 4


def _end_twice(evidence: Evidence, job_id: UUID) -> None:
    evidence.changes[job_id].append(dict(evidence.changes[job_id][-1]))


def _start_twice(evidence: Evidence, job_id: UUID) -> None:
    evidence.changes[job_id].insert(3, dict(evidence.changes[job_id][2]))


def _begin_twice(evidence: Evidence, job_id: UUID) -> None:
    evidence.starts[job_id, evidence.changes[job_id][1]["worker_id"]] = 2


def _write_twice(evidence: Evidence, job_id: UUID) -> None:
    evidence.ledger[job_id].append({})


def _write_nothing(evidence: Evidence, job_id: UUID) -> None:
    evidence.ledger[job_id].clear()


def _steal(evidence: Evidence, job_id: UUID) -> None:
    evidence.jobs[job_id]["worker"] = str(uuid4())


def _wait(evidence: Evidence, job_id: UUID) -> None:
    evidence.edges.append({"job_id": job_id, "settled_at": None})


def _fail_strangely(evidence: Evidence, job_id: UUID) -> None:
    failed = {"outcome": "failed", "error": "DeadlockDetectedError: x", "attempt": 1, "worker_id": uuid4()}
    evidence.attempts[job_id] = [failed]


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (_double, "2 times in the queue"),
        (_run_on, "is RUNNING"),
        (_die, "ended DEAD, and was to end DONE"),
        (_end_twice, "ended 2 times"),
        (_start_twice, "was started twice"),
        (_begin_twice, "a handler began twice"),
        (_write_twice, "its effect was written 2 times"),
        (_write_nothing, "DONE without its effect"),
        (_steal, "has the result of"),
        (_wait, "an edge is not settled"),
        (_fail_strangely, "failed of DeadlockDetectedError"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_what_went_wrong_is_found(
    well: Evidence, broken: Callable[[Evidence, UUID], None], said: str
) -> None:
    broken(well, job_id_of(SEED, QUICK))
    assert said in problems(well)


def test_a_follower_that_is_missing_or_there_twice_is_found(well: Evidence) -> None:
    follower = plan_of(SEED, FOLLOW).followers[0]
    _double(well, job_id_of(SEED, follower))
    assert f"its follower {follower} stands 2 times" in problems(well)
    well.by_number[follower] = []
    assert f"its follower {follower} stands 0 times" in problems(well)


def _death(evidence: Evidence) -> dict[str, Any]:
    job_id = job_id_of(SEED, QUICK)
    _die(evidence, job_id)
    row = evidence.jobs[job_id]
    key = f"job_dead:CHAOS_QUICK:{row['region'] or job_id}"
    alert_id, token = uuid4(), uuid4()
    evidence.posts += [
        {"alert_id": alert_id, "kind": "job_dead", "token": token, "sent": sent} for sent in (False, True)
    ]
    return {
        "kind": "job_dead",
        "dedupe_key": key,
        "status": 2,
        "posted": 1,
        "occurrences": 1,
        "lease_until": None,
        "lease_token": None,
    }


def test_a_death_is_counted_once_and_told(well: Evidence) -> None:
    alert = _death(well)
    assert "1 deaths of" in "\n".join(alert_verdict(well, 0, 0))  # nowhere counted
    well.alerts.append(alert)
    assert list(alert_verdict(well, 1, 0)) == []
    assert "2 cards were posted, 1 marked" in "\n".join(alert_verdict(well, 2, 0))
    assert list(alert_verdict(well, 2, 1)) == []  # a flusher broke between Teams' answer and the mark
    assert "0 cards were posted, 1 marked" in "\n".join(alert_verdict(well, 0, 0))
    alert |= {"occurrences": 2, "posted": 2}
    assert "1 deaths of" in "\n".join(alert_verdict(well, 1, 0))
    alert |= {"occurrences": 1, "posted": 0, "status": 1}
    assert "is left with status 1" in "\n".join(alert_verdict(well, 1, 0))
