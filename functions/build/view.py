"""The page as data: what templates and JSON-LD read, and nothing beside it."""

from dataclasses import dataclass

from functions.build.images import DerivedPhoto
from functions.build.opening import OpeningTable
from functions.build.words import Words
from shared.places.models import Geo, Locale, Question


@dataclass(frozen=True)
class Text:
    """A value on the page. `lang` is set where it is in another language than the page."""

    text: str
    lang: str | None = None
    href: str | None = None


@dataclass(frozen=True)
class Row:
    """A line of the facts table; the values stand below each other."""

    key: str
    label: str
    values: list[Text]


@dataclass(frozen=True)
class MenuRow:
    """A line of the menu; `price` is written out, and is the word for "ask" when `amount` is None."""

    name: Text
    note: Text | None
    price: str
    amount: int | None


@dataclass(frozen=True)
class Paragraphs:
    """A headed part of the text."""

    anchor: str
    heading: str
    paragraphs: list[str]


@dataclass(frozen=True)
class PhotoView:
    """A photo with the words that stand for it."""

    image: DerivedPhoto
    alt: str


@dataclass(frozen=True)
class Source:
    """Which facts came from where, and when they were last seen there; `licence` where what is shown is under one."""

    labels: list[str]
    origin: str
    href: str | None
    checked: str
    checked_at: str  # ISO date in Korea
    licence: Text | None = None


@dataclass(frozen=True)
class Addresses:
    """Where the page in both languages stands, absolute."""

    own: str
    alternates: dict[Locale, str]
    default: str
    identity: str  # the place itself, as the subject of statements


@dataclass(frozen=True)
class PageView:
    """One page in one language."""

    locale: Locale
    words: Words
    addresses: Addresses
    other_locale: Locale
    other_words: Words
    other_href: str
    assets: str  # relative prefix of the place's assets folder
    name: Text
    other_name: Text | None
    aliases: list[str]
    category: str
    category_type: str
    area: Text | None
    title: str
    description: str
    lead: Text | None
    sections: list[Paragraphs]
    rows: list[Row]
    hours: OpeningTable | None
    menu: list[MenuRow]
    amenities: list[str]
    photos: list[PhotoView]
    address: Text | None
    geo: Geo | None
    coordinates: str | None
    maps: list[Text]
    phone: Text | None
    website: Text | None
    profiles: list[Text]
    faq: list[Question]
    sources: list[Source]
    checked: str | None
