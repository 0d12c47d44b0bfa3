"""The tourism organisation's TourAPI: places that visitors come for, with opening hours, menus and photos.

Four calls at most a place, since a newly issued key has a thousand a day: the search, and the three parts of the entry
that is the place. Entries have no public page of their own that can be linked to.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr

from functions.collect.channels import Asking, ChannelOutcome, Rejected
from functions.collect.channels.data_go_kr import EVERY, items, refusal, service_key
from functions.collect.channels.reading import stated, text_at
from functions.collect.channels.tourapi_entry import (
    TYPES,
    candidate,
    facts_of_common,
    facts_of_intro,
    facts_of_search,
    photos,
)
from functions.collect.channels.vendor import Vendor, asked, missing_key
from functions.collect.diagnostics import DiagnosticCode
from functions.collect.matching import choose
from shared.places.models import NewPhoto

NAME = "tourapi"
_FOUND = 100  # entries of one search; more bear a name that many places share
_PHOTOS = 20  # of one place, as of a website
_TRUST = 0.8  # of the verdict's confidence: entries are kept by hand and seldom looked at again

Item = Mapping[str, Any]


class TourApiChannel:
    """Searches the place by its name and reads the one entry that shares its number, building or position.

    The search is not narrowed to a region: the vendor is replacing its codes of regions, and a name with them wrong
    would be missed, while without them it costs the same one call.
    """

    name = NAME

    def skipped(self, ask: Asking) -> DiagnosticCode | None:
        """Without a key, and where nothing is known that tells the place from its namesakes."""
        known = ask.subject.phones or ask.subject.buildings or ask.subject.geo
        return missing_key(ask, ask.keys.tourapi) or (None if known else "no_address")

    async def collect(self, ask: Asking) -> ChannelOutcome:
        """See `Channel.collect`. What was read before a failure is kept."""
        key = ask.keys.tourapi or SecretStr("")
        return await asked(ask, [key], lambda outcome: _Entry(ask, key, outcome).read())


class _Entry:
    """The reading of one place's entry into the outcome."""

    def __init__(self, ask: Asking, key: SecretStr, outcome: ChannelOutcome) -> None:
        self._ask = ask
        self._key = key
        self._outcome = outcome

    async def read(self) -> None:
        base = self._ask.settings.tourapi_base_url
        async with Vendor(NAME, base, self._ask, secrets=[self._key], refusal=refusal, every=EVERY) as vendor:
            found = await self._found(vendor)
            if found is None:
                return
            entry, confidence = found
            which: dict[str, str | int] = {"contentId": text_at(entry, "contentid")}
            phones = self._ask.subject.phones
            self._state(facts_of_search(entry, phones), confidence)
            for common in (await self._items(vendor, "detailCommon2", which))[0][:1]:
                self._state(facts_of_common(common), confidence)
            kind = text_at(entry, "contenttypeid")
            for intro in (await self._items(vendor, "detailIntro2", which | {"contentTypeId": kind}))[0][:1]:
                self._state(facts_of_intro(intro, kind, phones), confidence)
            if text_at(entry, "firstimage"):  # an entry without a first image has no others
                wanted: dict[str, str | int] = {"imageYN": "Y", "numOfRows": _PHOTOS}
                self._show((await self._items(vendor, "detailImage2", which | wanted))[0])

    async def _found(self, vendor: Vendor) -> tuple[Item, float] | None:
        """The entry that is the place, and how sure that is; None when none is, which the outcome then tells."""
        name = self._ask.subject.names[0]
        entries, total = await self._items(vendor, "searchKeyword2", {"keyword": name, "numOfRows": _FOUND})
        places = [entry for entry in entries if text_at(entry, "contenttypeid") in TYPES]
        chosen, verdicts = choose(self._ask.subject, [candidate(place) for place in places])
        self._outcome.rejected = [
            Rejected(verdict.reason, text_at(place, "title") or None)
            for place, verdict in zip(places, verdicts, strict=True)
            if verdict.reason
        ]
        if chosen is None:
            self._outcome.whole = total <= len(entries)
            return None
        return places[chosen], verdicts[chosen].confidence * _TRUST

    async def _items(
        self, vendor: Vendor, call: str, asked_for: Mapping[str, str | int]
    ) -> tuple[list[Item], int]:
        always: dict[str, str | int] = {
            "serviceKey": service_key(self._key),
            "MobileOS": "ETC",
            "MobileApp": "web4ai",
            "_type": "json",
        }
        answer = await vendor.get(f"/{call}", always | dict(asked_for))
        self._outcome.http_status = answer.status
        return items(answer)

    def _state(self, said: list[tuple[str, Any]], confidence: float) -> None:
        """Adds what an earlier part of the entry has not said already."""
        keys = {fact.key for fact in self._outcome.facts}
        new = [(key, value) for key, value in said if key not in keys]
        self._outcome.facts += stated(NAME, new, confidence=confidence)

    def _show(self, images: list[Item]) -> None:
        urls, unread = photos(images)
        self._outcome.photos += [NewPhoto(channel=NAME, source_url=url) for url in urls]
        if unread:
            self._outcome.notes.append("unread_photos")
