"""Answers of a model: a page that is true of the noodle shop, with sentences slipped in everywhere; and who asks for them."""

import json
from typing import Any

from pydantic import SecretStr

from shared.providers.gemini import GeminiClient
from tests.fakes import gemini as vendor
from tests.fakes.http_server import Recorded
from tests.open_access import OpenAccess

KO = {
    "title": "달그릇국수, 성동구 음식점",
    "summary": "성동구에 있는 음식점입니다.",
    "heading": "매장 안내",
    "text": "비빔국수는 9,500원입니다.",
    "question": "어떤 메뉴가 있나요?",
    "answer": "비빔국수가 있습니다.",
}
EN = {
    "title": "A restaurant in Seoul",
    "summary": "It is a restaurant in Seoul.",
    "heading": "The menu",
    "text": "비빔국수 costs ₩9,500.",
    "question": "What is on the menu?",
    "answer": "The menu includes 비빔국수.",
}


def page(honest: dict[str, str], slipped: str = "", *, everywhere: bool = False) -> dict[str, Any]:
    """The page, the sentence slipped in after every true one; `everywhere` makes it the title and heads as well."""
    whole = slipped if everywhere and slipped else ""

    def with_it(part: str) -> str:
        return f"{honest[part]} {slipped}".strip()

    return {
        "title": whole or honest["title"],
        "summary": with_it("summary"),
        "sections": [
            {"heading": honest["heading"], "text": with_it("text"), "facts": ["menu"]},
            {"heading": whole or honest["heading"], "text": with_it("text"), "facts": []},
        ],
        "faq": [
            {"question": honest["question"], "answer": with_it("answer")},
            {"question": whole or honest["question"], "answer": with_it("answer")},
        ],
    }


def sentences_asked_for(request: Recorded) -> list[dict[str, Any]]:
    """The sentences that a second call asks to write again."""
    [question] = vendor.texts_of(request)
    found: list[dict[str, Any]] = json.loads(
        question.partition("<sentences>")[2].partition("</sentences>")[0]
    )
    return found


def is_second_call(request: Recorded) -> bool:
    """Whether the request asks for sentences in place of others."""
    return "sentences" in vendor.schema_of(request)["properties"]


def gemini_at(url: str, *, timeout: float = 10.0) -> GeminiClient:
    """The real client against a server on loopback."""
    return GeminiClient(SecretStr("key"), base_url=url, timeout=timeout, access=OpenAccess())
