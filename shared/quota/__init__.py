"""The quota governor: what all sandboxes together may send to paid providers, and what it costs. See `governor`."""

from shared.quota.errors import BudgetSpentError, NoQuotaError, QuotaInTransactionError
from shared.quota.gate import Admission, Gate
from shared.quota.governor import (
    close,
    give_back,
    leave,
    mark_sent,
    reopen,
    reserve,
    set_limits,
    settle,
)
from shared.quota.models import (
    BudgetSpent,
    Estimate,
    Limits,
    Meter,
    Reservation,
    Terms,
    Wait,
    Work,
    key_hash,
)
from shared.quota.upkeep import Pruned, prune_quota
from shared.quota.watching import MeterState, QuotaState, Use, quota_state

__all__ = [
    "Admission",
    "BudgetSpent",
    "BudgetSpentError",
    "Estimate",
    "Gate",
    "Limits",
    "Meter",
    "MeterState",
    "NoQuotaError",
    "Pruned",
    "QuotaInTransactionError",
    "QuotaState",
    "Reservation",
    "Terms",
    "Use",
    "Wait",
    "Work",
    "close",
    "give_back",
    "key_hash",
    "leave",
    "mark_sent",
    "prune_quota",
    "quota_state",
    "reopen",
    "reserve",
    "set_limits",
    "settle",
]
