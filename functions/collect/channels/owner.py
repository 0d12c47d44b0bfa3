"""What the owner gave: stored with the place already, counted here so that the result tells of every source."""

from functions.collect.channels import Asking, ChannelOutcome
from functions.collect.diagnostics import DiagnosticCode
from shared.places.confirmation import OWNER


class OwnerChannel:
    """The owner's facts and photos. Asks nobody."""

    name = OWNER

    def skipped(self, ask: Asking) -> DiagnosticCode | None:
        """Never: a place has an owner."""
        return None

    async def collect(self, ask: Asking) -> ChannelOutcome:
        """Counts what stands there."""
        facts = sum(fact.channel == OWNER for fact in ask.known.facts)
        photos = sum(photo.channel == OWNER for photo in ask.known.photos)
        return ChannelOutcome("ok" if facts or photos else "empty", counts=(facts, photos))
