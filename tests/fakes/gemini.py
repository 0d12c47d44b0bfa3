"""Gemini's generateContent as the vendor answers it, over real HTTP on loopback.

    with FakeGemini().running() as gemini:
        gemini.script(quota_minute("2s"))
        ...  # base_url=gemini.url

By default it answers well: an object of the schema the request asks for, filled by `answer_of` when given.
"""

import base64
import json
import re
from collections.abc import Callable
from typing import Any

from tests.fakes.http_server import Behaviour, Recorded, Reply, VendorServer

PATH = re.compile(r"^/v1(?:beta)?/models/([^/:]+):generateContent")


def _either(node: dict[str, Any], camel: str, snake: str) -> Any:
    return node.get(camel, node.get(snake))


def model_of(request: Recorded) -> str:
    """The model a request names in its path."""
    match = PATH.match(request.path)
    assert match, f"not a path of the vendor's: {request.path}"
    return match.group(1)


def texts_of(request: Recorded) -> list[str]:
    """The text parts of the question."""
    return [
        part["text"] for content in request.json["contents"] for part in content["parts"] if "text" in part
    ]


def images_of(request: Recorded) -> list[bytes]:
    """The pictures of the question, decoded; both spellings of the field are the vendor's."""
    found = []
    for content in request.json["contents"]:
        for part in content["parts"]:
            inline = _either(part, "inlineData", "inline_data")
            if inline is not None:
                found.append(base64.urlsafe_b64decode(inline["data"]))
    return found


def schema_of(request: Recorded) -> dict[str, Any]:
    """The schema of the answer that was asked for."""
    config = _either(request.json, "generationConfig", "generation_config") or {}
    return _either(config, "responseSchema", "response_schema") or {}


def sample_of(schema: dict[str, Any]) -> Any:
    """The smallest value that fits a schema."""
    if schema.get("enum"):
        return schema["enum"][0]
    kind = str(schema.get("type", "OBJECT")).upper()
    if kind == "OBJECT":
        return {name: sample_of(value) for name, value in schema.get("properties", {}).items()}
    simple: dict[str, Any] = {"ARRAY": [], "STRING": "글", "INTEGER": 0, "NUMBER": 0.5, "BOOLEAN": False}
    return simple[kind]


def answered(
    text: str, *, finish: str = "STOP", tokens: tuple[int, int, int] = (900, 200, 40), model: str = "fake"
) -> Reply:
    """A candidate with this text. `tokens` are of the question, the answer and the thinking."""
    asked, written, thought = tokens
    return Reply.of(
        {
            "candidates": [
                {"index": 0, "finishReason": finish, "content": {"role": "model", "parts": [{"text": text}]}}
            ],
            "usageMetadata": {
                "promptTokenCount": asked,
                "candidatesTokenCount": written,
                "thoughtsTokenCount": thought,
                "totalTokenCount": asked + written + thought,
            },
            "modelVersion": model,
            "responseId": "response-1",
        }
    )


def ok(answer: Any | Callable[[Recorded], Any]) -> Behaviour:
    """Answers with this object, or with what the function makes of the request."""

    def behave(request: Recorded) -> Reply:
        value = answer(request) if callable(answer) else answer
        return answered(json.dumps(value, ensure_ascii=False), model=f"{model_of(request)}-001")

    return behave


def odd(answer: Any, **envelope: Any) -> Behaviour:
    """A good answer in an envelope of which these fields are others."""

    def behave(request: Recorded) -> Reply:
        body = json.loads(answered(json.dumps(answer)).body) | envelope
        return Reply(200, json.dumps(body).encode())  # escapes and all

    return behave


def _error(
    status: int, name: str, message: str, details: list[Any] | None = None, **headers: str
) -> Behaviour:
    error: dict[str, Any] = {"code": status, "status": name, "message": message}
    if details is not None:
        error["details"] = details
    return lambda request: Reply.of({"error": error}, status, **headers)


def _quota_violation(quota_id: str) -> dict[str, Any]:
    return {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        "violations": [{"quotaId": quota_id, "quotaDimensions": {"location": "global"}, "quotaValue": "10"}],
    }


def quota_minute(delay: str = "33.2s") -> Behaviour:
    """A 429 of a window of a minute, with the time to wait."""
    return _error(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota.",
        [
            _quota_violation("GenerateRequestsPerMinutePerProjectPerModel"),
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay},
        ],
    )


def quota_day() -> Behaviour:
    """A 429 of the day's budget; the vendor names a short delay all the same."""
    return _error(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota.",
        [
            _quota_violation("GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12s"},
        ],
    )


def quota_bare(**headers: str) -> Behaviour:
    """A 429 without details, as many are; `Retry_After` may stand in a header."""
    return _error(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted.", **headers)


def spend_limit() -> Behaviour:
    """A 429 because the project's money for the window is used up."""
    return _error(429, "RESOURCE_EXHAUSTED", "Your project has exceeded its spend limit.")


def quota_as_text() -> Behaviour:
    """A 429 whose error is a text instead of an object."""
    return lambda request: Reply.of({"error": "slow down"}, 429)


def model_retired() -> Behaviour:
    """A 404 for a model the vendor has switched off."""
    return _error(404, "NOT_FOUND", "The model is not found for API version v1.")


def forbidden() -> Behaviour:
    """A 403."""
    return _error(403, "PERMISSION_DENIED", "The caller does not have permission.")


def bad_key() -> Behaviour:
    """A 400 that means the key, and quotes it."""

    def behave(request: Recorded) -> Reply:
        key = request.headers["x-goog-api-key"]
        details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
        return _error(400, "INVALID_ARGUMENT", f"API key {key} is not valid.", details)(request)

    return behave


def bad_request() -> Behaviour:
    """A 400 that means the request."""
    return _error(400, "INVALID_ARGUMENT", "Invalid JSON payload.")


def server_error(status: int = 503, **headers: str) -> Behaviour:
    """A 5xx."""
    return _error(status, "UNAVAILABLE", "The model is overloaded.", **headers)


def blocked() -> Behaviour:
    """The question is refused: a 200 without candidates."""
    return lambda request: Reply.of(
        {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 700}}
    )


def withheld() -> Behaviour:
    """The answer is refused after it was written."""
    return lambda request: Reply.of(
        {"candidates": [{"index": 0, "finishReason": "SAFETY"}], "usageMetadata": {"promptTokenCount": 700}}
    )


def max_tokens() -> Behaviour:
    """The thinking ate the output: half an answer."""
    return lambda request: answered('{"photos": [', finish="MAX_TOKENS", tokens=(900, 4, 4000))


def empty() -> Behaviour:
    """A 200 with no body at all."""
    return lambda request: Reply(200, b"")


def no_parts() -> Behaviour:
    """A candidate that stopped without a word."""
    return lambda request: Reply.of({"candidates": [{"index": 0, "finishReason": "STOP"}]})


def html() -> Behaviour:
    """A proxy's page instead of the vendor's answer."""
    return lambda request: Reply(200, b"<html><body>Sign in</body></html>", "text/html")


def json_of_another_kind(body: bytes = b"[1, 2]") -> Behaviour:
    """JSON, but no object."""
    return lambda request: Reply(200, body)


def bad_json() -> Behaviour:
    """A well-formed response around an answer that is not JSON."""
    return lambda request: answered('{"title": "half')


def wrong_shape() -> Behaviour:
    """JSON of another shape than asked for."""
    return lambda request: answered('{"unexpected": true}')


def cut() -> Behaviour:
    """The connection ends in the middle of the answer."""
    return lambda request: Reply(200, b'{"candidates": [{"index": 0}]}', cut=True)


def drip(seconds: float = 0.05) -> Behaviour:
    """An answer that comes byte by byte, each soon enough for a timeout of reads."""
    return lambda request: Reply(200, b" " * 10_000, drip=seconds)


def redirect(to: str) -> Behaviour:
    """A 307 to somewhere else, which must not be followed with the key."""
    return lambda request: Reply(307, b"", headers={"Location": to})


class FakeGemini(VendorServer):
    """The server. `answer_of` makes the default answer of a request; else the smallest that fits its schema."""

    def __init__(self, answer_of: Callable[[Recorded], Any] | None = None) -> None:
        super().__init__(ok(answer_of or (lambda request: sample_of(schema_of(request)))))
