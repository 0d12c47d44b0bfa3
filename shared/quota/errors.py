"""How the governor's refusals reach who wanted to call a provider: as failures of that provider."""

from typing import cast, get_args

from shared.providers.failures import FailureCode, ProviderFailure
from shared.quota.models import BudgetSpent, Wait


class QuotaInTransactionError(RuntimeError):
    """The governor was asked inside a transaction: its locks would last until that one's end."""


class NoQuotaError(ProviderFailure):
    """There is no room within the caller's patience. `retry_after` is when this waiter's turn comes."""

    def __init__(self, wait: Wait) -> None:
        super().__init__(_code(wait), str(wait), retry_after=wait.seconds)
        self.wait = wait

    @property
    def retryable(self) -> bool:
        """False: whoever raises this has waited as long as it may."""
        return False


class BudgetSpentError(ProviderFailure):
    """The month's budget is spent: no call until the next month or a larger one."""

    def __init__(self, spent: BudgetSpent) -> None:
        super().__init__("budget", spent.detail)


def _code(wait: Wait) -> FailureCode:
    if wait.code in get_args(FailureCode):
        return cast(FailureCode, wait.code)
    return "quota_day" if wait.reason.endswith("_day") else "quota_minute"
