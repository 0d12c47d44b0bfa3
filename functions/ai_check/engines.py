"""Answer engines behind one face."""

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from pydantic import SecretStr

from shared.places.models import Locale
from shared.providers.access import Access
from shared.providers.keys import api_key
from shared.providers.perplexity import PROVIDER, PerplexityClient
from shared.settings import Settings


@dataclass(frozen=True)
class EngineAnswer:
    """An engine's answer. `retrieved` holds every address it read, the cited ones among them."""

    text: str
    cited: tuple[str, ...]
    retrieved: tuple[str, ...]
    model: str
    response_id: str | None
    cost_usd: float | None


class Engine(Protocol):
    """Something that answers questions from the web. Used as an async context manager."""

    name: str
    model: str

    async def ask(self, question: str, locale: Locale) -> EngineAnswer:
        """The answer. Raises `ProviderFailure`: an error is never the answer "not mentioned"."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Perplexity:
    """Perplexity's Agent API, asked from Korea."""

    name = "perplexity"

    def __init__(self, client: PerplexityClient, model: str) -> None:
        self._client = client
        self.model = model

    async def ask(self, question: str, locale: Locale) -> EngineAnswer:
        """See `Engine`."""
        answer = await self._client.ask(question, model=self.model, language=locale)
        return EngineAnswer(
            text=answer.text,
            cited=answer.cited,
            retrieved=answer.retrieved,
            model=answer.model,
            response_id=answer.response_id,
            cost_usd=answer.call.cost_usd,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.__aexit__(kind, error, trace)


async def engines(settings: Settings, access: Callable[[str, SecretStr], Access]) -> list[Engine]:
    """The engines this deployment has keys for; empty when it has none. `access` is the way to a provider under a key.

    Raises `ProviderFailure` (`auth`).
    """
    found: list[Engine] = []
    key = await api_key(settings.perplexity_api_key, settings.perplexity_secret_arn)
    if key is not None:
        client = PerplexityClient(
            key,
            base_url=settings.perplexity_base_url,
            timeout=settings.ai_check_timeout,
            access=access(PROVIDER, key),
        )
        found.append(Perplexity(client, settings.perplexity_model))
    return found
