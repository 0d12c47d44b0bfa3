"""Where a place is: as a search takes it beside a name, and as the map services of Korea answer it."""

import re

from functions.collect.channels import Known
from shared.places.normalise import normalise_address

_UNIT = re.compile(r"^[가-힣]{1,6}[시군구]$")


def district(known: Known) -> str:
    """Province and district of the confirmed address: "서울특별시 성동구"; empty where no Korean one is confirmed."""
    for key in ("road_address", "lot_address"):
        words = str(known.confirmed(key) or "").split()
        units = [word for word in words[1:4] if _UNIT.match(word)]
        if units or words[:1] == ["세종특별자치시"]:
            return " ".join([words[0], *units])
    return ""


def addresses(*, road: str, lot: str) -> list[tuple[str, str]]:
    """Key and value of both addresses of a building; one without its number, as of a park or a beach, is left out."""
    found = []
    for text, kind in ((road, "road"), (lot, "lot")):
        try:
            address = normalise_address(text)
        except ValueError:
            continue
        if address.kind == kind:
            found.append((f"{kind}_address", address.text))
    return found
