"""One value said by several sources, shown as one statement. Every source keeps its row: merging is a way of reading."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shared.places.agreement import says_the_same
from shared.places.confirmation import OWNER
from shared.places.models import Fact


@dataclass(frozen=True)
class Statement:
    """A value of a key with everybody who says so.

    `fact` is the row that speaks for it: the confirmed one, else the owner's, else the surest. `others` are the rows of
    other sources that say the same. `confidence` is that at least one of the sources is right, each channel counted once.
    """

    fact: Fact
    others: Sequence[Fact]
    confidence: float

    @property
    def facts(self) -> list[Fact]:
        """All its rows, the speaking one first."""
        return [self.fact, *self.others]


def merged(facts: Iterable[Fact]) -> list[Statement]:
    """The facts as statements, by key, the confirmed one of a key first and the surest next.

    A rejected statement is merged with rejected ones alone. A disagreement without a value stands for itself.
    """
    groups: list[list[Fact]] = []
    for fact in sorted(facts, key=_rank):
        group = next((group for group in groups if _belongs(fact, group[0])), None)
        if group is None:
            groups.append([fact])
        else:
            group.append(fact)
    return [Statement(group[0], group[1:], _confidence(group)) for group in groups]


def _rank(fact: Fact) -> tuple[str, bool, bool, bool, float, str]:
    return (
        fact.key,
        not fact.confirmed,
        fact.rejected_at is not None,
        fact.channel != OWNER,
        -fact.confidence,
        fact.channel,
    )


def _belongs(fact: Fact, leader: Fact) -> bool:
    return (
        fact.key == leader.key
        and fact.value is not None
        and leader.value is not None
        and (fact.rejected_at is None) == (leader.rejected_at is None)
        and says_the_same(fact.key, leader.value, fact.value)
    )


def _confidence(group: Sequence[Fact]) -> float:
    surest: dict[str, float] = {}
    for fact in group:
        surest[fact.channel] = max(surest.get(fact.channel, 0.0), fact.confidence)
    wrong = 1.0
    for confidence in surest.values():
        wrong *= 1.0 - confidence
    return round(1.0 - wrong, 4)
