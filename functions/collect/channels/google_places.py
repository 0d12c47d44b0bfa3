"""Google Places (New): what Google shows of the place, to be held against what its owner says.

Nothing but the place's identifier may be kept: every value is a fact that is not storable, and of other businesses
among the answers not even the name is told.

One call a place. Its price is that of the dearest field: identifier, name, address, position and status are of the middle
class (Pro), number, website and hours of the next (Enterprise), which costs about a tenth more for the call and has a
thousand free ones a month instead of five thousand. They are asked for all the same: a wrong number or wrong hours on
Google is what an owner most needs to hear of, and the number is what tells a branch from its namesake. Nothing of the
class above them (reviews, atmosphere) is asked for.
"""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import SecretStr

from functions.collect.channels import Asking, ChannelOutcome, Rejected
from functions.collect.channels.reading import address_at, stated, text_at
from functions.collect.channels.vendor import Answer, Vendor, VendorFailure, asked, missing_key, wait_of
from functions.collect.diagnostics import DiagnosticCode
from functions.collect.matching import Candidate, choose
from shared.places.models import UsageRow
from shared.places.normalise import hours_from_google, is_sns, normalise_geo, normalise_phone

NAME = "google_places"
FIELDS = (
    "places.id,places.displayName,places.formattedAddress,places.location,places.businessStatus,"
    "places.nationalPhoneNumber,places.websiteUri,places.regularOpeningHours.periods"
)
_PRICE_USD = 0.035  # list price of one call, whether or not it is one of the month's free ones
_FOUND = 5  # answers of one call, whose number does not change its price
_BIAS_METRES = 1000.0  # around the known position; beyond it an answer is of another place anyway
_TRUST = 0.9  # of the verdict's confidence: businesses and visitors correct these entries
_IDENTIFIER = re.compile(r"[A-Za-z0-9_-]{1,300}")
_PER_DAY = re.compile(r"per[ _]?day|1/d/", re.IGNORECASE)
_RESET_HOUR = 8  # UTC: days of quota end at midnight in California, an hour earlier while its summer lasts
_SURELY = 0.75  # of the match: a number alone may be that of the business that was here before
_GONE = "CLOSED_PERMANENTLY"
_CLOSED: dict[str, DiagnosticCode] = {
    _GONE: "business_closed",
    "CLOSED_TEMPORARILY": "business_suspended",
}
_STATUSES: dict[str, DiagnosticCode] = {
    "INVALID_ARGUMENT": "bad_request",
    "FAILED_PRECONDITION": "bad_request",
    "PERMISSION_DENIED": "auth",
    "UNAUTHENTICATED": "auth",
    "RESOURCE_EXHAUSTED": "rate_limited",
}


class GooglePlacesChannel:
    """Searches the place by name and address and compares the one answer that is it."""

    name = NAME

    def skipped(self, ask: Asking) -> DiagnosticCode | None:
        """Without a key, and where nothing is known that tells the place from its namesakes."""
        known = ask.subject.phones or ask.subject.buildings or ask.subject.geo
        return missing_key(ask, ask.keys.google_places) or (None if known else "no_address")

    async def collect(self, ask: Asking) -> ChannelOutcome:
        """See `Channel.collect`."""
        key = ask.keys.google_places or SecretStr("")
        return await asked(ask, [key], lambda outcome: _ask(ask, key, outcome))


async def _ask(ask: Asking, key: SecretStr, outcome: ChannelOutcome) -> None:
    async with Vendor(
        NAME,
        ask.settings.google_places_base_url,
        ask,
        secrets=[key],
        refusal=refusal,
        headers={"X-Goog-Api-Key": key.get_secret_value(), "X-Goog-FieldMask": FIELDS},
    ) as vendor:
        answer = await vendor.post("/v1/places:searchText", _question(ask))
        outcome.http_status = answer.status
        outcome.usage.append(_paid(ask))
    places = _places(answer)
    gone = [place for place in places if text_at(place, "businessStatus") == _GONE]
    there = [place for place in places if place not in gone]
    # A business that is there goes before an older entry of it that is not.
    found = _place_among(there, ask, outcome) or _place_among(gone, ask, outcome)
    if found is None:
        return
    place, sure = found
    confidence = sure * _TRUST
    identifier = text_at(place, "id")
    page = None
    if _IDENTIFIER.fullmatch(identifier):
        page = f"https://www.google.com/maps/place/?q=place_id:{identifier}"
        kept = [("google_place_id", identifier)]
        outcome.facts += stated(NAME, kept, confidence=confidence, source_url=page)
    outcome.facts += stated(NAME, _said(place), confidence=confidence, storable=False, source_url=page)
    status = text_at(place, "businessStatus")
    if status in _CLOSED and sure >= _SURELY:
        outcome.notes.append(_CLOSED[status])


def _place_among(
    places: Sequence[Mapping[str, Any]], ask: Asking, outcome: ChannelOutcome
) -> tuple[Mapping[str, Any], float] | None:
    """The one that is the place, and how sure that is; the others are rejected in the outcome."""
    chosen, verdicts = choose(ask.subject, [_candidate(place) for place in places])
    outcome.rejected += [Rejected(verdict.reason) for verdict in verdicts if verdict.reason]
    return None if chosen is None else (places[chosen], verdicts[chosen].confidence)


def _paid(ask: Asking) -> UsageRow:
    """The ledger's row of a call that was answered; refused ones cost nothing."""
    place_id = ask.known.place.place_id
    return UsageRow(provider=NAME, model="searchText", place_id=place_id, outcome="ok", cost_usd=_PRICE_USD)


def _question(ask: Asking) -> dict[str, Any]:
    address = ask.known.confirmed("road_address") or ask.known.confirmed("lot_address") or ""
    question: dict[str, Any] = {
        "textQuery": f"{ask.subject.names[0]} {address}".strip(),
        "languageCode": "ko",
        "regionCode": "KR",
        "pageSize": _FOUND,
    }
    if ask.subject.geo:
        centre = {"latitude": ask.subject.geo["lat"], "longitude": ask.subject.geo["lon"]}
        question["locationBias"] = {"circle": {"center": centre, "radius": _BIAS_METRES}}
    return question


def _places(answer: Answer) -> Sequence[Mapping[str, Any]]:
    """The places of an answer, which is an empty object when there are none."""
    places = answer.object().get("places", [])
    if not isinstance(places, list) or not all(isinstance(place, Mapping) for place in places):
        raise VendorFailure("bad_answer", "places that are no list of objects", status=answer.status)
    return places


def _candidate(place: Mapping[str, Any]) -> Candidate:
    said = dict(_said(place))
    return Candidate(
        name=text_at(place, "displayName", "text"),
        phones=frozenset([said["phone"]] if "phone" in said else []),
        addresses=[said[key] for key in ("road_address", "lot_address") if key in said],
        geo=said.get("geo"),
    )


def _said(place: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """What can be held against the owner's word, by key."""
    address = address_at(text_at(place, "formattedAddress"))
    said: list[tuple[str, Any]] = [address] if address else []
    phone = normalise_phone(text_at(place, "nationalPhoneNumber"))
    said += [("phone", phone)] if phone else []
    where = place.get("location")
    if isinstance(where, Mapping):
        with suppress(ValueError):  # a position that is none is not said
            said.append(("geo", normalise_geo(where.get("latitude"), where.get("longitude")).model_dump()))
    website = text_at(place, "websiteUri")
    said += [("website", website)] if website and not is_sns(website) else []
    opening = place.get("regularOpeningHours")
    hours = hours_from_google(opening.get("periods", []) if isinstance(opening, Mapping) else [])
    return said + ([("hours", hours.model_dump(mode="json"))] if hours.days else [])


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> VendorFailure | None:
    """The refusal of a google.rpc.Status, under whatever HTTP status; None without one, or for what the status says."""
    try:
        error = json.loads(body).get("error")
    except (ValueError, RecursionError, AttributeError):
        return None
    if not isinstance(error, Mapping):
        return None
    word = text_at(error, "status")
    told = body.decode("utf-8", "replace")
    code = "auth" if "API_KEY_INVALID" in told else _STATUSES.get(word)
    if code == "rate_limited" and _PER_DAY.search(told):
        return VendorFailure("quota_day", word, status=status, closes=until_reset(datetime.now(UTC)))
    if code == "rate_limited":
        return VendorFailure(code, word, status=status, closes=timedelta(seconds=wait_of(headers)))
    if code is not None:
        return VendorFailure(code, word, status=status)
    if status == 200:
        return VendorFailure("bad_answer", "an error inside a good answer", status=status)
    return None


def until_reset(now: datetime) -> timedelta:
    """How long a day of Google's quota still lasts; `now` is in UTC."""
    reset = now.replace(hour=_RESET_HOUR, minute=0, second=0, microsecond=0)
    return (reset if reset > now else reset + timedelta(days=1)) - now
