"""The page's text by Gemini from confirmed facts, held against them, doubtful sentences written once more."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from functions.copy.claims import Checker, Finding
from functions.copy.draft import Draft, Line, findings_of
from functions.copy.place_facts import PlaceFacts
from functions.copy.prompting import PROMPT_VERSION, rewrite_request, rules, write_request
from shared.logging import logger
from shared.places.models import ConfirmedFacts, Copy, Locale, PageCopy, Question, Section
from shared.providers.failures import ProviderFailure
from shared.providers.gemini import GeminiAnswer, GeminiClient

# Two languages of a page are about 2,500 tokens; the rest is room for the reasoning, which counts against it.
OUTPUT_TOKENS = 12_000
REWRITE_TOKENS = 6_000
REWRITE_SECONDS = 3.0  # with less left the second call is not begun
_MOST_REWRITTEN = 60  # sentences; a page has about forty
UNFAITHFUL = (
    "unfaithful"  # why a page is made of facts alone though the model answered: no sentence of it held
)


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

    def as_copy(self, known: frozenset[str]) -> PageCopy:
        """The page in the shape that is stored; of the named facts only those that are known."""
        return PageCopy(
            title=self.title,
            summary=self.summary,
            sections=[
                Section(heading=s.heading, text=s.text, facts=[key for key in s.facts if key in known])
                for s in self.sections
            ],
            faq=[Question(question=q.question, answer=q.answer) for q in self.faq],
        )


class WrittenCopy(BaseModel):
    """The model's answer to the first call."""

    ko: WrittenPage
    en: WrittenPage


class RewrittenSentence(BaseModel):
    """A sentence in place of another; empty when nothing is left to say."""

    id: int
    text: str


class RewrittenCopy(BaseModel):
    """The model's answer to the second call."""

    sentences: list[RewrittenSentence]


@dataclass(frozen=True)
class Written:
    """A copy, what had to be taken out of it, and how many sentences were written again and kept."""

    copy: Copy
    dropped: list[Finding]
    rewritten: int


async def write_with(
    client: GeminiClient,
    model: str,
    facts: PlaceFacts,
    confirmed: ConfirmedFacts,
    told: dict[Locale, PageCopy],
    remaining: Callable[[], float],
) -> Written:
    """The copy, in at most two calls. `told` is the text made of the facts alone; `remaining` is in seconds.

    A second call that fails costs the sentences it was to save. Raises `ProviderFailure` when the first one fails.
    """
    answer = await client.ask(
        [write_request(confirmed)],
        model=model,
        shape=WrittenCopy,
        instruction=rules(),
        max_output_tokens=OUTPUT_TOKENS,
        think=True,
        timeout=remaining(),
    )
    checker = Checker(facts, confirmed, told)
    known = frozenset(confirmed.facts)
    drafts = [
        Draft(answer.value.ko.as_copy(known), "ko", checker),
        Draft(answer.value.en.as_copy(known), "en", checker),
    ]
    calls = [_call("write", answer)]
    rewritten = await _write_again(client, model, confirmed, drafts, remaining, calls)
    unfaithful = all(draft.is_empty for draft in drafts)
    copy = Copy(
        content={draft.locale: draft.page(told[draft.locale]) for draft in drafts},
        mode="facts_only" if unfaithful else "ai",
        reason=UNFAITHFUL if unfaithful else None,
        facts_version=confirmed.version,
        prompt_version=PROMPT_VERSION,
        model_version=answer.model_version or model,
        usage=_usage(calls),
    )
    return Written(copy, findings_of(drafts), rewritten)


async def _write_again(
    client: GeminiClient,
    model: str,
    confirmed: ConfirmedFacts,
    drafts: Sequence[Draft],
    remaining: Callable[[], float],
    calls: list[dict[str, Any]],
) -> int:
    """Put better sentences in place of the doubtful ones, all in one call; how many there were."""
    lines = [(draft, line) for draft in drafts if not draft.is_foreign for line in draft.doubtful]
    lines = lines[:_MOST_REWRITTEN]
    if not lines:
        return 0
    left = remaining()
    if left < REWRITE_SECONDS:
        logger.info("no time is left to write sentences again", extra={"seconds": round(left, 1)})
        return 0
    sentences = [_doubt(number, draft, line) for number, (draft, line) in enumerate(lines, 1)]
    try:
        answer = await client.ask(
            [rewrite_request(confirmed, sentences)],
            model=model,
            shape=RewrittenCopy,
            instruction=rules(),
            max_output_tokens=REWRITE_TOKENS,
            think=True,
            timeout=left,
        )
    except ProviderFailure as failure:
        logger.warning("sentences were not written again", extra={"reason": str(failure)})
        calls.append({"call": "rewrite", "outcome": failure.code})
        return 0
    calls.append(_call("rewrite", answer))
    texts = {sentence.id: sentence.text for sentence in reversed(answer.value.sentences)}
    return sum(draft.replace(line, texts.get(number, "")) for number, (draft, line) in enumerate(lines, 1))


def _doubt(number: int, draft: Draft, line: Line) -> dict[str, Any]:
    return {
        "id": number,
        "page": draft.locale,
        "part": line.part,
        "text": line.text,
        "found": [{"kind": finding.kind, "words": finding.span} for finding in line.findings],
    }


def _call(name: str, answer: GeminiAnswer[Any]) -> dict[str, Any]:
    call = answer.call
    return {
        "call": name,
        "outcome": "ok",
        "input_tokens": call.input_tokens,
        "output_tokens": call.output_tokens,
        "cost_usd": call.cost_usd,
        "response_id": answer.response_id,
        "model_version": answer.model_version,
    }


def _usage(calls: list[dict[str, Any]]) -> dict[str, Any]:
    """Each call, and their sums; a sum is None where no call said anything."""

    def total(name: str) -> float | None:
        known = [call[name] for call in calls if call.get(name) is not None]
        return sum(known) if known else None

    cost = total("cost_usd")
    return {
        "input_tokens": total("input_tokens"),
        "output_tokens": total("output_tokens"),
        "cost_usd": None if cost is None else round(cost, 6),
        "calls": calls,
    }
