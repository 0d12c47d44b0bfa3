"""One COPY job: the page's text, by Gemini when it answers in time, else from the facts alone."""

import time

from functions.copy.english import english_page
from functions.copy.korean import korean_page
from functions.copy.place_facts import PlaceFacts
from functions.copy.writer import Written, write_with
from shared.jobs.errors import PermanentJobError
from shared.jobs.models import Job
from shared.logging import logger
from shared.places import repository
from shared.places.models import ConfirmedFacts, Copy, Locale, PageCopy
from shared.providers.calls import ProviderCall
from shared.providers.failures import ProviderFailure
from shared.providers.gemini import GeminiClient
from shared.providers.keys import api_key
from shared.providers.patience import with_patience
from shared.runtime import JobContext, Outcome

SAVING_SECONDS = 10.0  # kept of the deadline for writing the copy


async def write(job: Job, ctx: JobContext) -> Outcome:
    """A text for the place's page from the facts confirmed now; never fails because of Gemini.

    Raises `PermanentJobError` for a place that is gone.
    """
    if job.place_id is None:
        raise PermanentJobError("a COPY job names a place")
    async with ctx.reading() as conn:
        place = await repository.get_place(conn, job.place_id)
        if place is None:
            raise PermanentJobError(f"place {job.place_id} is deleted or unknown")
        confirmed = await repository.confirmed_facts(conn, job.place_id)
    facts = PlaceFacts.of(place, confirmed)
    told: dict[Locale, PageCopy] = {"ko": korean_page(facts), "en": english_page(facts)}
    written = await _best(job, ctx, facts, confirmed, told)
    copy = written.copy
    async with ctx.fenced() as conn:
        try:
            copy_id = await repository.save_copy(conn, job.place_id, job.job_id, copy)
        except repository.PlaceGoneError as error:
            raise PermanentJobError(str(error)) from None
    result = {
        "mode": copy.mode,
        "reason": copy.reason,
        "facts_version": copy.facts_version,
        "copy_id": str(copy_id),
    }
    if copy.mode == "ai":
        result |= {"dropped": len(written.dropped), "rewritten": written.rewritten}
    return Outcome(result)


async def _best(
    job: Job,
    ctx: JobContext,
    facts: PlaceFacts,
    confirmed: ConfirmedFacts,
    told: dict[Locale, PageCopy],
) -> Written:
    """The best copy to be had now, and what was taken out of it."""
    if not facts.enough_to_write_about:
        return _from_facts(facts, told, "too_few_facts")
    try:
        written = await _by_gemini(job, ctx, facts, confirmed, told)
    except ProviderFailure as failure:
        logger.warning("the text is made of the facts alone", extra={"reason": str(failure)})
        return _from_facts(facts, told, failure.reason)
    if written is None:
        return _from_facts(facts, told, "no_key")
    if written.dropped:
        claims = [str(finding) for finding in written.dropped[:20]]
        logger.warning("sentences without a fact were dropped", extra={"claims": claims})
    return written


async def _by_gemini(
    job: Job, ctx: JobContext, facts: PlaceFacts, confirmed: ConfirmedFacts, told: dict[Locale, PageCopy]
) -> Written | None:
    settings = ctx.settings
    key = await api_key(settings.gemini_api_key, settings.gemini_secret_arn)
    if key is None:
        return None

    async def on_call(call: ProviderCall) -> None:
        async with ctx.fenced() as conn:
            await repository.record_usage(conn, call.usage_row(job.job_id, job.place_id))

    # One full call and the wait for quota, together: a page that can be published from facts does not wait longer.
    ends = time.monotonic() + settings.gemini_timeout + settings.copy_ai_wait_seconds

    def remaining() -> float:
        return min(ctx.remaining() - SAVING_SECONDS, ends - time.monotonic())

    async with GeminiClient(
        key, base_url=settings.gemini_base_url, timeout=settings.gemini_timeout, on_call=on_call
    ) as client:

        async def call() -> Written:
            if remaining() <= 0:
                raise ProviderFailure("timeout", "the job's time is over")
            return await write_with(client, settings.gemini_copy_model, facts, confirmed, told, remaining)

        return await with_patience(call, wait=settings.copy_ai_wait_seconds, remaining=remaining)


def _from_facts(facts: PlaceFacts, told: dict[Locale, PageCopy], reason: str) -> Written:
    copy = Copy(content=told, mode="facts_only", reason=reason, facts_version=facts.version)
    return Written(copy, dropped=[], rewritten=0)
