"""The Agent API's client against a server on loopback."""

from collections.abc import AsyncIterator, Iterator

import pytest
from pydantic import SecretStr

from shared.providers.calls import ProviderCall
from shared.providers.failures import ProviderFailure
from shared.providers.perplexity import PerplexityClient, SearchedAnswer
from tests.fakes import gemini
from tests.fakes import perplexity as vendor
from tests.fakes.http_server import Behaviour
from tests.open_access import OpenAccess

KEY = "pplx-key-of-nobody"


@pytest.fixture
def fake() -> Iterator[vendor.FakePerplexity]:
    server = vendor.FakePerplexity()
    with server.running():
        yield server


@pytest.fixture
def access() -> OpenAccess:
    return OpenAccess()


@pytest.fixture
def calls(access: OpenAccess) -> list[ProviderCall]:
    return access.calls


@pytest.fixture
async def client(fake: vendor.FakePerplexity, access: OpenAccess) -> AsyncIterator[PerplexityClient]:
    async with PerplexityClient(SecretStr(KEY), base_url=fake.url, timeout=1, access=access) as perplexity:
        yield perplexity


async def ask(client: PerplexityClient) -> SearchedAnswer:
    return await client.ask("성동구 국숫집은?", model="perplexity/sonar", language="ko")


async def test_cited_and_retrieved_pages_are_told_apart(
    client: PerplexityClient, fake: vendor.FakePerplexity, calls: list[ProviderCall]
) -> None:
    fake.script(vendor.answered("국수", cited=["https://a.example/"], retrieved=["https://b.example/"]))

    answer = await ask(client)

    assert (answer.text, answer.cited) == ("국수", ("https://a.example/",))
    assert answer.retrieved == ("https://b.example/", "https://a.example/")
    assert [(c.outcome, c.input_tokens, c.output_tokens, c.cost_usd) for c in calls] == [
        ("ok", 400, 120, 0.0042)
    ]


async def test_the_model_is_pinned_and_the_question_comes_from_korea(
    client: PerplexityClient, fake: vendor.FakePerplexity
) -> None:
    await ask(client)

    request = fake.requests[0].json
    assert request["model"] == "perplexity/sonar"
    assert "preset" not in request
    assert request["tools"] == [{"type": "web_search", "user_location": {"country": "KR"}}]
    assert fake.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("behaviour", "code", "retry_after"),
    [
        (vendor.failed_inside_200("server_error"), "server", None),
        (vendor.failed_inside_200("rate_limit_exceeded"), "quota_minute", None),
        (vendor.failed_inside_200("invalid_request"), "bad_request", None),
        (vendor.unfinished(), "unfinished", None),
        (vendor.unfinished("incomplete"), "unfinished", None),
        (vendor.error(429, Retry_After="9"), "quota_minute", 9.0),
        (vendor.error(402), "spend_limit", None),
        (vendor.error(403), "auth", None),
        (vendor.error(404), "model_retired", None),
        (vendor.error(422), "bad_request", None),
        (vendor.error(503), "server", None),
        (vendor.wordless(), "empty", None),
        (vendor.html(), "bad_answer", None),
        (gemini.json_of_another_kind(), "bad_answer", None),
        (gemini.cut(), "connection", None),
        (gemini.drip(0.05), "timeout", None),
    ],
)
async def test_every_failure_has_one_name(
    client: PerplexityClient,
    fake: vendor.FakePerplexity,
    calls: list[ProviderCall],
    behaviour: Behaviour,
    code: str,
    retry_after: float | None,
) -> None:
    fake.script(behaviour)

    with pytest.raises(ProviderFailure) as failure:
        await ask(client)

    assert failure.value.code == code, str(failure.value)
    assert failure.value.retry_after == retry_after
    assert [call.outcome for call in calls] == [code]


async def test_the_key_never_stands_in_an_error(
    client: PerplexityClient, fake: vendor.FakePerplexity
) -> None:
    fake.script(vendor.unauthorized())

    with pytest.raises(ProviderFailure) as failure:
        await ask(client)

    assert failure.value.code == "auth"
    assert KEY not in str(failure.value)


async def test_parts_of_another_kind_are_passed_over(
    client: PerplexityClient, fake: vendor.FakePerplexity
) -> None:
    fake.script(vendor.odd_shapes())

    answer = await ask(client)

    assert (answer.text, answer.cited, answer.retrieved) == ("국수", (), ())
