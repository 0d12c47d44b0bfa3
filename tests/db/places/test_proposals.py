"""What is said after a confirmation: nothing confirmed is overwritten, everything waits for the owner, once."""

from typing import Any
from uuid import UUID

import pytest

from shared.db import Connection
from shared.places import changes, repository
from shared.places.changes import Change
from shared.places.intake import owner_facts
from shared.places.repository.statements import SQL
from tests.db.places.said import (
    OTHER_PHONE,
    PHONE,
    THIRD_PHONE,
    confirmed,
    decide,
    kakao,
    naver,
    osm,
    owner_says,
    record,
    stored,
    versions,
    waiting,
    website,
)

SITE = ("website",)


async def changed_site(conn: Connection, place: UUID) -> None:
    """A website that gave one number, and gives another now."""
    await record(conn, place, website("phone", PHONE), whole=SITE)
    await record(conn, place, website("phone", OTHER_PHONE), whole=SITE)


async def test_a_websites_change_is_proposed_and_what_was_confirmed_stays(
    conn: Connection, place: UUID
) -> None:
    await record(conn, place, website("phone", PHONE), whole=SITE)
    before = await versions(conn, place)
    report = await record(conn, place, website("phone", OTHER_PHONE), whole=SITE)
    assert (report.proposals, report.changed) == (["phone"], False)
    assert await confirmed(conn, place) == {"phone": PHONE}
    assert await versions(conn, place) == before
    assert await waiting(conn, place) == [("phone", "changed", OTHER_PHONE, "website")]
    (proposal,) = await repository.proposals(conn, place)
    old, new = await stored(conn, place, "phone", "website")
    assert (proposal.fact_id, proposal.proposed, proposal.since) == (
        old.fact_id,
        new.fact_id,
        new.first_seen_at,
    )


async def test_the_same_change_seen_again_is_the_same_proposal(conn: Connection, place: UUID) -> None:
    await changed_site(conn, place)
    first = await repository.proposals(conn, place)
    await record(conn, place, website("phone", OTHER_PHONE), whole=SITE)
    assert await repository.proposals(conn, place) == first


async def test_a_website_that_takes_its_change_back_ends_the_proposal(conn: Connection, place: UUID) -> None:
    await changed_site(conn, place)
    await record(conn, place, website("phone", PHONE), whole=SITE)
    assert await waiting(conn, place) == []
    (fact,) = await stored(conn, place, "phone", "website")
    assert (fact.value, fact.confirmed, fact.missing_since) == (PHONE, True, None)


async def test_a_proposal_that_is_confirmed_replaces_what_stood(conn: Connection, place: UUID) -> None:
    await changed_site(conn, place)
    before = await versions(conn, place)
    _, new = await stored(conn, place, "phone", "website")
    report = await decide(conn, place, confirm=(new,))
    assert (report.changed, report.proposals, report.conflicts) == (True, [], [])
    assert [(f.value, f.confirmed_by) for f in await repository.all_facts(conn, place)] == [
        (OTHER_PHONE, "owner")
    ]
    assert await versions(conn, place) == (before[0] + 1, before[1] + 1)
    await record(conn, place, website("phone", OTHER_PHONE), whole=SITE)
    assert await waiting(conn, place) == []


async def test_a_proposal_that_is_rejected_does_not_come_again(conn: Connection, place: UUID) -> None:
    await changed_site(conn, place)
    before = await versions(conn, place)
    _, new = await stored(conn, place, "phone", "website")
    await decide(conn, place, reject=(new,))
    for facts in (
        [website("phone", OTHER_PHONE)],
        [website("phone", OTHER_PHONE), kakao("phone", OTHER_PHONE)],
    ):
        await record(conn, place, *facts, whole=SITE)
        assert await waiting(conn, place) == []
    assert await confirmed(conn, place) == {"phone": PHONE}
    assert await versions(conn, place) == before
    await record(conn, place, website("phone", THIRD_PHONE), whole=SITE)
    assert await waiting(conn, place) == [("phone", "changed", THIRD_PHONE, "website")]


async def test_confirming_what_stands_settles_what_is_said_against_it(conn: Connection, place: UUID) -> None:
    await changed_site(conn, place)
    old, _ = await stored(conn, place, "phone", "website")
    await decide(conn, place, confirm=(old,))
    assert await waiting(conn, place) == []
    (kept,) = [f for f in await repository.all_facts(conn, place) if f.confirmed]
    assert (kept.fact_id, kept.value, kept.channel, kept.source_url) == (old.fact_id, PHONE, "owner", None)
    await record(conn, place, website("phone", OTHER_PHONE), whole=SITE)
    await record(conn, place, whole=SITE)
    assert await waiting(conn, place) == []
    await record(conn, place, website("phone", THIRD_PHONE), whole=SITE)
    assert await waiting(conn, place) == [("phone", "changed", THIRD_PHONE, "website")]


async def test_the_owners_word_is_never_touched_and_what_is_said_since_is_proposed(
    conn: Connection, place: UUID
) -> None:
    await record(conn, place, owner_says("phone", PHONE))
    before = await versions(conn, place)
    await record(
        conn, place, website("phone", OTHER_PHONE), kakao("phone", OTHER_PHONE), osm("phone", THIRD_PHONE)
    )
    assert await confirmed(conn, place) == {"phone": PHONE}
    assert await versions(conn, place) == before
    # Two sources with one number make one proposal.
    assert sorted(await waiting(conn, place)) == [
        ("phone", "changed", OTHER_PHONE, "website"),
        ("phone", "changed", THIRD_PHONE, "osm"),
    ]
    await record(conn, place, whole=("website", "kakao", "osm"))
    assert await waiting(conn, place) == []


async def test_a_correction_settles_what_was_said_before_it(conn: Connection, place: UUID) -> None:
    await record(conn, place, owner_says("phone", PHONE))
    await record(conn, place, kakao("phone", OTHER_PHONE))
    changed = await changes.change_facts(conn, place, Change(facts=owner_facts({"phone": THIRD_PHONE})))
    assert await waiting(conn, place) == []
    assert changed.conflicts == ["phone"]


async def test_a_value_that_vanished_is_proposed_and_stays_published(conn: Connection, place: UUID) -> None:
    await record(conn, place, website("phone", PHONE), website("price_range", "만원대"), whole=SITE)
    before = await versions(conn, place)
    report = await record(conn, place, website("price_range", "만원대"), whole=SITE)
    assert report.proposals == ["phone"]
    assert await confirmed(conn, place) == {"phone": PHONE, "price_range": "만원대"}
    assert await versions(conn, place) == before
    assert await waiting(conn, place) == [("phone", "vanished", None, "website")]
    first = await repository.proposals(conn, place)
    await record(conn, place, website("price_range", "만원대"), whole=SITE)
    assert await repository.proposals(conn, place) == first
    await record(conn, place, website("phone", PHONE), whole=())
    assert await waiting(conn, place) == []


async def test_a_source_that_was_not_read_whole_has_lost_nothing(conn: Connection, place: UUID) -> None:
    await record(conn, place, website("phone", PHONE), website("summary", "국수"), whole=SITE)
    await record(conn, place, website("price_range", "만원대"))
    assert await waiting(conn, place) == []
    assert len(await repository.all_facts(conn, place)) == 3


async def test_what_waited_and_vanished_is_gone_and_what_was_rejected_stays(
    conn: Connection, place: UUID
) -> None:
    await record(conn, place, kakao("phone", PHONE), kakao("summary", "국수"))
    await decide(conn, place, reject=tuple(await stored(conn, place, "summary", "kakao")))
    await record(conn, place, kakao("price_range", "만원대"), whole=("kakao",))
    assert [f.key for f in await repository.all_facts(conn, place)] == ["price_range", "summary"]


async def test_a_vanished_value_that_is_confirmed_is_the_owners_from_then_on(
    conn: Connection, place: UUID
) -> None:
    await record(conn, place, website("phone", PHONE), whole=SITE)
    await record(conn, place, whole=SITE)
    (fact,) = await repository.all_facts(conn, place)
    report = await decide(conn, place, confirm=(fact,))
    assert (report.changed, report.proposals) == (False, [])
    await record(conn, place, whole=SITE)
    assert await waiting(conn, place) == []
    (kept,) = await repository.all_facts(conn, place)
    assert (kept.fact_id, kept.channel, kept.confirmed_by, kept.missing_since) == (
        fact.fact_id,
        "owner",
        "owner",
        None,
    )


async def test_a_vanished_value_that_is_rejected_leaves_the_page(conn: Connection, place: UUID) -> None:
    await record(conn, place, website("phone", PHONE), whole=SITE)
    before = await versions(conn, place)
    await record(conn, place, whole=SITE)
    report = await decide(conn, place, reject=tuple(await repository.all_facts(conn, place)))
    assert (report.changed, report.proposals) == (True, [])
    assert await confirmed(conn, place) == {}
    assert await versions(conn, place) == (before[0] + 1, before[1] + 1)
    await record(conn, place, website("phone", PHONE), whole=SITE)
    assert await confirmed(conn, place) == {}


async def test_a_fact_of_a_channel_that_the_owner_confirmed_may_vanish_too(
    conn: Connection, place: UUID
) -> None:
    await record(conn, place, kakao("phone", PHONE), whole=("kakao",))
    await decide(conn, place, confirm=tuple(await repository.all_facts(conn, place)))
    await record(conn, place, whole=("kakao",))
    assert await waiting(conn, place) == [("phone", "vanished", None, "kakao")]
    assert await confirmed(conn, place) == {"phone": PHONE}


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        ("hours", {"days": {"mon": [["11:00", "21:00"]]}, "text": "월 11-21"},
         {"days": {"mon": [["11:00", "21:00"]]}, "text": "월요일 11시-21시"}),
        ("amenities", ["parking", "wifi"], ["wifi", "parking"]),
        ("website", "https://shop.example/", "https://www.shop.example/"),
    ],
)  # fmt: skip
async def test_the_same_in_other_words_is_no_change(
    conn: Connection, place: UUID, key: str, old: Any, new: Any
) -> None:
    await record(conn, place, website(key, old), whole=SITE)
    await record(conn, place, website(key, new), whole=SITE)
    assert await waiting(conn, place) == []
    (fact,) = await repository.all_facts(conn, place)
    assert (fact.value, fact.confirmed, fact.missing_since) == (old, True, None)


async def test_a_menu_with_another_dish_is_proposed_by_its_own_source_alone(
    conn: Connection, place: UUID
) -> None:
    noodles, dumplings = ({"name": name, "price_krw": 9000, "note": None} for name in ("국수", "만두"))
    await record(conn, place, website("menu", [noodles]), whole=SITE)
    await record(conn, place, website("menu", [noodles]), kakao("menu", [noodles, dumplings]), whole=SITE)
    assert await waiting(conn, place) == []
    await record(conn, place, website("menu", [noodles, dumplings]), whole=SITE)
    assert await confirmed(conn, place) == {"menu": [noodles]}
    assert await waiting(conn, place) == [("menu", "changed", [noodles, dumplings], "website")]


async def test_a_number_that_site_and_map_both_changed_is_proposed_and_not_taken_off(
    conn: Connection, place: UUID
) -> None:
    await record(conn, place, website("phone", PHONE), kakao("phone", PHONE), whole=SITE)
    await record(conn, place, website("phone", OTHER_PHONE), kakao("phone", OTHER_PHONE), whole=SITE)
    assert await confirmed(conn, place) == {"phone": PHONE}
    assert await waiting(conn, place) == [("phone", "changed", OTHER_PHONE, "website")]
    await record(conn, place, kakao("phone", THIRD_PHONE), naver("phone", "+8229998888"), whole=SITE)
    assert await confirmed(conn, place) == {"phone": PHONE}


async def test_a_website_that_still_says_it_and_a_source_that_contradicts_it_are_a_dispute(
    conn: Connection, place: UUID
) -> None:
    await record(conn, place, website("phone", PHONE), whole=SITE)
    report = await record(conn, place, website("phone", PHONE), kakao("phone", OTHER_PHONE), whole=SITE)
    assert (report.conflicts, report.proposals) == (["phone"], [])
    assert await confirmed(conn, place) == {}
    await record(conn, place, website("phone", OTHER_PHONE), kakao("phone", OTHER_PHONE), whole=SITE)
    assert await confirmed(conn, place) == {"phone": OTHER_PHONE}


async def test_refusing_the_website_takes_back_even_what_it_no_longer_says(
    conn: Connection, place: UUID
) -> None:
    await changed_site(conn, place)
    await changes.change_facts(conn, place, Change(accept_website=False))
    assert await confirmed(conn, place) == {}
    assert await waiting(conn, place) == []
    assert [f.value for f in await repository.all_facts(conn, place)] == [OTHER_PHONE]


async def test_proposals_of_a_page_of_places_come_at_once(conn: Connection, owner: UUID, place: UUID) -> None:
    other, _ = await repository.find_or_create_place(conn, owner, identity_keys=["other"], name="다른 집")
    await changed_site(conn, place)
    await record(conn, other, owner_says("phone", PHONE), website("price_range", "만원대"))
    found = await repository.proposals_of(conn, [other, place])
    assert {place_id: len(proposals) for place_id, proposals in found.items()} == {other: 0, place: 1}


async def test_a_look_for_proposals_reads_the_places_asked_for_alone(
    conn: Connection, owner: UUID, place: UUID
) -> None:
    await changed_site(conn, place)
    await conn.execute(
        "WITH made AS (INSERT INTO places (owner_id, name, identity_key) SELECT $1, 'n', 'k' || n"
        " FROM generate_series(1, 3000) n RETURNING place_id)"
        " INSERT INTO facts (place_id, key, value, channel, confirmed, confirmed_by)"
        " SELECT place_id, key, to_jsonb(channel), channel, channel = 'owner', CASE channel WHEN 'owner' THEN 'owner' END"
        " FROM made, unnest(ARRAY['phone', 'hours']) key, unnest(ARRAY['owner', 'kakao']) channel",
        owner,
    )
    await conn.execute("ANALYZE facts")
    async with conn.transaction():
        rows = await conn.fetch(f"EXPLAIN {SQL.disputed_facts}", [place])
    plan = "\n".join(row[0] for row in rows)
    assert "Seq Scan" not in plan, plan
    assert "facts_one_confirmed_a_key" in plan
