"""Which pages, pictures and businesses of a site belong to the place, and what facts they make."""

from datetime import date
from typing import Any

import pytest

from functions.collect.matching import Subject
from functions.collect.website import photos
from functions.collect.website.crawl import Crawl
from functions.collect.website.document import Document, parse
from functions.collect.website.facts import Gathered, gather
from functions.collect.website.links import same_site, social_pages, worth_reading
from functions.collect.website.page import read_page
from shared.http import Fetched
from shared.places.normalise import address_key

URL = "https://ongi.example/"
TODAY = date(2026, 11, 30)
SUBJECT = Subject(["온기식당"], URL)


def document(html: str, url: str = URL) -> Document:
    parsed = parse(html, url)
    assert parsed is not None
    return parsed


def gathered(*pages: str, subject: Subject = SUBJECT, own: bool = True) -> Gathered:
    crawl = Crawl(own=own)
    for number, html in enumerate(pages):
        url = URL + (f"{number}.html" if number else "")
        page = read_page(Fetched(url, url, 200, {"content-type": "text/html"}, "text/html", html.encode(), 1))
        assert page is not None
        crawl.pages.append(page)
    return gather(crawl, subject, today=TODAY)


def values(result: Gathered) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for fact in result.facts:
        found.setdefault(fact.key, []).append(fact.value)
    return found


def structured(result: Gathered) -> set[str]:
    return {fact.key for fact in result.facts if fact.structured}


def block(json: str) -> str:
    return f'<script type="application/ld+json">{json}</script><p>어서 오세요</p>'


WHOLE = block(
    """{"@context": "https://schema.org", "@type": ["Restaurant", "LocalBusiness"], "name": "온기 식당",
    "alternateName": "Ongi Kitchen", "telephone": "02-6012-3456",
    "address": {"@type": "PostalAddress", "addressRegion": "서울", "addressLocality": "강남구", "streetAddress": "테헤란로 152"},
    "geo": {"latitude": "127.036", "longitude": "37.5"},
    "openingHours": ["Mo-Fr 11:00-21:00", "Sa 11:00-15:00"], "priceRange": "₩₩", "description": "국밥집",
    "amenityFeature": [{"name": "주차", "value": true}, {"name": "와이파이", "value": "False"}, {"name": "헬리포트"}],
    "sameAs": ["https://www.instagram.com/ongi", "https://news.example/about-ongi"],
    "hasMenu": {"hasMenuSection": [{"name": "식사", "hasMenuItem": [
        {"@type": "MenuItem", "name": "국밥", "offers": {"price": "9000", "priceCurrency": "KRW"}},
        {"@type": "MenuItem", "name": "Wine", "offers": {"price": "9", "priceCurrency": "USD"}}]}]},
    "url": "https://ongi.example/", "image": "/img/front.jpg", "taxID": "123-45-67891"}"""
)


def test_a_business_in_markup_becomes_normal_facts_and_only_the_closed_list_is_structured() -> None:
    result = gathered(WHOLE)
    assert values(result) == {
        "name": ["온기 식당"],
        "name_en": ["Ongi Kitchen"],
        "category": ["Restaurant"],
        "phone": ["+82260123456"],
        "road_address": ["서울특별시 강남구 테헤란로 152"],
        "geo": [{"lat": 37.5, "lon": 127.036}],
        "hours": [values(result)["hours"][0]],
        "menu": [[{"name": "국밥", "price_krw": 9000, "note": None}]],  # a price in dollars is none
        "sns": [["https://www.instagram.com/ongi"]],
        "website": ["https://ongi.example/"],
        "price_range": ["₩₩"],
        "amenities": [["parking"]],
        "summary": ["국밥집"],
        "business_number": ["1234567891"],
    }
    assert values(result)["hours"][0]["days"]["sat"] == [["11:00", "15:00"]]
    unstructured = {"name", "category", "summary", "business_number"}
    assert structured(result) == set(values(result)) - unstructured
    assert all(fact.source_url == URL and fact.channel == "website" for fact in result.facts)
    assert [photo.source_url for photo in result.photos] == ["https://ongi.example/img/front.jpg"]


def test_prose_speaks_only_where_markup_is_silent_and_is_never_structured() -> None:
    prose = "<p>예약 010-1234-5678</p><p>영업시간</p><p>매일 10:00~20:00</p>"
    marked = block('{"@type": "Restaurant", "name": "온기식당", "telephone": "02-6012-3456"}')
    result = gathered(marked + prose)
    assert values(result)["phone"] == ["+82260123456"]
    assert values(result)["hours"][0]["days"]["mon"] == [["10:00", "20:00"]]
    assert structured(result) == {"phone"}


def test_pages_that_contradict_each_other_are_both_reported() -> None:
    one = '{"@type": "Restaurant", "name": "온기식당", "telephone": "02-6012-3456", "address": "서울 강남구 테헤란로 152"}'
    other = one.replace("3456", "9999")
    assert values(gathered(block(one), block(other)))["phone"] == ["+82260123456", "+82260129999"]


def test_the_place_is_told_from_other_businesses_on_its_site() -> None:
    agency = '{"@type": "ProfessionalService", "name": "웹대행사", "telephone": "02-777-7777", "address": "서울 중구 을지로 1"}'
    result = gathered(block(agency) + WHOLE)
    assert values(result)["phone"] == ["+82260123456"]


def branch(number: str, street: str) -> str:
    return block(
        f'{{"@type": "Restaurant", "name": "온기식당", "telephone": "{number}", "address": "서울 강남구 {street}"}}'
    )


def test_branches_of_a_chain_are_not_guessed_at_unless_a_number_or_a_building_tells() -> None:
    pages = branch("02-6012-3456", "테헤란로 152") + branch("02-6012-7777", "역삼로 10")
    result = gathered(pages)
    assert structured(result) == set()
    assert "several_businesses" in result.notes
    by_phone = Subject(["온기식당"], URL, phones=frozenset(["+82260127777"]))
    assert values(gathered(pages, subject=by_phone))["road_address"] == ["서울특별시 강남구 역삼로 10"]
    key = address_key("서울특별시 강남구 테헤란로 152")
    assert key is not None
    by_building = Subject(["온기식당"], URL, buildings=frozenset([key]))
    assert values(gathered(pages, subject=by_building))["phone"] == ["+82260123456"]


def test_the_only_business_of_a_site_under_another_name_waits_unless_it_names_the_site() -> None:
    stranger = '{"@type": "Restaurant", "name": "Other Name", "telephone": "02-6012-3456"}'
    result = gathered(block(stranger))
    assert values(result)["phone"] == ["+82260123456"]
    assert structured(result) == set()
    assert "business_not_recognised" in result.notes
    for front in ("https://www.ongi.example/", "http://ongi.example/index.html"):
        own = stranger.replace("}", f', "url": "{front}"}}')
        assert "phone" in structured(gathered(block(own)))


@pytest.mark.parametrize("url", [URL + "lounge", "http://[ongi.example/", "https://other.example/"])
def test_a_part_of_a_house_that_names_its_own_page_is_not_the_house(url: str) -> None:
    lounge = '{"@type": "Restaurant", "name": "라운지", "openingHours": "Mo-Su 18:00-23:00", '
    result = gathered(block(lounge + f'"url": "{url}"}}'))
    assert structured(result) == set()
    assert "website" not in values(result)


def test_a_dish_whose_price_is_no_one_price_in_won_is_left_out() -> None:
    offers = [
        '"offers": {"price": "9000"}', '"offers": {"price": "9000", "priceCurrency": "KRW"}', '"description": "제철"',
        '"offers": {"price": "0"}', '"offers": {"price": 12}', '"offers": {"price": "9", "priceCurrency": "USD"}',
        '"offers": {"@type": "AggregateOffer", "lowPrice": "9000", "highPrice": "12000"}',
        '"offers": {"priceSpecification": {"minPrice": 9000, "maxPrice": 12000}}', '"offers": {"price": "9천~1만원"}',
    ]  # fmt: skip
    items = ", ".join(f'{{"@type": "MenuItem", "name": "{i}번", {offer}}}' for i, offer in enumerate(offers))
    result = gathered(
        block(f'{{"@type": "Restaurant", "name": "온기식당", "hasMenu": {{"hasMenuItem": [{items}]}}}}')
    )
    [menu] = values(result)["menu"]
    assert [(dish["name"], dish["price_krw"]) for dish in menu] == [
        ("0번", 9000),
        ("1번", 9000),
        ("2번", None),
    ]


@pytest.mark.parametrize(
    ("name", "english"),
    [
        ("Ongi Kitchen", True), ("Café Ongi's (Seoul)", True), ("BEST #1 in Seoul! Call now", False),
        ("www.ongi.kr", False), ("Ongi.com", False), ("02-6012-3456", False), ("Ongi | noodles | Seoul", False),
    ],
)  # fmt: skip
def test_a_slogan_or_an_address_is_no_english_name(name: str, english: bool) -> None:
    result = gathered(block(f'{{"@type": "Restaurant", "name": "온기식당", "alternateName": "{name}"}}'))
    assert ("name_en" in structured(result)) == english


def test_an_address_that_is_none_loses_itself_alone() -> None:
    broken = """{"@type": "Restaurant", "name": "온기식당", "telephone": "02-6012-3456", "url": "http://[y",
    "sameAs": ["http://[x", "https://insta℀gram.com/", "https://instagram.com/a b", "https://instagram.com/ongi"]}"""
    result = gathered(block(broken))
    assert values(result)["sns"] == [["https://instagram.com/ongi"]]
    assert structured(result) == {"phone", "sns"}


def test_the_meta_tags_of_another_branchs_page_confirm_nothing() -> None:
    meta = """<head><meta property="business:contact_data:phone_number" content="031-701-2345">
    <meta property="business:contact_data:street_address" content="경기 성남시 분당구 판교역로 152">
    <meta property="business:hours:day" content="monday"><meta property="business:hours:start" content="10:00">
    <meta property="business:hours:end" content="20:00"></head><p>판교점</p>"""
    here = address_key("서울특별시 강남구 테헤란로 152")
    assert here is not None
    assert structured(gathered("<p>어서 오세요</p>", meta)) == {"phone", "road_address", "hours"}
    for known in (
        Subject(["온기식당"], URL, buildings=frozenset([here])),
        Subject(["온기식당"], URL, phones=frozenset(["+82260123456"])),
    ):
        assert structured(gathered("<p>어서 오세요</p>", meta, subject=known)) == set()


def test_nothing_of_a_site_that_the_address_led_to_is_structured() -> None:
    result = gathered(WHOLE, own=False)
    assert values(result)["phone"] == ["+82260123456"]
    assert structured(result) == set()
    assert "another_site" in result.notes


def test_contact_data_of_open_graph_is_structured_and_its_title_is_no_name() -> None:
    result = gathered(
        '<meta property="og:title" content="환영합니다">'
        '<meta property="business:contact_data:phone_number" content="02-6012-3456">'
        '<meta name="description" content="국밥집입니다"><p>x</p>'
    )
    assert values(result) == {"phone": ["+82260123456"], "summary": ["국밥집입니다"]}
    assert structured(result) == {"phone"}


def test_unreadable_markup_is_left_out_key_by_key() -> None:
    result = gathered(
        block(
            '{"@type": "Restaurant", "name": "온기식당", "telephone": "없음", "address": "우리집", "priceRange": 3, '
            '"geo": {"latitude": "x", "longitude": null}, "openingHours": "항상", "url": [1, {"a": 2}], "hasMenu": "menu.html"}'
        )
    )
    assert set(values(result)) == {"name", "category", "hours", "price_range"}
    assert values(result)["hours"][0]["days"] == {}


def test_pages_worth_reading_are_chosen_by_their_words_on_the_same_host() -> None:
    links = """
    <a href="/news">소식</a> <a href="about.html">가게 소개</a> <a href="/menu?x=1">Menu</a> <a href="/menu?x=1#top">메뉴판</a>
    <a href="/c">오시는 길</a> <a href="http://www.ongi.example/hours">영업시간</a> <a href="https://other.example/menu">메뉴</a>
    <a href="/login">로그인 안내</a> <a href="/menu.pdf">메뉴 PDF</a>
    <a href="mailto:a@b.kr">문의</a> <a href="/index.html">안내</a>
    <a href="javascript:void(0)">메뉴</a> <a href="/d"><img alt="연락처"></a> <a href="https://ongi.example:8443/menu">메뉴</a>
    """
    assert worth_reading(document(links), 9) == [
        "https://ongi.example/menu?x=1",
        "http://www.ongi.example/hours",
        "https://ongi.example/c",
        "https://ongi.example/d",
        "https://ongi.example/about.html",
    ]
    assert len(worth_reading(document(links), 2)) == 2


def test_frames_and_refreshes_are_followed_before_anything_else() -> None:
    framed = '<frameset><frame src="main.htm"></frameset><a href="/menu">메뉴</a>'
    assert worth_reading(document(framed), 9)[0] == "https://ongi.example/main.htm"
    assert worth_reading(document('<meta http-equiv="Refresh" content="0; URL=\'/shop/\'">'), 9) == [
        "https://ongi.example/shop/"
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://ongi.example/", "http://www.ongi.example/x", True),
        ("https://ongi.example/", "https://m.ongi.example/", True),
        ("https://shop.ongi.example/", "https://ongi.example/", True),
        ("https://builder.example/", "https://ongi.builder.example/", False),
        ("https://other.builder.example/", "https://ongi.builder.example/", False),
        ("https://ongi.example/", "https://songi.example/", False),
        ("https://ongi.example/", "https://ongi.example.evil.example/", False),
    ],
)
def test_a_site_is_its_host_with_what_lies_below(one: str, other: str, same: bool) -> None:
    assert same_site(one, other) is same


def test_social_pages_are_links_to_profiles() -> None:
    page = document(
        '<a href="https://www.instagram.com/ongi/">i</a><a href="https://www.facebook.com/sharer/sharer.php?u=x">share</a>'
        '<a href="https://instagram.com/">bare</a><a href="https://example.com/">x</a>'
    )
    assert social_pages(page) == ["https://www.instagram.com/ongi/"]


def test_large_pictures_are_candidates_and_decoration_is_not() -> None:
    page = document(
        """<img src="/a.jpg"><img src="/b.png" width="600" height="400"><img src="/small.jpg" width="60">
        <img src="/logo.png"><img src="/x.jpg" class="icon"><img src="data:image/png;base64,AAAA" data-src="/lazy.webp">
        <img srcset="/s-400.jpg 400w, /s-1600.jpg 1600w" src="/s.jpg"><img src="/anim.gif"><img src="/a.jpg"><img src="ftp://x/y.jpg">
        <img>"""
    )
    assert photos.of_page(page) == [URL + name for name in ("a.jpg", "b.png", "lazy.webp", "s-1600.jpg")]
