"""COPY against a real database and a vendor on loopback: there is always a text, and why it is what it is."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from functions.copy.prompting import PROMPT_VERSION
from functions.copy.work import write
from shared.db import Connection
from shared.jobs.errors import PermanentJobError, Snooze
from shared.jobs.models import JobType
from shared.places import repository
from shared.places.models import Copy
from tests.fakes import gemini as vendor
from tests.fakes.http_server import Behaviour
from tests.job_run import add_place, connected, outcome_of, settings_for, started

INTAKE = {
    "name": "달그릇국수",
    "category": "Restaurant",
    "address": "서울 성동구 달그릇길 12",
    "phone": "02-555-0142",
    "facts": {"hours": "화~일 11:00~21:00, 월요일 휴무", "menu": [{"name": "비빔국수", "price_krw": 9500}]},
}


@pytest.fixture
async def conn(database: str) -> AsyncIterator[Connection]:
    async with connected(database) as connection:
        yield connection


@pytest.fixture
def fake() -> Iterator[vendor.FakeGemini]:
    server = vendor.FakeGemini()
    with server.running():
        yield server


def written(**ko: Any) -> dict[str, Any]:
    page = {
        "title": "달그릇국수, 성동구 음식점",
        "summary": "달그릇국수는 성동구에 있는 음식점입니다.",
        "sections": [{"heading": "소개", "text": "비빔국수는 9,500원입니다.", "facts": ["menu", "made_up"]}],
        "faq": [{"question": "전화번호는 무엇인가요?", "answer": "02-555-0142입니다."}],
    }
    english = {
        "title": "달그릇국수",
        "summary": "A restaurant in 성동구.",
        "sections": [{"heading": "Hours", "text": "Open from 11:00 to 21:00.", "facts": ["hours"]}],
        "faq": [],
    }
    return {"ko": page | ko, "en": english}


async def copy_of(
    conn: Connection, database: str, tmp_path: Path, place_id: UUID, **settings: Any
) -> tuple[dict[str, Any], Copy]:
    config = settings_for(database, tmp_path, **settings)
    outcome = await outcome_of(write, config, JobType.COPY, place_id)
    copy = await repository.current_copy(conn, place_id)
    assert copy is not None
    return dict(outcome.result), copy


async def test_without_a_key_the_text_is_made_of_the_facts(
    conn: Connection, database: str, tmp_path: Path
) -> None:
    place_id = await add_place(conn, INTAKE)

    result, copy = await copy_of(conn, database, tmp_path, place_id)

    assert (result["mode"], result["reason"]) == ("facts_only", "no_key")
    assert result["facts_version"] == copy.facts_version == (await _version(conn, place_id))
    assert UUID(result["copy_id"])
    assert set(copy.content) == {"ko", "en"}
    assert "02-555-0142" in copy.model_dump_json()
    assert "9,500원" in copy.content["ko"].model_dump_json()


async def test_with_a_key_gemini_writes_and_the_call_is_on_record(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakeGemini
) -> None:
    place_id = await add_place(conn, INTAKE)
    fake.script(vendor.ok(written()))

    result, copy = await copy_of(
        conn, database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url
    )

    assert (result["mode"], result["reason"], result["dropped"]) == ("ai", None, 0)
    assert copy.content["ko"].summary == "달그릇국수는 성동구에 있는 음식점입니다."
    assert copy.content["ko"].sections[0].facts == ["menu"], "a fact nobody knows is not named"
    assert copy.content["en"].faq, "a part the model left out is filled from the facts"
    assert (copy.prompt_version, copy.model_version) == (PROMPT_VERSION, "gemini-3.8-flash-001")
    assert copy.usage is not None
    assert [call["call"] for call in copy.usage["calls"]] == ["write"], "nothing was doubtful"
    usage = await conn.fetchrow("SELECT provider, model, outcome, input_tokens, place_id FROM usage")
    assert tuple(usage) == ("gemini", "gemini-3.8-flash", "ok", 900, place_id)


async def test_a_number_nobody_confirmed_is_not_published(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakeGemini
) -> None:
    place_id = await add_place(conn, INTAKE)
    fake.script(vendor.ok(written(summary="성동구의 음식점입니다. 1987년에 문을 열었습니다.")))

    result, copy = await copy_of(
        conn, database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url
    )

    assert (result["mode"], result["dropped"], result["rewritten"]) == ("ai", 2, 0), (
        "the year and the past tense"
    )
    assert copy.content["ko"].summary == "성동구의 음식점입니다."


async def test_a_doubtful_sentence_is_written_once_more_and_both_calls_are_on_record(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakeGemini
) -> None:
    place_id = await add_place(conn, INTAKE)
    better = {"sentences": [{"id": 1, "text": "비빔국수를 판매합니다."}]}
    fake.script(
        vendor.ok(written(summary="성동구의 음식점입니다. 최고의 비빔국수를 팝니다.")), vendor.ok(better)
    )

    result, copy = await copy_of(
        conn, database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url
    )

    assert (result["mode"], result["dropped"], result["rewritten"]) == ("ai", 0, 1)
    assert copy.content["ko"].summary == "성동구의 음식점입니다. 비빔국수를 판매합니다."
    assert copy.usage is not None
    assert [call["call"] for call in copy.usage["calls"]] == ["write", "rewrite"]
    assert copy.usage["input_tokens"] == 1800
    assert await conn.fetchval("SELECT count(*) FROM usage WHERE outcome = 'ok'") == 2


@pytest.mark.parametrize(
    ("behaviour", "reason", "least"),
    [
        (vendor.quota_minute("90s"), "quota", 80.0),
        (vendor.quota_day(), "quota", 3600.0),
        (vendor.spend_limit(), "spend_limit", 600.0),
        (vendor.cut(), "connection", 300.0),
    ],
)
async def test_a_page_made_of_the_facts_for_want_of_the_model_is_written_anew_later(
    conn: Connection,
    database: str,
    tmp_path: Path,
    fake: vendor.FakeGemini,
    behaviour: Behaviour,
    reason: str,
    least: float,
) -> None:
    place_id = await add_place(conn, INTAKE)
    fake.default = behaviour
    key: dict[str, Any] = {"gemini_api_key": "key", "gemini_base_url": fake.url, "copy_ai_wait_seconds": 0}
    config = settings_for(database, tmp_path, **key)

    outcome = await outcome_of(write, config, JobType.COPY, place_id)

    assert (outcome.result["mode"], outcome.result["reason"]) == ("facts_only", reason)
    [later] = outcome.follow_ups
    assert (later.job_type, later.payload, later.dedupe_key) == (
        JobType.COPY,
        {"upgrade": True},
        f"COPY:{place_id}:upgrade",
    )
    assert least <= later.delay < least + 20
    assert later.priority > 100

    with pytest.raises(Snooze):
        await outcome_of(write, config, JobType.COPY, place_id, in_graph=False, payload={"upgrade": True})

    await conn.execute("UPDATE quota_closures SET until = now()")
    fake.default = vendor.ok(written())
    upgraded = await outcome_of(
        write, config, JobType.COPY, place_id, in_graph=False, payload={"upgrade": True}
    )
    assert upgraded.result["mode"] == "ai"
    assert [(job.job_type, job.dedupe_key) for job in upgraded.follow_ups] == [
        (JobType.BUILD, f"BUILD:{place_id}")
    ]
    again = await outcome_of(write, config, JobType.COPY, place_id, in_graph=False, payload={"upgrade": True})
    assert again.result["skipped"] == "written_already"
    assert list(again.follow_ups) == []


async def test_an_upgrade_that_waited_three_days_ends_and_does_not_die(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakeGemini
) -> None:
    place_id = await add_place(conn, INTAKE)
    fake.default = vendor.quota_day()
    config = settings_for(database, tmp_path, gemini_api_key="key", gemini_base_url=fake.url)
    payload = {"upgrade": True}
    async with started(config, JobType.COPY, place_id, in_graph=False, payload=payload) as (job, ctx):
        slept = job._replace(first_snoozed_at=datetime.now(UTC) - timedelta(hours=71, minutes=1))
        outcome = await write(slept, ctx)
    assert outcome.result == {"skipped": "quota", "facts_version": await _version(conn, place_id)}


@pytest.mark.parametrize("payload", [{}, {"upgrade": True}])
async def test_a_text_of_older_facts_does_not_take_the_place_of_a_newer_ones(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakeGemini, payload: dict[str, Any]
) -> None:
    place_id = await add_place(conn, INTAKE)
    version = await _version(conn, place_id)
    newer = Copy(content={}, mode="facts_only", reason="quota", facts_version=version + 1)
    async with conn.transaction():
        await repository.save_copy(conn, place_id, None, newer)
    fake.script(vendor.ok(written()))
    config = settings_for(database, tmp_path, gemini_api_key="key", gemini_base_url=fake.url)

    outcome = await outcome_of(write, config, JobType.COPY, place_id, in_graph=False, payload=payload)

    assert outcome.result == {"skipped": "overtaken", "facts_version": version}
    assert await repository.current_copy(conn, place_id) == newer


async def test_outside_a_generation_the_page_is_built_after_the_text(
    conn: Connection, database: str, tmp_path: Path
) -> None:
    place_id = await add_place(conn, INTAKE)
    config = settings_for(database, tmp_path)

    refresh = await outcome_of(write, config, JobType.COPY, place_id, in_graph=False)
    of_a_generation = await outcome_of(write, config, JobType.COPY, place_id)

    assert [(j.job_type, j.dedupe_key, j.priority) for j in refresh.follow_ups] == [
        (JobType.BUILD, f"BUILD:{place_id}", 100)
    ]
    assert list(of_a_generation.follow_ups) == []


@pytest.mark.parametrize(
    ("behaviour", "code", "told"),
    [
        (vendor.forbidden(), "auth", 1),
        (vendor.model_retired(), "model_retired", 1),
        (vendor.spend_limit(), "spend_limit", 1),
        (vendor.quota_minute("90s"), "quota_minute", 0),
        (vendor.blocked(), "blocked", 0),
    ],
)
async def test_a_refusal_that_only_people_can_mend_reaches_them_once(
    conn: Connection,
    database: str,
    tmp_path: Path,
    fake: vendor.FakeGemini,
    behaviour: Behaviour,
    code: str,
    told: int,
) -> None:
    fake.default = behaviour
    key: dict[str, Any] = {"gemini_api_key": "key", "gemini_base_url": fake.url, "copy_ai_wait_seconds": 0}
    for name in ("달그릇국수", "별그릇국수"):
        await copy_of(conn, database, tmp_path, await add_place(conn, INTAKE | {"name": name}), **key)
    alerts = await conn.fetch("SELECT dedupe_key, detail::text AS detail FROM alert_outbox")
    assert [alert["dedupe_key"] for alert in alerts] == [f"ai_refused:gemini:gemini-3.8-flash:{code}"] * told
    assert not any('"key"' in alert["detail"] for alert in alerts)


async def test_past_the_months_budget_the_page_is_made_of_the_facts_and_nobody_is_asked(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakeGemini
) -> None:
    place_id = await add_place(conn, INTAKE)

    result, _ = await copy_of(
        conn,
        database,
        tmp_path,
        place_id,
        gemini_api_key="key",
        gemini_base_url=fake.url,
        ai_monthly_budget_usd=0,
    )

    assert (result["mode"], result["reason"], result["skipped"]) == ("facts_only", "budget", "budget")
    assert fake.requests == []
    assert await conn.fetchval("SELECT kind FROM alert_outbox") == "ai_budget_spent"


async def test_an_answer_without_a_true_sentence_leaves_the_text_of_the_facts(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakeGemini
) -> None:
    place_id = await add_place(conn, INTAKE)
    lie = {"title": "최고의 맛집", "summary": "미쉐린 3스타입니다.", "sections": [], "faq": []}
    fake.script(vendor.ok({"ko": lie, "en": {**lie, "title": "Best", "summary": "Three Michelin stars."}}))

    result, copy = await copy_of(
        conn, database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url
    )

    assert (result["mode"], result["reason"]) == ("facts_only", "unfaithful")
    assert "02-555-0142" in copy.content["ko"].model_dump_json()
    assert copy.model_version == "gemini-3.8-flash-001", "who could not do it is kept all the same"


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (vendor.quota_minute("3600s"), "quota"),
        (vendor.quota_day(), "quota"),
        (vendor.spend_limit(), "spend_limit"),
        (vendor.forbidden(), "auth"),
        (vendor.model_retired(), "model_retired"),
        (vendor.blocked(), "blocked"),
        (vendor.max_tokens(), "unfinished"),
        (vendor.empty(), "empty"),
        (vendor.html(), "bad_json"),
        (vendor.bad_json(), "bad_json"),
        (vendor.wrong_shape(), "bad_json"),
        (vendor.bad_request(), "bad_request"),
    ],
)
async def test_whatever_gemini_does_there_is_a_text_and_the_reason(
    conn: Connection,
    database: str,
    tmp_path: Path,
    fake: vendor.FakeGemini,
    behaviour: Behaviour,
    reason: str,
) -> None:
    place_id = await add_place(conn, INTAKE)
    fake.script(behaviour)

    result, copy = await copy_of(
        conn, database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url
    )

    assert (result["mode"], result["reason"]) == ("facts_only", reason)
    assert "02-555-0142" in copy.content["ko"].model_dump_json()
    assert await conn.fetchval("SELECT count(*) FROM usage WHERE outcome <> 'ok'") == 1


@pytest.mark.parametrize(
    "envelope",
    [
        {"modelVersion": "gemini\0", "responseId": "\0"},
        {"modelVersion": "\ud800", "responseId": "\udfff"},
        {"modelVersion": "m" * 100_000},
        {"usageMetadata": {"promptTokenCount": 10**400, "candidatesTokenCount": -1}},
    ],
    ids=["NUL", "half a character", "a long name", "no number of tokens"],
)
async def test_an_odd_envelope_costs_no_text(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakeGemini, envelope: dict[str, Any]
) -> None:
    place_id = await add_place(conn, INTAKE)
    fake.script(vendor.odd(written(), **envelope))

    result, copy = await copy_of(
        conn, database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url
    )

    assert (result["mode"], result["reason"]) == ("ai", None)
    assert len(copy.model_version or "") <= 200


@pytest.mark.parametrize("stated", ["9" * 20, "9" * 400, "\u00b2", "-5"])
async def test_an_absurd_time_to_wait_costs_no_text_and_is_not_kept_to_for_weeks(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakeGemini, stated: str
) -> None:
    place_id = await add_place(conn, INTAKE)
    fake.default = vendor.server_error(Retry_After=stated)
    key: dict[str, Any] = {"gemini_api_key": "key", "gemini_base_url": fake.url, "copy_ai_wait_seconds": 0}

    outcome = await outcome_of(write, settings_for(database, tmp_path, **key), JobType.COPY, place_id)

    assert (outcome.result["mode"], outcome.result["reason"]) == ("facts_only", "server")
    [later] = outcome.follow_ups
    assert 300 <= later.delay <= 86_400


async def test_a_drip_ends_at_the_calls_total_time(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakeGemini
) -> None:
    place_id = await add_place(conn, INTAKE)
    fake.default = vendor.drip(0.02)

    result, _ = await copy_of(
        conn,
        database,
        tmp_path,
        place_id,
        gemini_api_key="key",
        gemini_base_url=fake.url,
        gemini_timeout=0.3,
        copy_ai_wait_seconds=0,
    )

    assert (result["mode"], result["reason"]) == ("facts_only", "timeout")


async def test_a_short_wait_for_quota_is_waited_for(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakeGemini
) -> None:
    place_id = await add_place(conn, INTAKE)
    fake.script(vendor.quota_minute("0.05s"), vendor.ok(written()))

    result, _ = await copy_of(
        conn, database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url
    )

    assert result["mode"] == "ai"
    assert await conn.fetch("SELECT outcome FROM usage ORDER BY usage_id") == [("quota_minute",), ("ok",)]


async def test_too_few_facts_make_an_honest_text_and_no_call(
    conn: Connection, database: str, tmp_path: Path, fake: vendor.FakeGemini
) -> None:
    place_id = await add_place(conn, {"name": "달그릇국수"})

    result, copy = await copy_of(
        conn, database, tmp_path, place_id, gemini_api_key="key", gemini_base_url=fake.url
    )

    assert (result["mode"], result["reason"]) == ("facts_only", "too_few_facts")
    assert copy.content["ko"].title == "달그릇국수"
    assert fake.requests == []


async def test_a_place_that_is_gone_ends_the_job_for_good(database: str, tmp_path: Path) -> None:
    with pytest.raises(PermanentJobError):
        await outcome_of(write, settings_for(database, tmp_path), JobType.COPY, uuid4())


async def _version(conn: Connection, place_id: UUID) -> int:
    return int(await conn.fetchval("SELECT facts_version FROM places WHERE place_id = $1", place_id))
