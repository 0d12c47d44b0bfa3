"""The tax office's register of businesses: whether the place's own number is active, resting or given up."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import SecretStr

from functions.collect.channels import Asking, ChannelOutcome
from functions.collect.channels.data_go_kr import EVERY, refusal, service_key
from functions.collect.channels.reading import text_at
from functions.collect.channels.vendor import Vendor, VendorFailure, asked, missing_key
from functions.collect.diagnostics import DiagnosticCode
from shared.places.models import NewFact

NAME = "nts"
Status = Literal["active", "suspended", "closed"]
_STATUS: dict[str, Status] = {"01": "active", "02": "suspended", "03": "closed"}
_NOTES: dict[Status, DiagnosticCode] = {"closed": "business_closed", "suspended": "business_suspended"}
_UNREGISTERED = "국세청에 등록되지 않은"  # how the tax type begins for a number that nobody has


class NtsChannel:
    """One question about the confirmed registration number. Gives one fact, `business_status`.

    The notes say it when the business is closed or rests. A number that is not registered is an empty outcome with
    `not_this_place`: it is mistyped, and says nothing about the place.
    """

    name = NAME

    def skipped(self, ask: Asking) -> DiagnosticCode | None:
        """Without a key, and where no registration number is confirmed."""
        if not ask.known.confirmed("business_number"):
            return missing_key(ask, ask.keys.nts) or "no_business_number"
        return missing_key(ask, ask.keys.nts)

    async def collect(self, ask: Asking) -> ChannelOutcome:
        """See `Channel.collect`."""
        key = ask.keys.nts or SecretStr("")
        return await asked(ask, [key], lambda outcome: _ask(ask, key, outcome))


async def _ask(ask: Asking, key: SecretStr, outcome: ChannelOutcome) -> None:
    number = str(ask.known.confirmed("business_number"))
    async with Vendor(
        NAME, ask.settings.nts_base_url, ask, secrets=[key], refusal=refusal, every=EVERY
    ) as vendor:
        answer = await vendor.post(
            "/status", {"b_no": [number]}, params={"serviceKey": service_key(key), "returnType": "JSON"}
        )
        outcome.http_status = vendor.status
    status = _status(_entry(answer.object(), number))
    if status is None:
        outcome.code = "not_this_place"
        return
    if status in _NOTES:
        outcome.notes.append(_NOTES[status])
    outcome.facts.append(NewFact(key="business_status", value=status, channel=NAME))


def _entry(answer: Mapping[str, Any], number: str) -> Mapping[str, Any]:
    """What the answer says of the number that was asked about."""
    data = answer.get("data")
    for entry in data if isinstance(data, list) else [data]:
        if isinstance(entry, Mapping) and text_at(entry, "b_no").replace("-", "") == number:
            return entry
    raise VendorFailure("bad_answer", "nothing about the number that was asked about", status=200)


def _status(entry: Mapping[str, Any]) -> Status | None:
    """The business's status; None for a number that is not registered."""
    code = text_at(entry, "b_stt_cd")
    if not code and text_at(entry, "tax_type").startswith(_UNREGISTERED):
        return None
    if code not in _STATUS:
        raise VendorFailure("bad_answer", "a status that is not documented", status=200)
    return _STATUS[code]
