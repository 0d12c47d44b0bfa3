"""A written sentence stays only when everything in it stands in a confirmed fact."""

import time

import pytest

from functions.copy.claims import Checker, Part
from functions.copy.claims.amenity_words import foreign_amenities
from functions.copy.claims.korean_forms import FORMS, is_known
from functions.copy.claims.vocabulary_en import WORDS
from functions.copy.claims.vocabulary_ko import ADVERBS, NOUNS
from functions.copy.english import english_page
from functions.copy.korean import korean_page
from shared.places.models import Locale, PageCopy
from shared.prose.suspects import suspects_in
from shared.prose.texts import sentences_of
from tests.unit.copy.claims_cases import AFTER, CASES, LAST, RECOMBINED, Case
from tests.unit.copy.confirmed import PLACES, confirmed, facts_of

# True, or nearly, and dropped all the same; the second call or the template says it in other words.
KNOWN_FALSE_ALARMS = {
    "평일(화~금)은 11:00~21:00에 영업합니다.",  # the first of its two stretches of days holds the closed Monday
    "Guests can use the parking and Wi-Fi.",  # of guests nothing is said
    "가장 가까운 역은 어디인가요?",
    "The restaurant closes for a break from 15:00 to 17:00.",
    "A haircut is ₩20,000.",  # a price stands by the menu's own name
    "It is closed for lunch from 13:00 to 14:00 on weekdays.",
}


def checker_of(place: str) -> Checker:
    """Without the templates' text: what passes, passes by the facts."""
    return Checker(facts_of(PLACES[place]), confirmed(PLACES[place]), {})


@pytest.fixture(scope="module")
def checkers() -> dict[str, Checker]:
    return {place: checker_of(place) for place in PLACES}


def kinds(checkers: dict[str, Checker], case: Case) -> set[str]:
    found = checkers[case.place].findings(case.sentence, case.locale, case.part)
    return {finding.kind for finding in found}


@pytest.mark.parametrize("cases", [CASES, AFTER, RECOMBINED], ids=["first", "after", "recombined"])
def test_every_invention_is_found(checkers: dict[str, Checker], cases: list[Case]) -> None:
    invented = [case for case in cases if case.verdict != "ok"]
    assert len(invented) >= 99
    assert [case.sentence for case in invented if not kinds(checkers, case)] == []


@pytest.mark.parametrize("cases", [CASES, AFTER, LAST], ids=["first", "after", "last"])
def test_what_the_facts_say_stays(checkers: dict[str, Checker], cases: list[Case]) -> None:
    honest = [case for case in cases if case.verdict == "ok"]
    assert len(honest) >= 46
    assert {case.sentence for case in honest if kinds(checkers, case)} <= KNOWN_FALSE_ALARMS


def test_a_finding_names_its_kind(checkers: dict[str, Checker]) -> None:
    named = [case for case in CASES if case.verdict != "ok"]
    assert [case for case in named if case.verdict not in kinds(checkers, case)] == []


def test_a_finding_says_which_words(checkers: dict[str, Checker]) -> None:
    found = checkers["noodles"].findings("성수동 최고의 비빔국수는 12,000원입니다.", "ko")
    assert {(f.kind, f.span) for f in found} >= {
        ("price", "12,000원"),
        ("praise", "최고"),
        ("word", "성수동"),
    }


@pytest.mark.parametrize("place", PLACES)
def test_the_templates_would_pass_the_check_themselves(checkers: dict[str, Checker], place: str) -> None:
    facts = facts_of(PLACES[place])
    pages: dict[Locale, PageCopy] = {"ko": korean_page(facts), "en": english_page(facts)}
    for locale, page in pages.items():
        parts: list[tuple[Part, str]] = [
            ("title", page.title),
            *(("summary", s) for s in sentences_of(page.summary)),
        ]
        for section in page.sections:
            parts += [("heading", section.heading), *(("text", s) for s in sentences_of(section.text))]
        for asked in page.faq:
            parts += [("question", asked.question), *(("answer", s) for s in sentences_of(asked.answer))]
        found = {text: checkers[place].findings(text, locale, part) for part, text in parts}
        assert {text: f for text, f in found.items() if f} == {}


def test_the_vocabulary_claims_nothing_by_itself() -> None:
    """What may be said of any place must be in no list of claims, or the lists would contradict each other."""
    praised = [word for word in {*NOUNS, *ADVERBS, *WORDS} if suspects_in(word)]
    offered = [word for word in {*NOUNS, *ADVERBS, *WORDS} if foreign_amenities(word, frozenset())]
    assert (praised, offered) == ([], [])
    assert not [form for form in FORMS if suspects_in(form)]


@pytest.mark.parametrize(
    "word", ["영업합니다", "매장에서는", "찾아오시는", "메뉴입니다", "문의해", "가격대는", "열어"]
)
def test_a_korean_word_is_put_together_from_known_ones(word: str) -> None:
    assert is_known(word, ())


@pytest.mark.parametrize(
    "word", ["영업했습니다", "최고입니다", "매장만", "수제비", "분위기", "메뉴보다", "가족과", "열었습니다"]
)
def test_a_korean_word_of_anything_else_is_unknown(word: str) -> None:
    assert not is_known(word, ())


def test_words_of_the_owner_are_taken_together_not_apart(checkers: dict[str, Checker]) -> None:
    """ "매일 아침 반죽한 생면" lets nobody offer breakfast."""
    said = checkers["noodles"]
    assert said.findings("매일 아침 반죽한 생면으로 칼국수를 끓입니다.", "ko") == []
    assert said.findings("아침 식사를 제공합니다.", "ko")


def test_a_dish_called_so_lets_nobody_call_the_place_so() -> None:
    values = {
        **PLACES["noodles"],
        "menu": [{"name": "최고", "price_krw": 1000}, {"name": "원조국밥", "price_krw": 2000}],
    }
    checker = Checker(facts_of(values), confirmed(values), {})
    assert checker.findings("원조국밥은 2,000원입니다.", "ko") == []
    assert checker.findings("최고의 식당입니다.", "ko")
    assert checker.findings("원조 식당입니다.", "ko")


def test_a_page_is_checked_in_milliseconds() -> None:
    """About ten on a free core; the bound leaves room for a machine that has other things to do."""
    facts, values = facts_of(PLACES["noodles"]), confirmed(PLACES["noodles"])
    honest = [case for case in CASES if case.place == "noodles" and case.verdict == "ok"]
    page = [case for case in honest if case.locale == "ko"][:20] + [
        case for case in honest if case.locale == "en"
    ][:20]
    assert len(page) == 40
    took = []
    for _ in range(7):
        started = time.process_time()
        checker = Checker(facts, values, {})
        for case in page:
            checker.findings(case.sentence, case.locale, case.part)
        took.append(time.process_time() - started)
    assert min(took) < 0.060, took
