"""What is known of a place, as its owner sees it: values with those who say so, and what waits for a decision."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from shared.places.merging import Statement
from shared.places.proposals import Proposal


class SourceView(BaseModel):
    """A further source of the same value."""

    fact_id: UUID
    channel: str
    source_url: str | None
    collected_at: datetime


class FactView(BaseModel):
    """A statement about a place; `value` is null where its source does not allow keeping it.

    A value that several sources give is one statement. Confirming or rejecting it takes any of its ids.
    """

    fact_id: UUID
    key: str
    value: Any
    channel: str
    source_url: str | None
    also_from: list[SourceView] = Field(description="Other sources that say the same")
    confidence: float = Field(description="From 0 to 1, that at least one of its sources is right")
    confirmed: bool
    confirmed_by: Literal["owner", "website"] | None
    rejected: bool
    disagrees: bool
    collected_at: datetime
    missing_since: datetime | None = Field(
        description="When its source was first found to say it no more; it stays confirmed until you decide"
    )

    @classmethod
    def of(cls, statement: Statement) -> "FactView":
        """The statement's view."""
        fact = statement.fact
        return cls(
            **fact.model_dump(exclude={"rejected_at", "confidence"}),
            confidence=statement.confidence,
            rejected=fact.rejected_at is not None,
            also_from=[SourceView(**other.model_dump()) for other in statement.others],
        )


class ProposalView(BaseModel):
    """A source says something else about a confirmed fact (`changed`), or says it no more (`vanished`).

    Confirming `proposed` puts it in place of `fact_id`. Rejecting it, or confirming `fact_id`, keeps what stands.
    Rejecting `fact_id` takes it off the page.
    """

    key: str
    kind: Literal["changed", "vanished"]
    fact_id: UUID = Field(description="The confirmed fact")
    proposed: UUID | None = Field(description="The fact that would replace it; null when it vanished")
    channel: str = Field(description="Who says so")
    since: datetime

    @classmethod
    def of(cls, proposal: Proposal) -> "ProposalView":
        """The proposal's view."""
        return cls(
            key=proposal.key,
            kind=proposal.kind,
            fact_id=proposal.fact_id,
            proposed=proposal.proposed,
            channel=proposal.channel,
            since=proposal.since,
        )
