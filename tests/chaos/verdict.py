"""What must hold when all is over. Every violation is one sentence that names the job by its number."""

from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from shared.jobs.models import JobStatus
from shared.jobs.transitions import TRANSITIONS
from tests.chaos.evidence import Evidence
from tests.chaos.plan import FOLLOWERS, TWINS, TYPE_NAMES, Kind, Plan, job_id_of, plan_of

_DONE, _DEAD, _CANCELLED = JobStatus.DONE, JobStatus.DEAD, JobStatus.CANCELLED
_ALLOWED = {(t.source, t.target) for t in TRANSITIONS}

# What an attempt may fail of beside its plan: the connection it needed was cut, or its time was up on a machine that stood still.
_CUT = (
    "ConnectionDoesNotExistError",
    "ConnectionResetError",
    "ConnectionRefusedError",
    "ConnectionFailureError",
    "ConnectionError",
    "BrokenPipeError",
    "OSError",
    "TimeoutError",
    "InterfaceError",
    "InternalClientError",
    "ClientCannotConnectError",
    "AdminShutdownError",
    "CrashShutdownError",
    "CannotConnectNowError",
    "TooManyConnectionsError",
    "JobDeadlineExceeded",
)

_EXPECTED_ERRORS = (
    'duplicate key value violates unique constraint "jobs_pkey"',  # an enqueue that was written, not heard of, and repeated
    "canceling statement due to user request",  # a client's own time limit
)


def verdict(evidence: Evidence, seed: int, jobs: int, twins: dict[int, bool | None]) -> Iterator[str]:
    """Everything that is wrong."""
    for n in range(jobs):
        found = evidence.by_number.get(n, [])
        if found != [job_id_of(seed, n)]:
            yield f"job {n} stands {len(found)} times in the queue"
    for n, created in twins.items():
        there = len(evidence.by_number.get(n, []))
        if there > 1 or (created is not None and there != created):
            yield f"twin {n} stands {there} times in the queue, and its enqueue said created={created}"
    for job_id in evidence.jobs:
        n = evidence.numbers[job_id]
        for wrong in (
            *_history(evidence, job_id),
            *_end(evidence, job_id, seed),
            *_effects(evidence, job_id),
        ):
            yield f"job {n} ({plan_of(seed, n).kind}): {wrong}"
        yield from _followers(evidence, job_id, seed, jobs)
    for edge in evidence.edges:
        if edge["settled_at"] is None:
            yield f"job {evidence.numbers[edge['job_id']]}: an edge is not settled"
    for row in evidence.held:
        yield f"left open: {dict(row)}"


def _history(evidence: Evidence, job_id: UUID) -> Iterator[str]:
    """The statuses in order, as the table of transitions has them; every attempt started and ended once."""
    last: JobStatus | None = None
    claims, starts, finals = set(), set(), 0
    for change in evidence.changes[job_id]:
        old = None if change["old"] is None else JobStatus(change["old"])
        new = JobStatus(change["new"])
        if old is not last or (old, new) not in _ALLOWED:
            yield f"went from {old and old.name} to {new.name} after {last and last.name}"
        last = new
        ref = (change["worker_id"], change["attempt"])
        if (old, new) == (JobStatus.PENDING, JobStatus.RUNNING):
            if ref in claims:
                yield f"was claimed twice by {ref}"
            claims.add(ref)
        elif (old, new) == (JobStatus.RUNNING, JobStatus.RUNNING):
            if ref in starts or ref not in claims:
                yield f"was started twice by {ref}, or by who had not claimed it"
            starts.add(ref)
        finals += new >= _DONE
    requeued = job_id in evidence.requeued or any(c["old"] == _DEAD for c in evidence.changes[job_id])
    if finals != 1 and not (requeued and finals == 2):
        yield f"ended {finals} times"


def _end(evidence: Evidence, job_id: UUID, seed: int) -> Iterator[str]:
    row = evidence.jobs[job_id]
    status, plan = JobStatus(row["status"]), plan_of(seed, row["n"])
    if status < _DONE or row["worker_id"] or row["lease_until"] or row["waiting_on"]:
        yield f"is {status.name}, held by {row['worker_id']}, waiting on {row['waiting_on']}"
        return
    root = None if plan.root is None else evidence.status(plan.root)
    expected = _expected(plan, root, job_id in evidence.requeued)
    if status is not expected and not (status is _DEAD and _spent(evidence, job_id)):
        yield f"ended {status.name}, and was to end {expected.name}: {row['last_error']}"
    if (
        plan.kind is Kind.REQUEUE
        and expected is not _CANCELLED
        and job_id not in evidence.requeued
        and not plan.required
    ):
        yield "was never requeued"
    for attempt in evidence.attempts.get(job_id, []):
        error = (attempt["error"] or "").split(":")[0]
        if attempt["outcome"] in ("failed", "dead") and error not in (
            *_CUT,
            "PlannedFailure",
            "PermanentJobError",
        ):
            yield f"attempt {attempt['attempt']} failed of {attempt['error']}"
    if status is _DONE:
        if plan.kind is Kind.FLAKY and row["attempts"] <= plan.times:
            yield f"succeeded at attempt {row['attempts']}, and was to fail {plan.times} times"
        if plan.kind is Kind.SNOOZE and row["snoozes"] != plan.times:
            yield f"was snoozed {row['snoozes']} times, not {plan.times}"


def _expected(plan: Plan, root: JobStatus | None, requeued: bool) -> JobStatus:
    """How a job ends that no kill makes an end of."""
    if plan.root is not None and plan.required and root in (_DEAD, _CANCELLED):
        return root
    if plan.kind in (Kind.DOOMED, Kind.PERMANENT):
        return _DEAD
    if plan.kind is Kind.REQUEUE:
        return _DEAD if plan.dies_again or not requeued else _DONE
    return _CANCELLED if plan.kind in (Kind.CANCEL, Kind.DROPPED) else _DONE


def _spent(evidence: Evidence, job_id: UUID) -> bool:
    """Whether the attempts that are on record account for a death that was not planned: each was spent, one by one."""
    row = evidence.jobs[job_id]
    spent = Counter(
        attempt["attempt"]
        for attempt in evidence.attempts.get(job_id, [])
        if attempt["outcome"] in ("failed", "dead", "lease_expired")
    )
    return row["attempts"] == row["max_attempts"] and set(range(1, row["max_attempts"] + 1)) <= spent.keys()


def _effects(evidence: Evidence, job_id: UUID) -> Iterator[str]:
    row, ledger = evidence.jobs[job_id], evidence.ledger.get(job_id, [])
    status = JobStatus(row["status"])
    twice = [
        ref
        for ref in {(job_id, c["worker_id"]) for c in evidence.changes[job_id]}
        if evidence.starts[ref] > 1
    ]
    if twice:
        yield f"a handler began twice for one claim: {twice}"
    if len(ledger) > 1:
        yield f"its effect was written {len(ledger)} times"
    if status is not _DONE:
        return
    done_by = [c["worker_id"] for c in evidence.changes[job_id] if c["new"] == _DONE]
    if not ledger:
        yield "is DONE without its effect"
    if row["result_n"] != row["n"] or [row["worker"]] != [str(worker) for worker in done_by]:
        yield f"has the result of {row['worker']}, and {done_by} ended it"
    if not all(evidence.starts[job_id, worker] for worker in done_by):
        yield "is DONE by a worker whose handler never began"
    if any(a["worker_id"] in done_by for a in evidence.attempts.get(job_id, [])):
        yield "the attempt that ended it DONE is on record as not DONE"


def _followers(evidence: Evidence, job_id: UUID, seed: int, jobs: int) -> Iterator[str]:
    row = evidence.jobs[job_id]
    plan = plan_of(seed, row["n"])
    for n in plan.followers:
        there = len(evidence.by_number.get(n, []))
        if there != (row["status"] == _DONE):
            yield f"job {plan.n} is {JobStatus(row['status']).name}, and its follower {n} stands {there} times in the queue"
    if FOLLOWERS <= plan.n < TWINS and plan.n not in plan_of(seed, (plan.n - FOLLOWERS) // 4).followers:
        yield f"job {plan.n} is nobody's follower"


def alert_verdict(evidence: Evidence, cards: int, broken_flushes: int) -> Iterator[str]:
    """Every root death counted once and told; no more posts than marks, but for flushers that broke between the two."""
    deaths = Counter(_key(evidence.jobs[c["job_id"]]) for c in root_deaths(evidence))
    counted: Counter[str] = Counter()
    for row in evidence.alerts:
        if row["kind"] == "job_dead":
            counted[row["dedupe_key"]] += row["occurrences"]
        if (
            row["status"] != 2
            or row["posted"] != row["occurrences"]
            or row["lease_until"]
            or row["lease_token"]
        ):
            yield f"alert {row['dedupe_key']} is left with status {row['status']}, {row['posted']} of {row['occurrences']} told"
    for key in deaths.keys() | counted.keys():
        if deaths[key] != counted[key]:
            yield f"{deaths[key]} deaths of {key}, and {counted[key]} counted"
    posts = marked_posts(evidence)
    if not posts <= cards <= posts + broken_flushes:
        yield f"{cards} cards were posted, {posts} marked, and {broken_flushes} flushers broke"


def server_verdict(errors: Counter[str]) -> Iterator[str]:
    """What PostgreSQL logged as an error: retries may hide it from everybody else, a deadlock above all."""
    for text, count in errors.items():
        if not text.startswith(_EXPECTED_ERRORS):
            yield f"PostgreSQL logged {count} times: {text}"


def root_deaths(evidence: Evidence) -> list[Any]:
    """Every time a job died of itself."""
    return [
        change
        for changes in evidence.changes.values()
        for change in changes
        if change["new"] == _DEAD and not (change["error"] or "").startswith("DependencyDead:")
    ]


def marked_posts(evidence: Evidence) -> int:
    """Messages whose rows were marked: more than ten rows of one kind in one claim are one message."""
    claimed = Counter((row["token"], row["kind"]) for row in evidence.posts if not row["sent"])
    sent = Counter((row["token"], row["kind"]) for row in evidence.posts if row["sent"])
    return sum(1 if claimed[claim] > 10 else marks for claim, marks in sent.items())


def _key(row: Any) -> str:
    return f"job_dead:{TYPE_NAMES[row['job_type']]}:{row['region'] or row['job_id']}"
