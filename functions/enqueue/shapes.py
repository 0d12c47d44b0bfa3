"""What the places' routes take and give."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StringConstraints

from functions.enqueue.fact_shapes import FactView, ProposalView
from shared.http_api.shapes import JobView
from shared.jobs.models import Attempt, DependencyState
from shared.jobs.types import type_name
from shared.places.models import Locale, Photo, Place, Site

ShortText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, strict=True)
]


class Taken(BaseModel):
    """Base of request bodies: a field nobody knows is refused."""

    model_config = ConfigDict(extra="forbid")


class SessionRequest(Taken):
    """Who wants a token."""

    email: Annotated[str, StringConstraints(max_length=254, strict=True)]
    password: Annotated[str, StringConstraints(max_length=200, strict=True)]


class SessionView(BaseModel):
    """A token, to be sent as `Authorization: Bearer`."""

    token: str
    token_type: Literal["Bearer"] = "Bearer"  # noqa: S105 - the scheme's name
    expires_at: datetime
    user_id: UUID
    role: Literal["member", "admin"]
    locale: Locale


class JobRequest(Taken):
    """A job to enqueue. The product's types need a place, members name one of theirs.

    Without a key it is joined with the active job of its type and place.
    """

    job_type: Annotated[str, StringConstraints(min_length=1, max_length=40, strict=True)] = Field(
        description="COLLECT, VISION, COPY, BUILD or AI_CHECK"
    )
    place_id: UUID | None = None
    payload: dict[str, Any] = {}
    priority: int = Field(
        100, ge=0, le=1000, description="Lower runs first; below 100 for administrators alone"
    )
    delay: float = Field(0.0, ge=0, le=30 * 86_400, description="Seconds from now")
    dedupe_key: Annotated[str, StringConstraints(min_length=1, max_length=200, strict=True)] | None = None


class AttemptView(BaseModel):
    """An attempt that did not end DONE: failed, dead, lease_expired, given_back or cancelled."""

    attempt: int
    outcome: str
    error: str | None
    started_at: datetime | None = Field(description="Null when no handler ever started it")
    ended_at: datetime
    invocation_id: str | None

    @classmethod
    def of(cls, attempt: Attempt) -> "AttemptView":
        """The attempt's view."""
        return cls(
            attempt=attempt.attempt,
            outcome=attempt.outcome,
            error=attempt.error,
            started_at=attempt.run_started_at,
            ended_at=attempt.ended_at,
            invocation_id=attempt.invocation_id,
        )


class DependencyView(BaseModel):
    """A job that another waits on, or waited on; type and status are null when it was deleted meanwhile."""

    job_id: UUID
    job_type: str | None
    status: str | None
    required: bool

    @classmethod
    def of(cls, found: DependencyState) -> "DependencyView":
        """The dependency's view."""
        return cls(
            job_id=found.job_id,
            job_type=None if found.job_type is None else type_name(found.job_type),
            status=None if found.status is None else found.status.name,
            required=found.required,
        )


class JobDetail(JobView):
    """A job whole: what it was given, every attempt that failed, what it waits on."""

    payload: Any = Field(description="An object, unless the row was put in by hand")
    attempt_history: list[AttemptView]
    depends_on: list[DependencyView]


class PhotoView(BaseModel):
    """A photo of a place; `fetched` when its bytes are here."""

    photo_id: UUID
    source_url: str | None
    channel: str
    fetched: bool
    content_type: str | None
    width: int | None
    height: int | None
    confirmed: bool
    problem: str | None
    rank: int | None
    vision: dict[str, Any] | None
    duplicate_of: UUID | None

    @classmethod
    def of(cls, photo: Photo) -> "PhotoView":
        """The photo's view."""
        return cls(**photo.model_dump(), fetched=photo.media_key is not None)


class SiteView(BaseModel):
    """Where the page stands; `missing` are confirmed facts it lacks to be honest."""

    slug: str
    url: str
    published: bool
    published_at: datetime | None
    changed_at: datetime | None
    missing: list[str]

    @classmethod
    def of(cls, site: Site, origin: str) -> "SiteView":
        """The site's view."""
        return cls(
            slug=site.slug,
            url=f"{origin.rstrip('/')}/{site.slug}/",
            published=site.content_hash is not None and site.unpublished_at is None,
            published_at=site.published_at,
            changed_at=site.changed_at,
            missing=site.missing or [],
        )


class PlaceView(BaseModel):
    """A place."""

    place_id: UUID
    name: str
    locale: Locale
    region_code: str | None
    aliases: list[str]
    accept_website: bool
    facts_version: int
    created_at: datetime
    updated_at: datetime
    collected_at: datetime | None = Field(description="When its sources were last asked; null: never yet")
    waiting: int = Field(description="How many proposals wait for its owner")
    site: SiteView | None

    @classmethod
    def of(cls, place: Place, site: Site | None, origin: str, *, waiting: int) -> "PlaceView":
        """The place's view."""
        return cls(
            **place.model_dump(), waiting=waiting, site=None if site is None else SiteView.of(site, origin)
        )


class PlaceDetail(PlaceView):
    """A place with all that is known of it.

    `conflicts` are the keys on which sources contradict each other; `proposals` what they say since you, or your website,
    confirmed something else.
    """

    facts: list[FactView]
    conflicts: list[str]
    proposals: list[ProposalView]
    photos: list[PhotoView]
    refreshes: list[UUID] = Field([], description="Jobs that follow from this request")


class PlacePage(BaseModel):
    """Places, newest first; `next` is the `cursor` of the page after, null at the end."""

    places: list[PlaceView]
    next: str | None


class PlaceChange(Taken):
    """What the owner decides: corrections, confirmations, rejections. What is left out stays."""

    name: ShortText | None = None
    locale: Locale | None = None
    aliases: Annotated[list[ShortText], Field(max_length=20)] | None = None
    accept_website: StrictBool | None = None
    facts: dict[str, Any] = {}
    confirm: Annotated[list[UUID], Field(max_length=200)] = []
    reject: Annotated[list[UUID], Field(max_length=200)] = []


class PhotoUrls(Taken):
    """Photos by address."""

    urls: Annotated[list[Annotated[str, StringConstraints(strict=True)]], Field(min_length=1, max_length=60)]


class PhotosView(BaseModel):
    """The photos that are new, and the jobs that follow; `known` were here before."""

    photos: list[PhotoView]
    known: int
    jobs: list[UUID]


class StepView(BaseModel):
    """One job of a generation."""

    job_id: UUID
    job_type: str
    status: str
    attempts: int
    progress: dict[str, Any] | None
    result: dict[str, Any] | None
    error: str | None
    started_at: datetime | None
    finished_at: datetime | None

    @classmethod
    def of(cls, job: JobView) -> "StepView":
        """The job as a step."""
        return cls(**job.model_dump(include=set(cls.model_fields)))


class GenerationView(BaseModel):
    """A place's generation, step by step; `percent` is 100 when every step has ended, however it did."""

    graph_id: UUID
    active: bool
    percent: int
    steps: list[StepView]
