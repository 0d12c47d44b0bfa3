"""A part of the page stands while something true is left of it."""

import pytest

from functions.copy.claims import Checker
from functions.copy.draft import Draft
from shared.places.models import Locale, PageCopy, Question, Section
from tests.unit.copy.confirmed import PLACES, confirmed, facts_of

FALLBACK = PageCopy(
    title="달그릇국수",
    summary="국숫집입니다.",
    sections=[Section(heading="위치", text="성동구입니다.")],
    faq=[Question(question="어디인가요?", answer="성동구입니다.")],
)


@pytest.fixture(scope="module")
def checker() -> Checker:
    return Checker(facts_of(PLACES["noodles"]), confirmed(PLACES["noodles"]), {})


def published(checker: Checker, locale: Locale = "ko", **parts: object) -> PageCopy:
    blank: dict[str, object] = {"title": "", "summary": "", "sections": [], "faq": []}
    return Draft(PageCopy.model_validate(blank | parts), locale, checker).page(FALLBACK)


def test_a_part_goes_with_its_last_sentence_and_the_page_never_stands_empty(checker: Checker) -> None:
    page = published(
        checker,
        title="최고의 국수",
        summary="1987년부터.",
        sections=[
            Section(heading="소개", text="99가지."),
            Section(heading="위치", text="달그릇길 12입니다."),
        ],
        faq=[Question(question="전화번호는 무엇인가요?", answer="02-999-9999입니다.")],
    )

    assert (page.title, page.summary) == (FALLBACK.title, FALLBACK.summary)
    assert [section.heading for section in page.sections] == ["위치"]
    assert page.faq == FALLBACK.faq


def test_a_section_goes_with_its_heading_and_an_answer_with_its_question(checker: Checker) -> None:
    page = published(
        checker,
        sections=[Section(heading="최고의 맛", text="달그릇길 12입니다.")],
        faq=[Question(question="왜 유명한가요?", answer="달그릇길 12에 있습니다.")],
    )

    assert (page.sections, page.faq) == (FALLBACK.sections, FALLBACK.faq)


def test_true_sentences_around_a_false_one_stay(checker: Checker) -> None:
    page = published(checker, summary="국수를 판매합니다. 1987년에 개업했습니다. 성동구에 있습니다.")
    assert page.summary == "국수를 판매합니다. 성동구에 있습니다."


def test_a_time_with_points_is_one_sentence(checker: Checker) -> None:
    page = published(checker, "en", summary="Open from 11 a.m. to 10 p.m. on Saturday. Closed on Mondays.")
    assert page.summary == "Open from 11 a.m. to 10 p.m. on Saturday. Closed on Mondays."


def test_sentences_set_without_a_space_are_two(checker: Checker) -> None:
    page = published(checker, summary="국수를 판매합니다.최고의 국수입니다.")
    assert page.summary == "국수를 판매합니다."


@pytest.mark.parametrize(
    "part",
    [
        {"title": "국수 " * 50},
        {"summary": "국수를 판매합니다. " * 40},
        {"sections": [Section(heading="메뉴 " * 30, text="국수를 판매합니다.")]},
        {"sections": [Section(heading="메뉴", text="국수를 판매합니다. " * 150)]},
        {"faq": [Question(question="메뉴는 무엇인가요? " * 20, answer="국수를 판매합니다.")]},
    ],
)
def test_what_is_too_long_is_not_what_was_asked_for(checker: Checker, part: dict[str, object]) -> None:
    assert published(checker, **part) == FALLBACK


def test_a_hundred_sections_are_not_a_page(checker: Checker) -> None:
    page = published(checker, sections=[Section(heading="메뉴", text="국수를 판매합니다.")] * 100)
    assert len(page.sections) == 6


def test_invisible_characters_do_not_reach_the_page(checker: Checker) -> None:
    page = published(checker, title="달그릇\u200b국수", summary="국수를\u202e 판매합니다.\ufeff")
    assert (page.title, page.summary) == ("달그릇국수", "국수를 판매합니다.")


def test_findings_of_a_line_that_was_replaced_are_gone(checker: Checker) -> None:
    draft = Draft(PageCopy(title="", summary="최고의 국수입니다."), "ko", checker)
    [line] = draft.doubtful

    assert not draft.replace(line, "으뜸가는 국수입니다.")
    assert not draft.replace(line, "  ")
    assert draft.doubtful == [line]
    assert draft.replace(line, "국수를 판매합니다. 물만두를 판매합니다.")
    assert draft.doubtful == []
    assert draft.page(FALLBACK).summary == "국수를 판매합니다. 물만두를 판매합니다."
