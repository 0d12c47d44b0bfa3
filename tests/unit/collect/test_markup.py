"""JSON-LD, microdata and Open Graph of broken pages: what can be read is, and nothing takes the rest with it."""

import contextlib
import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.collect.website import jsonld, microdata, opengraph
from functions.collect.website.document import Document, parse
from functions.collect.website.nodes import nodes, text, texts, types
from functions.collect.website.page import read_page
from shared.http import Fetched, HttpFailure

URL = "https://ongi.example/shop/"


def document(html: str) -> Document:
    parsed = parse(html, URL)
    assert parsed is not None
    return parsed


def ld(*blocks: str, kind: str = "application/ld+json") -> Document:
    return document("<html>" + "".join(f'<script type="{kind}">{block}</script>' for block in blocks))


def names(loaded: jsonld.Loaded) -> list[str | None]:
    return [text(root, "name") for root in loaded.roots]


CAFE = '{"@context": "https://schema.org", "@type": "Cafe", "name": "온기"}'


@pytest.mark.parametrize(
    "block",
    [
        CAFE,
        "\ufeff" + CAFE,
        f"<!-- {CAFE} -->",
        f"<!--//--><![CDATA[//><!-- {CAFE} //--><!]]>",
        f"//<![CDATA[\n{CAFE}\n//]]>",
        f"/*<![CDATA[*/ {CAFE} /*]]>*/",
        CAFE + ";",
        CAFE.replace("}", ",}"),
        '{"@type": ["Cafe"], "name": ["온기",], }',
        CAFE.replace("온기", "온기\n"),
        '{"@type": "Cafe", "name": "온기", "price": NaN}',
        f"[{CAFE}]",
        f'{{"@context": "https://schema.org", "@graph": [{CAFE}]}}',
        '{"@type": "http://schema.org/Cafe", "http://schema.org/name": "온기"}',
        '{"@type": "schema:Cafe", "schema:name": {"@value": "온기", "@language": "ko"}}',
    ],
)
def test_a_block_is_read_in_every_dress_it_comes_in(block: str) -> None:
    loaded = jsonld.load(ld(block))
    assert names(loaded) == ["온기"]
    assert types(loaded.roots[0]) == ["Cafe"]
    assert loaded.broken == 0


def test_types_of_scripts_are_read_loosely() -> None:
    assert names(jsonld.load(ld(CAFE, kind="Application/LD+JSON; charset=utf-8"))) == ["온기"]
    assert names(jsonld.load(ld(CAFE, kind="application/json"))) == []


def test_a_broken_block_loses_itself_alone() -> None:
    loaded = jsonld.load(ld('{"@type": "FAQPage", "mainEntity": [{"name": "주', CAFE, ""))
    assert names(loaded) == ["온기"]
    assert loaded.broken == 1


def test_two_objects_in_one_block_are_both_read_and_the_whole_ones_before_a_break() -> None:
    assert names(jsonld.load(ld(CAFE + CAFE.replace("온기", "다른")))) == ["온기", "다른"]
    loaded = jsonld.load(ld(CAFE + '{"name": '))
    assert (names(loaded), loaded.broken) == (["온기"], 1)


def test_references_are_followed_and_parts_of_one_id_are_one_node() -> None:
    graph = {
        "@graph": [
            {"@type": "WebPage", "about": {"@id": "#shop"}},
            {"@type": "Cafe", "@id": "#shop", "name": "온기", "address": {"@id": "#where"}},
            {"@type": "PostalAddress", "@id": "#where", "streetAddress": "테헤란로 152"},
            {"@id": "#shop", "telephone": "02-123-4567"},
        ]
    }
    loaded = jsonld.load(ld(json.dumps(graph)))
    [page, cafe] = loaded.roots[:2]
    assert nodes(page, "about")[0] is cafe
    assert text(nodes(cafe, "address")[0], "streetAddress") == "테헤란로 152"
    assert text(cafe, "telephone") == "02-123-4567"


def test_nodes_that_contain_themselves_are_read_once() -> None:
    circle = {
        "@graph": [{"@id": "#a", "name": {"@id": "#b"}, "x": 1}, {"@id": "#b", "name": {"@id": "#a"}, "x": 2}]
    }
    loaded = jsonld.load(ld(json.dumps(circle)))
    assert [texts(root, "name") for root in loaded.roots] == [[], []]


@pytest.mark.parametrize(
    "block", ["[" * 10_000, '{"a":' * 5_000 + "1" + "}" * 5_000, '"' + "x" * 600_000 + '"']
)
def test_blocks_made_to_exhaust_a_reader_are_refused(block: str) -> None:
    loaded = jsonld.load(ld(block, CAFE))
    assert names(loaded) == ["온기"]
    assert loaded.broken == 1


def test_html_entities_in_values_are_read() -> None:
    loaded = jsonld.load(ld('{"@type": "Cafe", "name": "Tea &amp; Cake"}'))
    assert names(loaded) == ["Tea & Cake"]


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["@id", "@type", "@graph", "@list", "name", "address"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(_JSON, st.text(max_size=20))
def test_no_block_makes_it_raise(value: Any, junk: str) -> None:
    block = json.dumps(value).replace("</", "")
    for root in jsonld.load(ld(block, block + junk, junk)).roots:
        texts(root, "name", "address")


MICRODATA = """
<div itemscope itemtype="https://schema.org/Restaurant" itemref="tel">
  <h1 itemprop="name">온기 <b>식당</b></h1>
  <meta itemprop="priceRange" content="₩₩">
  <a itemprop="url" href="../">home</a>
  <img itemprop="image" src="a.jpg">
  <time itemprop="openingHours" datetime="Mo-Fr 09:00-18:00">평일</time>
  <div itemprop="address" itemscope itemtype="http://schema.org/PostalAddress">
    <span itemprop="streetAddress">테헤란로 152</span> <span itemprop="addressLocality">강남구</span>
  </div>
</div>
<p id="tel"><a itemprop="telephone" href="tel:02-123-4567">전화</a></p>
<div itemscope itemtype="https://schema.org/Person"><span itemprop="name">주인</span></div>
"""


def test_microdata_is_read_with_nested_items_and_references() -> None:
    [restaurant, person] = microdata.load(document(MICRODATA))
    assert types(restaurant) == ["Restaurant"]
    assert text(restaurant, "name") == "온기 식당"
    assert text(restaurant, "telephone") == "02-123-4567"
    assert text(restaurant, "priceRange") == "₩₩"
    assert text(restaurant, "url") == "https://ongi.example/"
    assert text(restaurant, "image") == "https://ongi.example/shop/a.jpg"
    assert text(restaurant, "openingHours") == "Mo-Fr 09:00-18:00"
    [address] = nodes(restaurant, "address")
    assert (text(address, "streetAddress"), text(address, "addressLocality")) == ("테헤란로 152", "강남구")
    assert text(person, "name") == "주인"


def test_open_graph_gives_contact_data_the_point_and_the_image() -> None:
    node = opengraph.load(
        document(
            '<meta property="og:title" content="환영합니다"><meta property="og:image" content="/a.jpg">'
            '<meta property="business:contact_data:street_address" content="테헤란로 152">'
            '<meta property="business:contact_data:locality" content="서울 강남구">'
            '<meta property="business:contact_data:phone_number" content="02-123-4567">'
            '<meta property="place:location:latitude" content="37.5"><meta property="place:location:longitude" content="127.0">'
        )
    )
    assert text(node, "telephone") == "02-123-4567"
    assert text(nodes(node, "address")[0], "addressLocality") == "서울 강남구"
    assert text(nodes(node, "geo")[0], "latitude") == "37.5"
    assert node["image"] == ["https://ongi.example/a.jpg"]
    assert "name" not in node


@pytest.mark.parametrize(
    "body",
    [
        b"<div>" * 200_000,
        b"<div itemscope itemprop=a>" * 60_000,
        b"<a href=/menu>" * 100_000,
        b'<script type="application/ld+json">' + b"[" * 200_000,
        b"02-123-" * 100_000,
        "<p>영업시간 월</p>".encode() * 30_000,
        "서울 강남구 로 1 에서 ".encode() * 60_000,
        b"1 Aro 2-2 B-gil, " * 100_000,
        "9,000원 국밥 소 ".encode() * 60_000,
        "<td>영업시간 매일 11:00~</td>".encode() * 30_000,
        b"<td><a itemprop=a property=b>" * 60_000,
        b"<div style='background:url(a" * 60_000,
        b"<script>location.href='" * 30_000,
    ],
    ids=[
        "nesting",
        "items",
        "links",
        "brackets",
        "digits",
        "labels",
        "addresses",
        "romanised",
        "prices",
        "cells",
        "literals",
        "styles",
        "scripts",
    ],
)
def test_a_page_made_to_hang_a_reader_is_read_in_bounded_time(body: bytes) -> None:
    fetched = Fetched(URL, URL, 200, {"content-type": "text/html"}, "text/html", body, 1)
    began = time.process_time()
    read_page(fetched)
    assert time.process_time() - began < 20  # each took hours, or the whole memory, without its bound


@settings(deadline=None)
@given(st.binary(max_size=400) | st.text(max_size=200).map(str.encode))
def test_no_page_makes_the_reader_raise_but_for_what_is_no_text(body: bytes) -> None:
    fetched = Fetched(URL, URL, 200, {"content-type": "text/html"}, "text/html", b"<p>" + body, 1)
    controls = sum(byte < 0x20 for byte in body)
    with contextlib.ExitStack() as stack:
        if controls > 8:
            stack.enter_context(contextlib.suppress(HttpFailure))
        read_page(fetched)


def test_nesting_is_cut_off_at_the_parsers_own_depth() -> None:
    deepest = document("<div>" * 20_000 + "x").root
    depth = 0
    while len(deepest):
        deepest, depth = deepest[0], depth + 1
    assert depth < 300
