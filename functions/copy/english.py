"""The English page from confirmed facts alone. Names and addresses without an English form stay in Hangul."""

import re

from functions.copy.opening import opening_text
from functions.copy.place_facts import PlaceFacts
from shared.places.labels import category_label
from shared.places.models import PageCopy, Question, Section
from shared.places.normalise import AMENITIES

MOST_ITEMS = 12  # of a menu in a sentence; the page's own table has all

_HANGUL = re.compile(r"[가-힣]")
_WON = re.compile(r"(\d[\d,]*)\s*원")

# Last words of categories that name a place or a person: "a hair salon", but not "a hair care".
_NOUNS = frozenset(
    """
    agency agent alley attorney bakery bank bar breakfast brewery business café cafe campground casino center clinic
    club company complex contractor course dealer dentist distillery doctor electrician facility florist gallery gym
    home hospital hostel hotel laundry library location locksmith machine motel notary office optician organization painter
    park parlor pharmacy plumber pool practice resort restaurant salon service shelter shop bookshop spa stadium
    station store theater winery
    """.split()  # noqa: SIM905 - sixty words read better as words
)

# Amenities as they stand in "… are available"; those of _SAID take a sentence of their own.
_AVAILABLE = {
    "restroom": "a restroom",
    "elevator": "an elevator",
    "kids_playroom": "a kids' playroom",
    "nursing_room": "a nursing room",
    "waiting_area": "a waiting area",
    "smoking_area": "a smoking area",
    "wifi": "Wi-Fi",
    "ev_charging": "EV charging",
}
_SAID = {"pets_allowed": "Pets are allowed.", "wheelchair_accessible": "It is wheelchair accessible."}
_PLURAL = ("rooms", "chairs", "showers", "lockers", "reservations")

_ASKED = {
    "parking": ("Is there parking?", "Yes, there is parking."),
    "takeout": ("Can I take food out?", "Yes, takeout is possible."),
    "delivery": ("Do you deliver?", "Yes, delivery is possible."),
    "reservation": ("Can I make a reservation?", "Yes, reservations are possible."),
    "pets_allowed": ("May I bring my pet?", "Yes, pets are allowed."),
    "wheelchair_accessible": ("Is it wheelchair accessible?", "Yes, it is wheelchair accessible."),
}


def english_page(facts: PlaceFacts) -> PageCopy:
    """Title, summary, sections and questions; only what is confirmed, in the order a guest asks for it."""
    return PageCopy(
        title=_title(facts),
        summary=facts.summary_en or _intro(facts),
        sections=_sections(facts),
        faq=_faq(facts),
    )


def _name(facts: PlaceFacts) -> str:
    return facts.name_en or facts.name or "This place"


def _title(facts: PlaceFacts) -> str:
    what = [part for part in (_category(facts), facts.area) if part]
    return f"{_name(facts)} | {', '.join(what)}" if what else _name(facts)


def _category(facts: PlaceFacts) -> str | None:
    return None if facts.category is None else category_label(facts.category, "en")


def _is_countable(label: str) -> bool:
    return label.lower().split()[-1] in _NOUNS


def _with_article(label: str) -> str:
    """ "Restaurant" as "a restaurant", "Art gallery" as "an art gallery"."""
    spelt = label[0].lower() + label[1:]
    return f"{'an' if spelt[0] in 'aeio' else 'a'} {spelt}"


def _intro(facts: PlaceFacts) -> str:
    name = _name(facts)
    both = f"{name} ({facts.name})" if facts.name and name != facts.name else name
    category = _category(facts)
    if category and not _is_countable(category):
        where = f"{both} is at {facts.address}. " if facts.address else ""
        return f"{where}Line of business{'' if where else f' of {both}'}: {category.lower()}."
    if facts.address and category:
        return f"{both} is {_with_article(category)} at {facts.address}."
    if category:
        return f"{both} is {_with_article(category)}."
    if facts.address:
        return f"{both} is at {facts.address}."
    return f"Little is confirmed about {both} yet."


def _sections(facts: PlaceFacts) -> list[Section]:
    visiting = [
        *([f"The address is {facts.road_address}."] if facts.road_address else []),
        *([f"The lot address is {facts.lot_address}."] if facts.lot_address else []),
        *([f"The telephone number is {facts.phone}."] if facts.phone else []),
    ]
    hours = list(opening_text(facts.hours, "en", facts.trade).all) if facts.hours else []
    candidates = [
        (f"About {_name(facts)}", _about(facts), ["summary", "category", "menu", "price_range", "amenities"]),
        ("Visiting and contact", visiting, ["road_address", "lot_address", "phone"]),
        ("When it is open", hours, ["hours"]),
        ("What it costs", _menu(facts), ["menu"]),
    ]
    return [
        Section(heading=heading, text=" ".join(sentences), facts=facts.known(keys))
        for heading, sentences, keys in candidates
        if sentences
    ]


def _about(facts: PlaceFacts) -> list[str]:
    sentences = [_intro(facts)] if facts.summary_en and facts.enough_to_write_about else []
    if facts.menu:
        names = [item.name for item in facts.menu]
        has, offers = (
            ("The menu has", "On the menu:") if facts.trade == "food" else ("The price list has", "It offers")
        )
        if len(names) > 3:
            sentences.append(f"{has} {len(names)} items, among them {_listed(names[:3])}.")
        else:
            sentences.append(f"{offers} {_listed(names)}.")
    price_range = _price_range(facts)
    if price_range:
        sentences.append(f"The price range is {price_range}.")
    there = [
        _AVAILABLE.get(code, AMENITIES[code]["en"].lower())
        for code in facts.amenities
        if code in AMENITIES and code not in _SAID
    ]
    if there:
        several = len(there) > 1 or there[0].endswith(_PLURAL)
        said = _listed(there)
        sentences.append(f"{said[0].upper()}{said[1:]} {'are' if several else 'is'} available.")
    return sentences + [_SAID[code] for code in facts.amenities if code in _SAID]


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _price_range(facts: PlaceFacts) -> str | None:
    """The owner's words where they can be read in English: "7,000원~11,000원" is "₩7,000~₩11,000"."""
    if facts.price_range is None:
        return None
    text = _WON.sub(r"₩\1", facts.price_range)
    return None if _HANGUL.search(text) else text


def _menu(facts: PlaceFacts) -> list[str]:
    priced = [f"{item.name} ₩{item.price_krw:,}" for item in facts.menu if item.price_krw is not None]
    asked = [item.name for item in facts.menu if item.price_krw is None]
    sentences = []
    if priced:
        rest = " and others" if len(priced) > MOST_ITEMS else ""
        sentences.append(f"Prices: {', '.join(priced[:MOST_ITEMS])}{rest}.")
    if asked:
        sentences.append(f"Please ask for the price of {_listed(asked[:MOST_ITEMS])}.")
    return sentences


def _faq(facts: PlaceFacts) -> list[Question]:
    name = _name(facts)
    asked: list[tuple[str, str]] = []
    if facts.address:
        asked.append((f"Where is {name}?", f"It is at {facts.address}."))
    if facts.hours:
        said = opening_text(facts.hours, "en", facts.trade)
        if said.open:
            asked.append(("What are the opening hours?", " ".join(said.open)))
        if said.closed:
            asked.append(("When is it closed?", " ".join(said.closed)))
    if facts.phone:
        asked.append(("What is the telephone number?", f"The number is {facts.phone}."))
    price_range = _price_range(facts)
    if price_range:
        asked.append(("What is the price range?", f"It is {price_range}."))
    asked += [_ASKED[code] for code in facts.amenities if code in _ASKED]
    return [Question(question=question, answer=answer) for question, answer in asked]
