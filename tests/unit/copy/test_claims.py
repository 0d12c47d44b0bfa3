"""A written sentence stays only when everything checkable in it stands in a confirmed fact."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from functions.copy.claims import Claims, allowed_claims, checked
from shared.places.models import Fact, PageCopy, Question, Section

FACTS: dict[str, Any] = {
    "name": "달그릇국수",
    "phone": "+8225550142",
    "road_address": "서울특별시 성동구 달그릇길 12",
    "hours": {"days": {"tue": [["11:00", "21:00"]]}, "text": None},
    "menu": [{"name": "바지락칼국수", "price_krw": 11000, "note": None}],
    "website": "http://dalgeureut.example/",
}


@pytest.fixture(scope="module")
def allowed() -> Claims:
    facts = {
        key: Fact(
            fact_id=uuid4(),
            place_id=uuid4(),
            key=key,
            value=value,
            channel="owner",
            source_url=None,
            confidence=1,
            confirmed=True,
            confirmed_by="owner",
            rejected_at=None,
            storable=True,
            disagrees=False,
            first_seen_at=datetime.now(UTC),
            collected_at=datetime.now(UTC),
        )
        for key, value in FACTS.items()
    }
    return allowed_claims(facts, ["전화번호는 02-555-0142입니다."])


@pytest.mark.parametrize(
    "sentence",
    [
        "바지락칼국수는 11,000원입니다.",
        "바지락칼국수는 1만 1천원입니다.",
        "The clam noodles cost ₩11,000.",
        "오전 11시부터 오후 9시까지 영업합니다.",
        "Open from 11 am to 9 p.m.",
        "11:00~21:00에 영업합니다.",
        "전화는 02-555-0142로 주세요.",
        "Call +82 2-555-0142.",
        "달그릇길 12에 있습니다.",
        "국수를 파는 가게입니다.",
    ],
)
def test_what_the_facts_say_stays(allowed: Claims, sentence: str) -> None:
    assert _after(allowed, sentence) == sentence


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("바지락칼국수는 12,000원입니다.", "number 12000"),
        ("바지락칼국수는 1만 2천원입니다.", "number 12000"),
        ("1987년에 문을 열었습니다.", "number 1987"),
        ("오후 10시까지 영업합니다.", "time 22:00"),
        ("11시 30분에 엽니다.", "time 11:30"),
        ("Open until 10 pm.", "time 22:00"),
        ("라스트오더는 20:30입니다.", "time 20:30"),
        ("전화는 02-555-0124로 주세요.", "phone +8225550124"),
        ("자세한 것은 https://evil.example/x 에 있습니다.", "address https://evil.example/x"),
        ("성수동 최고의 국수입니다.", "praise 최고"),
        ("It is the best noodle shop.", "praise best"),
        ("손님의 98.5%가 다시 옵니다.", "number 98.5"),
    ],
)
def test_what_they_do_not_say_goes(allowed: Claims, sentence: str, found: str) -> None:
    result = checked(
        PageCopy(title="달그릇국수", summary=f"국수를 팝니다. {sentence} 성동구에 있습니다."),
        allowed,
        PageCopy(title="", summary=""),
    )
    assert result.page.summary == "국수를 팝니다. 성동구에 있습니다."
    assert found in result.dropped


def test_a_part_goes_with_its_last_sentence_and_the_page_never_stands_empty(allowed: Claims) -> None:
    fallback = PageCopy(
        title="달그릇국수",
        summary="국숫집입니다.",
        faq=[Question(question="어디인가요?", answer="성동구입니다.")],
    )
    page = PageCopy(
        title="최고의 국수",
        summary="1987년부터.",
        sections=[
            Section(heading="소개", text="99가지."),
            Section(heading="위치", text="달그릇길 12입니다."),
        ],
        faq=[Question(question="전화는?", answer="02-999-9999입니다.")],
    )

    result = checked(page, allowed, fallback).page

    assert (result.title, result.summary) == ("달그릇국수", "국숫집입니다.")
    assert [s.heading for s in result.sections] == ["위치"]
    assert result.faq == fallback.faq


def _after(allowed: Claims, text: str) -> str:
    empty = PageCopy(title="", summary="")
    return checked(PageCopy(title="t", summary=text), allowed, empty).page.summary
