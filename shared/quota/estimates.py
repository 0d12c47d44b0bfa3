"""What a call may take at most, before it is sent. Settling puts the real figures in their place."""

from collections.abc import Iterable

from shared.providers.calls import most_usd
from shared.quota.models import Estimate

# A syllable of Hangul is three bytes and about one token, an English word five and one or two: two bytes are on the safe side.
_BYTES_A_TOKEN = 2
_TOKENS_AN_IMAGE = 1_200  # Gemini 3 takes about 1,120 for one at its default resolution
# An answer engine reads what it found: a question's searches, their results and its answer.
_SEARCHED_INPUT, _SEARCHED_OUTPUT = 12_000, 2_000
_SEARCHES, _SEARCH_USD = 3, 0.0025


def generation(model: str, texts: Iterable[str], *, images: int = 0, max_output_tokens: int) -> Estimate:
    """Of one question to a model that writes: all it is given, and all it may answer, thinking included."""
    given = sum(len(text.encode()) for text in texts) // _BYTES_A_TOKEN + images * _TOKENS_AN_IMAGE + 1
    return Estimate(given + max_output_tokens, most_usd(model, given, max_output_tokens))


def searched_answer(model: str) -> Estimate:
    """Of one question to a model that searches the web first."""
    cost = most_usd(model, _SEARCHED_INPUT, _SEARCHED_OUTPUT)
    return Estimate(_SEARCHED_INPUT + _SEARCHED_OUTPUT, cost + _SEARCHES * _SEARCH_USD)
