"""One COPY job: the page's text, by Gemini when it answers in time, else from the facts alone."""

import time

from functions.copy.english import english_page
from functions.copy.korean import korean_page
from functions.copy.place_facts import PlaceFacts
from functions.copy.writer import Written, write_with
from shared.jobs.errors import PermanentJobError, Snooze
from shared.jobs.models import Job, JobType, NewJob
from shared.jobs.refresh import refresh_key
from shared.logging import logger
from shared.places import repository
from shared.places.models import ConfirmedFacts, Copy, Locale, PageCopy
from shared.providers.access import access_of
from shared.providers.failures import ProviderFailure
from shared.providers.gemini import PROVIDER, GeminiClient
from shared.providers.keys import api_key
from shared.providers.later import LATER_PRIORITY, later_of, may_wait, refresh_of
from shared.providers.patience import with_patience
from shared.quota import Work
from shared.runtime import JobContext, Outcome

SAVING_SECONDS = 10.0  # kept of the deadline for writing the copy


async def write(job: Job, ctx: JobContext) -> Outcome:
    """A text for the place's page from the facts confirmed now; never fails because of Gemini.

    Where the model may do better later, an upgrade follows: a job of its own that yields to every other, waits for quota by
    being snoozed, and has the page built when it has a text. Raises `PermanentJobError` for a place that is gone, and
    `Snooze` for an upgrade that finds no quota.
    """
    if job.place_id is None:
        raise PermanentJobError("a COPY job names a place")
    async with ctx.reading() as conn:
        place = await repository.get_place(conn, job.place_id)
        if place is None:
            raise PermanentJobError(f"place {job.place_id} is deleted or unknown")
        confirmed = await repository.confirmed_facts(conn, job.place_id)
        current = await repository.current_copy(conn, job.place_id)
    upgrade = bool(ctx.payload.upgrade)
    if (
        upgrade
        and current is not None
        and current.mode == "ai"
        and current.facts_version == confirmed.version
    ):
        return Outcome({"skipped": "written_already", "facts_version": confirmed.version})
    facts = PlaceFacts.of(place, confirmed)
    told: dict[Locale, PageCopy] = {"ko": korean_page(facts), "en": english_page(facts)}
    written, failure = await _best(job, ctx, facts, confirmed, told)
    copy = written.copy
    later = None if failure is None else later_of(failure)
    if upgrade and copy.mode != "ai":
        if later is not None and may_wait(job):
            raise Snooze(later, f"gemini {copy.reason}")
        return Outcome({"skipped": copy.reason, "facts_version": confirmed.version})
    async with ctx.fenced() as conn:
        try:
            copy_id = await repository.save_copy(conn, job.place_id, job.job_id, copy)
        except repository.PlaceGoneError as error:
            raise PermanentJobError(str(error)) from None
    if copy_id is None:
        return Outcome({"skipped": "overtaken", "facts_version": copy.facts_version})
    result = {
        "mode": copy.mode,
        "reason": copy.reason,
        "facts_version": copy.facts_version,
        "copy_id": str(copy_id),
    }
    if copy.mode == "ai":
        result |= {"dropped": len(written.dropped), "rewritten": written.rewritten}
    if copy.reason == "budget":
        result["skipped"] = "budget"
    follow_ups = [] if upgrade or later is None else [_upgrade(job, later)]
    if job.graph_id is None:
        # A change that met a BUILD under way did not make it wait for this text; one that does is joined.
        follow_ups.append(refresh_of(job, JobType.BUILD, priority=job.priority))
    return Outcome(result, follow_ups)


def _upgrade(job: Job, delay: float) -> NewJob:
    """Under a key of its own: a change of the facts must not find a job that sleeps and wait with it."""
    key = f"{refresh_key(JobType.COPY, job.place_id)}:upgrade" if job.place_id else None
    return NewJob(
        JobType.COPY, {"upgrade": True}, job.place_id, dedupe_key=key, priority=LATER_PRIORITY, delay=delay
    )


async def _best(
    job: Job,
    ctx: JobContext,
    facts: PlaceFacts,
    confirmed: ConfirmedFacts,
    told: dict[Locale, PageCopy],
) -> tuple[Written, ProviderFailure | None]:
    """The best copy to be had now, and what kept the model from writing a better one."""
    if not facts.enough_to_write_about:
        return _from_facts(facts, told, "too_few_facts"), None
    try:
        written = await _by_gemini(job, ctx, facts, confirmed, told)
    except ProviderFailure as failure:
        logger.warning("the text is made of the facts alone", extra={"reason": str(failure)})
        return _from_facts(facts, told, failure.reason), failure
    if written is None:
        return _from_facts(facts, told, "no_key"), None
    if written.dropped:
        claims = [str(finding) for finding in written.dropped[:20]]
        logger.warning("sentences without a fact were dropped", extra={"claims": claims})
    return written, None


async def _by_gemini(
    job: Job, ctx: JobContext, facts: PlaceFacts, confirmed: ConfirmedFacts, told: dict[Locale, PageCopy]
) -> Written | None:
    settings = ctx.settings
    key = await api_key(settings.gemini_api_key, settings.gemini_secret_arn)
    if key is None:
        return None

    upgrade = bool(ctx.payload.upgrade)
    patience = 0.0 if upgrade else settings.copy_ai_wait_seconds
    # One full call and the wait for quota, together: a page that can be published from facts does not wait longer.
    ends = time.monotonic() + settings.gemini_timeout + patience

    def remaining() -> float:
        return min(ctx.remaining() - SAVING_SECONDS, ends - time.monotonic())

    access = access_of(
        ctx,
        PROVIDER,
        key,
        work=Work.BATCH if upgrade else Work.INTERACTIVE,
        step="write",
        patience=patience,
        remaining=remaining,
        comes_back=upgrade,
    )
    async with GeminiClient(
        key, base_url=settings.gemini_base_url, timeout=settings.gemini_timeout, access=access
    ) as client:

        async def call() -> Written:
            if remaining() <= 0:
                raise ProviderFailure("timeout", "the job's time is over")
            return await write_with(client, settings.gemini_copy_model, facts, confirmed, told, remaining)

        return await with_patience(call, wait=settings.copy_ai_wait_seconds, remaining=remaining)


def _from_facts(facts: PlaceFacts, told: dict[Locale, PageCopy], reason: str) -> Written:
    copy = Copy(content=told, mode="facts_only", reason=reason, facts_version=facts.version)
    return Written(copy, dropped=[], rewritten=0)
