"""Pages in Korean encodings are read right whatever their labels say."""

import pytest
from hypothesis import given, settings
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
        (b'<?xml version="1.0" encoding="euc-kr"?>' + KOREAN.encode("cp949"), "text/html"),
        (
            b'<meta http-equiv=content-type content="text/html; charset=EUC-KR">' + KOREAN.encode("cp949"),
            "text/html; charset=utf-8",
        ),
        (
            b'<meta charset="euc-kr">' + KOREAN.encode("cp949"),
            "text/html; charset=ISO-8859-1",  # a web server's default
        ),
        (b"<meta charset=x-windows-949>" + KOREAN.encode("cp949"), ""),
    ],
)
def test_a_page_is_read_in_the_encoding_it_says_or_shows(body: bytes, header: str) -> None:
    decoded = decode(body, header)
    assert KOREAN in decoded.text
    assert not decoded.uncertain


@pytest.mark.parametrize("header", ["", "text/html; charset=no-such-thing", "text/html; charset=zlib_codec"])
@pytest.mark.parametrize("meta", [b"", b'<meta charset="iso-8859-1">', b"<meta charset=utf-8>"])
def test_a_page_whose_labels_say_nothing_true_is_guessed_at_and_said_to_be_uncertain(
    header: str, meta: bytes
) -> None:
    decoded = decode(meta + KOREAN.encode("cp949"), header)
    assert KOREAN in decoded.text
    assert (decoded.encoding, decoded.uncertain) == ("cp949", True)


@pytest.mark.parametrize(
    ("body", "header", "encoding"),
    [
        (KOREAN.encode() + "온기식당".encode()[:-1] + b"<br>", "text/html; charset=utf-8", "utf-8"),
        (KOREAN.encode() + b"\xb0<br>", "", "utf-8"),
        (KOREAN.encode("cp949") + b"\xff<br>", "text/html; charset=euc-kr", "cp949"),
        (KOREAN.encode("cp949") + b"\xff<br>", "", "cp949"),
        ("온기식당".encode("cp949") * 50 + b"\xff\xff\x80\x81\xfe", "text/html; charset=euc-kr", "cp949"),
    ],
)
def test_some_broken_bytes_cost_themselves_and_make_the_page_uncertain(
    body: bytes, header: str, encoding: str
) -> None:
    decoded = decode(body, header)
    assert "온기식당" in decoded.text
    assert (decoded.encoding, decoded.uncertain) == (encoding, True)


def test_other_languages_keep_their_labels() -> None:
    french = "<p>Un café près de la gare, très aimé de ses hôtes.</p>"
    assert decode(french.encode("latin-1"), "text/html; charset=iso-8859-1").text == french
    japanese = "<p>本日の営業時間は午前十時から午後八時までです。ご予約はお電話で。</p>"
    assert decode(japanese.encode("shift_jis"), "text/html; charset=Shift_JIS") == (
        japanese,
        "shift_jis",
        False,
    )
    assert decode(japanese.encode("euc_jp"), "text/html; charset=euc-jp").text == japanese


@settings(deadline=None)
@given(st.binary(max_size=300), st.text(max_size=40))
def test_no_bytes_make_it_raise(body: bytes, header: str) -> None:
    assert isinstance(decode(body, header).text, str)
