"""What waits for the owner because sources say something else than what is published: derived from the facts, kept nowhere.

A proposal ends by the owner's decision: confirming the proposed fact puts it in place of the standing one; rejecting it,
or confirming the standing one, leaves that as the owner's word. It also ends when its source says again what stands.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Literal
from uuid import UUID

from shared.places.agreement import contradicts, says_the_same
from shared.places.confirmation import OWNER, has_moved_on, taken_back
from shared.places.merging import Statement, merged
from shared.places.models import Fact


@dataclass(frozen=True)
class Proposal:
    """A source says something else about a confirmed fact (`changed`), or says it no more (`vanished`).

    `fact_id` is the confirmed fact, `proposed` the one that would replace it, None for one that vanished; `channel` says
    so since `since`.
    """

    key: str
    kind: Literal["changed", "vanished"]
    fact_id: UUID
    proposed: UUID | None
    channel: str
    since: datetime


def proposals_in(facts: Iterable[Fact]) -> list[Proposal]:
    """The proposals among a place's facts, by key, one for each value that is proposed."""
    found: list[Proposal] = []
    for _, of_key in groupby(merged(facts), key=lambda statement: statement.fact.key):
        statements = list(of_key)
        if statements[0].fact.confirmed:
            found += _of_key(statements[0].fact, statements)
    return found


def _of_key(standing: Fact, statements: Sequence[Statement]) -> Iterator[Proposal]:
    facts = [fact for statement in statements for fact in statement.facts]
    for statement in statements[1:]:
        since = min(fact.first_seen_at for fact in statement.facts)
        # What stood there when the confirmation was given is settled by it.
        settled = standing.confirmed_at is not None and since <= standing.confirmed_at
        if not settled and any(_says_otherwise(fact, standing, facts) for fact in statement.facts):
            proposed = statement.fact
            yield Proposal(
                standing.key, "changed", standing.fact_id, proposed.fact_id, proposed.channel, since
            )
    if standing.missing_since is not None and not has_moved_on(standing, facts):
        yield Proposal(
            standing.key, "vanished", standing.fact_id, None, standing.channel, standing.missing_since
        )


def _says_otherwise(fact: Fact, standing: Fact, facts: Sequence[Fact]) -> bool:
    """Another source must contradict what stands; its own source need only say something else instead of it."""
    if fact.value is None or fact.rejected_at is not None or fact.channel == OWNER:
        return False
    if contradicts(fact.key, standing.value, fact.value):
        return True
    instead = fact.channel == standing.channel and taken_back(standing, facts)
    return instead and not says_the_same(fact.key, standing.value, fact.value)
