"""What one call of a paid provider took, and what it cost."""

from dataclasses import dataclass
from datetime import UTC, date, datetime


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens, in force from `since`. Output counts the thinking too."""

    since: date
    input: float
    output: float


# Standard paid tier as published in October 2026. A model that is not here costs None: unknown, not free.
PRICES: dict[str, tuple[Price, ...]] = {
    "gemini-3.8-flash": (
        Price(date(2026, 9, 2), 0.75, 3.75),
        Price(date(2027, 1, 1), 1.50, 7.50),
    ),
    "gemini-3.5-flash": (Price(date(2026, 5, 1), 1.50, 9.00),),
    "gemini-3.5-flash-lite": (Price(date(2026, 7, 21), 0.30, 2.50),),
    "gemini-3.1-flash-lite": (Price(date(2026, 1, 1), 0.25, 1.50),),
    "perplexity/sonar": (Price(date(2026, 10, 1), 0.25, 2.50),),
}


def cost_usd(
    model: str, input_tokens: int | None, output_tokens: int | None, *, on: date | None = None
) -> float | None:
    """What the tokens cost on a day (today by default); None when tokens or price are not known."""
    if input_tokens is None and output_tokens is None:
        return None
    day = on or datetime.now(UTC).date()
    valid = [price for price in PRICES.get(model, ()) if price.since <= day]
    if not valid:
        return None
    price = valid[-1]
    return round(((input_tokens or 0) * price.input + (output_tokens or 0) * price.output) / 1_000_000, 6)


def most_usd(model: str, input_tokens: int, output_tokens: int) -> float:
    """What the tokens cost at most: by the dearest price there is where the model's own is not known."""
    known = cost_usd(model, input_tokens, output_tokens)
    if known is not None:
        return known
    dearest = [price for prices in PRICES.values() for price in prices]
    dollars = input_tokens * max(p.input for p in dearest) + output_tokens * max(p.output for p in dearest)
    return round(dollars / 1_000_000, 6)


@dataclass(frozen=True)
class ProviderCall:
    """One call that was sent, whatever became of it. Tokens are None when the vendor did not say."""

    provider: str
    model: str
    outcome: str  # ok, or the failure's code
    milliseconds: int
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
