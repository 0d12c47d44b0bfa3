"""What a seed repeats, and that every statement aimed at is one the product sends."""

from collections import Counter

import pytest

from shared.alerts.outbox import SQL as ALERTS
from shared.jobs.sql import SQL as JOBS
from tests.chaos.intentions import CELLS, SERVER, digest, intentions
from tests.chaos.plan import Kind, plan_of
from tests.chaos.wire import Messages, label_of


def test_a_seed_repeats_its_intentions_and_plans_and_another_has_others() -> None:
    assert digest(intentions(5, 60, 0.5)) == digest(intentions(5, 60, 0.5)) != digest(intentions(6, 60, 0.5))
    kinds = [plan_of(5, n).kind for n in range(400)]
    plan_of.cache_clear()
    assert kinds == [plan_of(5, n).kind for n in range(400)]
    assert kinds != [plan_of(6, n).kind for n in range(400)]


def test_a_run_of_five_minutes_intends_every_state_several_times() -> None:
    planned = Counter(intention.cell for intention in intentions(1, 300, 0.5))
    assert planned.keys() == set(CELLS)
    assert min(count for cell, count in planned.items() if cell.action != SERVER) >= 5
    assert sum(count for cell, count in planned.items() if cell.action == SERVER) == 6


def test_ten_thousand_jobs_hold_every_kind_and_every_end_of_a_dependency() -> None:
    plans = [plan_of(1, n) for n in range(10_000)]
    assert {plan.kind for plan in plans} == set(Kind)
    roots = Counter(plan_of(1, plan.root).kind for plan in plans if plan.root is not None and plan.required)
    assert roots.keys() == {Kind.QUICK, Kind.FLAKY, Kind.PERMANENT, Kind.REQUEUE, Kind.DROPPED}
    assert all(plan.root is None or plan.root < plan.n for plan in plans)


@pytest.mark.parametrize(
    ("statement", "label"),
    [
        *((JOBS[name], name) for name in ("claim", "start", "renew_lease", "complete", "fail", "snooze")),
        *((JOBS[name], name) for name in ("release", "cancelled", "reap", "cancel", "requeue", "hold")),
        *((JOBS[name], "enqueue") for name in ("enqueue", "enqueue_many")),
        (JOBS.claimer_beat, "claimer_beat"),
        (JOBS.wake, "wake"),
        (ALERTS.claim_due, "alert claim"),
        (ALERTS.mark_sent, "alert mark"),
        ("COMMIT;", "commit"),
        ("BEGIN;", "other"),
        (JOBS.get, "other"),
    ],
    ids=lambda value: value if len(value) < 20 else "",
)
def test_a_statement_is_known_by_its_text(statement: str, label: str) -> None:
    assert label_of(statement) == label


def test_messages_come_out_whole_however_the_bytes_arrive() -> None:
    startup = b"\0\0\0\x09\0\3\0\0\0"
    stream = startup + b"Q\0\0\0\x0bCOMMIT\0" + b"S\0\0\0\4"
    whole = Messages(started=False)
    found = [pair for at in range(len(stream)) for pair in whole.feed(stream[at : at + 1])]
    assert found == [(b"", startup), (b"Q", b"Q\0\0\0\x0bCOMMIT\0"), (b"S", b"S\0\0\0\4")]
