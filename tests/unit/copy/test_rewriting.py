"""Doubtful sentences go back to the model once, all together, and what it cannot say truly is dropped."""

import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from functions.copy.english import english_page
from functions.copy.korean import korean_page
from functions.copy.writer import Written, write_with
from shared.places.models import Locale, PageCopy
from shared.providers.failures import ProviderFailure
from shared.providers.gemini import GeminiClient
from tests.fakes import gemini as vendor
from tests.fakes.http_server import Behaviour
from tests.unit.copy.confirmed import PLACES, confirmed, facts_of
from tests.unit.copy.written_pages import EN, KO, gemini_at, page, sentences_asked_for

pytestmark = pytest.mark.asyncio(loop_scope="module")

FACTS = facts_of(PLACES["noodles"])
TOLD: dict[Locale, PageCopy] = {"ko": korean_page(FACTS), "en": english_page(FACTS)}


@pytest.fixture(scope="module")
def server() -> Iterator[vendor.FakeGemini]:
    fake = vendor.FakeGemini()
    with fake.running():
        yield fake


@pytest.fixture
def fake(server: vendor.FakeGemini) -> vendor.FakeGemini:
    server.requests.clear()
    return server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(server: vendor.FakeGemini) -> AsyncIterator[GeminiClient]:
    async with gemini_at(server.url) as gemini:
        yield gemini


async def written(client: GeminiClient, seconds: float = 10.0) -> Written:
    ends = time.monotonic() + seconds
    facts = confirmed(PLACES["noodles"])
    return await write_with(client, "gemini-3.8-flash", FACTS, facts, TOLD, lambda: ends - time.monotonic())


def with_summary(korean: str, english: str = EN["summary"]) -> dict[str, Any]:
    return {"ko": page(KO) | {"summary": korean}, "en": page(EN) | {"summary": english}}


def sentences(*texts: str) -> dict[str, Any]:
    return {"sentences": [{"id": number, "text": text} for number, text in enumerate(texts, 1)]}


async def test_a_page_without_a_doubt_takes_one_call(client: GeminiClient, fake: vendor.FakeGemini) -> None:
    fake.script(vendor.ok({"ko": page(KO), "en": page(EN)}))

    result = await written(client)

    assert len(fake.requests) == 1
    assert (result.dropped, result.rewritten, result.copy.mode) == ([], 0, "ai")


async def test_all_doubts_of_both_pages_go_back_in_one_call_with_what_is_wrong(
    client: GeminiClient, fake: vendor.FakeGemini
) -> None:
    fake.script(
        vendor.ok(with_summary("최고의 음식점입니다. 비빔국수는 9,500원입니다.", "Open on Mondays.")),
        vendor.ok(sentences("성동구의 음식점입니다.", "Closed on Mondays.")),
    )

    result = await written(client)

    assert len(fake.requests) == 2
    asked = sentences_asked_for(fake.requests[1])
    assert [(s["id"], s["page"], s["part"], s["text"]) for s in asked] == [
        (1, "ko", "summary", "최고의 음식점입니다."),
        (2, "en", "summary", "Open on Mondays."),
    ]
    assert asked[0]["found"] == [{"kind": "praise", "words": "최고"}]
    assert asked[1]["found"] == [{"kind": "hours", "words": "Mondays."}]
    assert result.copy.content["ko"].summary == "성동구의 음식점입니다. 비빔국수는 9,500원입니다."
    assert result.copy.content["en"].summary == "Closed on Mondays."
    assert (result.dropped, result.rewritten) == ([], 2)


async def test_what_is_no_truer_the_second_time_is_dropped(
    client: GeminiClient, fake: vendor.FakeGemini
) -> None:
    fake.script(
        vendor.ok(with_summary("성동구의 음식점입니다. 최고의 국수입니다. 1987년에 개업했습니다.")),
        vendor.ok(sentences("으뜸가는 국수입니다.", "")),
    )

    result = await written(client)

    assert len(fake.requests) == 2, "asked once, not until it gives in"
    assert result.copy.content["ko"].summary == "성동구의 음식점입니다."
    assert {finding.kind for finding in result.dropped} >= {"praise", "number"}
    assert result.rewritten == 0


async def test_half_a_true_answer_is_none(client: GeminiClient, fake: vendor.FakeGemini) -> None:
    fake.script(
        vendor.ok(with_summary("최고의 국수입니다.")),
        vendor.ok(sentences("국수를 판매합니다. 서울 최고입니다.")),
    )

    result = await written(client)

    assert result.copy.content["ko"].summary == TOLD["ko"].summary


async def test_answers_to_what_was_not_asked_are_left(client: GeminiClient, fake: vendor.FakeGemini) -> None:
    strange = {
        "sentences": [
            {"id": 7, "text": "비빔국수를 판매합니다."},
            {"id": 1, "text": "국수를 판매합니다."},
            {"id": 1, "text": "물만두를 판매합니다."},
            {"id": -1, "text": ""},
        ]
    }
    fake.script(vendor.ok(with_summary("최고의 국수입니다.")), vendor.ok(strange))

    result = await written(client)

    assert result.copy.content["ko"].summary == "국수를 판매합니다."
    assert "물만두를 판매합니다" not in result.copy.model_dump_json()


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        (vendor.quota_minute("30s"), "quota_minute"),
        (vendor.server_error(503), "server"),
        (vendor.blocked(), "blocked"),
        (vendor.max_tokens(), "unfinished"),
        (vendor.bad_json(), "bad_answer"),
        (vendor.cut(), "connection"),
    ],
)
async def test_a_second_call_that_fails_costs_its_sentences_and_no_more(
    client: GeminiClient, fake: vendor.FakeGemini, behaviour: Behaviour, code: str
) -> None:
    fake.script(vendor.ok(with_summary("성동구의 음식점입니다. 최고의 국수입니다.")), behaviour)

    result = await written(client)

    assert (result.copy.mode, result.copy.content["ko"].summary) == ("ai", "성동구의 음식점입니다.")
    assert len(fake.requests) == 2, "and is not tried again"
    assert result.copy.usage is not None
    assert result.copy.usage["calls"][1] == {"call": "rewrite", "outcome": code}
    assert result.copy.usage["input_tokens"] == 900


async def test_without_time_there_is_no_second_call(client: GeminiClient, fake: vendor.FakeGemini) -> None:
    fake.script(vendor.ok(with_summary("성동구의 음식점입니다. 최고의 국수입니다.")))

    result = await written(client, seconds=2.9)

    assert len(fake.requests) == 1
    assert result.copy.content["ko"].summary == "성동구의 음식점입니다."


async def test_the_first_call_that_fails_is_the_callers_to_judge(
    client: GeminiClient, fake: vendor.FakeGemini
) -> None:
    fake.script(vendor.blocked())

    with pytest.raises(ProviderFailure):
        await written(client)


async def test_both_calls_are_kept_with_the_copy(client: GeminiClient, fake: vendor.FakeGemini) -> None:
    fake.script(vendor.ok(with_summary("최고의 국수입니다.")), vendor.ok(sentences("국수를 판매합니다.")))

    copy = (await written(client)).copy

    assert copy.usage is not None
    assert [(call["call"], call["outcome"]) for call in copy.usage["calls"]] == [
        ("write", "ok"),
        ("rewrite", "ok"),
    ]
    assert (copy.usage["input_tokens"], copy.usage["output_tokens"]) == (1800, 480)
    assert copy.usage["cost_usd"] == pytest.approx(2 * copy.usage["calls"][0]["cost_usd"])


async def test_a_page_in_the_other_language_is_the_facts_own_and_is_not_asked_for_again(
    client: GeminiClient, fake: vendor.FakeGemini
) -> None:
    fake.script(vendor.ok({"ko": page(EN), "en": page(EN)}))

    result = await written(client)

    assert len(fake.requests) == 1
    assert result.copy.content["ko"] == TOLD["ko"]
    assert result.copy.content["en"].title == EN["title"]
    assert {finding.kind for finding in result.dropped} >= {"language"}


async def test_languages_exchanged_leave_nothing_of_the_model(
    client: GeminiClient, fake: vendor.FakeGemini
) -> None:
    fake.script(vendor.ok({"ko": page(EN), "en": page(KO)}))

    result = await written(client)

    assert (result.copy.mode, result.copy.reason) == ("facts_only", "unfaithful")
    assert result.copy.content == TOLD
