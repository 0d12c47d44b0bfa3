"""The real SDK against a server on loopback that answers as the vendor does."""

import sys
from collections.abc import AsyncIterator, Iterator

import pytest
from pydantic import BaseModel, SecretStr

from shared.providers.calls import ProviderCall
from shared.providers.failures import ProviderFailure
from shared.providers.gemini import GeminiClient, ImagePart
from tests.fakes import gemini as vendor
from tests.fakes.http_server import Behaviour
from tests.open_access import OpenAccess

KEY = "test-key-of-nobody"


class Verdict(BaseModel):
    title: str
    score: float


@pytest.fixture
def fake() -> Iterator[vendor.FakeGemini]:
    with vendor.FakeGemini().running() as server:
        assert isinstance(server, vendor.FakeGemini)
        yield server


@pytest.fixture
def access() -> OpenAccess:
    return OpenAccess()


@pytest.fixture
def calls(access: OpenAccess) -> list[ProviderCall]:
    return access.calls


@pytest.fixture
async def client(fake: vendor.FakeGemini, access: OpenAccess) -> AsyncIterator[GeminiClient]:
    async with GeminiClient(SecretStr(KEY), base_url=fake.url, timeout=5, access=access) as gemini:
        yield gemini


async def ask(client: GeminiClient, *parts: str | ImagePart, timeout: float | None = None) -> Verdict:
    answer = await client.ask(
        parts or ("how is it?",),
        model="gemini-3.8-flash",
        shape=Verdict,
        instruction="judge",
        max_output_tokens=2000,
        timeout=timeout,
    )
    return answer.value


async def test_an_answer_comes_back_as_the_shape_that_was_asked_for(
    client: GeminiClient, fake: vendor.FakeGemini
) -> None:
    fake.script(vendor.ok({"title": "국수", "score": 0.8}))

    assert await ask(client, "first", ImagePart(b"\xff\xd8picture")) == Verdict(title="국수", score=0.8)

    request = fake.requests[0]
    assert vendor.model_of(request) == "gemini-3.8-flash"
    assert request.headers["x-goog-api-key"] == KEY
    assert vendor.texts_of(request) == ["first"]
    assert vendor.images_of(request) == [b"\xff\xd8picture"]
    assert set(vendor.schema_of(request)["properties"]) == {"title", "score"}


async def test_a_call_is_told_with_its_tokens_and_what_they_cost(
    client: GeminiClient, fake: vendor.FakeGemini, calls: list[ProviderCall]
) -> None:
    await ask(client)

    [call] = calls
    assert (call.provider, call.model, call.outcome) == ("gemini", "gemini-3.8-flash", "ok")
    assert (call.input_tokens, call.output_tokens) == (900, 240), "thinking is paid for as output"
    assert call.cost_usd is not None
    assert call.cost_usd > 0


@pytest.mark.parametrize(
    ("behaviour", "code", "retryable", "retry_after"),
    [
        (vendor.quota_minute("33.2s"), "quota_minute", True, 33.2),
        (vendor.quota_day(), "quota_day", False, 12.0),
        (vendor.quota_bare(), "quota_minute", True, None),
        (vendor.quota_bare(Retry_After="7"), "quota_minute", True, 7.0),
        (vendor.quota_as_text(), "quota_minute", True, None),
        (vendor.spend_limit(), "spend_limit", False, None),
        (vendor.model_retired(), "model_retired", False, None),
        (vendor.forbidden(), "auth", False, None),
        (vendor.bad_key(), "auth", False, None),
        (vendor.bad_request(), "bad_request", False, None),
        (vendor.server_error(500), "server", True, None),
        (vendor.server_error(504), "timeout", True, None),
        (vendor.blocked(), "blocked", False, None),
        (vendor.withheld(), "blocked", False, None),
        (vendor.max_tokens(), "unfinished", False, None),
        (vendor.empty(), "empty", False, None),
        (vendor.no_parts(), "empty", False, None),
        (vendor.html(), "bad_answer", False, None),
        (vendor.json_of_another_kind(b"[1, 2]"), "empty", False, None),
        (vendor.json_of_another_kind(b'"text"'), "empty", False, None),
        (vendor.json_of_another_kind(b"5"), "bad_answer", False, None),
        (vendor.bad_json(), "bad_answer", False, None),
        (vendor.wrong_shape(), "bad_answer", False, None),
        (vendor.cut(), "connection", True, None),
    ],
)
async def test_every_failure_has_one_name_and_is_sent_once(
    client: GeminiClient,
    fake: vendor.FakeGemini,
    calls: list[ProviderCall],
    behaviour: Behaviour,
    code: str,
    retryable: bool,
    retry_after: float | None,
) -> None:
    fake.script(behaviour)

    with pytest.raises(ProviderFailure) as failure:
        await ask(client)

    assert (failure.value.code, failure.value.retryable) == (code, retryable), str(failure.value)
    assert failure.value.retry_after == retry_after
    assert len(fake.requests) == 1, "the SDK's own retries are off"
    assert [call.outcome for call in calls] == [code]


async def test_tokens_of_a_refused_question_are_on_record(
    client: GeminiClient, fake: vendor.FakeGemini, calls: list[ProviderCall]
) -> None:
    fake.script(vendor.blocked())

    with pytest.raises(ProviderFailure):
        await ask(client)

    assert calls[0].input_tokens == 700


async def test_an_answer_that_drips_ends_at_the_total_time(
    client: GeminiClient, fake: vendor.FakeGemini
) -> None:
    fake.script(vendor.drip(0.02))

    with pytest.raises(ProviderFailure) as failure:
        await ask(client, timeout=0.4)

    assert failure.value.code == "timeout"


async def test_nobody_listening_is_a_failure_of_the_connection(access: OpenAccess) -> None:
    with vendor.FakeGemini().running() as gone:
        url = gone.url
    async with GeminiClient(SecretStr(KEY), base_url=url, timeout=5, access=access) as client:
        with pytest.raises(ProviderFailure) as failure:
            await ask(client)

    assert failure.value.code == "connection"
    assert [call.outcome for call in access.calls] == ["connection"]


async def test_the_key_never_stands_in_an_error(client: GeminiClient, fake: vendor.FakeGemini) -> None:
    fake.script(vendor.bad_key())

    with pytest.raises(ProviderFailure) as failure:
        await ask(client)

    assert "***" in str(failure.value)
    assert KEY not in str(failure.value)


async def test_a_redirect_is_not_followed_with_the_key(client: GeminiClient, fake: vendor.FakeGemini) -> None:
    with vendor.FakeGemini().running() as elsewhere:
        fake.script(vendor.redirect(elsewhere.url + "/v1/models/x:generateContent"))
        with pytest.raises(ProviderFailure) as failure:
            await ask(client)

        assert failure.value.code == "bad_answer"
        assert elsewhere.requests == []


def test_aiohttp_is_not_installed() -> None:
    """With it the SDK would leave httpx for another transport, whose errors nobody translates."""
    assert "aiohttp" not in sys.modules
    with pytest.raises(ModuleNotFoundError):
        __import__("aiohttp")
