"""Perplexity's Search API: where the place has a website and social pages of its own, for its owner to confirm.

What a search engine finds is nobody's word about the place: no number, address or hour is taken from it.
"""

import json
import re
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from pydantic import SecretStr

from functions.collect.channels import Asking, ChannelOutcome
from functions.collect.channels.perplexity.pages import Evidence, own_profile, own_website
from functions.collect.channels.reading import stated, text_at
from functions.collect.channels.vendor import Answer, Vendor, VendorFailure, asked, missing_key, wait_of
from functions.collect.diagnostics import DiagnosticCode
from shared.places.models import UsageRow
from shared.places.normalise import display_phone

NAME = "perplexity"
MODEL = "search"  # of the ledger's rows
PRICE_USD = 0.005  # a request: five dollars a thousand, as published in October 2026
_FOUND = 20  # results of one request, the most there are; their number does not change the price
_CONFIDENCE = (
    0.3  # of a page that carries name and number, or name and address, of the place; 0.4 for all three
)
_EMPTY_PURSE = timedelta(hours=1)  # before somebody has paid nobody needs to ask again
# Words of the vendor's own error types and messages, in a 200 whose status is "failed" as elsewhere.
_WORDS: tuple[tuple[re.Pattern[str], DiagnosticCode], ...] = (
    (re.compile(r"credit|billing|insufficient|payment|quota", re.IGNORECASE), "quota_day"),
    (re.compile(r"rate.?limit|too many requests", re.IGNORECASE), "rate_limited"),
    (re.compile(r"auth|api.?key|permission", re.IGNORECASE), "auth"),
    (re.compile(r"time.?out|timed out", re.IGNORECASE), "timeout"),
    (re.compile(r"invalid|validation|bad.?request", re.IGNORECASE), "bad_request"),
)


class PerplexityChannel:
    """Searches the web for name, address and number, once a collection."""

    name = NAME

    def skipped(self, ask: Asking) -> DiagnosticCode | None:
        """Without a key, and without a number or address that a page must carry to be the place's."""
        known = ask.subject.phones or ask.subject.buildings
        return missing_key(ask, ask.keys.perplexity) or (None if known else "no_address")

    async def collect(self, ask: Asking) -> ChannelOutcome:
        """See `Channel.collect`. Every request is a row of `usage`, refused ones at no price."""
        key = ask.keys.perplexity
        return await asked(ask, [key], lambda outcome: _search(ask, key or SecretStr(""), outcome))


async def _search(ask: Asking, key: SecretStr, outcome: ChannelOutcome) -> None:
    bearer = {"Authorization": f"Bearer {key.get_secret_value()}"}
    base_url = ask.settings.perplexity_base_url
    async with Vendor(NAME, base_url, ask, secrets=[key], refusal=refusal, headers=bearer) as vendor:
        began, ended = time.monotonic(), "ok"
        try:
            answer = await vendor.post("/search", _question(ask))
            outcome.http_status = answer.status
            results = _results(answer)
        except VendorFailure as failure:
            ended = failure.code
            raise
        finally:
            outcome.usage += _usage(ask, vendor.calls, ended, round((time.monotonic() - began) * 1000))
    _take(ask, results, outcome)


def _question(ask: Asking) -> dict[str, Any]:
    address = ask.known.confirmed("road_address") or ask.known.confirmed("lot_address") or ""
    phone = ask.known.confirmed("phone")
    words = (ask.known.place.name, address, display_phone(phone) if phone else "")
    return {"query": " ".join(word for word in words if word), "max_results": _FOUND, "country": "KR"}


def _results(answer: Answer) -> list[Mapping[str, Any]]:
    results = answer.object().get("results")
    if not isinstance(results, list):
        raise VendorFailure("bad_answer", "no list of results", status=answer.status)
    return [result for result in results if isinstance(result, Mapping)]


def _take(ask: Asking, results: list[Mapping[str, Any]], outcome: ChannelOutcome) -> None:
    """The first website, unless the owner named one, and every social page of the place's.

    What a search does not find today has not vanished: the outcome is never whole.
    """
    outcome.whole = False
    evidence = Evidence(ask.subject)
    website_known = bool(ask.known.confirmed("website"))
    profiles: dict[str, float] = {}
    for result in results:
        page = text_at(result, "url")
        sure = evidence.weight(text_at(result, "title"), text_at(result, "snippet"))
        if not sure:
            continue
        confidence = _CONFIDENCE if sure == 1 else _CONFIDENCE + 0.1
        profile, website = own_profile(page), own_website(page, ask.settings.site_origin)
        if profile is not None:
            profiles.setdefault(profile, confidence)
        elif website is not None and not website_known:
            website_known = True
            outcome.facts += stated(NAME, [("website", website)], confidence=confidence, source_url=page)
    if profiles:
        said = [("sns", list(profiles))]
        outcome.facts += stated(
            NAME, said, confidence=min(profiles.values()), source_url=next(iter(profiles))
        )


def _usage(ask: Asking, calls: int, ended: str, milliseconds: int) -> list[UsageRow]:
    """A row a request; what one that gave no answer costs is not known. An earlier try's reason is not told apart."""
    return [
        UsageRow(
            provider=NAME,
            model=MODEL,
            place_id=ask.known.place.place_id,
            outcome=ended if number == calls else "retried",
            cost_usd=PRICE_USD if ended == "ok" and number == calls else None,
            milliseconds=milliseconds if number == calls else None,
        )
        for number in range(1, calls + 1)
    ]


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> VendorFailure | None:
    """The vendor's error object, which may come with any status; None without one, or for what the status says."""
    if status == 402:
        return VendorFailure("quota_day", "HTTP 402", status=status, closes=_EMPTY_PURSE)
    if status == 422:
        return VendorFailure("bad_request", "HTTP 422", status=status)
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(answer, Mapping):
        return None
    error = answer.get("error")
    if not error and answer.get("status") != "failed":
        return None
    parts = [text_at(error, part) for part in ("type", "code", "message")]
    said = " ".join(filter(None, parts)) or text_at(answer, "error")
    if status not in (200, 403, 429):
        return None
    code = next((code for words, code in _WORDS if words.search(said)), None)
    if code is None:
        return VendorFailure("bad_answer", said, status=status) if status == 200 else None
    closes = {"quota_day": _EMPTY_PURSE, "rate_limited": timedelta(seconds=wait_of(headers))}
    return VendorFailure(code, said, status=status, closes=closes.get(code))
