"""A particle fits how the word before it is read aloud."""

import pytest

from shared.places.korean import ending, josa, particle


@pytest.mark.parametrize(
    ("word", "pair", "expected"),
    [
        ("봄날", "은/는", "봄날은"),
        ("카페", "은/는", "카페는"),
        ("바다", "이/가", "바다가"),
        ("국밥", "이/가", "국밥이"),
        ("국수", "을/를", "국수를"),
        ("냉면", "과/와", "냉면과"),
        ("서울", "으로/로", "서울로"),
        ("부산", "으로/로", "부산으로"),
        ("제주", "으로/로", "제주로"),
        ("봄날", "이나/나", "봄날이나"),
        ("카페", "이라는/라는", "카페라는"),
        ("카페", "는/은", "카페는"),
        ("부산", "로/으로", "부산으로"),
    ],
)
def test_hangul(word: str, pair: str, expected: str) -> None:
    assert josa(word, pair) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("스튜디오 51", "rieul"),
        ("카페 2", "open"),
        ("3", "closed"),
        ("0", "closed"),
        ("10", "closed"),
        ("1,000", "closed"),
        ("10,000", "closed"),
        ("100000000", "closed"),
        ("1000000000000", "open"),
        ("02-123-4567", "rieul"),
        ("2.0", "closed"),
        ("100%", "open"),
    ],
)
def test_numbers_are_read_by_their_last_unit(word: str, expected: str) -> None:
    assert ending(word) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("카페 ON", "closed"),
        ("SL", "rieul"),
        ("KT", "open"),
        ("Hotel", "rieul"),
        ("Table", "rieul"),
        ("Garden", "closed"),
        ("Time", "closed"),
        ("Coffee", "open"),
        ("Bar", "open"),
        ("Park", "open"),
        ("Café", "unknown"),
        ("Shop", "unknown"),
    ],
)
def test_latin(word: str, expected: str) -> None:
    assert ending(word) == expected


def test_what_cannot_be_known_is_written_both_ways() -> None:
    assert josa("Shop", "은/는") == "Shop은(는)"
    assert josa("Shop", "으로/로") == "Shop(으)로"
    assert josa("龍", "이/가") == "龍이(가)"
    assert josa("", "을/를") == "을(를)"


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("카페(본점)", "카페(본점)는"),
        ("봄날 (2호점)", "봄날 (2호점)은"),
        ("'봄날'", "'봄날'은"),
        ("“카페”", "“카페”는"),
        ("카페!", "카페!는"),
        ("(주)", "(주)는"),
        ("카페[강남](본점)", "카페[강남](본점)는"),
    ],
)
def test_brackets_and_quotes_are_kept_but_not_read(word: str, expected: str) -> None:
    assert josa(word, "은/는") == expected


def test_decomposed_hangul_is_read_like_composed() -> None:
    assert particle("봄날", "은/는") == "은"


@pytest.mark.parametrize("pair", ["은", "", "은/", "/는", "은/는/가"])
def test_a_pair_is_two_forms(pair: str) -> None:
    with pytest.raises(ValueError, match="pair"):
        josa("봄", pair)
