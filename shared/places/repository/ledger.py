"""A place's statements as they are while its lock is held, kept in step with what is written to `facts`."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal
from uuid import UUID

from asyncpg import Record

from shared.db import Connection
from shared.places.agreement import contradicts, says_the_same
from shared.places.confirmation import OWNER, WEBSITE, choose, conflicting_keys, taken_back
from shared.places.keys import MACHINE_KEYS, WEBSITE_KEYS
from shared.places.models import Fact, Hours, NewFact, Place, RecordReport
from shared.places.normalise.hours import hours_parsed_whole
from shared.places.proposals import proposals_in
from shared.places.repository.places import PlaceGoneError, update_place
from shared.places.repository.statements import SQL, decoded, to_json


class UnknownFactError(LookupError):
    """A fact id that is not of this place, or is one of a source whose value is not kept."""

    def __init__(self, fact_id: UUID) -> None:
        super().__init__(f"no fact {fact_id} of this place")
        self.fact_id = fact_id


def fact_of(row: Record) -> Fact:
    """A row of `facts`, its value read."""
    return Fact.model_validate(decoded(row, "value"))


_KOREA = "+82"


def _from_website(key: str, value: Any) -> bool:
    """Whether a structured statement of the place's own website may stand without the owner's word."""
    if key not in WEBSITE_KEYS:
        return False
    if key == "phone" and not str(value).startswith(_KOREA):
        return False  # the number of whoever made the site's theme
    return key != "hours" or hours_parsed_whole(Hours.model_validate(value))


class Ledger:
    """Every method writes at once and remembers; `settle` comes last and applies the policy."""

    def __init__(self, place: Place, facts: Iterable[Fact]) -> None:
        self._place = place
        self._facts = {fact.fact_id: fact for fact in facts}
        self._before = self._confirmed()
        self._structured: set[UUID] = set()
        self._said: set[UUID] = set()
        self._new = 0
        self._known = 0

    def fact(self, fact_id: UUID) -> Fact:
        """Raises `UnknownFactError`."""
        if fact_id not in self._facts:
            raise UnknownFactError(fact_id)
        return self._facts[fact_id]

    async def state(self, conn: Connection, channel: str, key: str, stated: Sequence[NewFact]) -> None:
        """Bring the channel's rows of a key to what it says now. What stands confirmed, or was rejected, stays."""
        said: list[UUID] = []
        for new in stated:
            value = json.loads(json.dumps(new.value, allow_nan=False))
            known = self._known_as(key, channel, value)
            if known is None:
                known = await self._insert(conn, new, value)
            else:
                await self._touch(conn, known, new)
            said.append(known.fact_id)
            if channel == WEBSITE and new.structured:
                self._structured.add(known.fact_id)
        if channel == OWNER:
            await self.confirm_for_owner(conn, said[-1])
            return
        await self._forget(
            conn,
            [
                fact.fact_id
                for fact in self._of(key, channel)
                if fact.fact_id not in said and not fact.confirmed and fact.rejected_at is None
            ],
        )

    async def compare(self, conn: Connection, stated: Sequence[NewFact]) -> None:
        """Keep of a channel's statements about a key, which may not be stored, only whether all of them disagree."""
        new = stated[0]
        reference = self._reference(new.key)
        disagrees = bool(reference) and all(
            contradicts(new.key, one.value, value) for one in stated for value in reference
        )
        known = next((fact for fact in self._of(new.key, new.channel) if fact.disagrees), None)
        if disagrees and known is None:
            await self._insert(conn, new, None)
        elif disagrees and known is not None:
            await self._touch(conn, known, new)
        elif known is not None:
            await self._forget(conn, [known.fact_id])

    async def miss(self, conn: Connection, channels: Collection[str]) -> None:
        """These channels were read whole: what they did not say just now, they say no more.

        A confirmed value stays and is marked; an unconfirmed one goes, and so does an old disagreement.
        """
        gone = [
            fact
            for fact in self._facts.values()
            if fact.channel in channels and fact.channel != OWNER and fact.fact_id not in self._said
        ]
        missed = [fact.fact_id for fact in gone if fact.confirmed]
        if missed:
            for row in await conn.fetch(SQL.miss_facts, missed):
                self._replace(row["fact_id"], missing_since=row["missing_since"])
        await self._forget(
            conn, [fact.fact_id for fact in gone if not fact.confirmed and fact.rejected_at is None]
        )

    async def confirm_for_owner(self, conn: Connection, fact_id: UUID) -> None:
        """The fact is its key's value on the owner's word, and settles what is said against it so far.

        A value that its own source has taken back stands on as the owner's own. Raises `UnknownFactError`.
        """
        fact = self.fact(fact_id)
        if fact.value is None or fact.key in MACHINE_KEYS:
            raise UnknownFactError(fact_id)
        owned = taken_back(fact, self._of_key(fact.key))
        await self._confirm(conn, fact, "owner")
        refused = [
            other.fact_id
            for other in self._of_key(fact.key)
            if other.rejected_at is not None and _same_value(other, fact)
        ]
        if refused:
            await conn.execute(SQL.accept_facts, refused)
            for other_id in refused:
                self._replace(other_id, rejected_at=None)
        # The owner's earlier word about the key is taken back by this one.
        await self._forget(
            conn, [other.fact_id for other in self._of(fact.key, OWNER) if other.fact_id != fact_id]
        )
        if owned:
            await conn.execute(SQL.own_fact, fact_id)
            self._replace(fact_id, channel=OWNER, source_url=None, confidence=1.0, missing_since=None)

    async def reject(self, conn: Connection, fact_ids: Sequence[UUID]) -> None:
        """The owner refuses these values, whoever says them. Raises `UnknownFactError`."""
        if not fact_ids:
            return
        named = [self.fact(fact_id) for fact_id in fact_ids]
        refused = {fact.fact_id: fact for fact in named} | {
            other.fact_id: other
            for fact in named
            for other in self._of_key(fact.key)
            if _same_value(other, fact) and other.confirmed_by != "owner"
        }
        await conn.execute(SQL.reject_facts, sorted(refused))
        for fact_id in refused:
            self._replace(
                fact_id,
                confirmed=False,
                confirmed_by=None,
                confirmed_at=None,
                missing_since=None,
                rejected_at=self._place.updated_at,
            )

    async def settle(self, conn: Connection) -> RecordReport:
        """Apply the policy to every key and move the versions if a confirmed value moved."""
        for key in sorted({fact.key for fact in self._facts.values()}):
            of_key = self._of_key(key)
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
            # What its own source has taken back stood on as a confirmed value alone.
            of_key = self._of_key(key)
            await self._forget(
                conn,
                [
                    fact.fact_id
                    for fact in of_key
                    if not fact.confirmed and fact.rejected_at is None and taken_back(fact, of_key)
                ],
            )
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
            proposals=sorted({proposal.key for proposal in proposals_in(self._facts.values())}),
            facts_version=version,
            changed=after != self._before,
        )

    def _confirmed(self) -> dict[str, Any]:
        return {fact.key: fact.value for fact in self._facts.values() if fact.confirmed}

    def _of_key(self, key: str) -> list[Fact]:
        return [fact for fact in self._facts.values() if fact.key == key]

    def _of(self, key: str, channel: str) -> list[Fact]:
        return [fact for fact in self._of_key(key) if fact.channel == channel]

    def _known_as(self, key: str, channel: str, value: Any) -> Fact | None:
        """The channel's row that says so already. Its confirmed one is known by its meaning, the others to the letter."""
        own = [fact for fact in self._of(key, channel) if fact.value is not None]
        standing = next((fact for fact in own if fact.confirmed), None)
        if standing is not None and channel != OWNER and says_the_same(key, standing.value, value):
            return standing
        return next((fact for fact in own if fact.value == value), None)

    def _reference(self, key: str) -> list[Any]:
        """What another source's value is held against: the owner's, else the website's, else anyone's."""
        stored = [fact for fact in self._of_key(key) if fact.value is not None and fact.rejected_at is None]
        owner = [fact.value for fact in stored if fact.confirmed and fact.confirmed_by == "owner"]
        website = [fact.value for fact in stored if fact.channel == WEBSITE]
        return owner or website or [fact.value for fact in stored]

    async def _insert(self, conn: Connection, new: NewFact, value: Any) -> Fact:
        refused = new.channel != OWNER and any(
            fact.rejected_at is not None and _says(fact, value) for fact in self._of_key(new.key)
        )
        row = await conn.fetchrow(
            SQL.insert_fact,
            self._place.place_id,
            new.key,
            to_json(value),
            new.channel,
            new.source_url,
            new.confidence,
            refused,
        )
        if row is None:
            raise PlaceGoneError(self._place.place_id)
        fact = fact_of(row)
        self._facts[fact.fact_id] = fact
        self._said.add(fact.fact_id)
        self._new += 1
        return fact

    async def _touch(self, conn: Connection, known: Fact, new: NewFact) -> None:
        seen = await conn.fetchval(SQL.touch_fact, known.fact_id, new.source_url, new.confidence)
        self._replace(known.fact_id, confidence=new.confidence, collected_at=seen, missing_since=None)
        self._said.add(known.fact_id)
        self._known += 1

    async def _confirm(self, conn: Connection, fact: Fact, by: Literal["owner", "website"]) -> None:
        for standing in self._of_key(fact.key):
            if standing.confirmed and standing.fact_id != fact.fact_id:
                await self._unconfirm(conn, standing)
        confirmed_at = await conn.fetchval(SQL.confirm_fact, fact.fact_id, by)
        self._replace(
            fact.fact_id, confirmed=True, confirmed_by=by, confirmed_at=confirmed_at, rejected_at=None
        )

    async def _unconfirm(self, conn: Connection, fact: Fact) -> None:
        await conn.execute(SQL.unconfirm_facts, [fact.fact_id])
        self._replace(fact.fact_id, confirmed=False, confirmed_by=None, confirmed_at=None)

    async def _forget(self, conn: Connection, fact_ids: Sequence[UUID]) -> None:
        if fact_ids:
            await conn.execute(SQL.delete_facts, list(fact_ids))
            for fact_id in fact_ids:
                del self._facts[fact_id]

    def _replace(self, fact_id: UUID, **changes: Any) -> None:
        self._facts[fact_id] = self._facts[fact_id].model_copy(update=changes)


def _says(fact: Fact, value: Any) -> bool:
    return fact.value is not None and value is not None and says_the_same(fact.key, fact.value, value)


def _same_value(one: Fact, other: Fact) -> bool:
    return _says(one, other.value)
