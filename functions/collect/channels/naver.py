"""Naver's local search, under terms that forbid to keep what it answers: it is compared, and only disagreements stay.

Nothing of an answer is written anywhere: no value, no name of a rejected entry, no address of a page.
"""

import html
import json
import re
from collections.abc import Mapping
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
from functions.collect.matching import Candidate, choose, folded
from shared.places.models import NewFact
from shared.places.normalise import geo_from_naver

NAME = "naver"
_SIZE = 5  # entries of an answer, the most there are, and there is no second page
_QUERY = 100  # characters
_BOLD = re.compile(r"</?b>", re.IGNORECASE)  # around the words of the question

# `errorCode` of the service itself.
_OF_SERVICE: dict[str, DiagnosticCode] = {
    **dict.fromkeys(["020", "021", "022", "023", "024", "028"], "auth"),
    **dict.fromkeys(["010", "012"], "quota_day"),
    **dict.fromkeys(["011", "SE01", "SE02", "SE03", "SE04", "SE05", "SE06"], "bad_request"),
    **dict.fromkeys(["000", "SE99"], "http_status"),  # theirs, which passes
}
# `error.errorCode` of the gateway before the newer of the two hosts.
_OF_GATEWAY: dict[str, DiagnosticCode] = {
    **dict.fromkeys(["200", "210", "220", "230"], "auth"),
    **dict.fromkeys(["100", "300", "310", "430"], "bad_request"),
    "400": "quota_day",
    **dict.fromkeys(["410", "420"], "rate_limited"),
    **dict.fromkeys(["500", "510", "520", "900"], "http_status"),
}


class NaverChannel:
    """The place's entry among the first five of its name in its district. Its telephone numbers are always empty."""

    name = NAME

    def skipped(self, ask: Asking) -> DiagnosticCode | None:
        """Without both keys, and where neither an address nor a pin could tell the place from its namesakes."""
        known = ask.subject.geo or ask.subject.buildings
        return missing_key(ask, ask.keys.naver_id, ask.keys.naver_secret) or (None if known else "no_address")

    async def collect(self, ask: Asking) -> ChannelOutcome:
        """See `Channel.collect`."""
        keys = [ask.keys.naver_id, ask.keys.naver_secret]
        return await asked(ask, keys, lambda outcome: _ask(ask, outcome))


async def _ask(ask: Asking, outcome: ChannelOutcome) -> None:
    secrets = [ask.keys.naver_id or SecretStr(""), ask.keys.naver_secret or SecretStr("")]
    base_url, path, headers = _service(ask, *(secret.get_secret_value() for secret in secrets))
    async with Vendor(NAME, base_url, ask, secrets=secrets, refusal=refusal, headers=headers) as vendor:
        for query in _queries(ask):
            answer = await vendor.get(path, {"query": query, "display": _SIZE, "start": 1, "sort": "random"})
            entries = _entries(answer)
            outcome.http_status = vendor.status
            outcome.pages += 1
            if entries:
                break
    chosen, verdicts = choose(ask.subject, [_candidate(entry) for entry in entries])
    outcome.rejected += [Rejected(verdict.reason) for verdict in verdicts if verdict.reason is not None]
    if chosen is not None:
        outcome.facts += _facts(ask, entries[chosen], verdicts[chosen].confidence)
    else:
        outcome.whole = len(entries) < _SIZE  # of a full answer the rest is not to be had


def _service(ask: Asking, key_id: str, key: str) -> tuple[str, str, dict[str, str]]:
    """Base address, path and headers of the service that issued the key."""
    if ask.settings.naver_api == "hub":
        return (
            ask.settings.naver_hub_base_url,
            "/search/v1/local",
            {"X-NCP-APIGW-API-KEY-ID": key_id, "X-NCP-APIGW-API-KEY": key},
        )
    return (
        ask.settings.naver_developers_base_url,
        "/v1/search/local.json",
        {"X-Naver-Client-Id": key_id, "X-Naver-Client-Secret": key},
    )


def _queries(ask: Asking) -> list[str]:
    """The name in its district; by itself where that finds nothing."""
    name = ask.subject.names[0]
    return list(dict.fromkeys(query.strip()[:_QUERY] for query in (f"{district(ask.known)} {name}", name)))


def _entries(answer: Answer) -> list[Mapping[str, Any]]:
    entries = answer.object().get("items")
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise VendorFailure("bad_answer", "items that are no list of objects", status=answer.status)
    return entries


def _candidate(entry: Mapping[str, Any]) -> Candidate:
    return Candidate(
        name=_plain(entry, "title"),
        addresses=[address for _, address in _addresses(entry)],
        geo=_geo(entry),
    )


def _facts(ask: Asking, entry: Mapping[str, Any], confidence: float) -> list[NewFact]:
    """What is compared: none of it is storable, and none says where it stands."""
    said: list[tuple[str, Any]] = [
        *_addresses(entry),
        ("geo", _geo(entry)),
        ("category", _plain(entry, "category")),
    ]
    name = _plain(entry, "title")
    if folded(name) not in map(folded, ask.subject.names):
        said.append(("name", name))
    return stated(NAME, said, confidence=confidence, storable=False)


def _plain(entry: Mapping[str, Any], field: str) -> str:
    return html.unescape(_BOLD.sub("", text_at(entry, field))).strip()


def _addresses(entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    return addresses(road=_plain(entry, "roadAddress"), lot=_plain(entry, "address"))


def _geo(entry: Mapping[str, Any]) -> dict[str, float] | None:
    try:
        return geo_from_naver(entry.get("mapx"), entry.get("mapy")).model_dump()
    except ValueError:
        return None


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> VendorFailure | None:
    """The service's own error (`errorCode`) or the gateway's (`error.errorCode`), under whatever status."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    number, code = text_at(value, "errorCode"), None
    said = text_at(value, "errorMessage")
    if number:
        code = _OF_SERVICE.get(number)
    elif number := text_at(value, "error", "errorCode"):
        code = _OF_GATEWAY.get(number)
        said = text_at(value, "error", "message")
    else:
        return None
    message = f"{number} {said}"
    if code == "quota_day":
        return VendorFailure(code, message, closes=until_midnight())
    if code == "rate_limited":
        return VendorFailure(code, message, closes=timedelta(seconds=wait_of(headers)))
    if code is None:
        return VendorFailure("bad_answer", message) if status == 200 else None
    return VendorFailure(code, message, retryable=code == "http_status")
