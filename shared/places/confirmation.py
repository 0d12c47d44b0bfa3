"""Which statement about a place is confirmed: the policy, without a database.

The owner's word is confirmed and wins. What the place's own website says in structured markup, under a key of the
closed list, is confirmed at first while no other source contradicts it and the owner has not refused the website.
Everything else waits for the owner. A rejected statement contradicts nothing and is confirmed by nobody but the owner.

Once confirmed, a value is not replaced by any collection. What the owner confirmed stands until the owner says otherwise.
What the website confirmed stands while its website changes its mind or falls silent: what is said instead is a proposal
(`shared.places.proposals`), and the page goes on showing what it showed. Only an open dispute takes it back: the website
still says it, and another source now contradicts it. Then two sources that are both read today say different things, the
owner has confirmed neither, and neither is published until one of the three gives in. A source that contradicts a value
its website has left as well is no dispute but a second voice for the change, and changes nothing by itself.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from shared.places.agreement import contradicts
from shared.places.models import Fact

OWNER = "owner"
WEBSITE = "website"
PHOTO = (
    "photo"  # what a model reads off photos: worth showing to the owner, too weak to speak against anybody
)


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
    standing = next((fact for fact in facts if fact.confirmed), None)
    if standing is not None and standing.confirmed_by == "owner":
        return Choice(standing.fact_id, "owner")
    if not accept_website:
        return None
    if standing is not None:
        disputed = _is_refused(standing, facts) or (
            not taken_back(standing, facts)
            and any(_is_contradicted(key, standing, fact) for fact in facts if fact.channel != WEBSITE)
        )
        return None if disputed else Choice(standing.fact_id, "website")
    candidates = [
        fact
        for fact in facts
        if fact.channel == WEBSITE
        and fact.rejected_at is None
        and fact.fact_id in structured
        and from_website(key, fact.value)
    ]
    for candidate in candidates:
        if _is_refused(candidate, facts) or any(_is_contradicted(key, candidate, fact) for fact in facts):
            return None
    best = max(candidates, key=lambda fact: fact.confidence, default=None)
    return None if best is None else Choice(best.fact_id, "website")


def taken_back(fact: Fact, facts: Iterable[Fact]) -> bool:
    """Whether the fact's own source has since said something else about its key, or was read whole and said nothing.

    `facts` are the key's stored statements. The owner's words are taken back by the owner alone.
    """
    if fact.channel == OWNER:
        return False
    return fact.missing_since is not None or has_moved_on(fact, facts)


def has_moved_on(fact: Fact, facts: Iterable[Fact]) -> bool:
    """Whether the fact's own source has since said something about its key, and not this."""
    return any(other.channel == fact.channel and other.collected_at > fact.collected_at for other in facts)


def _is_contradicted(key: str, one: Fact, other: Fact) -> bool:
    if other.rejected_at is not None or other.channel == PHOTO:
        return False
    return other.disagrees or (other.value is not None and contradicts(key, one.value, other.value))


def _is_refused(fact: Fact, facts: Sequence[Fact]) -> bool:
    """Whether the owner refused this very value, whoever said it."""
    return any(other.rejected_at is not None and other.value == fact.value for other in facts)


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
