"""One value said by several sources: shown once, with all of them, and refused or compared as one."""

from uuid import UUID

from shared.db import Connection
from shared.places import repository
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
    waiting,
    website,
)


async def shown(conn: Connection, place: UUID) -> list[tuple[str, str, list[str], float]]:
    """(value, channel that speaks for it, channels that say so too, confidence)."""
    return [
        (s.fact.value, s.fact.channel, [f.channel for f in s.others], s.confidence)
        for s in await repository.statements(conn, place)
    ]


async def test_a_value_of_several_sources_is_one_statement_surer_than_each(
    conn: Connection, place: UUID
) -> None:
    await record(conn, place, kakao("phone", PHONE, 0.8), osm("phone", PHONE, 0.5))
    assert await shown(conn, place) == [(PHONE, "kakao", ["osm"], 0.9)]
    assert {f.channel for f in await repository.all_facts(conn, place)} == {"kakao", "osm"}


async def test_conflicting_values_stand_side_by_side(conn: Connection, place: UUID) -> None:
    await record(conn, place, kakao("phone", PHONE, 0.8), osm("phone", OTHER_PHONE, 0.5))
    assert await shown(conn, place) == [(PHONE, "kakao", [], 0.8), (OTHER_PHONE, "osm", [], 0.5)]


async def test_the_confirmed_row_speaks_for_its_value(conn: Connection, place: UUID) -> None:
    await record(conn, place, kakao("phone", PHONE), osm("phone", OTHER_PHONE), owner_says("phone", PHONE))
    assert await shown(conn, place) == [(PHONE, "owner", ["kakao"], 1.0), (OTHER_PHONE, "osm", [], 0.5)]


async def test_one_meaning_in_two_writings_is_one_statement(conn: Connection, place: UUID) -> None:
    week = {"mon": [["11:00", "21:00"]]}
    await record(
        conn, place, website("hours", {"days": week}), kakao("hours", {"days": week, "text": "월 11-21"})
    )
    (statement,) = await repository.statements(conn, place)
    assert (statement.fact.channel, [f.channel for f in statement.others]) == ("website", ["kakao"])


async def test_a_refused_value_is_refused_whoever_says_it_now_or_later(conn: Connection, place: UUID) -> None:
    await record(conn, place, website("phone", PHONE), kakao("phone", PHONE))
    assert await confirmed(conn, place) == {"phone": PHONE}
    await decide(conn, place, reject=tuple(await stored(conn, place, "phone", "kakao")))
    assert await confirmed(conn, place) == {}
    await record(conn, place, website("phone", PHONE), osm("phone", PHONE))
    assert await confirmed(conn, place) == {}
    assert [f.rejected_at is None for f in await repository.all_facts(conn, place)] == [False] * 3


async def test_the_owner_may_think_again(conn: Connection, place: UUID) -> None:
    await record(conn, place, website("phone", PHONE), kakao("phone", PHONE))
    await decide(conn, place, reject=tuple(await stored(conn, place, "phone", "kakao")))
    await decide(conn, place, confirm=tuple(await stored(conn, place, "phone", "website")))
    assert await confirmed(conn, place) == {"phone": PHONE}
    assert await shown(conn, place) == [(PHONE, "website", ["kakao"], 1.0)]


async def test_refusing_what_a_source_says_leaves_the_owners_own_word(conn: Connection, place: UUID) -> None:
    await record(conn, place, owner_says("phone", PHONE), kakao("phone", PHONE))
    await decide(conn, place, reject=tuple(await stored(conn, place, "phone", "kakao")))
    assert await confirmed(conn, place) == {"phone": PHONE}


async def test_a_source_that_may_not_be_kept_disagrees_only_when_none_of_its_values_agrees(
    conn: Connection, place: UUID
) -> None:
    await record(conn, place, owner_says("phone", PHONE), naver("phone", OTHER_PHONE))
    assert [f.disagrees for f in await stored(conn, place, "phone", "naver")] == [True]
    report = await record(conn, place, naver("phone", PHONE), naver("phone", OTHER_PHONE))
    assert (report.conflicts, await stored(conn, place, "phone", "naver")) == ([], [])
    await record(conn, place, naver("phone", OTHER_PHONE), naver("phone", THIRD_PHONE))
    assert [f.value for f in await stored(conn, place, "phone", "naver")] == [None]
    # It has nothing to propose, and what it does not say any more it disputes no more.
    assert await waiting(conn, place) == []
    report = await record(conn, place, whole=("naver",))
    assert (report.conflicts, await stored(conn, place, "phone", "naver")) == ([], [])
