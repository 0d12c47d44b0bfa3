"""A way to providers that admits every call at once and remembers it: for tests of clients without a database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from shared.providers.calls import ProviderCall
from shared.quota import Admission, Estimate


class OpenAccess:
    """`calls` holds every call that ended, and `estimates` what each was thought to take at most."""

    def __init__(self) -> None:
        self.calls: list[ProviderCall] = []
        self.estimates: list[Estimate] = []

    @asynccontextmanager
    async def admission(self, model: str, estimate: Estimate) -> AsyncIterator[Admission]:
        """See `shared.providers.access.Access`."""
        self.estimates.append(estimate)
        admission = Admission()
        try:
            yield admission
        finally:
            assert admission.call is not None, "every call that was admitted is told of"
            self.calls.append(admission.call)
