"""What the quota governor speaks of: meters, estimates, reservations, and what is said to who gets none."""

import hashlib
from dataclasses import dataclass
from enum import Enum
from typing import Any
from uuid import UUID

from pydantic import SecretStr

from shared.providers.told import MOST_TOKENS, MOST_USD
from shared.settings import Settings

WHOLE_KEY = "*"  # in the place of a model: all of them

# Where a vendor's day begins at another midnight than UTC's. Names that PostgreSQL knows.
DAY_ZONES = {"gemini": "America/Los_Angeles"}

_HASH_KEY = b"web4ai quota meter"  # so that the hash of a key here is not its hash anywhere else


class Work(Enum):
    """Who asks. Interactive work may take all of a limit, batch work never the reserved share."""

    INTERACTIVE = "interactive"
    BATCH = "batch"


def key_hash(key: SecretStr) -> str:
    """Twelve hexadecimal digits that name a vendor's key and do not give it away."""
    return hashlib.blake2b(key.get_secret_value().encode(), digest_size=6, key=_HASH_KEY).hexdigest()


@dataclass(frozen=True)
class Meter:
    """What is counted together: a provider's model under one key, named by its `key_hash`."""

    provider: str
    key_hash: str
    model: str

    @classmethod
    def of(cls, provider: str, key: SecretStr, model: str) -> "Meter":
        """The meter of a model under a key."""
        if model == WHOLE_KEY:
            raise ValueError("a meter is of one model")
        return cls(provider, key_hash(key), model)

    @property
    def day_zone(self) -> str:
        """In which the vendor's day begins at midnight."""
        return DAY_ZONES.get(self.provider, "UTC")

    def __str__(self) -> str:
        return f"{self.provider} {self.model}"


@dataclass(frozen=True)
class Estimate:
    """What a call may take at most: `tokens` as the vendor counts them, `cost_usd` None where the price is not known."""

    tokens: int
    cost_usd: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.tokens <= MOST_TOKENS or (
            self.cost_usd is not None and not 0 <= self.cost_usd <= MOST_USD
        ):
            raise ValueError(f"not what a call may take: {self}")


@dataclass(frozen=True)
class Limits:
    """What a vendor allows a model; None: as the provider's row says, then the settings. `reserved_share` is of each."""

    requests_minute: int | None = None
    tokens_minute: int | None = None
    requests_day: int | None = None
    tokens_day: int | None = None
    reserved_share: float | None = None


@dataclass(frozen=True)
class Terms:
    """The settings of the governor: limits where the table has none, the month's budget, lengths in seconds."""

    limits: Limits
    budget_usd: float | None = None
    window: float = 60.0
    margin: float = 5.0
    lease: float = 10.0

    @classmethod
    def of(cls, settings: Settings) -> "Terms":
        """As the environment says."""
        return cls(
            Limits(
                settings.quota_requests_minute,
                settings.quota_tokens_minute,
                settings.quota_requests_day,
                settings.quota_tokens_day,
                settings.quota_reserved_share,
            ),
            settings.ai_monthly_budget_usd,
            settings.quota_window_seconds,
            settings.quota_margin_seconds,
            settings.quota_send_seconds,
        )


@dataclass(frozen=True)
class Reservation:
    """Leave to send one call, for a few seconds. `estimate.tokens` is what was counted: at most a whole window's."""

    reservation_id: UUID
    meter_id: int
    meter: Meter
    work: Work
    estimate: Estimate
    job_id: UUID | None
    place_id: UUID | None


@dataclass(frozen=True)
class Wait:
    """No room: come back in `seconds`, when this waiter's turn is kept for ten more.

    `reason` is the limit met (`requests_minute`, `tokens_minute`, `requests_day`, `tokens_day`), `busy`, or `closed` with the
    failure's `code` and `detail`.
    """

    meter: Meter
    seconds: float
    reason: str
    code: str | None = None
    detail: str | None = None

    def progress(self) -> dict[str, Any]:
        """What a job's progress says while it waits."""
        found: dict[str, Any] = {
            "waiting_for": self.reason,
            "provider": self.meter.provider,
            "model": self.meter.model,
            "wait_sec": round(self.seconds, 1),
        }
        return found | {"closed_by": self.code} if self.code else found

    def __str__(self) -> str:
        what = f"closed ({self.code})" if self.reason == "closed" else self.reason
        return f"no quota of {self.meter} for {self.seconds:.1f} s: {what}"


@dataclass(frozen=True)
class BudgetSpent:
    """The month's money is spent or promised; `detail` says how much."""

    detail: str
