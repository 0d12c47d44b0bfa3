"""The queue as it should be, in Python: what each operation answers, and what the rows are afterwards.

Every change of a status goes through `shared.jobs.transitions`; one that the table does not have fails. `racing` says that others
are at work at the same time: those who pass over locked rows (claim, reap) may then find less than there is.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from shared.jobs.models import ClaimedJob, EnqueueResult, JobRef, JobStatus, NewJob
from shared.jobs.transitions import State, allowed
from shared.jobs.types import type_name

PENDING, RUNNING, DONE, DEAD, CANCELLED = JobStatus
OVER = (DONE, DEAD, CANCELLED)


@dataclass
class Edge:
    """One dependency; `killed` when the job ended through it."""

    required: bool
    open: bool = True
    killed: bool = False


@dataclass
class Row:
    """One job. Its fields are the columns' meanings, without their times."""

    new: NewJob
    status: State = None
    ref: JobRef | None = None
    due: bool = True
    attempts: int = 0
    started: bool = False
    asked: bool = False  # to stop
    expired: bool = False
    unstarted: int = 0
    releases: int = 0
    snoozed_out: bool = False
    aged: bool = False
    seen: bool = False
    result_by: str | None = None
    edges: dict[UUID, Edge] = field(default_factory=dict)

    @property
    def waiting(self) -> int:
        return sum(edge.open for edge in self.edges.values())

    @property
    def active(self) -> bool:
        return self.status in (PENDING, RUNNING)


class Model:
    """All jobs, the alerts counted by key, the attempts kept, and what the operations under way may touch."""

    def __init__(self, limits: dict[int, int]) -> None:
        self.rows: dict[UUID, Row] = {}
        self.limits = limits
        self.paused: set[int] = set()
        self.alerts: Counter[str] = Counter()
        self.attempts: set[tuple[UUID, UUID, str]] = set()
        self.touched: set[UUID] = set()
        self.moves: set[tuple[str, State, State]] = set()

    def move(self, job_id: UUID, operation: str, target: State) -> Row:
        """Take one step of the table."""
        row = self.rows[job_id]
        assert allowed(operation, row.status, target), f"{operation} may not take {row.status} to {target}"
        self.moves.add((operation, row.status, target))
        row.status = target
        self.touched.add(job_id)
        return row

    def held(self, ref: JobRef) -> Row | None:
        row = self.rows.get(ref.job_id)
        return row if row and row.status is RUNNING and row.ref == ref else None

    def running(self, job_type: int) -> int:
        return sum(r.status is RUNNING and r.new.job_type == job_type for r in self.rows.values())

    def holder_of(self, key: str | None) -> UUID | None:
        return next((j for j, r in self.rows.items() if key and r.new.dedupe_key == key and r.active), None)

    def enqueue(self, jobs: Sequence[NewJob]) -> list[EnqueueResult] | str:
        own = {job.job_id for job in jobs}
        if {d.job_id for job in jobs for d in job.depends_on} - own - self.rows.keys():
            return "unknown dependency"
        results, stands_for = [], {}
        for job in jobs:
            assert job.job_id is not None
            holder = self.holder_of(job.dedupe_key)
            if holder is None:
                self.rows[job.job_id] = Row(job, due=job.delay == 0)
                self.move(job.job_id, "enqueue", PENDING)
            stands_for[job.job_id] = holder or job.job_id
            results.append(EnqueueResult(holder or job.job_id, holder is None))
        ended = []
        for job, result in zip(jobs, results, strict=True):
            for dependency in job.depends_on if result.created else ():
                on = stands_for.get(dependency.job_id, dependency.job_id)
                edge = self.rows[result.job_id].edges.setdefault(on, Edge(False))
                edge.required |= dependency.required
                if self.rows[on].status in OVER:
                    ended.append(on)
        self.settle(ended)
        return results

    def claim(self, limit: int, said: list[ClaimedJob], racing: bool) -> None:
        ready = {
            j: r
            for j, r in self.rows.items()
            if r.status is PENDING and r.due and not r.waiting and r.new.job_type not in self.paused
        }
        room = {
            t: self.limits.get(t, limit) - (self.running(t) if t in self.limits else 0) for t in (1, 2, 3)
        }
        got = [claim.ref.job_id for claim in said]
        assert len(set(got)) == len(got) <= limit
        assert set(got) <= ready.keys(), "claimed what is not ready"
        assert len({claim.ref.worker_id for claim in said}) <= 1
        by_type = Counter(self.rows[j].new.job_type for j in ready)
        if not racing:
            assert len(got) == min(limit, sum(min(n, max(0, room[t])) for t, n in by_type.items()))
        for claim in said:
            row = self.move(claim.ref.job_id, "claim", RUNNING)
            row.attempts += 1
            row.ref, row.started, row.expired, row.asked = claim.ref, False, False, False
            room[row.new.job_type] -= 1
            assert (claim.ref.attempt, claim.job_type) == (row.attempts, row.new.job_type)
        assert min(room[self.rows[j].new.job_type] for j in got) >= 0 if got else True, "over max_in_flight"
        for job_id in () if racing else ready.keys() - set(got):
            left = self.rows[job_id].new
            for taken in (self.rows[j].new for j in got):
                served = taken.priority <= left.priority
                assert served or (taken.job_type != left.job_type and room[left.job_type] == 0)

    def start(self, refs: Iterable[JobRef]) -> set[JobRef]:
        started = set()
        for ref in refs:
            row = self.held(ref)
            if row and not row.started:
                self.move(ref.job_id, "start", RUNNING)
                row.started, row.expired, row.releases = True, False, 0
                started.add(ref)
        return started

    def renew_lease(self, refs: Iterable[JobRef]) -> dict[UUID, bool]:
        owned = {}
        for ref in refs:
            if row := self.held(ref):
                self.move(ref.job_id, "renew_lease", RUNNING)
                row.expired = False
                owned[ref.job_id] = row.asked
        return owned

    def set_progress(self, ref: JobRef) -> bool:
        row = self.held(ref)
        if row is None or row.expired:
            return False
        self.move(ref.job_id, "set_progress", RUNNING)
        return True

    def complete(self, refs: Iterable[JobRef], follow_ups: Sequence[NewJob] = ()) -> set[UUID]:
        done = []
        for ref in refs:
            if row := self.held(ref):
                self.move(ref.job_id, "complete", DONE)
                row.result_by = str(ref.worker_id)
                done.append(ref.job_id)
        self.settle(done)
        if done:
            self.enqueue(follow_ups)
        return set(done)

    def fail(self, ref: JobRef, permanent: bool) -> State:
        if self.held(ref) is None:
            return None
        return self._fail_held(ref.job_id, "fail_permanent" if permanent else "fail", "failed", permanent)

    def snooze(self, ref: JobRef, delay: float) -> State:
        row = self.held(ref)
        if row is None:
            return None
        if row.snoozed_out:
            return self._fail_held(ref.job_id, "snooze", "failed")
        return self._give_back(ref.job_id, "snooze", delay == 0)

    def release(self, refs: Iterable[JobRef]) -> dict[UUID, State]:
        released = {}
        for ref in sorted(refs):
            row = self.held(ref)
            if row and not row.started:
                row.releases += 1
                released[ref.job_id] = (
                    self._fail_held(ref.job_id, "release", "given_back")
                    if row.releases > 20
                    else self._give_back(ref.job_id, "release", False)
                )
        return released

    def cancelled(self, ref: JobRef) -> State:
        row = self.held(ref)
        if row is None or not row.asked:
            return None
        self._note(ref.job_id, "cancelled")
        return self._end(ref.job_id, "cancelled", CANCELLED)

    def reap(self, said: dict[UUID, JobStatus], racing: bool) -> None:
        expired = [j for j, r in self.rows.items() if r.status is RUNNING and r.expired]
        assert set(said) <= set(expired), "reaped what holds its lease"
        assert racing or set(said) == set(expired)
        for job_id in sorted(said):
            row = self.rows[job_id]
            if not row.started and row.unstarted < 5 and not row.asked:
                self._note(job_id, "given_back")
                row.unstarted += 1
                status = self._give_back(job_id, "reap", True)
            else:
                status = self._fail_held(job_id, "reap", "lease_expired")
            assert said[job_id] is status

    def cancel(self, job_ids: Iterable[UUID]) -> dict[UUID, State]:
        known = [j for j in job_ids if j in self.rows]
        dropped = [j for j in known if self.rows[j].status is PENDING]
        for job_id in known:
            if self.rows[job_id].status is RUNNING:
                self.move(job_id, "cancel", RUNNING).asked = True
        for job_id in dropped:
            self.move(job_id, "cancel", CANCELLED)
        self.settle(dropped)
        return {j: self.rows[j].status for j in known}

    def requeue(self, job_id: UUID) -> tuple[set[UUID], set[UUID]] | str | None:
        """What came back beside the job and what could not; "conflict"; None when it is not DEAD."""
        if job_id not in self.rows or self.rows[job_id].status is not DEAD:
            return None
        fell = {job_id}
        while (
            more := {
                j for j, r in self.rows.items() if any(e.killed and d in fell for d, e in r.edges.items())
            }
            - fell
        ):
            fell |= more
        revived, stay = set(), set()
        while fell:
            one = min(
                j for j in fell if not any(e.killed and d in fell for d, e in self.rows[j].edges.items())
            )
            fell.remove(one)
            row = self.rows[one]
            if row.status is not DEAD:
                continue
            killers = {d: self.rows[d].status for d, e in row.edges.items() if e.killed and d in self.rows}
            in_the_way = any(s is DEAD or (s is CANCELLED and one != job_id) for s in killers.values())
            if in_the_way or self.holder_of(row.new.dedupe_key):
                if one == job_id:
                    return "conflict"
                stay.add(one)
                continue
            for on, edge in row.edges.items():
                if edge.killed:
                    edge.killed, edge.open = False, on in self.rows and self.rows[on].active
            self.move(one, "requeue", PENDING)
            row.attempts = row.unstarted = row.releases = 0
            row.due, row.started, row.snoozed_out, row.seen, row.aged = True, False, False, False, False
            revived.add(one)
        return revived - {job_id}, stay

    def prune(self) -> int:
        old = [
            j
            for j, r in self.rows.items()
            if r.status in OVER and r.aged and (r.seen or r.status is not DEAD)
        ]
        for job_id in old:
            self.move(job_id, "prune", None)
            del self.rows[job_id]
        self.attempts = {kept for kept in self.attempts if kept[0] in self.rows}
        return len(old)

    def settle(self, ended: Iterable[UUID]) -> None:
        level = set(ended)
        while level:
            hit: dict[UUID, set[State]] = {}
            for job_id, row in self.rows.items():
                for on, edge in row.edges.items():
                    if on in level and edge.open and self.rows[on].status in OVER:
                        edge.open = False
                        edge.killed = edge.required and self.rows[on].status is not DONE
                        hit.setdefault(job_id, set()).add(self.rows[on].status if edge.required else None)
            level = set()
            for job_id, ends in hit.items():
                self.touched.add(job_id)
                row = self.rows[job_id]
                fatal = next((s for s in (DEAD, CANCELLED) if s in ends), None)
                if fatal:
                    level.add(job_id)
                if fatal and row.status is PENDING:
                    self.move(job_id, "settle", fatal)
                elif row.status is PENDING and not row.waiting:
                    row.due = True

    def _note(self, job_id: UUID, outcome: str) -> None:
        ref = self.rows[job_id].ref
        assert ref is not None
        self.attempts.add((job_id, ref.worker_id, outcome))

    def _end(self, job_id: UUID, operation: str, status: JobStatus) -> JobStatus:
        self.move(job_id, operation, status)
        self.settle([job_id])
        return status

    def _fail_held(self, job_id: UUID, operation: str, outcome: str, permanent: bool = False) -> JobStatus:
        row = self.rows[job_id]
        if row.asked:
            self._note(job_id, "cancelled")
            return self._end(job_id, operation, CANCELLED)
        if permanent or row.attempts >= (row.new.max_attempts or 3):
            self._note(job_id, "dead" if outcome == "failed" else outcome)
            self.alerts[f"job_dead:{type_name(row.new.job_type)}:{row.new.place_id or job_id}"] += 1
            return self._end(job_id, operation, DEAD)
        self._note(job_id, outcome)
        self.move(job_id, operation, PENDING).due = False
        return PENDING

    def _give_back(self, job_id: UUID, operation: str, due: bool) -> JobStatus:
        row = self.rows[job_id]
        if row.asked:
            return self._end(job_id, operation, CANCELLED)
        self.move(job_id, operation, PENDING)
        row.attempts -= 1
        row.due = due
        return PENDING
