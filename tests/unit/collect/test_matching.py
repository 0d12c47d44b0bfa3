"""Whether an answer is the place: namesakes, branches, moved places, shared numbers, and what is known of neither."""

from typing import Any

import pytest

from functions.collect.matching import Candidate, Subject, choose, compare, folded
from shared.places.normalise import address_key, normalise_address, normalise_phone

HERE = "서울 성동구 달그릇길 12"
HERE_BY_LOT = "서울 성동구 성수동2가 300-1"
NEXT_DOOR = "서울 성동구 달그릇길 16"
ELSEWHERE = "서울 마포구 양화로 45"
OTHER_CITY = "부산 해운대구 달맞이길 77"
PIN = (37.5446, 127.0559)
NEAR = (37.5452, 127.0563)  # 75 m
HALF_KM = (37.5490, 127.0559)
TWO_KM = (37.5626, 127.0559)
BUSAN = (35.1587, 129.1604)
PHONE = "02-555-0142"
OTHER_PHONE = "02-555-0199"
SAFE_PHONE = "0507-1402-0142"
SHARED_PHONE = "1588-0142"


def subject(*names: str, phones: Any = (), at: Any = (), pin: Any = None) -> Subject:
    keys = (address_key(normalise_address(address).text) for address in at)
    return Subject(
        names=names,
        phones=frozenset(filter(None, map(normalise_phone, phones))),
        buildings=frozenset(key for key in keys if key),
        geo=dict(zip(("lat", "lon"), pin, strict=True)) if pin else None,
    )


def found(name: str, phones: Any = (), at: Any = (), pin: Any = None) -> Candidate:
    return Candidate(
        name=name,
        phones=frozenset(filter(None, map(normalise_phone, phones))),
        addresses=[normalise_address(address).text for address in at],
        geo=dict(zip(("lat", "lon"), pin, strict=True)) if pin else None,
    )


NOODLES = subject("달그릇국수", phones=[PHONE], at=[HERE], pin=PIN)
NO_PHONE = subject("달그릇국수", at=[HERE], pin=PIN)
NO_PIN = subject("달그릇국수", phones=[PHONE], at=[HERE])
ONLY_PHONE = subject("달그릇국수", phones=[PHONE])
ONLY_PIN = subject("달그릇국수", pin=PIN)
ONLY_NAME = subject("달그릇국수")
SEONGSU = subject("달그릇국수 성수점", phones=[PHONE], at=[HERE], pin=PIN)
ENGLISH = subject("달그릇국수", "Café Dalgeureut", at=[HERE])
CHAIN = subject("스타벅스강남점", phones=[SHARED_PHONE], at=[HERE], pin=PIN)

SAME = [
    # name, number and building agree, whatever the spelling
    (NOODLES, found("달그릇국수", [PHONE], [HERE], PIN), 0.95),
    (NOODLES, found("달그릇 국수", ["+82 2 555 0142"], ["서울특별시 성동구 달그릇길 12, 1층"]), 0.95),
    (NOODLES, found("(주)달그릇국수", [PHONE], [HERE]), 0.95),
    (NOODLES, found("주식회사 달그릇국수", [PHONE], [HERE]), 0.95),
    (ENGLISH, found("CAFE DALGEUREUT", [], [HERE]), 0.85),
    (ENGLISH, found("Cafe Dalgeureut Seongsu branch", [], [HERE]), 0.8),
    # the building alone
    (NO_PHONE, found("달그릇국수", [PHONE], [HERE]), 0.85),
    (NOODLES, found("달그릇국수", [OTHER_PHONE], [HERE]), 0.7),
    (NOODLES, found("달그릇국수", [SAFE_PHONE], [HERE]), 0.85),
    (NOODLES, found("달그릇국수", [SHARED_PHONE], [HERE]), 0.85),
    (NO_PHONE, found("달그릇", [], [HERE]), 0.6),
    (NO_PHONE, found("성수 달그릇국수", [], [HERE]), 0.6),
    (subject("달그릇국수", at=[HERE, HERE_BY_LOT]), found("달그릇국수", [], [HERE_BY_LOT]), 0.85),
    (subject("달그릇국수", at=[HERE_BY_LOT]), found("달그릇국수", [], [ELSEWHERE, HERE_BY_LOT]), 0.85),
    (NOODLES, found("달그릇국수", [], [HERE], TWO_KM), 0.85),
    # the number alone
    (NO_PIN, found("달그릇국수", [PHONE], [HERE_BY_LOT]), 0.9),
    (ONLY_PHONE, found("달그릇국수", [PHONE, OTHER_PHONE], [OTHER_CITY]), 0.9),
    (ONLY_PHONE, found("달그릇국수 성수점", [PHONE]), 0.9),
    # it moved, or one of the two is out of date
    (NOODLES, found("달그릇국수", [PHONE], [ELSEWHERE]), 0.6),
    (NO_PIN, found("달그릇", [PHONE], [ELSEWHERE]), 0.5),
    # renamed
    (NOODLES, found("은하면옥", [PHONE], [HERE]), 0.6),
    (ONLY_PHONE, found("은하면옥", [PHONE]), 0.5),
    # the position alone
    (ONLY_PIN, found("달그릇국수", [PHONE], [HERE], NEAR), 0.75),
    (ONLY_PIN, found("달그릇국수 성수점", [], [], NEAR), 0.7),
    (subject("달그릇국수", phones=[PHONE], pin=PIN), found("달그릇국수", [OTHER_PHONE], [], NEAR), 0.6),
    (NO_PHONE, found("달그릇국수", [], [NEXT_DOOR], NEAR), 0.5),
    # branches
    (NOODLES, found("달그릇국수 본점", [PHONE], [HERE]), 0.95),
    (NO_PHONE, found("달그릇국수성수점", [], [HERE]), 0.8),
    (SEONGSU, found("달그릇국수", [], [HERE]), 0.8),
    (SEONGSU, found("달그릇국수 성수역점", [], [HERE]), 0.8),
    (SEONGSU, found("달그릇국수 서울숲점", [PHONE], [HERE]), 0.6),
    (CHAIN, found("스타벅스 강남점", [SHARED_PHONE], [HERE]), 0.85),
    (CHAIN, found("스타벅스강남역점", [SHARED_PHONE], [HERE]), 0.8),
    # a trade that ends like a branch
    (subject("달그릇", phones=[PHONE], at=[HERE]), found("달그릇 분식점", [PHONE], [ELSEWHERE]), 0.5),
]

NOT = [
    (ONLY_NAME, found("달그릇국수", [PHONE], [HERE], PIN), "not_enough"),
    (ONLY_PHONE, found("달그릇국수", [], [HERE]), "not_enough"),
    (NO_PHONE, found("달그릇국수"), "not_enough"),
    (ONLY_PIN, found("달그릇국수", [], [], HALF_KM), "not_enough"),
    (subject("달그릇국수", at=[HERE_BY_LOT]), found("달그릇국수", [], [HERE]), "not_enough"),
    # namesakes
    (NOODLES, found("달그릇국수", [OTHER_PHONE], [OTHER_CITY], BUSAN), "other_address"),
    (NO_PHONE, found("달그릇국수", [], [OTHER_CITY]), "other_address"),
    (NO_PHONE, found("달그릇국수", [], [ELSEWHERE], TWO_KM), "other_address"),
    (NOODLES, found("달그릇국수", [OTHER_PHONE], [NEXT_DOOR], NEAR), "other_address"),
    (ONLY_PHONE, found("달그릇국수", [OTHER_PHONE], [HERE]), "other_phone"),
    (ONLY_PHONE, found("달그릇국수", [SHARED_PHONE]), "not_enough"),
    (ONLY_PIN, found("달그릇국수", [], [], TWO_KM), "too_far"),
    (
        subject("달그릇국수", at=["대구 중구 중앙대로 12"], pin=(35.8690, 128.5940)),
        found("달그릇국수", [], ["부산 중구 중앙대로 12"], (35.1010, 129.0330)),
        "other_address",
    ),
    # other businesses
    (NO_PHONE, found("은하면옥", [], [HERE], PIN), "other_name"),
    (NOODLES, found("은하면옥", [OTHER_PHONE], [HERE], PIN), "other_name"),
    (NOODLES, found("은하면옥", [PHONE], [ELSEWHERE]), "other_name"),
    (CHAIN, found("은하면옥", [SHARED_PHONE], [HERE]), "other_name"),
    (NOODLES, found("달그릇국수공방", [OTHER_PHONE], [HERE]), "other_name"),
    (subject("더봄", phones=[PHONE], at=[HERE]), found("더봄헤어", [OTHER_PHONE], [HERE]), "other_name"),
    (subject("봄", at=[HERE]), found("봄날", [], [HERE]), "other_name"),
    (NO_PHONE, found("", [], [HERE]), "other_name"),
    # other branches
    (NOODLES, found("달그릇국수 부산점", [OTHER_PHONE], [OTHER_CITY], BUSAN), "other_branch"),
    (NOODLES, found("달그릇국수 2호점", [OTHER_PHONE], [NEXT_DOOR], NEAR), "other_branch"),
    (NOODLES, found("달그릇국수 부산점", [PHONE], [OTHER_CITY]), "other_branch"),
    (SEONGSU, found("달그릇국수 서울숲점", [], [HERE]), "other_branch"),
    (SEONGSU, found("달그릇국수 부산점", [OTHER_PHONE], [OTHER_CITY]), "other_branch"),
    (SEONGSU, found("달그릇국수부산점", [], [], NEAR), "other_branch"),
    (CHAIN, found("스타벅스역삼점", [SHARED_PHONE], [HERE]), "other_branch"),
    (CHAIN, found("스타벅스 강동점", [SHARED_PHONE], [ELSEWHERE]), "other_branch"),
    (CHAIN, found("스타필드강남점", [], [HERE]), "other_name"),
    (subject("김밥천국 강남점", at=[HERE]), found("김밥나라 강남점", [], [HERE]), "other_name"),
]


@pytest.mark.parametrize(("one", "other", "confidence"), SAME)
def test_it_is_the_place(one: Subject, other: Candidate, confidence: float) -> None:
    verdict = compare(one, other)
    assert (verdict.same, verdict.reason) == (True, None)
    assert verdict.confidence == pytest.approx(confidence)


@pytest.mark.parametrize(("one", "other", "reason"), NOT)
def test_it_is_not_the_place_and_why(one: Subject, other: Candidate, reason: str) -> None:
    verdict = compare(one, other)
    assert (verdict.same, verdict.confidence, verdict.reason) == (False, 0.0, reason)


def test_the_surest_of_several_is_chosen_and_each_has_its_verdict() -> None:
    candidates = [
        found("달그릇국수 부산점", [OTHER_PHONE], [OTHER_CITY]),
        found("달그릇국수", [], [HERE]),
        found("달그릇국수", [PHONE], [HERE]),
        found("달그릇국수", [PHONE], [HERE]),
    ]
    index, verdicts = choose(NOODLES, candidates)
    assert index == 2
    assert [verdict.reason for verdict in verdicts] == ["other_branch", None, None, None]
    assert choose(NOODLES, candidates[:1])[0] is None
    assert choose(NOODLES, []) == (None, [])


def test_names_are_compared_without_what_spells_them_differently() -> None:
    assert folded(" Café  Bom (성수) ") == folded("CAFE BOM 성수") == "cafebom성수"
    assert folded("㈜달그릇") == folded("(주) 달그릇") == folded("달·그릇") == "달그릇"
    assert folded("주식회사") == folded("!?") == ""
