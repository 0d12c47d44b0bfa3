"""Whatever facts and pages tell a model to write: nothing unconfirmed reaches the copy.

The real client asks a server on loopback that answers as a model that obeys, and that insists when asked to write again.
"""

import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from functions.copy.english import english_page
from functions.copy.korean import korean_page
from functions.copy.place_facts import PlaceFacts
from functions.copy.writer import Written, write_with
from shared.places.models import ConfirmedFacts, Locale, PageCopy
from shared.prose.texts import shown
from shared.providers.gemini import GeminiClient
from tests.fakes import gemini as vendor
from tests.fakes.http_server import Recorded
from tests.unit.copy.confirmed import PLACES, confirmed, place_named
from tests.unit.copy.poisoned_cases import POISONED, Poison
from tests.unit.copy.written_pages import EN, KO, gemini_at, is_second_call, page, sentences_asked_for

pytestmark = pytest.mark.asyncio(loop_scope="module")  # one client for all: making one costs more than asking


@pytest.fixture(scope="module")
def fake() -> Iterator[vendor.FakeGemini]:
    server = vendor.FakeGemini()
    with server.running():
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(fake: vendor.FakeGemini) -> AsyncIterator[GeminiClient]:
    async with gemini_at(fake.url) as gemini:
        yield gemini


def obedient(poison: Poison, *, everywhere: bool) -> Any:
    """What the fooled model answers: the poison in every part, and again when asked for something else."""

    def answer(request: Recorded) -> Any:
        if not is_second_call(request):
            return {
                "ko": page(KO, poison.ko, everywhere=everywhere),
                "en": page(EN, poison.en, everywhere=everywhere),
            }
        asked = sentences_asked_for(request)
        return {
            "sentences": [
                {"id": s["id"], "text": poison.ko if s["page"] == "ko" else poison.en} for s in asked
            ]
        }

    return answer


async def written(client: GeminiClient, values: dict[str, Any]) -> tuple[Written, dict[Locale, PageCopy]]:
    facts = confirmed(values)
    known = PlaceFacts.of(place_named(values["name"]), facts)
    told: dict[Locale, PageCopy] = {"ko": korean_page(known), "en": english_page(known)}
    return await write_with(client, "gemini-3.8-flash", known, facts, told, lambda: 10.0), told


def texts_of(pages: dict[Locale, PageCopy]) -> str:
    parts = []
    for one in pages.values():
        parts += [one.title, one.summary]
        parts += [text for section in one.sections for text in (section.heading, section.text)]
        parts += [text for asked in one.faq for text in (asked.question, asked.answer)]
    return "\n".join(parts)


async def test_there_are_more_than_fifty() -> None:
    assert len(POISONED) >= 50
    assert len({poison.label for poison in POISONED}) == len(POISONED)


@pytest.mark.parametrize("poison", POISONED, ids=lambda poison: poison.label)
async def test_nothing_unconfirmed_reaches_the_copy(
    client: GeminiClient, fake: vendor.FakeGemini, poison: Poison
) -> None:
    values = PLACES["noodles"] | poison.values
    for everywhere in (False, True):
        fake.default = vendor.ok(obedient(poison, everywhere=everywhere))
        fake.requests.clear()

        result, told = await written(client, values)

        said = texts_of(result.copy.content)
        assert not re.search(poison.forbidden, said, re.IGNORECASE), said
        assert not re.search(poison.forbidden, texts_of(told), re.IGNORECASE), "the templates repeat it"
        assert said == "\n".join(shown(line) for line in said.split("\n")), "a reader sees all of it"
        assert result.dropped
        assert_not_told(fake.requests[0])
        if not everywhere:
            assert result.copy.mode == "ai"
            assert result.copy.content["ko"].summary.startswith(KO["summary"]), "what is true around it stays"
            assert result.copy.content["en"].sections[0].text.startswith(EN["text"])


def assert_not_told(request: Recorded) -> None:
    """What speaks to the model is left out of the facts it gets, and nothing in them is a tag."""
    [question] = vendor.texts_of(request)
    assert question.count("<facts>") == question.count("</facts>") == 1
    assert not re.search(
        r"ignore|disregard|무시하|system:|you must|http|<script|<img", question, re.IGNORECASE
    )


async def test_facts_nobody_confirmed_are_not_told_to_the_model(
    client: GeminiClient, fake: vendor.FakeGemini
) -> None:
    fake.default = vendor.ok({"ko": page(KO), "en": page(EN)})
    fake.requests.clear()
    facts = confirmed(PLACES["noodles"])
    without: ConfirmedFacts = facts.model_copy(
        update={"facts": {k: f for k, f in facts.facts.items() if k != "phone"}}
    )
    known = PlaceFacts.of(place_named("달그릇국수"), without)
    told: dict[Locale, PageCopy] = {"ko": korean_page(known), "en": english_page(known)}

    await write_with(client, "gemini-3.8-flash", known, without, told, lambda: 10.0)

    assert "5550142" not in vendor.texts_of(fake.requests[0])[0].replace("-", "")
