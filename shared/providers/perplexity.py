"""Perplexity's Agent API over plain HTTP: one question to a model that searches the web."""

import asyncio
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import httpx
from pydantic import SecretStr

from shared.http import api_client
from shared.providers.access import Access
from shared.providers.calls import ProviderCall, cost_usd
from shared.providers.failures import FailureCode, ProviderFailure
from shared.providers.told import seconds_of, text_of, tokens_of, usd_of
from shared.quota.estimates import searched_answer

PROVIDER = "perplexity"
_MESSAGE_LIMIT = 300  # characters
_LABEL_CHARACTERS = 200
_TEXT_CHARACTERS = 100_000
_URL_CHARACTERS = 2_000
# Words of the vendor's own error types inside a 200 whose status is "failed".
_FAILED: tuple[tuple[str, FailureCode], ...] = (
    ("rate", "quota_minute"),
    ("timeout", "timeout"),
    ("invalid", "bad_request"),
    ("auth", "auth"),
    ("credit", "spend_limit"),
    ("billing", "spend_limit"),
)


@dataclass(frozen=True)
class SearchedAnswer:
    """What the model wrote; `cited` are the addresses the text refers to, `retrieved` all that the search returned."""

    text: str
    cited: tuple[str, ...]
    retrieved: tuple[str, ...]
    model: str
    response_id: str | None
    call: ProviderCall


class PerplexityClient:
    """Asks the Agent API; an async context manager. `timeout` is in seconds, for a whole call.

    `access` admits every call, and is told of it, of failed ones too.
    """

    def __init__(self, api_key: SecretStr, *, base_url: str, timeout: float, access: Access) -> None:
        self._key = api_key
        self._url = base_url.rstrip("/") + "/v1/agent"
        self._timeout = timeout
        self._access = access
        self._http = api_client(timeout)

    async def __aenter__(self) -> "PerplexityClient":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def ask(self, question: str, *, model: str, language: str, country: str = "KR") -> SearchedAnswer:
        """The answer to a question asked from `country`. The model is pinned: a preset alone may pick another vendor's.

        Raises `ProviderFailure`; a `failed` inside a 200 is one.
        """
        request = {
            "model": model,
            "input": question,
            "tools": [{"type": "web_search", "user_location": {"country": country}}],
            "language_preference": language,
            "max_steps": 3,
            "store": False,
        }
        async with self._access.admission(model, searched_answer(model)) as admission:
            started = time.monotonic()
            body: Mapping[str, Any] = {}
            outcome: str = "ok"
            try:
                body = await self._sent(request)
                text, cited, retrieved = _read(body)
            except ProviderFailure as failure:
                outcome = failure.code
                raise
            finally:
                call = admission.call = _call(model, outcome, body, started)
        return SearchedAnswer(
            text=text,
            cited=cited,
            retrieved=retrieved,
            model=text_of(body.get("model") or model, _LABEL_CHARACTERS),
            response_id=text_of(body["id"], _LABEL_CHARACTERS) if body.get("id") else None,
            call=call,
        )

    async def _sent(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        headers = {"Authorization": f"Bearer {self._key.get_secret_value()}"}
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._http.post(self._url, json=request, headers=headers)
        except (TimeoutError, httpx.TimeoutException):
            raise ProviderFailure("timeout", f"no whole answer within {self._timeout:g} s") from None
        except httpx.RequestError as error:
            raise ProviderFailure("connection", type(error).__name__) from None
        body = _decoded(response.content)
        if response.status_code != 200:
            message = str(_error_of(body).get("message") or "no message")
            text = f"HTTP {response.status_code}: {self._without_key(message)[:_MESSAGE_LIMIT]}"
            raise ProviderFailure(
                _code_of_status(response.status_code),
                text,
                retry_after=seconds_of(response.headers.get("retry-after", "")),
            )
        if body is None:
            raise ProviderFailure("bad_answer", "the vendor's answer is not a JSON object")
        return body

    def _without_key(self, text: str) -> str:
        return text.replace(self._key.get_secret_value(), "***")


def _code_of_status(status: int) -> FailureCode:
    codes: dict[int, FailureCode] = {
        401: "auth",
        402: "spend_limit",
        403: "auth",
        404: "model_retired",
        408: "timeout",
        429: "quota_minute",
        504: "timeout",
    }
    if status in codes:
        return codes[status]
    if status >= 500:
        return "server"
    return "bad_request" if status >= 400 else "bad_answer"


def _decoded(content: bytes) -> Mapping[str, Any] | None:
    try:
        body = json.loads(content)
    except ValueError:
        return None
    return body if isinstance(body, Mapping) else None


def _error_of(body: Mapping[str, Any] | None) -> Mapping[str, Any]:
    error = (body or {}).get("error")
    if isinstance(error, Mapping):
        return error
    return {"message": error} if isinstance(error, str) else {}


def _read(body: Mapping[str, Any]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Text, cited and retrieved addresses. Raises ProviderFailure unless the vendor says the answer is complete."""
    status = body.get("status")
    if status != "completed":
        error = _error_of(body)
        kind = f"{error.get('code') or ''} {error.get('type') or ''}".lower()
        code: FailureCode = next((code for word, code in _FAILED if word in kind), "server")
        if status in ("incomplete", "in_progress", "queued"):
            code = "unfinished"
        raise ProviderFailure(code, f"status {status}: {str(error.get('message') or '')[:_MESSAGE_LIMIT]}")
    texts: list[str] = []
    cited: dict[str, None] = {}
    retrieved: dict[str, None] = {}
    for item in _objects(body.get("output")):
        if item.get("type") == "message":
            for content in _objects(item.get("content")):
                texts.append(str(content.get("text") or ""))
                cited |= dict.fromkeys(_urls(content.get("annotations")))
        else:
            retrieved |= dict.fromkeys([*_urls(item.get("results")), *_urls(item.get("contents"))])
    text = text_of("".join(texts), _TEXT_CHARACTERS).strip()
    if not text:
        raise ProviderFailure("empty", "a completed answer without text")
    return text, tuple(cited), tuple(retrieved | cited)


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, Mapping))


def _urls(value: Any) -> list[str]:
    return [text_of(item["url"], _URL_CHARACTERS) for item in _objects(value) if item.get("url")]


def _call(model: str, outcome: str, body: Mapping[str, Any], started: float) -> ProviderCall:
    usage = body.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    tokens_in, tokens_out = tokens_of(usage.get("input_tokens")), tokens_of(usage.get("output_tokens"))
    cost = usage.get("cost")
    total = usd_of(cost.get("total_cost")) if isinstance(cost, Mapping) else None
    return ProviderCall(
        provider=PROVIDER,
        model=model,
        outcome=outcome,
        milliseconds=round((time.monotonic() - started) * 1000),
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        cost_usd=cost_usd(model, tokens_in, tokens_out) if total is None else total,
    )
