"""Which statement about a place is confirmed: the policy, without a database.

The owner's word is confirmed and wins. What the place's own website says in structured markup, under a key of the
closed list, is confirmed while no other source contradicts it and the owner has not refused the website. Everything
else waits for the owner. A rejected statement contradicts nothing and is confirmed by nobody but the owner.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from shared.places.agreement import contradicts
from shared.places.models import Fact

OWNER = "owner"
WEBSITE = "website"


@dataclass(frozen=True)
class Choice:
    """The fact to be confirmed for a key, and on whose word."""

    fact_id: UUID
    by: Literal["owner", "website"]


def choose(
    key: str,
    facts: Sequence[Fact],
    *,
    structured: frozenset[UUID],
    accept_website: bool,
    from_website: Callable[[str, Any], bool],
) -> Choice | None:
    """The one fact of `key` to stand confirmed, None when all wait for the owner.

    `facts` are the key's stored statements, `structured` those that came from the website's markup in this
    collection, `from_website` says whether a key's value may be taken from there.
    """
    for fact in facts:
        if fact.confirmed and fact.confirmed_by == "owner":
            return Choice(fact.fact_id, "owner")
    if not accept_website:
        return None
    candidates = [
        fact
        for fact in facts
        if fact.channel == WEBSITE
        and fact.rejected_at is None
        and (fact.fact_id in structured or (fact.confirmed and fact.confirmed_by == "website"))
        and from_website(key, fact.value)
    ]
    if not candidates or _is_contradicted(key, candidates, facts):
        return None
    best = max(candidates, key=lambda fact: (fact.fact_id in structured, fact.confidence, fact.confirmed))
    return Choice(best.fact_id, "website")


def _is_contradicted(key: str, candidates: Sequence[Fact], facts: Sequence[Fact]) -> bool:
    for candidate in candidates:
        for fact in facts:
            if fact.disagrees and fact.rejected_at is None:
                return True
            if fact.value is None:
                continue
            if fact.rejected_at is not None:
                # The owner refused this very value, whoever said it.
                if fact.value == candidate.value:
                    return True
            elif contradicts(key, candidate.value, fact.value):
                return True
    return False


def conflicting_keys(facts: Iterable[Fact]) -> list[str]:
    """Keys on which statements that nobody rejected contradict each other, sorted."""
    by_key: dict[str, list[Fact]] = {}
    for fact in facts:
        if fact.rejected_at is None:
            by_key.setdefault(fact.key, []).append(fact)
    return sorted(key for key, stated in by_key.items() if _in_conflict(key, stated))


def _in_conflict(key: str, stated: Sequence[Fact]) -> bool:
    values = [fact.value for fact in stated if fact.value is not None]
    return any(fact.disagrees for fact in stated) or any(
        contradicts(key, one, other) for place, one in enumerate(values) for other in values[place + 1 :]
    )
