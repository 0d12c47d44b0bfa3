"""What the owner gave: stored with the place already, counted here so that the result tells of every source."""

from functions.collect.channels import ChannelOutcome, Known
from shared.places.confirmation import OWNER
from shared.settings import Settings


class OwnerChannel:
    """The owner's facts and photos. Asks nobody."""

    name = OWNER

    def enabled(self, settings: Settings, known: Known) -> bool:
        """Always: a place has an owner."""
        return True

    async def collect(self, settings: Settings, known: Known, *, seconds: float) -> ChannelOutcome:
        """Counts what stands there."""
        facts = sum(fact.channel == OWNER for fact in known.facts)
        photos = sum(photo.channel == OWNER for photo in known.photos)
        return ChannelOutcome("ok" if facts or photos else "empty", counts=(facts, photos))
