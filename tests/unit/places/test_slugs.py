"""A name as the path of its page."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.places.slugs import SLUG_LENGTH, slug


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("성수 국수집", "seongsu-guksujip"),
        ("독립문", "dongnimmun"),
        ("신라면옥", "sillamyeonok"),
        ("왕십리", "wangsimni"),
        ("설날", "seollal"),
        ("백마", "baengma"),
        ("종로 떡볶이", "jongno-tteokbokki"),
        ("부엌에", "bueoke"),
        ("좋은 날", "joeun-nal"),
        ("강아지", "gangaji"),
        ("Café Olé", "cafe-ole"),
        ("Tom's 24/7", "toms-24-7"),
        ("北京烤鸭", "beijingkaoya"),
        ("!!!", "place"),
    ],
)
def test_a_name_is_romanised_as_it_is_spoken(name: str, expected: str) -> None:
    assert slug(name) == expected


def test_a_long_name_is_cut_at_a_word() -> None:
    text = slug("아름다운 " * 30)
    assert len(text) <= SLUG_LENGTH
    assert text.endswith("areumdaun")


@given(st.text(max_size=300))
def test_any_name_gives_a_slug_that_the_table_takes(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug(name))
    assert len(slug(name)) <= SLUG_LENGTH
