"""Confirmed facts as the templates take them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from shared.places.models import ConfirmedFacts, Hours, MenuItem, Place
from shared.places.normalise import display_phone
from shared.places.normalise.regions import PROVINCES

_UNIT = re.compile(r"[가-힣]{1,6}[시군구]")


@dataclass(frozen=True)
class PlaceFacts:
    """What is confirmed about a place; None and empty are what is not known. Texts are as the owner wrote them."""

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
        phone, hours = facts.value("phone"), facts.value("hours")
        return cls(
            version=facts.version,
            name=facts.value("name") or place.name,
            name_en=facts.value("name_en"),
            category=facts.value("category"),
            road_address=facts.value("road_address"),
            lot_address=facts.value("lot_address"),
            phone=None if phone is None else display_phone(phone),
            hours=None if hours is None else Hours.model_validate(hours),
            menu=tuple(MenuItem.model_validate(item) for item in facts.value("menu") or []),
            price_range=facts.value("price_range"),
            amenities=tuple(facts.value("amenities") or []),
            summary=facts.value("summary"),
            summary_en=facts.value("summary_en"),
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

    def known(self, keys: Sequence[str]) -> list[str]:
        """Those of the keys that have a confirmed value."""
        return [key for key in keys if getattr(self, key)]

    @property
    def enough_to_write_about(self) -> bool:
        """Whether there is anything beyond the name that a text could say."""
        return self.category is not None and (self.address is not None or self.phone is not None)
