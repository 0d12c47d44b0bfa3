"""AI_CHECK against a real database and an engine on loopback: an error is never "not mentioned"."""

import math
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from functions.ai_check.work import check
from shared.db import Connection
from shared.jobs.errors import PermanentJobError
from shared.jobs.models import JobType
from shared.places import repository
from tests.fakes import perplexity as vendor
from tests.job_run import add_place, connected, outcome_of, settings_for

INTAKE = {
    "name": "달그릇국수",
    "category": "Restaurant",
    "address": "서울 성동구 달그릇길 12",
    "facts": {"name_en": "Dalgeureut Noodles"},
}


@pytest.fixture
async def conn(database: str) -> AsyncIterator[Connection]:
    async with connected(database) as connection:
        yield connection


@pytest.fixture
def fake() -> Iterator[vendor.FakePerplexity]:
    server = vendor.FakePerplexity()
    with server.running():
        yield server


async def published(conn: Connection, intake: dict[str, Any] = INTAKE) -> UUID:
    place_id = await add_place(conn, intake)
    async with conn.transaction():
        await repository.reserve_slug(conn, place_id, "dalgeureut-noodles")
        await repository.save_site(conn, place_id, content_hash="h", render_version="1", page_version=1)
    return place_id


async def result_of(database: str, tmp_path: Path, place_id: UUID, **settings: Any) -> dict[str, Any]:
    config = settings_for(database, tmp_path, site_origin="https://pages.example", **settings)
    return dict((await outcome_of(check, config, JobType.AI_CHECK, place_id)).result)


async def test_a_place_without_a_page_is_skipped(conn: Connection, database: str, tmp_path: Path) -> None:
    place_id = await add_place(conn, INTAKE)
    assert await result_of(database, tmp_path, place_id) == {"skipped": "not_published"}


async def test_without_an_engine_nothing_is_asked(conn: Connection, database: str, tmp_path: Path) -> None:
    assert (await result_of(database, tmp_path, await published(conn)))["skipped"] == "no_engine_key"


async def test_every_question_is_a_row_with_a_verdict(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakePerplexity
) -> None:
    place_id = await published(conn)
    page = "https://pages.example/dalgeureut-noodles/"
    fake.script(
        vendor.answered("달그릇국수를 추천합니다.", cited=[page]),
        vendor.answered("I know no such place.", retrieved=[page]),
    )

    result = await result_of(
        database, tmp_path, place_id, perplexity_api_key="key", perplexity_base_url=fake.url
    )

    assert (result["asked"], result["answered"], result["mentioned"], result["errors"]) == (4, 4, 1, 0)
    assert result["mentioned_unprompted"] == 1
    rows = await conn.fetch("SELECT * FROM ai_checks ORDER BY locale DESC, evidence ->> 'by_name'")
    unprompted = next(r for r in rows if r["locale"] == "ko")
    assert unprompted["question"] == "서울특별시 성동구에서 갈 만한 음식점을 추천해 주세요."
    assert (unprompted["mentioned"], unprompted["own_page_cited"]) == (True, True)
    english = next(r for r in rows if r["locale"] == "en")
    assert (
        english["question"] == "Can you recommend places in 성동구, Seoul, Korea, of this kind: restaurant?"
    )
    assert (english["mentioned"], english["own_page_retrieved"]) == (False, True)
    assert {r["question_version"] for r in rows} == {"v1"}
    assert (
        await conn.fetchval("SELECT count(*) FROM usage WHERE provider = 'perplexity' AND outcome = 'ok'")
        == 4
    )


async def test_a_failure_inside_a_200_is_an_error_and_no_verdict(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakePerplexity
) -> None:
    place_id = await published(conn)
    fake.script(vendor.failed_inside_200("invalid_request"))

    result = await result_of(
        database, tmp_path, place_id, perplexity_api_key="key", perplexity_base_url=fake.url
    )

    assert (result["asked"], result["answered"], result["errors"]) == (4, 3, 1)
    failed = await conn.fetchrow("SELECT * FROM ai_checks WHERE error IS NOT NULL")
    assert failed["mentioned"] is None
    assert failed["error"].startswith("bad_request")


async def test_an_odd_answer_costs_itself_alone(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakePerplexity
) -> None:
    place_id = await published(conn)
    fake.script(
        vendor.answered(
            "달그릇국수\0를 추천합니다.", cited=["https://a.example/\0"], usage={"input_tokens": 10**400}
        ),
        vendor.answered("달그릇국수", usage={"cost": {"total_cost": math.nan}}),
        vendor.failed_inside_200("invalid_request", "\0"),
    )

    result = await result_of(
        database, tmp_path, place_id, perplexity_api_key="key", perplexity_base_url=fake.url
    )

    assert (result["asked"], result["answered"], result["mentioned"], result["errors"]) == (4, 3, 2, 1)
    costs = [cost for (cost,) in await conn.fetch("SELECT cost_usd::text FROM ai_checks")]
    assert "NaN" not in costs


async def test_a_refused_key_is_not_tried_again(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakePerplexity
) -> None:
    place_id = await published(conn)
    fake.default = vendor.unauthorized()

    result = await result_of(
        database, tmp_path, place_id, perplexity_api_key="key", perplexity_base_url=fake.url
    )

    assert (result["asked"], result["answered"], result["errors"]) == (4, 0, 4)
    assert len(fake.requests) == 1


async def test_without_an_area_the_place_is_asked_for_by_name_alone(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakePerplexity
) -> None:
    place_id = await published(conn, {"name": "달그릇국수", "category": "Restaurant", "phone": "02-555-0142"})

    await result_of(database, tmp_path, place_id, perplexity_api_key="key", perplexity_base_url=fake.url)

    assert [request.json["input"] for request in fake.requests] == [
        "달그릇국수의 영업시간과 전화번호, 위치를 알려 주세요.",
        "What are the opening hours, telephone number and location of 달그릇국수, Korea?",
    ]


async def test_a_place_that_is_gone_ends_the_job_for_good(database: str, tmp_path: Path) -> None:
    with pytest.raises(PermanentJobError):
        await outcome_of(check, settings_for(database, tmp_path), JobType.AI_CHECK, uuid4())
