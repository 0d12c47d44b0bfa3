"""Perplexity's Agent API as the vendor answers it, over real HTTP on loopback.

with FakePerplexity().running() as perplexity:
    perplexity.script(failed_inside_200("rate_limit_exceeded"))
    ...  # base_url=perplexity.url
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.fakes.http_server import Behaviour, Recorded, Reply, VendorServer

PATH = "/v1/agent"


_USAGE = {
    "input_tokens": 400,
    "output_tokens": 120,
    "total_tokens": 520,
    "cost": {"currency": "USD", "total_cost": 0.0042},
}


def answered(
    text: str,
    *,
    cited: Sequence[str] = (),
    retrieved: Sequence[str] = (),
    usage: Mapping[str, Any] = _USAGE,
) -> Behaviour:
    """A completed answer, with the pages it cites and those its search returned."""

    def behave(request: Recorded) -> Reply:
        assert request.path == PATH, f"not a path of the vendor's: {request.path}"
        results = [{"id": n, "title": url, "url": url, "snippet": "…"} for n, url in enumerate(retrieved, 1)]
        notes = [
            {"type": "url_citation", "url": url, "title": url, "start_index": 0, "end_index": 4}
            for url in cited
        ]
        return Reply.of(
            {
                "id": "resp_1",
                "object": "response",
                "status": "completed",
                "model": request.json["model"],
                "output": [
                    {"type": "search_results", "queries": [request.json["input"]], "results": results},
                    {
                        "type": "message",
                        "role": "assistant",
                        "content": [{"type": "output_text", "text": text, "annotations": notes}],
                    },
                ],
                "usage": usage,
            }
        )

    return behave


def failed_inside_200(code: str = "server_error", message: str = "The model could not answer.") -> Behaviour:
    """A failure that comes with HTTP 200."""
    return lambda request: Reply.of(
        {"id": "resp_1", "status": "failed", "error": {"code": code, "message": message}, "output": []}
    )


def unfinished(status: str = "in_progress") -> Behaviour:
    """A 200 whose answer is not complete."""
    return lambda request: Reply.of({"id": "resp_1", "status": status, "output": []})


def error(status: int, message: str = "no", **headers: str) -> Behaviour:
    """A status that is not 200."""
    return lambda request: Reply.of({"error": {"message": message, "code": status}}, status, **headers)


def unauthorized() -> Behaviour:
    """A 401 that quotes the key."""
    return lambda request: error(401, f"bad key {request.headers['authorization']}")(request)


def wordless() -> Behaviour:
    """Completed, with results and without a message."""
    return lambda request: Reply.of(
        {"status": "completed", "output": [{"type": "search_results", "results": []}]}
    )


def html() -> Behaviour:
    """A proxy's page."""
    return lambda request: Reply(200, b"<html></html>", "text/html")


def odd_shapes() -> Behaviour:
    """A completed answer whose parts are of other kinds than documented."""
    body: dict[str, Any] = {
        "status": "completed",
        "output": [
            "text",
            {"type": "search_results", "results": None},
            {"type": "message", "content": [{"text": "국수", "annotations": [{"url": None}, 5]}]},
        ],
        "usage": {"input_tokens": "many", "cost": None},
    }
    return lambda request: Reply.of(body)


class FakePerplexity(VendorServer):
    """The server. By default it answers without knowing any place."""

    def __init__(self) -> None:
        super().__init__(answered("그런 곳은 찾지 못했습니다."))
