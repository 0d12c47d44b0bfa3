"""What a place is made of: facts with their provenance, photos, copy, pages.

The shapes are those of the tables in `migrations/0003_users_places.sql`. Values of facts are plain JSON; the
models of this module say which JSON a key takes.
"""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

Locale = Literal["ko", "en"]
Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
DAYS: tuple[Day, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

Clock = str  # "HH:MM", 00:00 to 24:00
Interval = tuple[Clock, Clock]  # close at or before open: the next day


class ClosedNth(BaseModel):
    """Closed on the nth such days of a month: the second and fourth Tuesday is `{"nth": [2, 4], "day": "tue"}`."""

    nth: list[int]
    day: Day


class Hours(BaseModel):
    """Opening hours. A day not stated is absent; a closed one is `[]`; close at or before open is the next day."""

    days: dict[Day, list[Interval]] = {}
    breaks: dict[Day, list[Interval]] = {}
    last_order: dict[Day, Clock] = {}
    closed_nth: list[ClosedNth] = []
    holidays: Literal["open", "closed"] | list[Interval] | None = None
    text: str | None = None  # as the source says it


class Geo(BaseModel):
    """A point in degrees, WGS84."""

    lat: float = Field(ge=-90, le=90)
    lon: float = Field(ge=-180, le=180)


class MenuItem(BaseModel):
    """One line of a menu; `price_krw` is None when it is asked for or the market's."""

    name: str
    price_krw: int | None = None
    note: str | None = None


class NewFact(BaseModel):
    """A statement of one channel about a place, not yet stored. `value` is normalised."""

    model_config = ConfigDict(frozen=True)

    key: str
    value: Any
    channel: str
    source_url: str | None = None
    storable: bool = True
    structured: bool = False  # came from markup in a key of the closed list, not from free text
    confidence: float = Field(1.0, ge=0, le=1)


class Fact(BaseModel):
    """A stored fact. `value` is None only for a disagreement of a source whose values may not be kept.

    `missing_since` is set where it stands confirmed and its own source, read whole, says it no more.
    """

    model_config = ConfigDict(frozen=True)

    fact_id: UUID
    place_id: UUID
    key: str
    value: Any
    channel: str
    source_url: str | None
    confidence: float
    confirmed: bool
    confirmed_by: Literal["owner", "website"] | None
    rejected_at: datetime | None
    storable: bool
    disagrees: bool
    first_seen_at: datetime
    collected_at: datetime  # when its source last said it
    confirmed_at: datetime | None = None
    missing_since: datetime | None = None


class Place(BaseModel):
    """A row of `places`."""

    model_config = ConfigDict(frozen=True)

    place_id: UUID
    owner_id: UUID
    name: str
    locale: Locale
    region_code: str | None
    aliases: list[str]
    accept_website: bool
    facts_version: int
    page_version: int
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None
    collected_at: datetime | None = None  # when its channels were last asked to the end


class ConfirmedFacts(BaseModel):
    """The confirmed facts of a place, one a key, and the version they were read at."""

    version: int
    facts: dict[str, Fact]

    def value(self, key: str) -> Any:
        """The confirmed value of `key`, or None."""
        fact = self.facts.get(key)
        return None if fact is None else fact.value


class Photo(BaseModel):
    """A row of `photos`."""

    model_config = ConfigDict(frozen=True)

    photo_id: UUID
    place_id: UUID
    channel: str
    source_url: str | None
    media_key: str | None
    sha256: str | None
    content_type: str | None
    width: int | None
    height: int | None
    bytes: int | None
    position: int
    confirmed: bool
    problem: str | None
    measures: dict[str, Any] | None
    vision: dict[str, Any] | None
    rank: int | None
    duplicate_of: UUID | None


class Question(BaseModel):
    """A visible question and its answer."""

    question: str
    answer: str


class Section(BaseModel):
    """A headed part of the page's text; `facts` are the keys its sentences rest on."""

    heading: str
    text: str
    facts: list[str] = []


class PageCopy(BaseModel):
    """The page's text in one language."""

    title: str
    summary: str
    sections: list[Section] = []
    faq: list[Question] = []


class Copy(BaseModel):
    """The text of a page in both languages, with what it was made from."""

    content: dict[Locale, PageCopy]
    mode: Literal["ai", "facts_only"]
    reason: str | None = None
    facts_version: int
    prompt_version: str | None = None
    model_version: str | None = None
    usage: dict[str, Any] | None = None


class Site(BaseModel):
    """A row of `sites`."""

    place_id: UUID
    slug: str
    content_hash: str | None
    render_version: str | None
    page_version: int | None
    published_at: datetime | None
    changed_at: datetime | None
    unpublished_at: datetime | None
    missing: list[str] | None


class PublishedSite(BaseModel):
    """A page that stands at the origin: what the sitemap says of it."""

    model_config = ConfigDict(frozen=True)

    slug: str
    changed_at: datetime
    locale: Locale


class NewPhoto(BaseModel):
    """A photo to add: by its address (`source_url`), or by its bytes, already put into the media store."""

    model_config = ConfigDict(frozen=True)

    channel: str
    source_url: str | None = None
    position: int = 0
    confirmed: bool = False  # may be published
    media_key: str | None = None
    sha256: str | None = None
    content_type: str | None = None
    width: int | None = None
    height: int | None = None
    bytes: int | None = None


class PhotoVision(BaseModel):
    """What VISION found out about one photo; `rank` 0 is best, None leaves it out of the page's choice."""

    model_config = ConfigDict(frozen=True)

    photo_id: UUID
    measures: dict[str, Any] | None = None
    vision: dict[str, Any] | None = None
    rank: int | None = Field(None, ge=0)
    duplicate_of: UUID | None = None


class RecordReport(BaseModel):
    """What recording facts did.

    `conflicts` are the keys on which sources contradict each other now, `proposals` those on which a change waits for the
    owner.
    """

    new: int
    known: int
    confirmed: int  # confirmed facts of the place, after
    conflicts: list[str]
    proposals: list[str]
    facts_version: int
    changed: bool  # a confirmed value is another than before


class AiCheck(BaseModel):
    """One question to one answer engine. Either `error` says why there is no verdict, or `mentioned` is one."""

    model_config = ConfigDict(frozen=True)

    engine: str
    model: str | None = None
    locale: Locale
    question: str
    question_version: str
    sample: int = 1
    mentioned: bool | None = None
    own_page_cited: bool | None = None
    own_page_retrieved: bool | None = None
    owned_listing_cited: bool | None = None
    accuracy: Any = None
    competitors: Any = None
    error: str | None = None
    evidence: Any = None
    cost_usd: float | None = None


class UsageRow(BaseModel):
    """One call of a paid provider. `cost_usd` is None when the price is not known."""

    model_config = ConfigDict(frozen=True)

    provider: str
    model: str
    job_id: UUID | None = None
    place_id: UUID | None = None
    outcome: str  # ok, or the failure's code
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    milliseconds: int | None = None
