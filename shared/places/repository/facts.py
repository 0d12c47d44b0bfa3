"""Rows of `facts`: what channels say about a place, what of it stands confirmed, and what waits for the owner."""

from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from shared.db import Connection
from shared.places.keys import MACHINE_KEYS
from shared.places.merging import Statement, merged
from shared.places.models import ConfirmedFacts, Fact, NewFact, RecordReport
from shared.places.proposals import Proposal, proposals_in
from shared.places.repository.ledger import Ledger, fact_of
from shared.places.repository.places import PlaceGoneError, lock_place
from shared.places.repository.statements import SQL


async def confirmed_facts(conn: Connection, place_id: UUID) -> ConfirmedFacts:
    """The place's confirmed facts and the `facts_version` they were read at, of one snapshot.

    Raises `PlaceGoneError` for an unknown place.
    """
    rows = await conn.fetch(SQL.confirmed_facts, place_id)
    if not rows:
        raise PlaceGoneError(place_id)
    facts = {row["key"]: fact_of(row) for row in rows if row["fact_id"] is not None}
    return ConfirmedFacts(version=rows[0]["facts_version"], facts=facts)


async def all_facts(conn: Connection, place_id: UUID) -> list[Fact]:
    """Every statement about the place, by key, the confirmed one first; rejected ones too."""
    return [fact_of(row) for row in await conn.fetch(SQL.facts_of_place, place_id)]


async def statements(conn: Connection, place_id: UUID) -> list[Statement]:
    """What an owner is shown: the same with one value of several sources as one statement (`shared.places.merging`)."""
    return merged(fact for fact in await all_facts(conn, place_id) if fact.key not in MACHINE_KEYS)


async def proposals(conn: Connection, place_id: UUID) -> list[Proposal]:
    """What waits for the owner because a source says something else now than what stands confirmed."""
    return (await proposals_of(conn, [place_id]))[place_id]


async def proposals_of(conn: Connection, place_ids: Sequence[UUID]) -> dict[UUID, list[Proposal]]:
    """The same of each of these places; an empty list where nothing waits."""
    facts: dict[UUID, list[Fact]] = {place_id: [] for place_id in place_ids}
    for row in await conn.fetch(SQL.disputed_facts, list(place_ids)):
        facts[row["place_id"]].append(fact_of(row))
    return {place_id: proposals_in(of_place) for place_id, of_place in facts.items()}


async def record_facts(
    conn: Connection, place_id: UUID, facts: Sequence[NewFact], *, whole: Collection[str] = ()
) -> RecordReport:
    """Merge what channels say, then confirm by the policy of `shared.places.confirmation`.

    One call carries everything a channel now says about a key: its earlier statements about that key that are not
    among them are replaced, except one that stands confirmed or was rejected. Keys a channel does not mention stay as
    they are, unless it is among `whole`, the channels that were read to their end: then what it does not say it says no
    more, and of that a confirmed value stays, marked as missing, and the rest goes. A value that was rejected before,
    from whatever source, is rejected at once. Values of channels that may not be stored are compared and dropped; only
    that they disagree is kept. The owner's statements are confirmed, the last one of a key. `facts_version` and
    `page_version` move only when a confirmed value does. Takes the place's lock; raises `PlaceGoneError`.
    """
    place = await lock_place(conn, place_id)
    ledger = Ledger(place, await all_facts(conn, place_id))
    for (channel, key), stated in _by_channel_and_key(fact for fact in facts if fact.storable).items():
        await ledger.state(conn, channel, key, stated)
    for stated in _by_channel_and_key(fact for fact in facts if not fact.storable).values():
        await ledger.compare(conn, stated)
    await ledger.miss(conn, whole)
    return await ledger.settle(conn)


async def decide_facts(
    conn: Connection, place_id: UUID, *, confirm: Sequence[UUID] = (), reject: Sequence[UUID] = ()
) -> RecordReport:
    """The owner's decision about stored statements: each of `confirm` becomes its key's confirmed value.

    Both settle the proposals about their facts. Raises `UnknownFactError` for an id that is not one of the place's, or
    has no value to confirm.
    """
    place = await lock_place(conn, place_id)
    ledger = Ledger(place, await all_facts(conn, place_id))
    await ledger.reject(conn, reject)
    for fact_id in confirm:
        await ledger.confirm_for_owner(conn, fact_id)
    return await ledger.settle(conn)


def _by_channel_and_key(facts: Iterable[NewFact]) -> dict[tuple[str, str], list[NewFact]]:
    grouped: dict[tuple[str, str], list[NewFact]] = {}
    for fact in facts:
        grouped.setdefault((fact.channel, fact.key), []).append(fact)
    return dict(sorted(grouped.items()))
