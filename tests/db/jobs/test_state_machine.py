"""The queue against its model: whatever is called, in whatever order, by whoever, answers and rows are what the model says.

After every step all rows are compared. So an attempt starts at most once and a job ends at most once, no two active jobs share a
key, a pending job waits on as many as its open edges, an edge is settled once, and every root's death is counted once in the
outbox. Rows that the step was not to touch must be the same to the last column: a loser writes nothing. Refs are kept and used
again long after they were lost, as by sandboxes that were frozen, cut off or invoked twice.

Calls that race run on connections of their own; some order of them must explain all that they answered and left.
"""

import asyncio
from collections.abc import Awaitable, Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import permutations
from typing import Any, ClassVar, TypeVar
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from shared.db import Connection
from shared.jobs.models import Dependency, Job, JobRef, JobStatus, NewJob
from shared.jobs.rows import job_of
from shared.jobs.transitions import TRANSITIONS, State, reachable
from tests.db.jobs import operations as op
from tests.db.jobs.model import DEAD, OVER, PENDING, RUNNING, Model
from tests.db.steps import alerts, connect

T = TypeVar("T")

EMPTY = """
DELETE FROM jobs; DELETE FROM alert_outbox; UPDATE job_type_settings SET paused = false,
    max_in_flight = CASE job_type WHEN 2 THEN 3 END
"""
# What is delayed stays so for the whole example, however long it takes.
FREEZE = """
UPDATE jobs SET run_after = now() + interval '1 day'
 WHERE status = 1 AND run_after > now() AND run_after < now() + interval '12 hours'
"""
ROWS = """
SELECT *, coalesce(lease_until < now(), false) AS expired, run_after <= now() AS due, result->>'by' AS result_by,
       md5((to_jsonb(j) - 'run_after')::text) AS print
  FROM jobs j
"""
EDGES = "SELECT job_id, depends_on, required, settled_at IS NULL AS open, killed_by IS NOT NULL AS killed FROM job_dependencies"
ATTEMPTS = "SELECT job_id, worker_id, outcome FROM job_attempts"


class Workers:
    """A few connections to one database, driven from a synchronous test."""

    def __init__(self, database: str) -> None:
        self._runner = asyncio.Runner()
        self._conns = [self.do(connect(database)) for _ in range(4)]
        self.moves: set[tuple[str, State, State]] = set()

    def do(self, work: Awaitable[T]) -> T:
        async def whole() -> T:
            return await work

        return self._runner.run(whole())

    @property
    def first(self) -> Connection:
        return self._conns[0]

    def execute(self, statement: str, *values: Any) -> None:
        self.do(self.first.execute(statement, *values))

    def call(self, ops: list[op.Op]) -> list[Any]:
        """Each on its own connection, all at once."""

        async def all_of() -> list[Any]:
            return await asyncio.gather(*(o.run(c) for o, c in zip(ops, self._conns, strict=False)))

        return self.do(all_of())

    def close(self) -> None:
        for conn in self._conns:
            self.do(conn.close(timeout=5))
        self._runner.close()


NUMBER = st.integers(0, 11)
SOME = st.lists(NUMBER, min_size=1, max_size=3)
RARELY = st.sampled_from((False, False, True))
NEW = st.builds(
    dict,
    job_type=st.sampled_from((1, 2, 3)),
    dedupe_key=st.sampled_from((None, None, "a", "b", "c", "d")),
    place_id=st.sampled_from((None, UUID(int=1), UUID(int=2))),
    priority=st.sampled_from((10, 100)),
    max_attempts=st.sampled_from((1, 2, 3)),
    delay=st.sampled_from((0.0, 0.0, 0.0, 7200.0)),
)
BATCH = st.lists(
    st.tuples(NEW, st.lists(st.tuples(NUMBER, st.booleans()), max_size=2)), min_size=1, max_size=4
)
WORK = (
    "start",
    "renew",
    "progress",
    "complete",
    "follow up",
    "fail",
    "fail",
    "fail_permanent",
    "snooze",
    "release",
)
WORK += ("cancelled", "cancelled")
RIVALS = (*WORK, "cancel", "reap", "claim", "enqueue", "enqueue waiting", "requeue")


class QueueMachine(RuleBasedStateMachine):
    workers: ClassVar[Workers]

    @initialize(batches=st.lists(BATCH, min_size=3, max_size=3))
    def begin(self, batches: list[list[tuple[dict[str, Any], list[tuple[int, bool]]]]]) -> None:
        self.workers.execute(EMPTY)
        self.model = Model({2: 3})
        self.prints: dict[UUID, str] = {}
        self.ids: list[UUID] = []
        self.refs: list[JobRef] = []
        self.started: list[Job] = []
        # Something for every rule to work on.
        for batch in batches:
            self.enqueue(batch)
            self.claim(4, bool(len(self.refs) % 2))

    # What the rules pick from: the newest of all, or of those in some state. Numbers wrap, so a rule always has something to do.

    def pick(self, number: int, *states: State) -> UUID:
        fitting = [j for j, r in self.model.rows.items() if r.status in states]
        pool = fitting or self.ids or [uuid4()]
        return pool[-1 - number % len(pool)]

    def ref(self, number: int) -> JobRef:
        """Mostly one that is held, else one whose job another has by now."""
        now = {j: r.ref for j, r in self.model.rows.items() if r.status is RUNNING}
        held = [ref for ref in now.values() if ref]
        lost = [ref for ref in self.refs if now.get(ref.job_id, ref) != ref]
        pool = (held if number % 4 else lost) or self.refs or [JobRef(uuid4(), uuid4(), 1)]
        return pool[-1 - number % len(pool)]

    def new(self, fields: dict[str, Any], waits: Iterable[tuple[int, bool]] = ()) -> NewJob:
        job_id = uuid4()
        edges = {self.pick(n): required for n, required in waits} if self.ids else {}
        self.ids.append(job_id)
        return NewJob(job_id=job_id, depends_on=[Dependency(j, r) for j, r in edges.items()], **fields)

    def step(self, *ops: op.Op) -> list[Any]:
        """Do it, and hold the answers and the rows against the model."""
        before = {j: r.status for j, r in self.model.rows.items()}
        answers = self.workers.call(list(ops))
        rows = self.snapshot()
        explained, failure = None, None
        for order in permutations(range(len(ops))):
            model = deepcopy(self.model) if len(ops) > 1 else self.model
            model.touched = set()
            try:
                for n in order:
                    assert ops[n].expect(model, answers[n], len(ops) > 1) == answers[n], ops[n].name
                self.compare(model, rows)
            except AssertionError as error:
                failure = failure or error
            else:
                explained = model
                break
        if explained is None:
            raise AssertionError(f"no order of {[o.name for o in ops]} explains {answers}") from failure
        self.model = explained
        self.workers.moves |= explained.moves
        self.prints = {j: row["print"] for j, row in rows["jobs"].items()}
        for job_id in before.keys() | rows["jobs"].keys():
            now = JobStatus(rows["jobs"][job_id]["status"]) if job_id in rows["jobs"] else None
            assert now in reachable([n for o in ops for n in o.name.split()], before.get(job_id))
        return answers

    def snapshot(self) -> dict[str, Any]:
        async def read() -> dict[str, Any]:
            conn = self.workers.first
            await conn.execute(FREEZE)
            return {
                "jobs": {row["job_id"]: row for row in await conn.fetch(ROWS)},
                "edges": {
                    (e["job_id"], e["depends_on"]): (e["required"], e["open"], e["killed"])
                    for e in await conn.fetch(EDGES)
                },
                "attempts": {tuple(row) for row in await conn.fetch(ATTEMPTS)},
                "alerts": await alerts(conn),
            }

        return self.workers.do(read())

    def compare(self, model: Model, found: dict[str, Any]) -> None:
        assert found["jobs"].keys() == model.rows.keys()
        for job_id, row in model.rows.items():
            there = found["jobs"][job_id]
            assert there["status"] == row.status, f"{job_id} is {JobStatus(there['status']).name}"
            assert (there["attempts"], there["unstarted"], there["releases"]) == (
                row.attempts,
                row.unstarted,
                row.releases,
            )
            if row.status is RUNNING:
                held = there["worker_id"], there["expired"]
                assert row.ref is not None
                assert held == (row.ref.worker_id, row.expired)
                marks = there["run_started_at"] is not None, there["cancel_requested_at"] is not None
                assert marks == (row.started, row.asked)
            elif row.status is PENDING:
                assert there["waiting_on"] == row.waiting
                assert row.waiting or there["due"] == row.due
            elif row.status not in (DEAD, JobStatus.CANCELLED):
                assert there["result_by"] == row.result_by, "a result of another than the one who ended it"
            if job_id not in model.touched:
                assert there["print"] == self.prints[job_id], f"{job_id} was written to"
        edges = {
            (j, d): (e.required, e.open, e.killed) for j, r in model.rows.items() for d, e in r.edges.items()
        }
        assert found["edges"] == edges
        assert found["attempts"] == model.attempts
        assert found["alerts"] == model.alerts

    # Getting in and being claimed

    @rule(batch=BATCH)
    def enqueue(self, batch: list[tuple[dict[str, Any], list[tuple[int, bool]]]]) -> None:
        """The later of a batch may wait on the earlier."""
        self.step(op.enqueue(*[self.new(fields, waits) for fields, waits in batch]))

    @rule(limit=st.sampled_from((2, 4, 8)), start=st.booleans())
    def claim(self, limit: int, start: bool) -> None:
        [claims] = self.step(op.claim(limit))
        refs = [c.ref for c in claims]
        self.refs += refs
        if start and refs:
            self.start(refs)

    def start(self, refs: Sequence[JobRef]) -> None:
        [started] = self.step(op.start(*refs))
        rows = self.workers.do(
            self.workers.first.fetch(
                "SELECT * FROM jobs WHERE job_id = ANY ($1::uuid[])", [r.job_id for r in started]
            )
        )
        self.started += map(job_of, rows)

    # What holders do, and those who think they are

    @rule(kinds=st.lists(st.sampled_from(WORK), min_size=1, max_size=3), numbers=SOME, fields=NEW)
    def work(self, kinds: list[str], numbers: list[int], fields: dict[str, Any]) -> None:
        many = {"renew": op.renew_lease, "complete": op.complete, "release": op.release}
        for kind in kinds:
            refs = list({r.job_id: r for r in map(self.ref, numbers)}.values())
            if kind == "start":
                self.start(refs)
            elif kind in many:
                self.step(many[kind](*refs))
            else:
                self.step(self.rival(kind, refs[0], numbers[0], fields))

    # What people and the reaper do

    @rule(
        kind=st.sampled_from(("cancel", "cancel", "requeue", "requeue", "pause")), numbers=SOME, paused=RARELY
    )
    def steer(self, kind: str, numbers: list[int], paused: bool) -> None:
        if kind == "cancel":
            self.step(op.cancel(*{self.pick(n, PENDING, RUNNING) for n in numbers}))
        elif kind == "requeue":
            self.step(op.requeue(self.pick(numbers[0], DEAD)))
        else:
            job_type = numbers[0] % 3 + 1
            self.workers.do(op.queue.pause(self.workers.first, job_type, paused))
            (self.model.paused.add if paused else self.model.paused.discard)(job_type)

    @rule(
        kind=st.sampled_from(("reap", "reap", "recount", "prune")),
        numbers=SOME,
        page=st.sampled_from((1, 100)),
    )
    def keep_up(self, kind: str, numbers: list[int], page: int) -> None:
        if kind == "reap":
            self.step(op.reap(page))
        elif kind == "recount":  # there is never anything lost to find
            assert self.workers.do(op.queue.recount(self.workers.first)) == 0
            self.compare(self.model, self.snapshot())
        else:
            self.prune([self.pick(n, *OVER) for n in numbers], seen=numbers[0] > 5)

    def prune(self, over: list[UUID], *, seen: bool) -> None:
        """Of what is over some grows old; a death goes only once somebody saw it."""
        old = [j for j in over if self.in_state(j, *OVER)]
        for job_id in old:
            row = self.model.rows[job_id]
            row.aged, row.seen = True, row.seen or seen
        self.shift("finished_at = now() - interval '40 days'", old)
        self.shift("acknowledged_at = now()", [j for j in old if seen and self.in_state(j, DEAD)])
        self.step(op.prune())

    # Time, moved in the rows

    def shift(self, assignment: str, job_ids: list[UUID]) -> None:
        self.workers.execute(f"UPDATE jobs SET {assignment} WHERE job_id = ANY ($1::uuid[])", job_ids)
        self.prints |= {j: row["print"] for j, row in self.snapshot()["jobs"].items()}

    def let_lease_run_out(self, job_ids: Iterable[UUID]) -> None:
        running = [j for j in job_ids if self.in_state(j, RUNNING)]
        for job_id in running:
            self.model.rows[job_id].expired = True
        self.shift("lease_until = now() - interval '1 second'", running)

    @rule(kind=st.sampled_from(("lease", "delay", "delay", "wear")), numbers=SOME)
    def time_passes(self, kind: str, numbers: list[int]) -> None:
        """Leases run out, delays are over, a job wears out the patience that is had with it."""
        job_id = self.pick(numbers[0], RUNNING)
        if kind == "lease":
            self.let_lease_run_out({self.pick(n, RUNNING) for n in numbers})
        elif kind == "delay":
            pending = [j for j, r in self.model.rows.items() if r.status is PENDING]
            for waiting in pending:
                self.model.rows[waiting].due = True
            self.shift("run_after = now()", pending)
        elif self.in_state(job_id, RUNNING):
            self.wear_out(job_id)

    def wear_out(self, job_id: UUID) -> None:
        """It has been snoozed for three days and, unless it has started, released twenty times."""
        row = self.model.rows[job_id]
        row.snoozed_out = True
        row.releases = row.releases if row.started else 20
        self.shift(f"first_snoozed_at = now() - interval '73 hours', releases = {row.releases}", [job_id])

    def in_state(self, job_id: UUID, *states: State) -> bool:
        return job_id in self.model.rows and self.model.rows[job_id].status in states

    # Several at once

    @rule(
        kinds=st.lists(st.sampled_from(RIVALS), min_size=2, max_size=3),
        number=NUMBER,
        fields=NEW,
        late=st.booleans(),
    )
    def race(self, kinds: list[str], number: int, fields: dict[str, Any], late: bool) -> None:
        """About one job, whose lease may just have run out."""
        ref = self.ref(number)
        if late:
            self.let_lease_run_out([ref.job_id])
        answers = self.step(*[self.rival(kind, ref, number, fields) for kind in kinds])
        for kind, answer in zip(kinds, answers, strict=True):
            if kind == "claim":
                self.refs += [c.ref for c in answer]

    def rival(self, kind: str, ref: JobRef, number: int, fields: dict[str, Any]) -> op.Op:
        waiting = [Dependency(ref.job_id, number % 2 == 0)] if ref.job_id in self.model.rows else []
        row = self.model.rows.get(ref.job_id)
        job = next((j for j in reversed(self.started) if j.ref == ref), None)
        match kind:
            case "complete":
                return op.complete(ref)
            case "follow up" if job is not None:
                return op.complete_with(job, [self.new(fields)])
            case "fail" | "fail_permanent":
                return op.fail(ref, permanent=kind == "fail_permanent")
            case "snooze":
                return op.snooze(ref, 30.0 * (number % 2))
            case "start":
                return op.start(ref)
            case "renew":
                return op.renew_lease(ref)
            case "progress":
                return op.set_progress(ref)
            case "release":
                return op.release(ref)
            case "cancelled":
                return op.cancelled(ref)
            case "cancel":
                return op.cancel(ref.job_id)
            case "reap":
                return op.reap(100)
            case "claim":
                return op.claim(2)
            case "requeue":
                return op.requeue(self.pick(number, DEAD))
            case "enqueue waiting" if waiting:
                new = self.new(fields)
                return op.enqueue(NewJob(**{**vars(new), "depends_on": waiting}))
        # Of the same key, which its end sets free.
        key = row.new.dedupe_key if row else None
        return op.enqueue(self.new({**fields, "dedupe_key": key or fields["dedupe_key"]}))


@pytest.fixture
def workers(database: str) -> Iterator[Workers]:
    made = Workers(database)
    yield made
    made.close()


def machine_of(workers: Workers) -> type[QueueMachine]:
    return type("Machine", (QueueMachine,), {"workers": workers})


def drive(workers: Workers, examples: int, *, shrink: bool = False, **options: Any) -> None:
    run_state_machine_as_test(
        machine_of(workers),
        settings=settings(
            max_examples=examples,
            stateful_step_count=50,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
            report_multiple_bugs=False,
            phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
            **options,
        ),
    )


def test_every_transition_of_the_table_happens(workers: Workers) -> None:
    machine = machine_of(workers)()
    machine.begin([])
    fields = {"job_type": 1, "max_attempts": 1}

    def held(**more: Any) -> JobRef:
        new = machine.new({**fields, **more})
        machine.step(op.enqueue(new))
        machine.claim(8, False)
        return next(ref for ref in machine.refs if ref.job_id == new.job_id)

    ends = {
        "fail": op.fail,
        "fail_permanent": lambda ref: op.fail(ref, permanent=True),
        "snooze": lambda ref: op.snooze(ref, 30),
        "release": op.release,
        "reap": lambda ref: op.reap(1),
        "cancelled": op.cancelled,
    }
    for name, end in ends.items():
        for more, asked in (({}, True), ({}, False), ({"max_attempts": 2}, False)):
            ref = held(**more)
            if asked:
                machine.step(op.cancel(ref.job_id))
            elif not more:
                machine.wear_out(ref.job_id)
            if name != "release":
                machine.start([ref])
            if name == "reap":
                machine.let_lease_run_out([ref.job_id])
            machine.step(end(ref))
    ref = held()
    machine.step(op.renew_lease(ref))
    machine.step(op.set_progress(ref))
    root, died, dropped = ref.job_id, *(machine.new(fields) for _ in range(2))
    stopped = machine.new(fields)
    machine.step(op.enqueue(stopped))
    machine.step(op.enqueue(NewJob(**{**vars(died), "depends_on": [Dependency(root, True)]})))
    machine.step(op.enqueue(NewJob(**{**vars(dropped), "depends_on": [Dependency(stopped.job_id, True)]})))
    machine.step(op.fail(ref))
    machine.step(op.cancel(stopped.job_id))
    machine.step(op.requeue(root))
    machine.step(op.complete(held()))
    machine.prune(list(machine.model.rows), seen=True)
    assert {t[:3] for t in TRANSITIONS} - workers.moves == set(), "transitions that never happened"


def test_whatever_is_called_the_queue_does_what_its_model_does(workers: Workers) -> None:
    drive(workers, 20, derandomize=True)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_whatever_is_called_the_queue_does_what_its_model_does_for_long(workers: Workers) -> None:
    drive(workers, 150, shrink=True)
