"""A page shows everything confirmed and nothing else, in documents without a fault, whatever the facts are."""

import json
import re
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
import pytest

from functions.build.gate import check, visible_text
from functions.build.page import current_text, missing_for_page, page_photos, split_address
from functions.build.words import WORDS
from functions.collect.channels import all_channels
from shared.places.models import ConfirmedFacts, Copy, Locale, PageCopy, Question, Section
from tests.unit.build import samples

LOCALES: tuple[Locale, ...] = ("ko", "en")
MINIMUM = {"name": "봄날식당", "category": "Restaurant", "phone": "+8225550199"}
NASTY = """</script><script>alert(1)</script><img src=x onerror=alert(1)> "quoted" 'single' & &amp; <!-- {{ 7*7 }} ]]>"""


def parsed(text: str) -> Element:
    """The document; fails on the first thing the HTML standard calls a parse error."""
    root: Element = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
    return root


VARIED: dict[str, dict[str, Any]] = {
    "everything": samples.VALUES,
    "the least": MINIMUM,
    "an address and no phone": {**MINIMUM, "phone": None, "lot_address": "제주특별자치도 제주시 봄동 1"},
    "a long name": {**samples.VALUES, "name": "가" * 200, "name_en": "Long " * 40},
    "a name from right to left": {**samples.VALUES, "name": "مطعم الربيع", "name_en": "Al Rabie"},
    "a name that turns the text": {**MINIMUM, "name": "봄\u202e날\u2066식당"},
    "control characters": {**MINIMUM, "notice": "한\x0b줄\x00\x1f\ufffe끝\ud800"},
    "hours as text": {**MINIMUM, "hours": {"days": {}, "text": "해 질 때까지"}},
    "split hours": {**MINIMUM, "hours": {"days": {"mon": [["09:00", "12:00"], ["13:00", "01:00"]]}}},
    "a shop": {**samples.VALUES, "category": "BookStore"},
    "an address that cannot be split": {**MINIMUM, "road_address": "12 Bomnal-ro"},
    "a whole menu": {**MINIMUM, "menu": [{"name": f"음식 {n}", "price_krw": n * 500} for n in range(300)]},
    "a website that is none": {**MINIMUM, "website": "javascript:alert(1)", "sns": ["data:text/html,x"]},
    "nasty text": {
        **MINIMUM,
        "name": NASTY,
        "name_en": NASTY + "2",
        "road_address": NASTY,
        "summary": NASTY,
        "price_range": NASTY,
        "notice": NASTY,
        "website": "https://x.example/?a=" + NASTY,
        "menu": [{"name": NASTY, "price_krw": 1000, "note": NASTY}],
        "hours": {"days": {}, "text": NASTY},
    },
}


def with_text(text: str) -> Copy:
    content = PageCopy(
        title=text,
        summary=text,
        sections=[Section(heading=text, text=text)],
        faq=[Question(question=text, answer=text)],
    )
    return Copy(content={"ko": content, "en": content}, mode="ai", facts_version=3)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("values", VARIED.values(), ids=VARIED)
def test_the_document_is_faultless_and_passes_the_gate(values: dict[str, Any], locale: Locale) -> None:
    confirmed = samples.facts(values)
    pages = {}
    for path, language in (("en/index.html", "en"), ("index.html", "ko")):
        document = samples.html(confirmed, locale=language)
        assert parsed(document).get("lang") == language
        pages[path] = document.encode()
    assert check(pages, (), samples.ORIGIN, ()) == []


@pytest.mark.parametrize("locale", LOCALES)
def test_nothing_a_fact_or_a_text_says_becomes_markup(locale: Locale) -> None:
    data = samples.jpeg()
    shot = samples.photo(1, data, alt={"ko": NASTY, "en": NASTY})
    image, _ = samples.derived(shot, data)
    document = samples.html(
        samples.facts(VARIED["nasty text"]),
        locale=locale,
        text=with_text(NASTY),
        photos=((shot, image),),
        of=samples.place(aliases=(NASTY + "3",)),
    )
    root = parsed(document)
    assert [script.get("type") for script in root.iter("script")] == ["application/ld+json"]
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")]
    assert {element.tag for element in root.iter("img")} == {"img"}
    assert len(list(root.iter("img"))) == 1
    assert "alert(1)" in visible_text(root)
    assert "{{ 7*7 }}" in visible_text(root)
    assert all(
        link.get("href", "").split(":")[0] in ("https", "http", "tel") or link.get("href", "")[:1] in "#ae."
        for link in root.iter("a")
    )
    business = json.loads("".join(root.find("head/script").itertext()))
    assert business["name"] == NASTY + ("2" if locale == "en" else "")


def test_the_languages_point_at_each_other() -> None:
    for locale in LOCALES:
        root = parsed(samples.html(locale=locale))
        own = f"{samples.ORIGIN}/bomnal/" + ("en/" if locale == "en" else "")
        assert root.find("head/link[@rel='canonical']").get("href") == own
        assert {
            link.get("hreflang"): link.get("href") for link in root.iterfind("head/link[@rel='alternate']")
        } == {
            "ko": f"{samples.ORIGIN}/bomnal/",
            "en": f"{samples.ORIGIN}/bomnal/en/",
            "x-default": f"{samples.ORIGIN}/bomnal/",
        }


def test_an_english_place_has_its_english_page_at_the_root() -> None:
    english = samples.view(locale="en", of=samples.place("en"))
    assert english.addresses.own == f"{samples.ORIGIN}/bomnal/"
    assert (english.other_href, english.assets) == ("ko/index.html", "assets/")
    korean = samples.view(locale="ko", of=samples.place("en"))
    assert korean.addresses.own == f"{samples.ORIGIN}/bomnal/ko/"
    assert (korean.other_href, korean.assets) == ("../index.html", "../assets/")


def test_everything_confirmed_stands_on_the_page() -> None:
    text = visible_text(parsed(samples.html()))
    for words in (
        "봄날식당",
        "Bomnal Kitchen",
        "음식점",
        "02-555-0199",
        "경기도 수원시 팔달구 봄날로 7, 2층",
        "매산로1가 99-1",
        "37.26612, 127.00000",
        "직접 담근 장으로",
        "123-45-67891",
        "8,000원~20,000원",
        "18:00 – 다음 날 02:00",
        "된장찌개",
        "9,000원",
        "밥 포함",
        "문의",
        "bomnal.example",
        "instagram.com/bomnal",
        "주차 가능",
        "시장 북문에서",
        "매월 둘째·넷째 일요일 휴무",
        "업주 제공",
        "2026년 11월 3일",
    ):
        assert words in text, words


def test_korean_on_the_english_page_says_that_it_is_korean() -> None:
    root = parsed(samples.html(locale="en"))
    spoken = [e.text for e in root.iter() if e.get("lang") == "ko" and e.tag == "bdi" and e.text]
    assert any("수원시" in text for text in spoken)
    assert root.find(".//h1").text == "Bomnal Kitchen"
    assert root.find(".//h1").get("lang") is None


def test_an_english_value_given_beside_replaces_the_korean_one() -> None:
    confirmed = samples.facts(MINIMUM, summary="국숫집입니다.", summary_en="A noodle house.")
    assert samples.view(confirmed, locale="en").lead.text == "A noodle house."
    assert samples.view(confirmed, locale="ko").lead.text == "국숫집입니다."
    assert "summary_en" not in [row.key for row in samples.view(confirmed, locale="ko").rows]


@pytest.mark.parametrize(
    ("values", "missing"),
    [
        ({}, ["name", "category", "address_or_phone"]),
        ({"name": "봄날"}, ["category", "address_or_phone"]),
        ({"name": "봄날", "category": "Restaurant"}, ["address_or_phone"]),
        ({"name": "봄날", "category": "Restaurant", "geo": {"lat": 1, "lon": 1}}, ["address_or_phone"]),
        (MINIMUM, []),
        ({"name": "봄날", "category": "Store", "lot_address": "서울특별시 중구 봄동 1"}, []),
    ],
)
def test_what_an_honest_page_lacks(values: dict[str, Any], missing: list[str]) -> None:
    assert (
        missing_for_page(ConfirmedFacts(version=1, facts={k: samples.fact(k, v) for k, v in values.items()}))
        == missing
    )


def test_a_text_written_from_other_facts_is_not_used() -> None:
    confirmed = samples.facts(version=4)
    assert current_text(samples.copy(version=3), confirmed) is None
    assert current_text(samples.copy(version=4), confirmed) is not None


def test_photos_are_those_that_may_be_published_best_first() -> None:
    good = samples.photo(0)
    unseen = samples.photo(1, rank=None)
    others = [
        samples.photo(2, confirmed=False),
        samples.photo(3, media_key=None),
        samples.photo(4, problem="http_404"),
        samples.photo(5, duplicate_of=good.photo_id),
        samples.photo(6, rank=None, alt={}),
    ]
    assert page_photos([good, *others, unseen]) == [good, unseen]


def test_a_poor_photo_is_left_out_while_there_are_better_ones() -> None:
    good = samples.photo(0, vision={"quality": 0.8})
    poor = samples.photo(1, vision={"quality": 0.2})
    assert page_photos([good, poor]) == [good]
    assert page_photos([poor]) == [poor]


def test_the_first_photo_is_fetched_at_once_and_the_others_when_they_come_near() -> None:
    shots = []
    for number, colour in enumerate(("teal", "navy")):
        data = samples.jpeg(1000, 700, colour)
        shot = samples.photo(number, data, alt={"ko": f"사진 {colour}", "en": f"A {colour} picture"})
        shots.append((shot, samples.derived(shot, data)[0]))
    root = parsed(samples.html(photos=tuple(shots), locale="en"))
    hero, second = root.iter("img")
    assert (hero.get("loading"), hero.get("fetchpriority"), second.get("loading")) == (None, "high", "lazy")
    assert (hero.get("width"), hero.get("height"), hero.get("alt")) == ("1000", "700", "A teal picture")
    assert [s.get("type") for s in root.iter("source")] == ["image/avif", "image/webp"] * 2
    assert re.fullmatch(r"(\.\./assets/photo-\d+\.[0-9a-f]{16}\.jpg \d+w(, )?){3}", hero.get("srcset"))
    preview = root.find("head/meta[@property='og:image']").get("content")
    assert preview.startswith(f"{samples.ORIGIN}/bomnal/assets/photo-1000.")


def test_a_photo_nobody_described_is_named_after_the_place() -> None:
    data = samples.jpeg()
    shot = samples.photo(0, data)
    page = samples.view(photos=((shot, samples.derived(shot, data)[0]),))
    assert page.photos[0].alt == "봄날식당 사진 1"


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("서울특별시 중구 세종대로 110", ("서울특별시", "중구", "세종대로 110")),
        ("경기도 수원시 팔달구 봄날로 7", ("경기도", "수원시 팔달구", "봄날로 7")),
        ("세종특별자치시 한누리대로 2130", ("세종특별자치시", None, "한누리대로 2130")),
        ("강원특별자치도 평창군 대관령면 봄길 3", ("강원특별자치도", "평창군", "대관령면 봄길 3")),
        ("서울 중구 세종대로 110", None),
        ("서울특별시 세종대로 110", None),
        ("서울특별시 중구", None),
        ("12 Bomnal-ro", None),
        ("", None),
    ],
)
def test_an_address_is_split_only_where_that_is_safe(
    address: str, parts: tuple[str, str | None, str] | None
) -> None:
    assert split_address(address) == parts


def test_maps_are_linked_by_the_point_else_by_the_address() -> None:
    korean = samples.view()
    assert [link.href for link in korean.maps] == [
        "https://map.kakao.com/link/map/%EB%B4%84%EB%82%A0%EC%8B%9D%EB%8B%B9,37.26612,127.00000",
        "https://www.google.com/maps/search/?api=1&query=37.26612%2C127.00000",
    ]
    assert samples.view(locale="en").maps[0].href.startswith("https://www.google.com/maps/")
    by_address = samples.view(samples.facts(MINIMUM, road_address="서울특별시 중구 봄로 1"))
    assert by_address.maps[0].href.startswith("https://map.kakao.com/link/search/%EC%84%9C")
    assert samples.view(samples.facts(MINIMUM)).maps == []


@pytest.mark.parametrize(
    ("locale", "named"), [("ko", "© OpenStreetMap 기여자"), ("en", "© OpenStreetMap contributors")]
)
def test_what_the_owner_confirmed_of_a_map_names_its_contributors_and_their_licence(
    locale: Locale, named: str
) -> None:
    element = "https://www.openstreetmap.org/node/4711"
    confirmed = samples.facts(MINIMUM)
    confirmed.facts["phone"] = samples.fact("phone", "+8225550199", channel="osm", url=element)
    page = samples.html(confirmed, locale=locale)
    links = {link.text: link for link in parsed(page).findall(".//footer//a")}
    assert links[named].get("href") == element
    assert links["ODbL"].get("href") == "https://www.openstreetmap.org/copyright"
    assert links["ODbL"].get("rel") == "license"
    assert "ODbL" not in samples.html(samples.facts(MINIMUM), locale=locale)
    pages = {"index.html": samples.html(confirmed), "en/index.html": samples.html(confirmed, locale="en")}
    assert check({path: text.encode() for path, text in pages.items()}, (), samples.ORIGIN, ()) == []


def test_photos_of_others_name_their_maker_and_the_place_its_own_photos_do_not() -> None:
    shots = [
        (shot, samples.derived(shot, samples.jpeg())[0])
        for shot in (samples.photo(0), samples.photo(1, channel="tourapi"))
    ]
    named = [source.origin for source in samples.view(photos=tuple(shots)).sources if "사진" in source.labels]
    assert named == ["한국관광공사 TourAPI"]
    assert "공공누리 1" in samples.html(photos=tuple(shots))


@pytest.mark.parametrize("locale", LOCALES)
def test_every_channel_whose_values_may_be_kept_has_a_name_for_readers(locale: Locale) -> None:
    kept = {channel.name for channel in all_channels()} - {"naver"}  # of which no value is ever stored
    assert kept <= WORDS[locale].channels.keys()


def test_a_document_asks_for_nothing_but_its_own_pictures() -> None:
    root = parsed(samples.html())
    assert not list(root.iter("img"))
    assert [link.get("rel") for link in root.iter("link") if link.get("href").startswith("http")] == [
        "canonical",
        *["alternate"] * 3,
    ]
    assert root.find("head/link[@rel='icon']").get("href").startswith("data:image/svg+xml,")
    policy = root.find("head/meta[@http-equiv='Content-Security-Policy']").get("content")
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "script-src" not in policy


def test_the_same_data_make_the_same_bytes() -> None:
    assert samples.html(text=samples.copy()) == samples.html(text=samples.copy())
