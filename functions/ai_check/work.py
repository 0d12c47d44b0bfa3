"""One AI_CHECK job: real questions to answer engines, one row an answer, errors apart from verdicts."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import SecretStr

from functions.ai_check.engines import Engine, EngineAnswer, engines
from functions.ai_check.questions import QUESTION_VERSION, AskedQuestion, questions
from functions.ai_check.verdict import Known, judged
from shared.jobs.errors import PermanentJobError, Snooze
from shared.jobs.models import Job
from shared.places import repository
from shared.places.models import AiCheck, ConfirmedFacts, Place
from shared.providers.access import Access, access_of
from shared.providers.failures import FailureCode, ProviderFailure
from shared.providers.later import may_wait
from shared.providers.patience import with_patience
from shared.quota import BudgetSpentError, NoQuotaError, Work
from shared.runtime import JobContext, Outcome

SAVING_SECONDS = 15.0  # kept of the deadline for writing the answers
QUOTA_WAIT_SECONDS = 60.0  # for one question; the next minute's window is enough
_EVIDENCE_TEXT = 8_000  # characters of an answer that are kept
_EVIDENCE_URLS = 50
# After one of these the engine would answer no further question either.
_STOPPING: frozenset[FailureCode] = frozenset(["auth", "spend_limit", "quota_day", "budget", "model_retired"])


@dataclass(frozen=True)
class _Checked:
    place: Place
    facts: ConfirmedFacts
    known: Known


async def check(job: Job, ctx: JobContext) -> Outcome:
    """What answer engines say about the place; skipped, and DONE, without a page or without an engine.

    Raises `PermanentJobError` for a place that is gone.
    """
    about = await _about(job, ctx)
    if about is None:
        return Outcome({"skipped": "not_published"})

    def access(provider: str, key: SecretStr) -> Access:
        return access_of(
            ctx,
            provider,
            key,
            work=Work.BATCH,
            step="ask",
            patience=QUOTA_WAIT_SECONDS,
            remaining=lambda: _spare(ctx),
            comes_back=True,
        )

    try:
        available = await engines(ctx.settings, access)
    except ProviderFailure as failure:
        return Outcome({"skipped": "no_engine_key", "reason": str(failure)})
    if not available:
        return Outcome({"skipped": "no_engine_key", "engines": []})
    rows: list[AiCheck] = []
    try:
        for engine in available:
            async with engine:
                rows += await _asked(engine, about, ctx, begun=bool(rows))
    except BudgetSpentError:
        return Outcome({"skipped": "budget"})
    async with ctx.fenced() as conn:
        await repository.save_ai_checks(conn, about.place.place_id, job.job_id, rows)
    return Outcome(_summary(rows))


def _spare(ctx: JobContext) -> float:
    """Seconds beyond what one more whole call may take."""
    return ctx.remaining() - SAVING_SECONDS - ctx.settings.ai_check_timeout


async def _about(job: Job, ctx: JobContext) -> _Checked | None:
    """The place and its page; None while none is published."""
    if job.place_id is None:
        raise PermanentJobError("an AI_CHECK job names a place")
    async with ctx.reading() as conn:
        place = await repository.get_place(conn, job.place_id)
        if place is None:
            raise PermanentJobError(f"place {job.place_id} is deleted or unknown")
        site = await repository.get_site(conn, job.place_id)
        if site is None or site.published_at is None or site.unpublished_at is not None:
            return None
        facts = await repository.confirmed_facts(conn, job.place_id)
    names = [facts.value("name"), facts.value("name_en"), place.name, *place.aliases]
    listings = [facts.value("website"), *(facts.value("sns") or [])]
    known = Known(
        names=tuple(dict.fromkeys(str(name) for name in names if name)),
        own_page=f"{ctx.settings.site_origin.rstrip('/')}/{site.slug}/",
        listings=tuple(str(url) for url in listings if url),
    )
    return _Checked(place, facts, known)


async def _asked(engine: Engine, about: _Checked, ctx: JobContext, *, begun: bool) -> list[AiCheck]:
    """Every question's row, one after the other: the vendor's lowest tier takes one a second.

    While nothing has been asked (`begun` says that an engine before has), having no quota snoozes the job and a spent budget
    skips it: `Snooze` and `BudgetSpentError`. Afterwards both are errors of the questions left.
    """
    asked = questions(about.place, about.facts)
    rows: list[AiCheck] = []
    stopped: ProviderFailure | None = None
    for number, question in enumerate(asked):
        await ctx.progress(step="ask", engine=engine.name, done=number, total=len(asked))
        if stopped is None and _spare(ctx) <= 0:
            stopped = ProviderFailure("timeout", "the job's time is over")
        if stopped is not None:
            rows.append(_row(engine, question, error=str(stopped)))
            continue
        try:
            ask = partial(engine.ask, question.text, question.locale)
            answer = await with_patience(ask, wait=QUOTA_WAIT_SECONDS, remaining=partial(_spare, ctx))
        except ProviderFailure as failure:
            if isinstance(failure, NoQuotaError) and not rows and not begun and may_wait(ctx.job):
                raise Snooze(failure.wait.seconds, str(failure.wait)) from None
            if isinstance(failure, BudgetSpentError) and not rows and not begun:
                raise
            if failure.code in _STOPPING or isinstance(failure, NoQuotaError):
                stopped = failure
            rows.append(_row(engine, question, error=str(failure)))
        else:
            rows.append(_verdict_row(engine, question, answer, about.known))
    return rows


def _verdict_row(engine: Engine, question: AskedQuestion, answer: EngineAnswer, known: Known) -> AiCheck:
    verdict = judged(answer, known)
    evidence = {
        "text": answer.text[:_EVIDENCE_TEXT],
        "cited": list(answer.cited[:_EVIDENCE_URLS]),
        "retrieved": list(answer.retrieved[:_EVIDENCE_URLS]),
        "response_id": answer.response_id,
        "by_name": question.by_name,
        "via": "api",  # an engine's API and its own site do not answer alike
    }
    return _row(
        engine,
        question,
        model=answer.model,
        mentioned=verdict.mentioned,
        own_page_cited=verdict.own_page_cited,
        own_page_retrieved=verdict.own_page_retrieved,
        owned_listing_cited=verdict.owned_listing_cited,
        evidence=evidence,
        cost_usd=answer.cost_usd,
    )


def _row(engine: Engine, question: AskedQuestion, **fields: Any) -> AiCheck:
    return AiCheck(
        **{"model": engine.model}
        | fields
        | {
            "engine": engine.name,
            "locale": question.locale,
            "question": question.text,
            "question_version": QUESTION_VERSION,
        }
    )


def _summary(rows: list[AiCheck]) -> dict[str, Any]:
    """Counts over all rows. Errors are no part of what the others are counted out of."""
    judged_rows = [row for row in rows if row.error is None]
    return {
        "engines": sorted({row.engine for row in rows}),
        "question_version": QUESTION_VERSION,
        "asked": len(rows),
        "answered": len(judged_rows),
        "mentioned": sum(bool(row.mentioned) for row in judged_rows),
        # An engine that is asked by name repeats it even when it knows nothing.
        "mentioned_unprompted": sum(
            bool(row.mentioned) for row in judged_rows if not row.evidence["by_name"]
        ),
        "own_page_cited": sum(bool(row.own_page_cited) for row in judged_rows),
        "own_page_retrieved": sum(bool(row.own_page_retrieved) for row in judged_rows),
        "errors": len(rows) - len(judged_rows),
    }
