"""Rows of `facts`: what channels say about a place, and what of it stands confirmed."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal
from uuid import UUID

from asyncpg import Record

from shared.db import Connection
from shared.places.agreement import contradicts
from shared.places.confirmation import OWNER, WEBSITE, choose, conflicting_keys
from shared.places.keys import WEBSITE_KEYS
from shared.places.models import ConfirmedFacts, Fact, Hours, NewFact, Place, RecordReport
from shared.places.normalise.hours import hours_parsed_whole
from shared.places.repository.places import PlaceGoneError, lock_place, update_place
from shared.places.repository.statements import SQL, decoded, to_json


class UnknownFactError(LookupError):
    """A fact id that is not of this place, or is one of a source whose value is not kept."""

    def __init__(self, fact_id: UUID) -> None:
        super().__init__(f"no fact {fact_id} of this place")
        self.fact_id = fact_id


async def confirmed_facts(conn: Connection, place_id: UUID) -> ConfirmedFacts:
    """The place's confirmed facts and the `facts_version` they were read at, of one snapshot.

    Raises `PlaceGoneError` for an unknown place.
    """
    rows = await conn.fetch(SQL.confirmed_facts, place_id)
    if not rows:
        raise PlaceGoneError(place_id)
    facts = {row["key"]: _fact(row) for row in rows if row["fact_id"] is not None}
    return ConfirmedFacts(version=rows[0]["facts_version"], facts=facts)


async def all_facts(conn: Connection, place_id: UUID) -> list[Fact]:
    """Every statement about the place, by key, the confirmed one first; rejected ones too."""
    return [_fact(row) for row in await conn.fetch(SQL.facts_of_place, place_id)]


async def record_facts(conn: Connection, place_id: UUID, facts: Sequence[NewFact]) -> RecordReport:
    """Merge what channels say, then confirm by the policy of `shared.places.confirmation`.

    One call carries everything a channel now says about a key: its earlier statements about that key that are not
    among them are replaced, except one the owner confirmed or rejected. Keys a channel does not mention stay as they
    are. Values of channels that may not be stored are compared and dropped; only that they disagree is kept.
    The owner's statements are confirmed, the last one of a key. `facts_version` and `page_version` move only when a
    confirmed value does. Takes the place's lock; raises `PlaceGoneError`.
    """
    place = await lock_place(conn, place_id)
    ledger = _Ledger(place, await all_facts(conn, place_id))
    for (channel, key), stated in _by_channel_and_key(facts).items():
        kept = [fact for fact in stated if fact.storable]
        if kept:
            await ledger.state(conn, channel, key, kept)
    for fact in facts:
        if not fact.storable:
            await ledger.compare(conn, fact)
    return await ledger.settle(conn)


async def decide_facts(
    conn: Connection, place_id: UUID, *, confirm: Sequence[UUID] = (), reject: Sequence[UUID] = ()
) -> RecordReport:
    """The owner's decision about stored statements: each of `confirm` becomes its key's confirmed value.

    Raises `UnknownFactError` for an id that is not one of the place's, or has no value to confirm.
    """
    place = await lock_place(conn, place_id)
    ledger = _Ledger(place, await all_facts(conn, place_id))
    await ledger.reject(conn, reject)
    for fact_id in confirm:
        await ledger.confirm_for_owner(conn, fact_id)
    return await ledger.settle(conn)


def _fact(row: Record) -> Fact:
    return Fact.model_validate(decoded(row, "value"))


def _by_channel_and_key(facts: Iterable[NewFact]) -> dict[tuple[str, str], list[NewFact]]:
    grouped: dict[tuple[str, str], list[NewFact]] = {}
    for fact in facts:
        grouped.setdefault((fact.channel, fact.key), []).append(fact)
    return dict(sorted(grouped.items()))


def _from_website(key: str, value: Any) -> bool:
    """Whether a structured statement of the place's own website may stand without the owner's word."""
    if key not in WEBSITE_KEYS:
        return False
    return key != "hours" or hours_parsed_whole(Hours.model_validate(value))


class _Ledger:
    """The place's statements as they are while its lock is held, kept in step with what is written."""

    def __init__(self, place: Place, facts: Sequence[Fact]) -> None:
        self._place = place
        self._facts = {fact.fact_id: fact for fact in facts}
        self._before = self._confirmed()
        self._structured: set[UUID] = set()
        self._new = 0
        self._known = 0

    def fact(self, fact_id: UUID) -> Fact:
        if fact_id not in self._facts:
            raise UnknownFactError(fact_id)
        return self._facts[fact_id]

    async def state(self, conn: Connection, channel: str, key: str, stated: Sequence[NewFact]) -> None:
        """Bring the channel's rows of a key to what it says now."""
        said: list[UUID] = []
        for new in stated:
            value = json.loads(json.dumps(new.value, allow_nan=False))
            known = next((f for f in self._of(key, channel) if f.value == value and not f.disagrees), None)
            if known is None:
                known = await self._insert(conn, new, value)
                self._new += 1
            else:
                await conn.execute(SQL.touch_fact, known.fact_id, new.source_url, new.confidence)
                self._replace(known, confidence=new.confidence)
                self._known += 1
            said.append(known.fact_id)
            if channel == WEBSITE and new.structured:
                self._structured.add(known.fact_id)
        if channel == OWNER:
            await self.confirm_for_owner(conn, said[-1])
            said = said[-1:]
        await self._forget(
            conn,
            [
                fact.fact_id
                for fact in self._of(key, channel)
                if fact.fact_id not in said
                and not (fact.confirmed and fact.confirmed_by == "owner")
                and (fact.rejected_at is None or channel == OWNER)
            ],
        )

    async def compare(self, conn: Connection, new: NewFact) -> None:
        """Keep of a statement that may not be stored only whether it disagrees."""
        reference = self._reference(new.key)
        disagrees = bool(reference) and all(contradicts(new.key, new.value, value) for value in reference)
        known = next((f for f in self._of(new.key, new.channel) if f.disagrees), None)
        if disagrees and known is None:
            await self._insert(conn, new, None)
            self._new += 1
        elif disagrees and known is not None:
            await conn.execute(SQL.touch_fact, known.fact_id, new.source_url, new.confidence)
            self._known += 1
        elif known is not None:
            await self._forget(conn, [known.fact_id])

    async def confirm_for_owner(self, conn: Connection, fact_id: UUID) -> None:
        fact = self.fact(fact_id)
        if fact.value is None:
            raise UnknownFactError(fact_id)
        if not (fact.confirmed and fact.confirmed_by == "owner"):
            await self._confirm(conn, fact, "owner")
        # The owner's earlier word about the key is taken back by this one.
        await self._forget(
            conn, [other.fact_id for other in self._of(fact.key, OWNER) if other.fact_id != fact_id]
        )

    async def reject(self, conn: Connection, fact_ids: Sequence[UUID]) -> None:
        if not fact_ids:
            return
        facts = [self.fact(fact_id) for fact_id in fact_ids]
        await conn.execute(SQL.reject_facts, list(fact_ids))
        for fact in facts:
            self._replace(fact, confirmed=False, confirmed_by=None, rejected_at=self._place.updated_at)

    async def settle(self, conn: Connection) -> RecordReport:
        """Apply the policy to every key and move the versions if a confirmed value moved."""
        for key in sorted({fact.key for fact in self._facts.values()}):
            of_key = [fact for fact in self._facts.values() if fact.key == key]
            choice = choose(
                key,
                of_key,
                structured=frozenset(self._structured),
                accept_website=self._place.accept_website,
                from_website=_from_website,
            )
            standing = next((fact for fact in of_key if fact.confirmed), None)
            if choice is None and standing is not None:
                await self._unconfirm(conn, standing)
            elif choice is not None and (standing is None or standing.fact_id != choice.fact_id):
                await self._confirm(conn, self.fact(choice.fact_id), choice.by)
        after = self._confirmed()
        version = self._place.facts_version
        if after != self._before:
            version = await conn.fetchval(SQL.bump_facts, self._place.place_id)
            name = after.get("name")
            if name and name != self._place.name:
                await update_place(conn, self._place.place_id, name=name)
        return RecordReport(
            new=self._new,
            known=self._known,
            confirmed=len(after),
            conflicts=conflicting_keys(self._facts.values()),
            facts_version=version,
            changed=after != self._before,
        )

    def _confirmed(self) -> dict[str, Any]:
        return {fact.key: fact.value for fact in self._facts.values() if fact.confirmed}

    def _of(self, key: str, channel: str) -> list[Fact]:
        return [fact for fact in self._facts.values() if fact.key == key and fact.channel == channel]

    def _reference(self, key: str) -> list[Any]:
        """What another source's value is held against: the owner's, else the website's, else anyone's."""
        stored = [
            fact
            for fact in self._facts.values()
            if fact.key == key and fact.value is not None and fact.rejected_at is None
        ]
        owner = [fact.value for fact in stored if fact.confirmed and fact.confirmed_by == "owner"]
        website = [fact.value for fact in stored if fact.channel == WEBSITE]
        return owner or website or [fact.value for fact in stored]

    async def _insert(self, conn: Connection, new: NewFact, value: Any) -> Fact:
        row = await conn.fetchrow(
            SQL.insert_fact,
            self._place.place_id,
            new.key,
            to_json(value),
            new.channel,
            new.source_url,
            new.confidence,
        )
        if row is None:
            raise PlaceGoneError(self._place.place_id)
        fact = _fact(row)
        self._facts[fact.fact_id] = fact
        return fact

    async def _confirm(self, conn: Connection, fact: Fact, by: Literal["owner", "website"]) -> None:
        for standing in [f for f in self._facts.values() if f.key == fact.key and f.confirmed]:
            await self._unconfirm(conn, standing)
        await conn.execute(SQL.confirm_fact, fact.fact_id, by)
        self._replace(fact, confirmed=True, confirmed_by=by, rejected_at=None)

    async def _unconfirm(self, conn: Connection, fact: Fact) -> None:
        await conn.execute(SQL.unconfirm_facts, [fact.fact_id])
        self._replace(fact, confirmed=False, confirmed_by=None)

    async def _forget(self, conn: Connection, fact_ids: Sequence[UUID]) -> None:
        if fact_ids:
            await conn.execute(SQL.delete_facts, list(fact_ids))
            for fact_id in fact_ids:
                del self._facts[fact_id]

    def _replace(self, fact: Fact, **changes: Any) -> None:
        self._facts[fact.fact_id] = fact.model_copy(update=changes)
