"""Telephone numbers as Korean pages write them become one E.164 form, and are written back the Korean way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.places.normalise import display_phone, find_phones, normalise_phone

WRITTEN = [
    ("02-123-4567", "+8221234567", "02-123-4567"),
    ("02-6012-3456", "+82260123456", "02-6012-3456"),
    ("02)6012-3456", "+82260123456", "02-6012-3456"),
    ("(02) 6012 3456", "+82260123456", "02-6012-3456"),
    ("031.123.4567", "+82311234567", "031-123-4567"),
    ("064-712-3456", "+82647123456", "064-712-3456"),
    ("010-1234-5678", "+821012345678", "010-1234-5678"),
    ("01012345678", "+821012345678", "010-1234-5678"),
    ("010.1234.5678", "+821012345678", "010-1234-5678"),
    ("+82 10-1234-5678", "+821012345678", "010-1234-5678"),
    ("+82 (0)2-123-4567", "+8221234567", "02-123-4567"),
    ("+82-2-123-4567", "+8221234567", "02-123-4567"),
    ("070-7123-4567", "+827071234567", "070-7123-4567"),
    ("080-123-4567", "+82801234567", "080-123-4567"),
    ("0507-1234-5678", "+8250712345678", "0507-1234-5678"),
    ("0502 1234 5678", "+8250212345678", "0502-1234-5678"),
    ("050-7123-4567", "+825071234567", "0507-123-4567"),
    ("1588-1234", "+8215881234", "1588-1234"),
    ("1661-1234", "+8216611234", "1661-1234"),
    ("1899-0000", "+8218990000", "1899-0000"),
    ("전화: 02-123-4567", "+8221234567", "02-123-4567"),
    ("Tel. 02-123-4567", "+8221234567", "02-123-4567"),
    ("tel:+8221234567", "+8221234567", "02-123-4567"),
    ("02-123-4567 (내선 2)", "+8221234567", "02-123-4567"),
    ("02-123-4567 내선 201번", "+8221234567", "02-123-4567"),
    ("02-6012-3456~7", "+82260123456", "02-6012-3456"),
    ("02-6012-3456, 010-1234-5678", "+82260123456", "02-6012-3456"),
    ("０２－１２３－４５６７", "+8221234567", "02-123-4567"),
    ("+1 415 555 2671", "+14155552671", "+1 415-555-2671"),
    ("112", None, None),
    ("123-45-67890", None, None),
    ("전화 없음", None, None),
    ("", None, None),
    ("0" * 500, None, None),
]


@pytest.mark.parametrize(("written", "e164", "displayed"), WRITTEN)
def test_a_number_has_one_stored_and_one_written_form(
    written: str, e164: str | None, displayed: str | None
) -> None:
    assert normalise_phone(written) == e164
    if e164 is not None:
        assert display_phone(e164) == displayed


@pytest.mark.parametrize("e164", sorted({e164 for _, e164, _ in WRITTEN if e164}))
def test_what_is_displayed_reads_back_as_the_same_number(e164: str) -> None:
    assert normalise_phone(display_phone(e164)) == e164


def test_numbers_in_a_text_are_found_once_each_without_fax_and_registration_numbers() -> None:
    text = (
        "대표전화 02-6012-3456 / 예약 0507-1234-5678, 팩스 02-6012-9999 Fax: 02-6012-8888 "
        "사업자등록번호 123-45-67890 TEL 02-6012-3456 고객센터 1588-1234"
    )
    assert find_phones(text) == ["+82260123456", "+8250712345678", "+8215881234"]


@given(st.text(max_size=60))
def test_no_text_makes_it_raise(text: str) -> None:
    number = normalise_phone(text)
    assert number is None or number.startswith("+")
    find_phones(text)
    display_phone(text)
