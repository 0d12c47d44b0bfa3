"""What a page shows: everything confirmed of a place in one language, and nothing else."""

import re
from datetime import datetime
from urllib.parse import quote, quote_plus, urlsplit

from functions.build.images import DerivedPhoto
from functions.build.opening import OpeningTable, opening_table
from functions.build.view import (
    Addresses,
    MenuRow,
    PageView,
    Paragraphs,
    PhotoView,
    Row,
    Source,
    Text,
)
from functions.build.words import SEOUL, WORDS, Words
from shared.places.keys import MACHINE_KEYS
from shared.places.labels import category_label, fact_label
from shared.places.models import (
    ConfirmedFacts,
    Copy,
    Fact,
    Geo,
    Hours,
    Locale,
    MenuItem,
    PageCopy,
    Photo,
    Place,
)
from shared.places.normalise.amenity import AMENITIES
from shared.places.normalise.phone import display_phone
from shared.places.normalise.regions import PROVINCES

MOST_PHOTOS = 8  # a page of more is a slow album; the best ranked are kept
# Of VISION's scale from 0 to 1: below it a photo is too dark or blurred to be looked at, or shows what a page must not.
POOR_QUALITY = 0.35
_DESCRIPTION_LENGTH = 155  # characters that result pages show, about
_HANGUL = re.compile("[가-힣]")
# Keys that have a place of their own on the page; all others are rows of the facts table.
_PLACED = frozenset(
    ["name", "name_en", "category", "geo", "hours", "menu", "website", "sns", "amenities", "phone"]
)
_FIRST_ROWS = ("road_address", "lot_address", "price_range")
_LAST_ROWS = ("business_number",)
# Sources whose terms ask that their licence be named where their data are shown.
_LICENCES = {"osm": Text("ODbL", href="https://www.openstreetmap.org/copyright")}
_PHOTO_LICENCES = {"tourapi": Text("공공누리 1", href="https://www.kogl.or.kr/info/license.do")}
# Photos of these are the place's own: nobody else is to be named.
_OWN_PHOTOS = frozenset(["owner", "website"])


def missing_for_page(facts: ConfirmedFacts) -> list[str]:
    """What an honest page still lacks: of "name", "category", "address_or_phone"; empty when it can stand."""
    missing = [key for key in ("name", "category") if not facts.value(key)]
    if not any(facts.value(key) for key in ("road_address", "lot_address", "phone")):
        missing.append("address_or_phone")
    return missing


def page_photos(photos: list[Photo]) -> list[Photo]:
    """The photos a page shows, best first: those that may be published, are there, and are no one's duplicate.

    A photo that VISION looked at and left unranked is left out, and so is a poor one while there are others; one it
    has not seen yet is not.
    """
    shown = [
        photo
        for photo in photos
        if photo.confirmed
        and photo.media_key is not None
        and photo.sha256 is not None
        and photo.problem is None
        and photo.duplicate_of is None
        and (photo.rank is not None or photo.vision is None)
    ]
    good = [photo for photo in shown if _quality(photo) >= POOR_QUALITY]
    return (good or shown)[:MOST_PHOTOS]


def _quality(photo: Photo) -> float:
    """What VISION thinks of the photo, 0 to 1; 1 before it has looked."""
    quality = (photo.vision or {}).get("quality")
    return float(quality) if isinstance(quality, int | float) else 1.0


def current_text(copy: Copy | None, facts: ConfirmedFacts) -> Copy | None:
    """The copy, unless it was written from other facts than are confirmed now: then its sentences may be untrue."""
    return copy if copy is not None and copy.facts_version == facts.version else None


def page_addresses(origin: str, slug: str, main: Locale, locale: Locale) -> Addresses:
    """`/{slug}/` in the place's own language, `/{slug}/{other}/` in the other."""
    other: Locale = "en" if main == "ko" else "ko"
    root = f"{origin.rstrip('/')}/{slug}/"
    alternates: dict[Locale, str] = {main: root, other: f"{root}{other}/"}
    return Addresses(alternates[locale], alternates, default=root, identity=f"{root}#place")


def page_view(
    place: Place,
    facts: ConfirmedFacts,
    copy: Copy | None,
    photos: list[tuple[Photo, DerivedPhoto]],
    *,
    slug: str,
    origin: str,
    locale: Locale,
) -> PageView:
    """The page of the place in `locale`. The facts must suffice for one (`missing_for_page`); raises KeyError else."""
    words = WORDS[locale]
    other: Locale = "en" if locale == "ko" else "ko"
    text = None if copy is None else copy.content.get(locale)
    name, other_name = _names(facts, locale)
    category = category_label(facts.facts["category"].value, locale)
    address = _address(facts, locale)
    geo = None if facts.value("geo") is None else Geo.model_validate(facts.value("geo"))
    phone = _phone(facts)
    lead = _lead(facts, text, locale)
    rows = _rows(place, facts, lead, locale)
    checked = max((fact.collected_at for fact in facts.facts.values()), default=None)
    return PageView(
        locale=locale,
        words=words,
        addresses=page_addresses(origin, slug, place.locale, locale),
        other_locale=other,
        other_words=WORDS[other],
        other_href=f"{other}/index.html" if locale == place.locale else "../index.html",
        assets="assets/" if locale == place.locale else "../assets/",
        name=name,
        other_name=other_name,
        aliases=_aliases(place, facts),
        category=category,
        category_type=facts.facts["category"].value,
        area=_area(address, locale),
        title=_title(name.text, category, text),
        description=_description(lead, [name.text, category, address, phone]),
        lead=lead,
        sections=_sections(text),
        rows=rows,
        hours=_hours(facts, locale),
        menu=_menu(facts, locale),
        amenities=[AMENITIES[code][locale] for code in facts.value("amenities") or [] if code in AMENITIES],
        photos=_photos(photos, name.text, locale),
        address=address,
        geo=geo,
        coordinates=None if geo is None else f"{_degrees(geo.lat)}, {_degrees(geo.lon)}",
        maps=_maps(facts, geo, address, words),
        phone=phone,
        website=_link(facts.value("website")),
        profiles=[link for url in facts.value("sns") or [] if (link := _link(url)) is not None],
        faq=[] if text is None else [q for q in text.faq if q.question.strip() and q.answer.strip()],
        sources=[*_sources(facts, locale), *_photo_sources(photos, locale)],
        checked=None if checked is None else words.date(checked),
    )


def split_address(address: str) -> tuple[str, str | None, str] | None:
    """(province, city or district, street with number) of an address, or None where that cannot be told safely.

    The middle is None in 세종특별자치시, which has no districts.
    """
    tokens = address.split()
    if not tokens or tokens[0] not in PROVINCES:
        return None
    units = []
    for token in tokens[1:3]:
        if not re.fullmatch(r"[가-힣]{1,6}[시군구]", token):
            break
        units.append(token)
    rest = " ".join(tokens[1 + len(units) :])
    if not rest or (not units and tokens[0] != "세종특별자치시"):
        return None
    return tokens[0], " ".join(units) or None, rest


def _text(text: str, locale: Locale, href: str | None = None) -> Text:
    return Text(text, "ko" if locale == "en" and _HANGUL.search(text) else None, href)


def _names(facts: ConfirmedFacts, locale: Locale) -> tuple[Text, Text | None]:
    korean, english = facts.facts["name"].value, facts.value("name_en")
    if not english or english == korean:
        return _text(korean, locale), None
    if locale == "en":
        return Text(english), _text(korean, "en")
    return Text(korean), Text(english, "en")


def _aliases(place: Place, facts: ConfirmedFacts) -> list[str]:
    names = (facts.value("name"), facts.value("name_en"))
    return list(dict.fromkeys(alias for alias in place.aliases if alias.strip() and alias not in names))


def _address(facts: ConfirmedFacts, locale: Locale) -> Text | None:
    address = facts.value("road_address") or facts.value("lot_address")
    return None if address is None else _text(address, locale)


def _area(address: Text | None, locale: Locale) -> Text | None:
    parts = None if address is None else split_address(address.text)
    return None if parts is None else _text(" ".join(part for part in parts[:2] if part), locale)


def _phone(facts: ConfirmedFacts) -> Text | None:
    number = facts.value("phone")
    return None if number is None else Text(display_phone(number), href=f"tel:{quote(number, safe='+')}")


def _lead(facts: ConfirmedFacts, text: PageCopy | None, locale: Locale) -> Text | None:
    if text is not None and text.summary.strip():
        return Text(text.summary.strip())
    own = _in_locale(facts, "summary", locale)
    return None if own is None else _text(own, locale)


def _in_locale(facts: ConfirmedFacts, key: str, locale: Locale) -> str | None:
    """The value of a free-text key, in English where the owner gave it so under `{key}_en`."""
    english = facts.value(f"{key}_en")
    value = english if locale == "en" and english else facts.value(key)
    return None if value is None else str(value)


def _title(name: str, category: str, text: PageCopy | None) -> str:
    title = "" if text is None else text.title.strip()
    if not title:
        return f"{name} · {category}"
    return title if name in title else f"{name} · {title}"


def _description(lead: Text | None, parts: list[Text | str | None]) -> str:
    if lead is not None:
        text = " ".join(lead.text.split())
    else:
        text = " · ".join(part.text if isinstance(part, Text) else part for part in parts if part)
    if len(text) <= _DESCRIPTION_LENGTH:
        return text
    cut = text[:_DESCRIPTION_LENGTH]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,.·") + "…"


def _sections(text: PageCopy | None) -> list[Paragraphs]:
    if text is None:
        return []
    return [
        Paragraphs(f"part-{number}", section.heading.strip(), _paragraphs(section.text))
        for number, section in enumerate(text.sections, 1)
        if section.heading.strip() and section.text.strip()
    ]


def _paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in re.split(r"\n+", text) if part.strip()]


def _rows(place: Place, facts: ConfirmedFacts, lead: Text | None, locale: Locale) -> list[Row]:
    keys = [
        key
        for key in facts.facts
        if key not in _PLACED and key not in MACHINE_KEYS and not _is_translation(key, facts)
    ]
    middle = sorted(set(keys) - {*_FIRST_ROWS, *_LAST_ROWS})
    rows = []
    for key in (*_FIRST_ROWS, *middle, *_LAST_ROWS):
        value = _in_locale(facts, key, locale) if key in keys else None
        if value is None or (lead is not None and value == lead.text):
            continue
        written = _business_number(value) if key == "business_number" else value
        lines = _paragraphs(written)
        rows.append(Row(key, fact_label(key, locale), [_text(line, locale, _web(line)) for line in lines]))
    if aliases := _aliases(place, facts):
        rows.insert(0, Row("aliases", fact_label("aliases", locale), [_text(", ".join(aliases), locale)]))
    return rows


def _is_translation(key: str, facts: ConfirmedFacts) -> bool:
    return key.endswith("_en") and key.removesuffix("_en") in facts.facts


def _business_number(value: str) -> str:
    return f"{value[:3]}-{value[3:5]}-{value[5:]}" if re.fullmatch(r"\d{10}", value) else value


def _hours(facts: ConfirmedFacts, locale: Locale) -> OpeningTable | None:
    value = facts.value("hours")
    if value is None:
        return None
    table = opening_table(Hours.model_validate(value), locale)
    return table if table.days or table.notes or table.text else None


def _menu(facts: ConfirmedFacts, locale: Locale) -> list[MenuRow]:
    words = WORDS[locale]
    items = [MenuItem.model_validate(item) for item in facts.value("menu") or []]
    return [
        MenuRow(
            _text(item.name, locale),
            _text(item.note, locale) if item.note else None,
            words.price_asked if item.price_krw is None else words.won(item.price_krw),
            item.price_krw,
        )
        for item in items
    ]


def _photos(photos: list[tuple[Photo, DerivedPhoto]], name: str, locale: Locale) -> list[PhotoView]:
    views = []
    for number, (photo, image) in enumerate(photos, 1):
        alts = (photo.vision or {}).get("alt")
        alt = alts.get(locale) if isinstance(alts, dict) else None
        fallback = WORDS[locale].photo_of(name, number)
        views.append(PhotoView(image, alt.strip() if isinstance(alt, str) and alt.strip() else fallback))
    return views


def _degrees(value: float) -> str:
    """At least five decimals, about a metre; more where more are given."""
    return max(f"{value:.5f}", repr(value), key=len)


def _maps(facts: ConfirmedFacts, geo: Geo | None, address: Text | None, words: Words) -> list[Text]:
    if geo is not None:
        label = quote(re.sub(r"[,/\s]+", " ", facts.facts["name"].value), safe="")
        kakao = f"https://map.kakao.com/link/map/{label},{_degrees(geo.lat)},{_degrees(geo.lon)}"
        google = quote_plus(f"{_degrees(geo.lat)},{_degrees(geo.lon)}")
    elif address is not None:
        kakao = f"https://map.kakao.com/link/search/{quote(address.text, safe='')}"
        google = quote_plus(address.text)
    else:
        return []
    links = [
        Text(words.kakao_map, href=kakao),
        Text(words.google_map, href=f"https://www.google.com/maps/search/?api=1&query={google}"),
    ]
    return links if words.locale == "ko" else links[::-1]


def _web(text: str) -> str | None:
    """The text as a link's target, if it is a web address and nothing else."""
    if not re.fullmatch(r"https?://[^\s<>\"]+", text):
        return None
    try:
        return text if urlsplit(text).hostname else None
    except ValueError:
        return None


def _link(url: str | None) -> Text | None:
    if url is None:
        return None
    href = _web(url)
    shown = re.sub(r"^https?://(?:www\.)?", "", url).rstrip("/") or url
    return Text(shown if href else url, href=href)


def _sources(facts: ConfirmedFacts, locale: Locale) -> list[Source]:
    groups: dict[tuple[str, str | None], list[Fact]] = {}
    for fact in facts.facts.values():
        groups.setdefault((fact.channel, fact.source_url), []).append(fact)
    words = WORDS[locale]
    sources = []
    for (channel, url), members in sorted(groups.items(), key=lambda group: (group[0][0], group[0][1] or "")):
        labels = sorted({fact_label(_base(fact.key, facts), locale) for fact in members})
        seen: datetime = max(fact.collected_at for fact in members)
        origin = words.channels.get(channel, f"{words.channel_other} ({channel})")
        sources.append(
            Source(
                labels=labels,
                origin=origin,
                href=None if url is None else _web(url),
                checked=words.date(seen),
                checked_at=seen.astimezone(SEOUL).date().isoformat(),
                licence=_LICENCES.get(channel),
            )
        )
    return sources


def _photo_sources(photos: list[tuple[Photo, DerivedPhoto]], locale: Locale) -> list[Source]:
    """Who is to be named for photos that are not the place's own."""
    words = WORDS[locale]
    return [
        Source(
            labels=[words.photos],
            origin=words.channels.get(channel, f"{words.channel_other} ({channel})"),
            href=None,
            checked="",
            checked_at="",
            licence=_PHOTO_LICENCES.get(channel),
        )
        for channel in sorted({photo.channel for photo, _ in photos} - _OWN_PHOTOS)
    ]


def _base(key: str, facts: ConfirmedFacts) -> str:
    return key.removesuffix("_en") if key != "name_en" and _is_translation(key, facts) else key
