"""Reading vendors' answers, in which nothing has its type until it is looked at, into facts that keys take."""

from collections.abc import Iterable, Mapping
from typing import Any

from shared.places.keys import clean_text, normalise_value
from shared.places.models import NewFact
from shared.places.normalise import normalise_address

_LONGEST = 20_000  # characters of one text that are read


def text_at(value: Any, *path: str) -> str:
    """The text or number under a path of names, clean and stripped; empty where there is none, or something else."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return clean_text(str(value)[:_LONGEST])


def address_at(*spellings: str) -> tuple[str, str] | None:
    """Key and value of the first spelling that is an address, by road or by lot; None when none is."""
    for spelling in spellings:
        try:
            address = normalise_address(spelling)
        except ValueError:
            continue
        return f"{address.kind}_address", address.text
    return None


def stated(
    channel: str,
    said: Iterable[tuple[str, Any]],
    *,
    confidence: float,
    storable: bool = True,
    source_url: str | None = None,
) -> list[NewFact]:
    """The facts of pairs of key and value; what a key does not take, and None, is dropped."""
    facts = []
    for key, value in said:
        if value is None:
            continue
        try:
            normal = normalise_value(key, value)
        except ValueError:
            continue
        facts.append(
            NewFact(
                key=key,
                value=normal,
                channel=channel,
                source_url=source_url,
                storable=storable,
                confidence=round(confidence, 3),
            )
        )
    return facts
