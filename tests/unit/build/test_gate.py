"""A page that is not in order is not published."""

import pytest

from functions.build.gate import check
from functions.build.unconfirmed import needles
from shared.places.models import Fact
from tests.unit.build import samples
from tests.unit.build.samples import fact


def pages() -> dict[str, str]:
    return {"en/index.html": samples.html(locale="en"), "index.html": samples.html(text=samples.copy())}


def codes(changed: dict[str, str], facts: list[Fact] = [], assets: tuple[str, ...] = ()) -> set[str]:  # noqa: B006
    forbidden = needles(samples.place(), samples.facts(), facts)
    documents = {path: html.encode() for path, html in changed.items()}
    return {finding.code for finding in check(documents, assets, samples.ORIGIN, forbidden)}


def test_a_page_in_order_passes() -> None:
    assert codes(pages()) == set()


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("</main>", "</div></main>", "html"),
        ("<h1", "<p></p><h1", None),
        ("<h1", "<h1>twice</h1><h1", "heading"),
        ('<html lang="ko">', "<html>", "language"),
        ("<title>", "<title></title><meta name=x content='", "html"),
        ('<meta name="description"', '<meta name="descriptions"', "meta"),
        ('rel="canonical"', 'rel="bookmark"', "canonical"),
        ('hreflang="x-default"', 'hreflang="fr"', "hreflang"),
        ("</body>", '<script src="x.js"></script></body>', "script"),
        ("</body>", '<p onclick="x()">x</p></body>', "script"),
        ("</body>", '<iframe src="about:blank"></iframe></body>', "element"),
        ("</body>", '<img src="assets/no.jpg" alt="x" width="1" height="1"></body>', "asset"),
        ("</body>", '<img src="https://cdn.example/x.jpg" alt="x" width="1" height="1"></body>', "asset"),
        ("</body>", '<img src="../../secret" alt="x" width="1" height="1"></body>', "asset"),
        ("</body>", '<img src="index.html" alt="" width="1" height="1"></body>', "image"),
        ("</body>", '<img src="index.html" alt="x"></body>', "image"),
        ("</body>", '<a href="javascript:alert(1)">x</a></body>', "link"),
        ("</body>", '<a href="#nowhere">x</a></body>', "link"),
        ("</body>", '<a href="../other/">x</a></body>', "link"),
        ("</body>", '<p id="main">x</p></body>', "id"),
        (
            "</head>",
            '<meta property="og:image" content="https://pages.example/bomnal/assets/x.jpg"></head>',
            "asset",
        ),
        ('"@type": "Restaurant"', '"@type": "Noodles"', "structured"),
        ('"name":', '"nome":', "structured"),
        ('{\n "@context"', '[\n "@context"', "structured"),
        ("</body>", f"<p>{'x' * 200_000}</p></body>", "size"),
    ],
)
def test_each_fault_is_named(old: str, new: str, code: str | None) -> None:
    changed = pages()
    assert old in changed["index.html"]
    changed["index.html"] = changed["index.html"].replace(old, new, 1)
    found = codes(changed)
    assert (code in found) if code else (found == set())


def test_every_picture_a_page_names_must_be_there() -> None:
    data = samples.jpeg()
    shot = samples.photo(0, data)
    image, made = samples.derived(shot, data)
    documents = {
        "index.html": samples.html(photos=((shot, image),)),
        "en/index.html": samples.html(locale="en"),
    }
    names = tuple(f"assets/{name}" for name in made)
    assert codes(documents, assets=names) == set()
    for lost in names:
        assert codes(documents, assets=tuple(name for name in names if name != lost)) == {"asset"}


@pytest.mark.parametrize(
    ("unconfirmed", "said"),
    [
        (fact("phone", "+8225550124", confirmed=False), "전화는 02-555-0124입니다"),
        (fact("phone", "+8225550124", confirmed=False), "전화는 02) 555 0124"),
        (fact("phone", "+8225550124", confirmed=False), "call +82 2 555 0124"),
        (
            fact("road_address", "서울특별시 중구 봄로 1", confirmed=False),
            "서울특별시  중구\n봄로 1에 있습니다",
        ),
        (
            fact("menu", [{"name": "육개장", "price_krw": 1, "note": None}], confirmed=False),
            "육개장이 유명합니다",
        ),
        (fact("menu", [{"name": "x", "price_krw": 9500, "note": None}], confirmed=False), "찌개는 9,500원"),
        (fact("summary", "제일 맛있는 집", confirmed=False), "여기는 제일 맛있는 집"),
        (fact("website", "https://other.example/", confirmed=False), "see https://other.example/"),
        (fact("notice", "Bring your own bowl", confirmed=False), "please bring your own bowl"),
    ],
)
def test_a_value_nobody_confirmed_stops_the_page(unconfirmed: Fact, said: str) -> None:
    changed = pages()
    changed["index.html"] = changed["index.html"].replace("</main>", f"<p>{said}</p></main>")
    assert codes(changed, [unconfirmed]) == {"unconfirmed"}
    assert codes(pages(), [unconfirmed]) == set()


@pytest.mark.parametrize(
    "harmless",
    [
        fact("phone", "+8225550199", channel="kakao", confirmed=False),
        fact("name", "봄날", channel="kakao", confirmed=False),
        fact("category", "BarOrPub", confirmed=False),
        fact("menu", [{"name": "찌개", "price_krw": 9000, "note": "밥 포함"}], confirmed=False),
        fact("menu", [{"name": "물", "price_krw": 900, "note": None}], confirmed=False),
        fact("parking_note", "주차 가능", confirmed=False),
        fact("notice", "Parking", confirmed=False),
        fact("hours", {"days": {"mon": [["11:00", "21:00"]]}}, confirmed=False),
        fact("price_level", "Tea", confirmed=False),
    ],
    ids=lambda item: item.key,
)
def test_what_confirmed_facts_or_the_pages_own_words_say_too_is_no_finding(harmless: Fact) -> None:
    assert codes(pages(), [harmless]) == set()


def test_a_photos_words_may_name_a_dish_but_no_number() -> None:
    data = samples.jpeg()
    shot = samples.photo(0, data, alt={"ko": "육개장 한 그릇", "en": "call 02-555-0124"})
    image, made = samples.derived(shot, data)
    documents = {
        path: samples.html(photos=((shot, image),), locale=locale)  # type: ignore[arg-type]
        for path, locale in (("en/index.html", "en"), ("index.html", "ko"))
    }
    names = tuple(f"assets/{name}" for name in made)
    menu = fact("menu", [{"name": "육개장", "price_krw": 1, "note": None}], confirmed=False)
    assert codes(documents, [menu], names) == set()
    assert codes(documents, [fact("phone", "+8225550124", confirmed=False)], names) == {"unconfirmed"}
