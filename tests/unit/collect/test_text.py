"""The visible text of a page: lines as a reader sees them, and the facts that stand in them."""

from functions.collect.website import text
from functions.collect.website.document import parse
from functions.collect.website.lines import CELL
from functions.collect.website.lines import lines as lines_of
from shared.places.normalise import hours_parsed_whole

PAGE = """
<html><head><title>온기</title><style>p{}</style></head><body>
<script>var phone = "02-999-9999";</script>
<h1>온기 <em>식당</em></h1>
<p>서울 강남구
   테헤란로 152, 1층 <br> 전화 02-6012-3456 (팩스 02-6012-9999)</p>
<div style="display: none">숨은 전화 02-555-5555</div><!-- 02-444-4444 -->
<h2>영업시간</h2>
<ul><li>화~일 11:00~21:00</li><li>라스트오더 20:30</li><li>월요일 휴무</li></ul>
<p>단체 예약을 받습니다</p>
<table><tr><td>국밥</td><td>9,000원</td></tr><tr><td>수육 (대)</td><td>35,000원</td></tr><tr><td>회</td><td>시가</td></tr></table>
<p>배송비 3,000원</p>
<footer>사업자등록번호: 123-45-67891 | 주소: 서울특별시 강남구 역삼동 737 | TEL 02-6012-3456</footer>
</body></html>
"""


def read(html: str) -> text.Told:
    document = parse(html, "https://ongi.example/")
    assert document is not None
    return text.read(lines_of(document))


def test_lines_are_blocks_without_scripts_styles_comments_and_hidden_parts() -> None:
    document = parse(PAGE, "https://ongi.example/")
    assert document is not None
    lines = lines_of(document)
    assert lines[:3] == [
        "온기 식당",
        "서울 강남구 테헤란로 152, 1층",
        "전화 02-6012-3456 (팩스 02-6012-9999)",
    ]
    assert f"국밥{CELL}9,000원" in lines
    joined = "\n".join(lines)
    assert not any(gone in joined for gone in ("02-999-9999", "02-555-5555", "02-444-4444", "p{}"))


def test_numbers_addresses_hours_and_a_menu_are_found() -> None:
    told = read(PAGE)
    assert told.phones == ["+82260123456"]
    assert [(a.kind, a.text) for a in told.addresses] == [
        ("road", "서울특별시 강남구 테헤란로 152, 1층"),
        ("lot", "서울특별시 강남구 역삼동 737"),
    ]
    assert told.hours is not None
    assert hours_parsed_whole(told.hours)
    assert told.hours.days["mon"] == []
    assert told.hours.last_order["tue"] == "20:30"
    assert [(item.name, item.price_krw) for item in told.menu] == [
        ("국밥", 9000),
        ("수육 (대)", 35000),
        ("회", None),
    ]
    assert told.business_number == "1234567891"


def test_hours_that_are_not_understood_are_kept_as_words() -> None:
    told = read("<p>영업시간: 11시부터 재료 소진 시까지</p>")
    assert told.hours is not None
    assert not hours_parsed_whole(told.hours)
    assert told.hours.text == "11시부터 재료 소진 시까지"


def test_a_label_over_a_sentence_too_long_to_be_hours_says_none() -> None:
    assert read(f"<p>영업시간은 11:00부터입니다. {'많은 성원 바랍니다. ' * 15}</p>").hours is None


def test_fees_and_wages_are_no_dishes() -> None:
    dishes = [("국밥", "9,000원"), ("수육", "35,000원"), ("만두", "6,000원")]
    others = [
        ("택배비", "4,000원"),
        ("포장비", "500원"),
        ("주말 알바", "12,000원"),
        ("취소 수수료", "5,000원"),
    ]
    told = read("".join(f"<p>{name} {price}</p>" for name, price in [*others, *dishes]))
    assert [item.name for item in told.menu] == [name for name, _ in dishes]


def test_a_price_or_two_make_no_menu() -> None:
    assert read("<p>국밥 9,000원</p><p>수육 35,000원</p>").menu == []


def test_names_above_their_prices_make_a_menu() -> None:
    told = read(
        "".join(
            f"<div>{name}</div><div>{price}</div>"
            for name, price in [("국밥", "9,000원"), ("냉면", "₩11,000"), ("만두", "1만2천원")]
        )
    )
    assert [(item.name, item.price_krw) for item in told.menu] == [
        ("국밥", 9000),
        ("냉면", 11000),
        ("만두", 12000),
    ]
