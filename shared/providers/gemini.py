"""Gemini through the vendor's SDK: one question, one answer of a given shape, every failure by one name.

The SDK is loaded when a client is first made, so that a function without a key never pays for it. Its own retries
stay off: they ignore the times the vendor names.
"""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import httpx
from pydantic import BaseModel, SecretStr, ValidationError

from shared.http import api_client, ssl_context
from shared.providers.access import Access
from shared.providers.calls import ProviderCall, cost_usd
from shared.providers.failures import ProviderFailure
from shared.providers.gemini_errors import failure_of_status
from shared.providers.told import text_of, tokens_of
from shared.quota.estimates import generation

if TYPE_CHECKING:
    from google.genai import types

Shape = TypeVar("Shape", bound=BaseModel)

PROVIDER = "gemini"
_LABEL_CHARACTERS = 200
# Reasons by which the vendor says that it withholds what was written; anything else that is not STOP is unfinished.
_WITHHELD = frozenset(
    [
        "SAFETY",
        "RECITATION",
        "LANGUAGE",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION",
        "MODEL_ARMOR",
    ]
)


@dataclass(frozen=True)
class ImagePart:
    """A picture sent with a question."""

    data: bytes
    content_type: str = "image/jpeg"


@dataclass(frozen=True)
class GeminiAnswer(Generic[Shape]):
    """A validated answer and where it came from."""

    value: Shape
    model_version: str | None
    response_id: str | None
    call: ProviderCall


class GeminiClient:
    """Asks Gemini; an async context manager. `timeout` is in seconds, for one call from first byte to last.

    `access` admits every call, and is told of it, of failed ones too.
    """

    def __init__(self, api_key: SecretStr, *, base_url: str, timeout: float, access: Access) -> None:
        from google import genai
        from google.genai import types

        self._types = types
        self._key = api_key
        self._timeout = timeout
        self._access = access
        self._http = api_client(timeout)
        self._unused = httpx.Client(verify=ssl_context(), trust_env=False)
        self._genai = genai.Client(
            api_key=api_key.get_secret_value(),
            vertexai=False,  # else an environment variable could turn the client to another service
            http_options=types.HttpOptions(
                base_url=base_url,
                timeout=max(1, round(timeout * 1000)),  # milliseconds; without it the SDK waits for ever
                httpx_async_client=self._http,
                # Never sent through. Without them the SDK reads the certificates anew for each of its transports,
                # which holds up the event loop for 100 ms a client.
                httpx_client=self._unused,
                async_client_args={"ssl": ssl_context()},
            ),
        )

    async def __aenter__(self) -> "GeminiClient":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._unused.close()
        await self._http.aclose()

    async def ask(
        self,
        parts: Sequence[str | ImagePart],
        *,
        model: str,
        shape: type[Shape],
        instruction: str,
        max_output_tokens: int,
        think: bool = False,
        timeout: float | None = None,
    ) -> GeminiAnswer[Shape]:
        """The model's answer as a `shape`, validated here again: the SDK turns a bad one into None.

        `think` allows a little reasoning before the answer; it counts against `max_output_tokens`. `timeout` shortens
        the client's own. Raises `ProviderFailure`.
        """
        config = self._types.GenerateContentConfig(
            system_instruction=instruction,
            response_mime_type="application/json",
            response_schema=shape,
            max_output_tokens=max_output_tokens,
            thinking_config=(
                self._types.ThinkingConfig(thinking_level=self._types.ThinkingLevel.LOW) if think else None
            ),
        )
        question = self._types.Content(role="user", parts=[self._part(part) for part in parts])
        texts = [
            instruction,
            json.dumps(shape.model_json_schema()),
            *(p for p in parts if isinstance(p, str)),
        ]
        images = sum(isinstance(part, ImagePart) for part in parts)
        estimate = generation(model, texts, images=images, max_output_tokens=max_output_tokens)
        async with self._access.admission(model, estimate) as admission:
            started = time.monotonic()
            response = None
            outcome: str = "ok"
            try:
                limit = self._timeout if timeout is None else min(timeout, self._timeout)
                response = await self._sent(model, question, config, limit)
                value = _validated(response, shape)
            except ProviderFailure as failure:
                outcome = failure.code
                raise
            finally:
                call = admission.call = _call(model, outcome, response, started)
        return GeminiAnswer(value, _label(response.model_version), _label(response.response_id), call)

    def _part(self, part: str | ImagePart) -> "types.Part":
        if isinstance(part, str):
            return self._types.Part.from_text(text=part)
        return self._types.Part.from_bytes(data=part.data, mime_type=part.content_type)

    async def _sent(
        self, model: str, question: "types.Content", config: "types.GenerateContentConfig", limit: float
    ) -> "types.GenerateContentResponse":
        """The vendor's response; whatever the SDK, pydantic or httpx raise on the way becomes a ProviderFailure."""
        from google.genai.errors import APIError

        try:
            # The SDK's timeout is per read: an answer that drips would pass it for ever.
            async with asyncio.timeout(limit):
                return await self._genai.aio.models.generate_content(
                    model=model, contents=question, config=config
                )
        except APIError as error:
            headers = dict(getattr(error.response, "headers", None) or {})
            message = self._without_key(str(error.message or error.status or ""))
            raise failure_of_status(int(error.code or 0), message, error.details, headers) from None
        except (TimeoutError, httpx.TimeoutException):
            raise ProviderFailure("timeout", f"no whole answer within {limit:g} s") from None
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise ProviderFailure("connection", self._without_key(type(error).__name__)) from None
        except (ValueError, TypeError, AttributeError, KeyError, RuntimeError) as error:
            # Not JSON (a proxy's page), or JSON of another kind, trips the SDK in its own parsing.
            raise ProviderFailure("bad_answer", f"the SDK cannot read it: {type(error).__name__}") from None

    def _without_key(self, text: str) -> str:
        return text.replace(self._key.get_secret_value(), "***")


def _validated(response: "types.GenerateContentResponse", shape: type[Shape]) -> Shape:
    """The answer's content. Raises ProviderFailure for every way in which there is none."""
    feedback = response.prompt_feedback
    if feedback is not None and feedback.block_reason:
        raise ProviderFailure("blocked", f"the question was refused: {_name(feedback.block_reason)}")
    if not response.candidates:
        raise ProviderFailure("empty", "no candidate")
    candidate = response.candidates[0]
    reason = _name(candidate.finish_reason)
    if reason in _WITHHELD:
        raise ProviderFailure("blocked", f"the answer was withheld: {reason}")
    if reason not in ("STOP", "None"):
        raise ProviderFailure("unfinished", f"the answer ended with {reason}")
    parts = (candidate.content.parts if candidate.content is not None else None) or []
    text = "".join(part.text for part in parts if part.text and not part.thought)
    if not text.strip():
        raise ProviderFailure("empty", "a candidate without text")
    try:
        return shape.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ProviderFailure(
            "bad_answer", f"not a {shape.__name__}: {where or 'the whole'}: {first['type']}"
        ) from None


def _label(value: str | None) -> str | None:
    """A name the vendor gave, as it can be kept."""
    return None if value is None else text_of(value, _LABEL_CHARACTERS)


def _name(value: Any) -> str:
    """An enum's wire name; values the SDK does not know yet are kept as the vendor wrote them."""
    return str(getattr(value, "value", value))


def _call(
    model: str, outcome: str, response: "types.GenerateContentResponse | None", started: float
) -> ProviderCall:
    usage = response.usage_metadata if response is not None else None
    tokens_in = tokens_out = None
    if usage is not None:
        tokens_in = tokens_of(usage.prompt_token_count)
        written, thought = tokens_of(usage.candidates_token_count), tokens_of(usage.thoughts_token_count)
        if written is not None or thought is not None:
            tokens_out = (written or 0) + (thought or 0)
    return ProviderCall(
        provider=PROVIDER,
        model=model,
        outcome=outcome,
        milliseconds=round((time.monotonic() - started) * 1000),
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        cost_usd=cost_usd(model, tokens_in, tokens_out),
    )
