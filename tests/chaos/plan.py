"""What each job of the run is to do and how it is to end, from the seed and its number alone.

Numbers below `FOLLOWERS` are enqueued by the producer: of every ten, seven stand alone and the last three are a group (8 waits
on 7 and dies with it, 9 waits on 7 and does not). Beyond come the followers that completions enqueue, and
the twins that share a key.
"""

import random
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any
from uuid import UUID, uuid5

from shared.jobs.models import NewJob

QUICK_TYPE, SLOW_TYPE = 901, 902
TYPE_NAMES = {QUICK_TYPE: "CHAOS_QUICK", SLOW_TYPE: "CHAOS_SLOW"}
FOLLOWERS, TWINS = 1_000_000, 9_000_000
PATIENT = 8  # attempts of a job that is to succeed: kills should rarely spend them all
_NAMESPACE = UUID("6f0d5f0e-6a3d-4d0b-9a0e-3f1d8f2b7c55")


class Kind(StrEnum):
    """How a job is to go."""

    QUICK = "quick"  # succeeds at once
    FOLLOW = "follow"  # succeeds and enqueues `times` more
    FLAKY = "flaky"  # fails `times` times, then succeeds
    DOOMED = "doomed"  # fails until it is DEAD
    PERMANENT = "permanent"  # is DEAD at the first attempt that says so
    SNOOZE = "snooze"  # waits `times` times, then succeeds
    SLOW = "slow"  # works for seconds, then succeeds
    CANCEL = "cancel"  # works until somebody cancels it
    DROPPED = "dropped"  # is due in an hour and cancelled before
    KEYED = "keyed"  # succeeds, and shares its key with a twin
    REQUEUE = (
        "requeue"  # is DEAD, requeued by the operator, and then succeeds or, with `dies_again`, does not
    )


_ALONE = {
    Kind.QUICK: 40,
    Kind.FOLLOW: 12,
    Kind.FLAKY: 12,
    Kind.DOOMED: 6,
    Kind.PERMANENT: 5,
    Kind.SNOOZE: 8,
    Kind.SLOW: 6,
    Kind.CANCEL: 3,
    Kind.DROPPED: 1,
    Kind.KEYED: 4,
    Kind.REQUEUE: 3,
}
_ROOT = {Kind.QUICK: 45, Kind.FLAKY: 15, Kind.PERMANENT: 15, Kind.REQUEUE: 15, Kind.DROPPED: 10}
_SIMPLE = {Kind.QUICK: 80, Kind.FLAKY: 20}


@dataclass(frozen=True)
class Plan:
    """One job. `work` is in seconds; `blocks` says that it keeps the event loop to itself."""

    n: int
    kind: Kind
    times: int
    work: float
    blocks: bool
    dies_again: bool
    region: str | None

    @property
    def job_type(self) -> int:
        return SLOW_TYPE if self.kind in (Kind.SLOW, Kind.CANCEL) else QUICK_TYPE

    @property
    def max_attempts(self) -> int:
        return 2 if self.kind is Kind.DOOMED else PATIENT

    @property
    def followers(self) -> list[int]:
        return [FOLLOWERS + 4 * self.n + k for k in range(self.times)] if self.kind is Kind.FOLLOW else []

    @property
    def root(self) -> int | None:
        """The number of the job it waits on."""
        return self.n - self.n % 10 + 7 if self.n < FOLLOWERS and self.n % 10 > 7 else None

    @property
    def required(self) -> bool:
        return self.n % 10 == 8


@lru_cache(maxsize=65536)
def plan_of(seed: int, n: int) -> Plan:
    """The plan of one number."""
    draw = random.Random(f"{seed}/{n}")
    weights = _SIMPLE if n >= FOLLOWERS or n % 10 > 7 else _ROOT if n % 10 == 7 else _ALONE
    kind = Kind.QUICK if n >= TWINS else draw.choices(list(weights), list(weights.values()))[0]
    times = draw.randint(1, 3 if kind is Kind.SNOOZE else 2)
    slow = kind is Kind.SLOW
    return Plan(
        n,
        kind,
        times,
        draw.uniform(1.5, 6.0) if slow else draw.uniform(0.0, 0.06),
        slow and draw.random() < 0.2,
        draw.random() < 0.35,
        f"{draw.randrange(40):02}" if draw.random() < 0.6 else None,
    )


def job_id_of(seed: int, n: int) -> UUID:
    """The id of a job that the producer enqueues; a follower's is the database's own."""
    return uuid5(_NAMESPACE, f"{seed}/{n}")


def key_of(n: int) -> str:
    """The key that a keyed job shares with its twin."""
    return f"chaos:{n % TWINS}"


def new_job(seed: int, n: int, **fields: Any) -> NewJob:
    """The job of a number, as it is enqueued."""
    plan = plan_of(seed, n)
    payload = {"seed": seed, "n": n, "kind": plan.kind.value}
    if plan.region:
        payload["region_code"] = plan.region
    return NewJob(plan.job_type, payload, max_attempts=plan.max_attempts, **fields)
