"""The page's text by Gemini, from confirmed facts, held against them afterwards."""

import json
from pathlib import Path

from pydantic import BaseModel

from functions.copy.claims import allowed_claims, checked
from shared.places.models import ConfirmedFacts, Copy, Locale, PageCopy, Question, Section
from shared.providers.gemini import GeminiClient

PROMPT_VERSION = "v1"
# Two languages of a page are about 2,500 tokens; the rest is room for the reasoning, which counts against it.
OUTPUT_TOKENS = 12_000
_PROMPTS = Path(__file__).parent / "prompts"
_TITLE_LIMIT, _SUMMARY_LIMIT = 120, 400  # characters; a longer one is not what was asked for


class WrittenSection(BaseModel):
    """A headed part, as the model answers it."""

    heading: str
    text: str
    facts: list[str]


class WrittenQuestion(BaseModel):
    """A question and its answer, as the model answers them."""

    question: str
    answer: str


class WrittenPage(BaseModel):
    """A page in one language, as the model answers it."""

    title: str
    summary: str
    sections: list[WrittenSection]
    faq: list[WrittenQuestion]

    def as_copy(self, known: frozenset[str], fallback: PageCopy) -> PageCopy:
        """The page in the shape that is stored; of the named facts only those that are known."""
        return PageCopy(
            title=self.title if len(self.title) <= _TITLE_LIMIT else fallback.title,
            summary=self.summary if len(self.summary) <= _SUMMARY_LIMIT else fallback.summary,
            sections=[
                Section(heading=s.heading, text=s.text, facts=[key for key in s.facts if key in known])
                for s in self.sections
            ],
            faq=[Question(question=q.question, answer=q.answer) for q in self.faq],
        )


class WrittenCopy(BaseModel):
    """The model's answer."""

    ko: WrittenPage
    en: WrittenPage


async def write_with(
    client: GeminiClient,
    model: str,
    facts: ConfirmedFacts,
    told: dict[Locale, PageCopy],
    timeout: float,
) -> tuple[Copy, list[str]]:
    """The copy, and what had to be taken out of it. `told` is the text made of the facts alone.

    Raises `ProviderFailure`.
    """
    answer = await client.ask(
        [_question(facts)],
        model=model,
        shape=WrittenCopy,
        instruction=_prompt("system"),
        max_output_tokens=OUTPUT_TOKENS,
        think=True,
        timeout=timeout,
    )
    allowed = allowed_claims(facts.facts, [text for page in told.values() for text in _texts(page)])
    known = frozenset(facts.facts)
    content: dict[Locale, PageCopy] = {}
    dropped: list[str] = []
    pages: dict[Locale, WrittenPage] = {"ko": answer.value.ko, "en": answer.value.en}
    for locale, page in pages.items():
        result = checked(page.as_copy(known, told[locale]), allowed, told[locale])
        content[locale] = result.page
        dropped += result.dropped
    call = answer.call
    copy = Copy(
        content=content,
        mode="ai",
        facts_version=facts.version,
        prompt_version=PROMPT_VERSION,
        model_version=answer.model_version or model,
        usage={
            "input_tokens": call.input_tokens,
            "output_tokens": call.output_tokens,
            "cost_usd": call.cost_usd,
            "response_id": answer.response_id,
        },
    )
    return copy, dropped


def _question(facts: ConfirmedFacts) -> str:
    values = {key: fact.value for key, fact in sorted(facts.facts.items())}
    # "<" is written as an escape, so that nothing inside can close the fence.
    data = json.dumps(values, ensure_ascii=False, indent=1).replace("<", "\\u003c")
    return _prompt("write").replace("{facts}", data)


def _prompt(name: str) -> str:
    return (_PROMPTS / f"{PROMPT_VERSION}_{name}.txt").read_text(encoding="utf-8")


def _texts(page: PageCopy) -> list[str]:
    texts = [page.title, page.summary]
    texts += [part for section in page.sections for part in (section.heading, section.text)]
    return texts + [part for asked in page.faq for part in (asked.question, asked.answer)]
