"""Kakao Local: the keyword search of Kakao's map. Its terms forbid no keeping; opening hours it does not have."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from pydantic import SecretStr

from functions.collect.channels import Asking, ChannelOutcome, Rejected
from functions.collect.channels.location import addresses, district
from functions.collect.channels.reading import stated, text_at
from functions.collect.channels.vendor import (
    Answer,
    Vendor,
    VendorFailure,
    asked,
    missing_key,
    until_midnight,
    wait_of,
)
from functions.collect.diagnostics import DiagnosticCode
from functions.collect.matching import Candidate, Verdict, choose, folded
from shared.places.models import NewFact
from shared.places.normalise import in_korea, normalise_geo, normalise_phone

NAME = "kakao"
_PATH = "/v2/local/search/keyword.json"
_SIZE = 15  # entries of a page, the most there are
_PAGES = 2  # whoever is not among the first thirty of its own name and district is not listed
_RADIUS = 2_000  # metres around the pin: beyond the error of a pin, within what a name is unique in
_QUERY = 100  # characters

# -3 and -5: the map service is not switched on for the key. -1, -7 and -9798 are theirs, or maintenance: they pass.
_BY_CODE: dict[str, DiagnosticCode] = {
    **dict.fromkeys(["-3", "-4", "-5", "-401"], "auth"),
    **dict.fromkeys(["-2", "-8", "-9"], "bad_request"),
    **dict.fromkeys(["-1", "-7", "-9798"], "http_status"),
    "-603": "timeout",
    "-10": "quota_day",
}
_BY_TYPE: dict[str, DiagnosticCode] = {
    **dict.fromkeys(["AccessDeniedError", "NotAuthorizedError", "Unauthorized"], "auth"),
    **dict.fromkeys(["MissingParameter", "InvalidArgument"], "bad_request"),
    "InternalServerError": "http_status",
    "RequestThrottled": "quota_day",
}

Question = dict[str, str | int | float]


class KakaoChannel:
    """The place's entry among those of its name around its pin, or in its district where there is no pin."""

    name = NAME

    def skipped(self, ask: Asking) -> DiagnosticCode | None:
        """Without a key, and where nothing is known by which the place could be told from its namesakes."""
        known = ask.subject.geo or ask.subject.buildings or ask.subject.phones
        return missing_key(ask, ask.keys.kakao) or (None if known else "no_address")

    async def collect(self, ask: Asking) -> ChannelOutcome:
        """See `Channel.collect`."""
        key = ask.keys.kakao or SecretStr("")
        return await asked(ask, [ask.keys.kakao], lambda outcome: _ask(ask, key, outcome))


async def _ask(ask: Asking, key: SecretStr, outcome: ChannelOutcome) -> None:
    headers = {"Authorization": f"KakaoAK {key.get_secret_value()}"}
    entries: dict[str, Mapping[str, Any]] = {}
    verdicts: list[Verdict] = []
    async with Vendor(
        NAME, ask.settings.kakao_base_url, ask, secrets=[key], refusal=refusal, headers=headers
    ) as vendor:
        for question in _questions(ask):
            page, outcome.whole = _page(await vendor.get(_PATH, question))
            outcome.http_status = vendor.status
            outcome.pages += 1
            entries |= {text_at(entry, "id") or str(len(entries) + n): entry for n, entry in enumerate(page)}
            listed = list(entries.values())
            chosen, verdicts = choose(ask.subject, [_candidate(entry) for entry in listed])
            if chosen is not None:
                outcome.facts += _facts(ask, listed[chosen], verdicts[chosen])
                outcome.whole = True
            if chosen is not None or (outcome.whole and "radius" not in question):
                break
    outcome.rejected += _rejections(list(entries.values()), verdicts)


def _questions(ask: Asking) -> list[Question]:
    """At most two pages: around the pin and then in the district, or two of the district."""
    name = ask.subject.names[0]
    in_district: Question = {"query": f"{district(ask.known)} {name}".strip()[:_QUERY], "size": _SIZE}
    geo = ask.subject.geo
    if geo is None or not in_korea(geo["lat"], geo["lon"]):
        return [in_district | {"page": page} for page in range(1, _PAGES + 1)]
    around: Question = {
        "query": name[:_QUERY],
        "size": _SIZE,
        "x": geo["lon"],
        "y": geo["lat"],
        "radius": _RADIUS,
    }
    return [around | {"page": 1}, in_district | {"page": 1}]


def _page(answer: Answer) -> tuple[list[Mapping[str, Any]], bool]:
    """The entries of a page, and whether it is the last."""
    body = answer.object()
    entries = body.get("documents")
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise VendorFailure("bad_answer", "documents that are no list of objects", status=answer.status)
    meta = body.get("meta")
    ended = meta.get("is_end") if isinstance(meta, Mapping) else None
    return entries, ended if isinstance(ended, bool) else len(entries) < _SIZE


def _candidate(entry: Mapping[str, Any]) -> Candidate:
    phone = normalise_phone(text_at(entry, "phone"))
    return Candidate(
        name=text_at(entry, "place_name"),
        phones=frozenset([phone] if phone else []),
        addresses=[address for _, address in _addresses(entry)],
        geo=_geo(entry),
    )


def _facts(ask: Asking, entry: Mapping[str, Any], verdict: Verdict) -> list[NewFact]:
    name = text_at(entry, "place_name")
    said: list[tuple[str, Any]] = [
        ("phone", text_at(entry, "phone")),
        *_addresses(entry),
        ("geo", _geo(entry)),
        ("category", text_at(entry, "category_name")),
    ]
    # Another spelling of a known name says nothing new.
    if folded(name) not in map(folded, ask.subject.names):
        said.append(("name", name))
    url = text_at(entry, "place_url")
    page = url if re.match(r"https?://[^\s]+$", url) else None
    return stated(NAME, said, confidence=verdict.confidence, source_url=page)


def _addresses(entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    return addresses(road=text_at(entry, "road_address_name"), lot=text_at(entry, "address_name"))


def _geo(entry: Mapping[str, Any]) -> dict[str, float] | None:
    try:
        point = normalise_geo(entry.get("y"), entry.get("x"))
    except ValueError:
        return None
    return point.model_dump() if in_korea(point.lat, point.lon) else None


def _rejections(entries: Sequence[Mapping[str, Any]], verdicts: Sequence[Verdict]) -> list[Rejected]:
    """Why the others are not the place, those of its own name first."""
    told = [
        Rejected(verdict.reason, text_at(entry, "place_name") or None)
        for entry, verdict in zip(entries, verdicts, strict=True)
        if verdict.reason is not None
    ]
    return sorted(told, key=lambda rejected: rejected.reason == "other_name")


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> VendorFailure | None:
    """The vendor's own error, by number (`code`) or by name (`errorType`), under whatever status."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    number, kind = text_at(value, "code"), text_at(value, "errorType")
    if not number and not kind:
        return None
    message = f"{number or kind} {text_at(value, 'msg') or text_at(value, 'message')}"
    code = _BY_CODE.get(number) or _BY_TYPE.get(kind) or ("quota_day" if status == 429 else None)
    if code == "quota_day" and "retry-after" in headers:
        # The limits that are documented are those of the day and the month; a shorter one would name its end.
        return VendorFailure("rate_limited", message, closes=timedelta(seconds=wait_of(headers)))
    if code == "quota_day":
        return VendorFailure(code, message, closes=until_midnight())
    if code is None:
        return VendorFailure("bad_answer", message) if status == 200 else None
    return VendorFailure(code, message, retryable=code in ("http_status", "timeout"))
