"""Pages in Korean encodings are read right whatever their labels say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.collect.website.charset import decode

KOREAN = (
    "<p>똠방각하 쀍 온기식당의 영업시간은 매일 열한 시부터 아홉 시까지입니다. 주차는 가게 앞에 하세요.</p>"
)


@pytest.mark.parametrize(
    ("body", "header"),
    [
        (KOREAN.encode(), ""),
        (KOREAN.encode(), "text/html; charset=euc-kr"),  # the header lies
        (b"\xef\xbb\xbf" + KOREAN.encode(), "text/html"),
        (b"\xff\xfe" + KOREAN.encode("utf-16-le"), "text/html"),
        (KOREAN.encode("cp949"), "text/html; charset=euc-kr"),
        (KOREAN.encode("cp949"), 'text/html; charset="ks_c_5601-1987"'),
        (KOREAN.encode("cp949"), "text/html; charset=windows-949"),
        (b'<meta charset="euc-kr">' + KOREAN.encode("cp949"), "text/html"),
        (
            b'<meta http-equiv=content-type content="text/html; charset=EUC-KR">' + KOREAN.encode("cp949"),
            "text/html; charset=utf-8",
        ),
        (b"<meta charset=x-windows-949>" + KOREAN.encode("cp949"), ""),
        (KOREAN.encode("cp949"), ""),
        (KOREAN.encode("cp949"), "text/html; charset=no-such-thing"),
        (KOREAN.encode("cp949"), "text/html; charset=zlib_codec"),
    ],
)
def test_a_page_is_read_in_the_encoding_it_is_in(body: bytes, header: str) -> None:
    decoded = decode(body, header)
    assert KOREAN in decoded.text
    assert not decoded.uncertain


def test_what_is_in_no_encoding_is_read_as_far_as_it_goes_and_said_to_be_uncertain() -> None:
    decoded = decode("온기식당".encode("cp949") * 50 + b"\xff\xff\x80\x81\xfe", "text/html; charset=euc-kr")
    assert "온기식당" in decoded.text
    assert decoded.uncertain


@given(st.binary(max_size=300), st.text(max_size=40))
def test_no_bytes_make_it_raise(body: bytes, header: str) -> None:
    assert isinstance(decode(body, header).text, str)
