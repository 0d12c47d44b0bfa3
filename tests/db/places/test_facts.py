"""What channels say, what of it stands confirmed, and when the versions move."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest

from shared.db import Connection
from shared.places import repository
from shared.places.models import NewFact
from tests.db.places.said import (
    OTHER_PHONE,
    PHONE,
    confirmed,
    kakao,
    naver,
    owner_says,
    record,
    versions,
    website,
)
from tests.db.steps import connect

WHOLE_HOURS = {"days": {"mon": [["11:30", "21:00"]], "tue": []}}


async def test_what_the_owner_says_is_confirmed_and_moves_both_versions(
    conn: Connection, place: UUID
) -> None:
    before = await versions(conn, place)
    report = await record(conn, place, owner_says("phone", PHONE), owner_says("category", "Restaurant"))
    assert await confirmed(conn, place) == {"phone": PHONE, "category": "Restaurant"}
    assert await versions(conn, place) == (before[0] + 1, before[1] + 1)
    assert (report.new, report.known, report.confirmed, report.facts_version) == (2, 0, 2, before[0] + 1)


async def test_the_same_again_is_known_and_moves_nothing(conn: Connection, place: UUID) -> None:
    await record(conn, place, owner_says("menu", [{"name": "국수", "price_krw": 9000, "note": None}]))
    before = await versions(conn, place)
    report = await record(
        conn, place, owner_says("menu", [{"name": "국수", "price_krw": 9000, "note": None}])
    )
    assert (report.new, report.known, report.changed) == (0, 1, False)
    assert await versions(conn, place) == before


async def test_the_owners_newer_word_replaces_the_older(conn: Connection, place: UUID) -> None:
    await record(conn, place, owner_says("phone", PHONE))
    await record(conn, place, owner_says("phone", OTHER_PHONE))
    assert [(f.value, f.confirmed) for f in await repository.all_facts(conn, place)] == [(OTHER_PHONE, True)]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("phone", PHONE),
        ("hours", WHOLE_HOURS),
        ("geo", {"lat": 37.5, "lon": 127.0}),
        ("name_en", "Seongsu Noodles"),
        ("amenities", ["parking"]),
    ],
)
async def test_the_own_websites_markup_is_confirmed(
    conn: Connection, place: UUID, key: str, value: Any
) -> None:
    await record(conn, place, website(key, value))
    fact = (await repository.confirmed_facts(conn, place)).facts[key]
    assert (fact.value, fact.confirmed_by) == (value, "website")


@pytest.mark.parametrize(
    "fact",
    [
        website("phone", PHONE, structured=False),
        website("name", "성수 국수집"),
        website("category", "Restaurant"),
        website("summary", "맛집"),
        website("hours", {"days": {}, "text": "그때그때 달라요"}),
        website("best_dish", "국수"),
        kakao("phone", PHONE),
    ],
    ids=["free text", "name", "category", "summary", "hours not read whole", "other key", "other channel"],
)
async def test_everything_else_waits_for_the_owner(conn: Connection, place: UUID, fact: NewFact) -> None:
    before = await versions(conn, place)
    await record(conn, place, fact)
    assert await confirmed(conn, place) == {}
    assert await versions(conn, place) == before


async def test_the_website_is_not_confirmed_when_the_owner_refused_it(conn: Connection, place: UUID) -> None:
    await repository.update_place(conn, place, accept_website=False)
    await record(conn, place, website("phone", PHONE))
    assert await confirmed(conn, place) == {}


async def test_a_contradicting_channel_keeps_the_website_unconfirmed_and_both_stand_side_by_side(
    conn: Connection, place: UUID
) -> None:
    report = await record(conn, place, website("phone", PHONE), kakao("phone", OTHER_PHONE))
    assert report.conflicts == ["phone"]
    assert {(f.channel, f.value) for f in await repository.all_facts(conn, place)} == {
        ("website", PHONE),
        ("kakao", OTHER_PHONE),
    }
    assert await confirmed(conn, place) == {}


async def test_a_contradiction_that_comes_later_takes_the_confirmation_back(
    conn: Connection, place: UUID
) -> None:
    await record(conn, place, website("phone", PHONE))
    before = await versions(conn, place)
    await record(conn, place, kakao("phone", OTHER_PHONE))
    assert await confirmed(conn, place) == {}
    assert await versions(conn, place) == (before[0] + 1, before[1] + 1)
    await record(conn, place, website("phone", PHONE), kakao("phone", PHONE))
    assert await confirmed(conn, place) == {"phone": PHONE}


async def test_saying_more_is_no_contradiction(conn: Connection, place: UUID) -> None:
    report = await record(
        conn,
        place,
        website("road_address", "서울특별시 성동구 연무장길 12"),
        kakao("road_address", "서울특별시 성동구 연무장길 12 2층"),
        website("geo", {"lat": 37.5446, "lon": 127.0559}),
        kakao("geo", {"lat": 37.5447, "lon": 127.0560}),
        website("menu", [{"name": "국수", "price_krw": 9000, "note": None}]),
        kakao("menu", [{"name": "만두", "price_krw": 7000, "note": None}]),
    )
    assert report.conflicts == []
    assert set(await confirmed(conn, place)) == {"road_address", "geo", "menu"}


async def test_another_price_for_the_same_dish_is_a_contradiction(conn: Connection, place: UUID) -> None:
    report = await record(
        conn,
        place,
        website("menu", [{"name": "멸치 국수", "price_krw": 9000, "note": None}]),
        kakao("menu", [{"name": "멸치국수", "price_krw": 8000, "note": None}]),
    )
    assert report.conflicts == ["menu"]


async def test_the_owner_wins_over_the_website(conn: Connection, place: UUID) -> None:
    await record(conn, place, website("phone", PHONE))
    await record(conn, place, owner_says("phone", OTHER_PHONE))
    report = await record(conn, place, website("phone", PHONE))
    assert await confirmed(conn, place) == {"phone": OTHER_PHONE}
    assert report.conflicts == ["phone"]


async def test_a_websites_new_value_stands_beside_its_old_one_and_replaces_one_that_waited(
    conn: Connection, place: UUID
) -> None:
    await record(conn, place, website("phone", PHONE), website("summary", "국수"))
    await record(conn, place, website("phone", OTHER_PHONE), website("summary", "칼국수"))
    stored = [(f.key, f.value, f.confirmed) for f in await repository.all_facts(conn, place)]
    assert stored == [("phone", PHONE, True), ("phone", OTHER_PHONE, False), ("summary", "칼국수", False)]


async def test_a_value_that_may_not_be_kept_leaves_only_its_disagreement(
    conn: Connection, place: UUID
) -> None:
    report = await record(conn, place, website("phone", PHONE), naver("phone", OTHER_PHONE))
    assert report.conflicts == ["phone"]
    assert await confirmed(conn, place) == {}
    kept = [f for f in await repository.all_facts(conn, place) if f.channel == "naver"]
    assert [(f.value, f.storable, f.disagrees) for f in kept] == [(None, False, True)]
    stored = await conn.fetchval("SELECT string_agg(f::text, ' ') FROM facts f")
    assert OTHER_PHONE not in stored


async def test_a_value_that_may_not_be_kept_and_agrees_leaves_nothing(conn: Connection, place: UUID) -> None:
    await record(conn, place, website("phone", PHONE), naver("phone", OTHER_PHONE))
    report = await record(conn, place, website("phone", PHONE), naver("phone", PHONE))
    assert report.conflicts == []
    assert {f.channel for f in await repository.all_facts(conn, place)} == {"website"}
    assert await confirmed(conn, place) == {"phone": PHONE}


async def test_a_value_that_may_not_be_kept_and_is_alone_leaves_nothing(
    conn: Connection, place: UUID
) -> None:
    await record(conn, place, naver("phone", PHONE))
    assert await repository.all_facts(conn, place) == []


async def test_the_owner_confirms_one_of_two_conflicting_values(conn: Connection, place: UUID) -> None:
    await record(conn, place, website("phone", PHONE), kakao("phone", OTHER_PHONE))
    theirs = next(f for f in await repository.all_facts(conn, place) if f.channel == "kakao")
    async with conn.transaction():
        report = await repository.decide_facts(conn, place, confirm=[theirs.fact_id])
    assert report.changed
    assert await confirmed(conn, place) == {"phone": OTHER_PHONE}
    await record(conn, place, website("phone", PHONE), kakao("phone", OTHER_PHONE))
    assert await confirmed(conn, place) == {"phone": OTHER_PHONE}


async def test_a_rejected_value_is_not_confirmed_again_by_its_source(conn: Connection, place: UUID) -> None:
    await record(conn, place, website("phone", PHONE))
    fact = (await repository.all_facts(conn, place))[0]
    async with conn.transaction():
        await repository.decide_facts(conn, place, reject=[fact.fact_id])
    report = await record(conn, place, website("phone", PHONE))
    assert await confirmed(conn, place) == {}
    assert report.conflicts == []


async def test_a_rejected_disagreement_no_longer_stands_in_the_way(conn: Connection, place: UUID) -> None:
    await record(conn, place, website("phone", PHONE), naver("phone", OTHER_PHONE))
    said = next(f for f in await repository.all_facts(conn, place) if f.disagrees)
    async with conn.transaction():
        await repository.decide_facts(conn, place, reject=[said.fact_id])
    report = await record(conn, place, website("phone", PHONE), naver("phone", OTHER_PHONE))
    assert report.conflicts == []
    assert await confirmed(conn, place) == {"phone": PHONE}


async def test_another_places_fact_cannot_be_decided(conn: Connection, owner: UUID, place: UUID) -> None:
    other, _ = await repository.find_or_create_place(conn, owner, identity_keys=["other"], name="다른 집")
    await record(conn, other, kakao("phone", PHONE))
    theirs = (await repository.all_facts(conn, other))[0].fact_id
    for decision in ({"confirm": [theirs]}, {"reject": [theirs]}, {"confirm": [uuid4()]}):
        with pytest.raises(repository.UnknownFactError):
            async with conn.transaction():
                await repository.decide_facts(conn, place, **decision)
    assert not (await repository.all_facts(conn, other))[0].confirmed


async def test_a_confirmed_name_becomes_the_places_name(conn: Connection, place: UUID) -> None:
    await record(conn, place, owner_says("name", "성수 칼국수"))
    found = await repository.get_place(conn, place)
    assert found is not None
    assert found.name == "성수 칼국수"


async def test_facts_of_a_deleted_place_are_refused(conn: Connection, place: UUID) -> None:
    await repository.mark_deleted(conn, place)
    with pytest.raises(repository.PlaceGoneError):
        await record(conn, place, owner_says("phone", PHONE))


async def test_writers_at_once_leave_one_confirmed_value_a_key(
    conn: Connection, place: UUID, database: str
) -> None:
    numbers = [f"+8221112{n:03}" for n in range(12)]

    async def write(number: str) -> None:
        own = await connect(database)
        try:
            await record(own, place, owner_says("phone", number), website("price_range", number))
        finally:
            await own.close()

    before = await versions(conn, place)
    await asyncio.gather(*(write(number) for number in numbers))
    stored = [f for f in await repository.all_facts(conn, place) if f.key == "phone"]
    assert [f.confirmed for f in stored] == [True]
    assert (await versions(conn, place))[0] == before[0] + len(numbers)


async def test_a_number_of_another_country_in_the_websites_markup_waits_for_the_owner(
    conn: Connection, place: UUID
) -> None:
    await record(conn, place, website("phone", "+14155550100"))
    assert await confirmed(conn, place) == {}
    await record(conn, place, website("phone", PHONE))
    assert await confirmed(conn, place) == {"phone": PHONE}


async def test_a_menu_read_off_photos_is_shown_and_takes_nothing_off_the_page(
    conn: Connection, place: UUID
) -> None:
    board = NewFact(key="menu", value=[{"name": "국수", "price_krw": 8000, "note": None}], channel="photo")
    menu = [{"name": "국수", "price_krw": 9000, "note": None}]
    await record(conn, place, board)
    await record(conn, place, website("menu", menu))
    assert await confirmed(conn, place) == {"menu": menu}
    report = await record(conn, place, board)
    assert await confirmed(conn, place) == {"menu": menu}
    assert report.conflicts == ["menu"]


async def test_what_only_the_pipeline_needs_is_neither_shown_nor_confirmed(
    conn: Connection, place: UUID
) -> None:
    status = NewFact(key="business_status", value="closed", channel="nts")
    await record(conn, place, status, owner_says("phone", PHONE))
    assert [said.fact.key for said in await repository.statements(conn, place)] == ["phone"]
    [stored] = [fact for fact in await repository.all_facts(conn, place) if fact.key == "business_status"]
    with pytest.raises(repository.UnknownFactError):
        async with conn.transaction():
            await repository.decide_facts(conn, place, confirm=[stored.fact_id])
