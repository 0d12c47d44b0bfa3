"""Websites' pages as they are made, whole and malformed: HTML files beside this one, and those that bytes make."""

from collections.abc import Iterator
from pathlib import Path

_FOLDER = Path(__file__).parent
_SHOP = (
    "<html><head>{meta}</head><body><h1>온기식당</h1><p>주소 서울 강남구 테헤란로 152</p><p>전화 02-6012-3456</p>"
    "<p>영업시간</p><p>매일 11:00~21:00</p><p>똠얌국수 9,000원</p><p>쀍쀍국밥 8,000원</p><p>햎쌀밥 1,000원</p></body></html>"
)
_MARKED = '{"@type": "Restaurant", "name": "온기식당", "telephone": "02-6012-3456"}'


def pages() -> dict[str, tuple[bytes, str]]:
    """Every page by name: its bytes and its Content-Type header."""
    files = {file.stem: (file.read_bytes(), "text/html") for file in sorted(_FOLDER.glob("*.html"))}
    return files | dict(_made())


def _made() -> Iterator[tuple[str, tuple[bytes, str]]]:
    yield from _encoded()
    yield from _malformed()


def _encoded() -> Iterator[tuple[str, tuple[bytes, str]]]:
    bare = _SHOP.format(meta="")
    euc_kr = _SHOP.format(meta='<meta http-equiv="Content-Type" content="text/html; charset=euc-kr">')
    yield "cp949_under_the_name_of_euc_kr", (euc_kr.encode("cp949"), "text/html")
    yield "cp949_by_its_header", (bare.encode("cp949"), "text/html; charset=ks_c_5601-1987")
    yield "cp949_under_a_servers_default", (euc_kr.encode("cp949"), "text/html; charset=ISO-8859-1")
    yield "cp949_said_to_be_utf8", (_SHOP.format(meta="<meta charset=utf-8>").encode("cp949"), "text/html")
    yield "cp949_without_a_label", (bare.encode("cp949"), "text/html")
    yield "cp949_with_broken_bytes", (euc_kr.encode("cp949").replace(b"<h1>", b"<h1>\xff\x20"), "text/html")
    yield "utf8_with_a_byte_order_mark", (b"\xef\xbb\xbf" + bare.encode(), "text/html; charset=euc-kr")
    yield "utf8_said_to_be_euc_kr", (euc_kr.encode(), "text/html")
    yield (
        "utf8_cut_within_a_letter",
        (bare.encode().replace("주소".encode(), "주소".encode()[:-1]), "text/html"),
    )
    yield "utf16", (b"\xff\xfe" + bare.encode("utf-16-le"), "text/html")


def _malformed() -> Iterator[tuple[str, tuple[bytes, str]]]:
    shop, utf8 = _SHOP.format(meta="").encode(), "text/html; charset=utf-8"
    yield "nothing", (b"", utf8)
    yield "nul_bytes", (shop.replace("주소".encode(), "주\0소".encode()).replace(b"<h1>", b"<h1>\0"), utf8)
    yield "nested_too_deep", (shop.replace(b"</body>", b"<div>" * 5_000 + b"02-999-9999</body>"), utf8)
    yield "more_tags_than_a_page_has", (shop.replace(b"</body>", b"<br>" * 120_000 + b"02-999-9999"), utf8)
    yield "jsonld_with_a_byte_order_mark", (_block("\ufeff" + _MARKED), utf8)
    yield "jsonld_in_cp949", (_block(_MARKED, "cp949"), "text/html; charset=cp949")
    yield "jsonld_nested_too_deep", (_block('{"a":' * 100 + "1" + "}" * 100) + _block(_MARKED), utf8)
    yield (
        "jsonld_of_three_hundred_branches",
        (_block("[" + ",".join(_branch(n) for n in range(300)) + "]"), utf8),
    )


def _block(json: str, encoding: str = "utf-8") -> bytes:
    return f'<script type="application/ld+json">{json}</script><p>국밥집</p>'.encode(encoding)


def _branch(number: int) -> str:
    return (
        f'{{"@type": "Restaurant", "name": "온기식당", "telephone": "02-6012-{number:04d}", '
        f'"address": "서울 강남구 테헤란로 {number + 1}"}}'
    )
