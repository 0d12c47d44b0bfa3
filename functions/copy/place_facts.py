"""Confirmed facts as the templates take them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from shared.places.models import ConfirmedFacts, Hours, MenuItem, Place
from shared.places.normalise import display_phone
from shared.places.normalise.regions import PROVINCES
from shared.prose.quotable import name_before_anything_else, plain_name, plain_text

Trade = Literal["food", "medical", "other"]
_FOOD = frozenset(
    """
    FoodEstablishment Bakery BarOrPub Brewery CafeOrCoffeeShop Distillery FastFoodRestaurant IceCreamShop Restaurant Winery
    """.split()  # noqa: SIM905 - words read better as words
)
_MEDICAL = frozenset(
    """
    Dentist Hospital MedicalBusiness MedicalClinic CommunityHealth Dermatology Geriatric Gynecologic IndividualPhysician Midwifery
    Obstetric Oncologic Optometric Otolaryngologic Pediatric Physician PhysiciansOffice Physiotherapy PlasticSurgery Podiatric
    PrimaryCare Psychiatric PublicHealth
    """.split()  # noqa: SIM905
)
_UNIT = re.compile(r"[가-힣]{1,6}[시군구]")


@dataclass(frozen=True)
class PlaceFacts:
    """What is confirmed about a place and may be said in prose; None and empty are what is not known.

    Texts are as the owner wrote them, less what speaks to a model or is no prose (`quotable`). `name` is empty where
    the name itself is of that kind.
    """

    version: int
    name: str
    name_en: str | None
    category: str | None  # schema.org type
    road_address: str | None
    lot_address: str | None
    phone: str | None  # as it is written in Korea
    hours: Hours | None
    menu: tuple[MenuItem, ...]
    price_range: str | None
    amenities: tuple[str, ...]  # codes
    summary: str | None
    summary_en: str | None

    @classmethod
    def of(cls, place: Place, facts: ConfirmedFacts) -> Self:
        """The confirmed facts of the place; its own name stands in when no name is confirmed."""
        phone = facts.value("phone")
        name = str(facts.value("name") or place.name)
        return cls(
            version=facts.version,
            name=plain_name(name) or name_before_anything_else(name) or "",
            name_en=plain_name(facts.value("name_en")),
            category=facts.value("category"),
            road_address=facts.value("road_address"),
            lot_address=facts.value("lot_address"),
            phone=None if phone is None else display_phone(phone),
            hours=_hours(facts.value("hours")),
            menu=tuple(_menu(facts.value("menu"))),
            price_range=plain_text(facts.value("price_range")),
            amenities=tuple(facts.value("amenities") or []),
            summary=plain_text(facts.value("summary")),
            summary_en=plain_text(facts.value("summary_en")),
        )

    @property
    def address(self) -> str | None:
        """By road where it is known, else by lot."""
        return self.road_address or self.lot_address

    @property
    def area(self) -> str | None:
        """Province and district of the address: "서울특별시 성동구"; None where they cannot be told."""
        tokens = (self.address or "").split()
        if not tokens or tokens[0] not in PROVINCES:
            return None
        units = [token for token in tokens[1:3] if _UNIT.fullmatch(token)]
        return " ".join([tokens[0], *units])

    @property
    def trade(self) -> Trade:
        """How its hours and its list are spoken of."""
        if self.category in _FOOD:
            return "food"
        return "medical" if self.category in _MEDICAL else "other"

    def known(self, keys: Sequence[str]) -> list[str]:
        """Those of the keys that have a confirmed value."""
        return [key for key in keys if getattr(self, key)]

    @property
    def enough_to_write_about(self) -> bool:
        """Whether there is anything beyond the name that a text could say."""
        return self.category is not None and (self.address is not None or self.phone is not None)


def _hours(value: Any) -> Hours | None:
    if value is None:
        return None
    hours = Hours.model_validate(value)
    return hours.model_copy(update={"text": plain_text(hours.text)})


def _menu(value: Any) -> Iterator[MenuItem]:
    for entry in value or []:
        item = MenuItem.model_validate(entry)
        name = plain_name(item.name)
        if name is not None:
            yield item.model_copy(update={"name": name, "note": plain_text(item.note)})
