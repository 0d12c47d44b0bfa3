"""OpenStreetMap: Nominatim by name, and Overpass around the place's position where that finds nothing.

Its data are ODbL: kept and shown with the contributors named.
"""

from functions.collect.channels import Asking, ChannelOutcome, Rejected
from functions.collect.channels.osm.elements import Element, from_nominatim, from_overpass, read_all
from functions.collect.channels.osm.facts import candidate, facts_of
from functions.collect.channels.osm.questions import nominatim_question, overpass_query
from functions.collect.channels.osm.refusals import nominatim_refusal, overpass_refusal
from functions.collect.channels.vendor import Refusal, Vendor, asked
from functions.collect.diagnostics import DiagnosticCode
from functions.collect.matching import choose

_OVERPASS = "osm_overpass"  # a gate of its own: one server's refusal says nothing of the other
# Nominatim's usage policy allows one request a second in all; Overpass gives an address two slots, and asks for pauses.
_NOMINATIM_EVERY = 1.0
_OVERPASS_EVERY = 2.0
_SURELY = 0.85  # a match on the building: only then is what the map says of the end of a business believed


class OsmChannel:
    """Asked when the settings name a Nominatim; needs no key."""

    name = "osm"

    def skipped(self, ask: Asking) -> DiagnosticCode | None:
        """Where no server is named, and where a namesake could not be told from the place."""
        if not ask.settings.nominatim_base_url:
            return "no_key"
        known = ask.subject
        return None if known.phones or known.buildings or known.geo else "no_address"

    async def collect(self, ask: Asking) -> ChannelOutcome:
        """One question of Nominatim, and at most one of Overpass."""

        async def work(outcome: ChannelOutcome) -> None:
            found = await _by_name(ask, outcome)
            if not _take(ask, found, outcome) and ask.settings.overpass_base_url and ask.subject.geo:
                judged = {element.url for element in found}
                around = await _around(ask, outcome)
                _take(ask, [element for element in around if element.url not in judged], outcome)

        return await asked(ask, [], work)


async def _by_name(ask: Asking, outcome: ChannelOutcome) -> list[Element]:
    base_url = ask.settings.nominatim_base_url or ""
    async with _server(ask, OsmChannel.name, base_url, nominatim_refusal, _NOMINATIM_EVERY) as vendor:
        answer = await vendor.get("/search", nominatim_question(ask))
        outcome.http_status = vendor.status
    return read_all(answer.json(), from_nominatim)


async def _around(ask: Asking, outcome: ChannelOutcome) -> list[Element]:
    base_url = ask.settings.overpass_base_url or ""
    async with _server(ask, _OVERPASS, base_url, overpass_refusal, _OVERPASS_EVERY) as vendor:
        answer = await vendor.post("/api/interpreter", form={"data": overpass_query(ask)})
        outcome.http_status = vendor.status
    return read_all(answer.object().get("elements"), from_overpass)


def _server(ask: Asking, gate: str, base_url: str, refusal: Refusal, every: float) -> Vendor:
    agent = {"User-Agent": f"web4ai/1.0 (+{ask.settings.crawl_contact})"}
    return Vendor(gate, base_url, ask, secrets=[], refusal=refusal, headers=agent, every=every)


def _take(ask: Asking, elements: list[Element], outcome: ChannelOutcome) -> bool:
    """Whether the place is among them; its facts then stand in the outcome. A business that is there now goes before
    one that was.
    """
    for group in ([e for e in elements if not e.gone], [e for e in elements if e.gone]):
        candidates = [candidate(element, ask.subject) for element in group]
        index, verdicts = choose(ask.subject, candidates)
        outcome.rejected += [
            Rejected(verdict.reason, one.name)
            for verdict, one in zip(verdicts, candidates, strict=True)
            if verdict.reason
        ]
        if index is None:
            continue
        element, confidence = group[index], verdicts[index].confidence
        if not element.gone:
            outcome.facts += facts_of(element, ask.subject, confidence)
        elif confidence >= _SURELY:
            outcome.code = "business_closed"
            outcome.notes.append("business_closed")
        return True
    return False
