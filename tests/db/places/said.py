"""What sources say in these tests, and how it is recorded: each call in a transaction of its own, as collections are."""

from typing import Any
from uuid import UUID

from shared.db import Connection
from shared.places import repository
from shared.places.models import Fact, NewFact, RecordReport

PHONE = "+8221112222"
OTHER_PHONE = "+8223334444"
THIRD_PHONE = "+8225556666"


def website(key: str, value: Any, *, structured: bool = True) -> NewFact:
    return NewFact(
        key=key, value=value, channel="website", source_url="https://shop.example/", structured=structured
    )


def owner_says(key: str, value: Any) -> NewFact:
    return NewFact(key=key, value=value, channel="owner")


def kakao(key: str, value: Any, confidence: float = 0.8) -> NewFact:
    return NewFact(
        key=key,
        value=value,
        channel="kakao",
        source_url="https://place.map.example/1",
        confidence=confidence,
    )


def osm(key: str, value: Any, confidence: float = 0.5) -> NewFact:
    return NewFact(key=key, value=value, channel="osm", confidence=confidence)


def naver(key: str, value: Any) -> NewFact:
    return NewFact(key=key, value=value, channel="naver", storable=False)


async def record(conn: Connection, place: UUID, *facts: NewFact, whole: tuple[str, ...] = ()) -> RecordReport:
    async with conn.transaction():
        return await repository.record_facts(conn, place, facts, whole=whole)


async def decide(
    conn: Connection, place: UUID, *, confirm: tuple[Fact, ...] = (), reject: tuple[Fact, ...] = ()
) -> RecordReport:
    async with conn.transaction():
        return await repository.decide_facts(
            conn,
            place,
            confirm=[fact.fact_id for fact in confirm],
            reject=[fact.fact_id for fact in reject],
        )


async def confirmed(conn: Connection, place: UUID) -> dict[str, Any]:
    return {key: fact.value for key, fact in (await repository.confirmed_facts(conn, place)).facts.items()}


async def versions(conn: Connection, place: UUID) -> tuple[int, int]:
    found = await repository.get_place(conn, place)
    assert found is not None
    return found.facts_version, found.page_version


async def stored(conn: Connection, place: UUID, key: str, channel: str) -> list[Fact]:
    """The channel's rows of a key, oldest first."""
    facts = [f for f in await repository.all_facts(conn, place) if (f.key, f.channel) == (key, channel)]
    return sorted(facts, key=lambda fact: fact.first_seen_at)


async def waiting(conn: Connection, place: UUID) -> list[tuple[str, str, Any, str]]:
    """The proposals as (key, kind, value proposed, channel)."""
    values = {fact.fact_id: fact.value for fact in await repository.all_facts(conn, place)}
    found = await repository.proposals(conn, place)
    assert all(values[proposal.fact_id] is not None for proposal in found)
    return [(p.key, p.kind, None if p.proposed is None else values[p.proposed], p.channel) for p in found]
