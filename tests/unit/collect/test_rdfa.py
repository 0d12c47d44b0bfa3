"""RDFa of schema.org on a page, as the recommendation has it and as pages write it."""

import time

from functions.collect.website import opengraph, rdfa
from functions.collect.website.document import Document, parse
from functions.collect.website.nodes import Node, nodes, text, texts, types

URL = "https://ongi.example/shop/"


def document(html: str) -> Document:
    parsed = parse(html, URL)
    assert parsed is not None
    return parsed


def read(html: str) -> list[Node]:
    return rdfa.load(document(html))


def test_a_business_with_an_address_of_its_own_type() -> None:
    [shop] = read(
        """<div vocab="https://schema.org/" typeof="Restaurant LocalBusiness">
        <h1 property="name">온기 <b>식당</b></h1><meta property="priceRange" content="₩₩">
        <a property="url" href="../">처음</a><img property="image" src="a.jpg">
        <a property="telephone" href="tel:02-123-4567">전화</a>
        <time property="openingHours" datetime="Mo-Fr 09:00-18:00">평일</time>
        <p property="address" typeof="PostalAddress"><span property="streetAddress">테헤란로 152</span></p></div>"""
    )
    assert types(shop) == ["Restaurant", "LocalBusiness"]
    assert text(shop, "name") == "온기 식당"
    assert text(shop, "priceRange") == "₩₩"
    assert text(shop, "url") == "https://ongi.example/"
    assert text(shop, "image") == "https://ongi.example/shop/a.jpg"
    assert text(shop, "telephone") == "02-123-4567"
    assert text(shop, "openingHours") == "Mo-Fr 09:00-18:00"
    assert text(nodes(shop, "address")[0], "streetAddress") == "테헤란로 152"
    assert "streetAddress" not in shop


def test_names_are_read_with_the_prefix_of_schema_org_under_any_name_and_as_whole_addresses() -> None:
    [shop] = read(
        """<div prefix="s: http://schema.org/ dc: http://purl.org/dc/terms/" typeof="s:Cafe">
        <span property="s:name">온기</span><span property="dc:title">제목</span>
        <span property="schema:telephone">02-123-4567</span><span property="name">접두사 없음</span>
        <span property="https://schema.org/priceRange">₩</span></div>"""
    )
    assert (types(shop), texts(shop, "name"), text(shop, "priceRange")) == (["Cafe"], ["온기"], "₩")
    assert text(shop, "telephone") == "02-123-4567"
    assert "dc:title" not in shop
    assert "title" not in shop


def test_another_vocabulary_is_not_schema_orgs() -> None:
    assert (
        read('<div vocab="http://xmlns.com/foaf/0.1/" typeof="Person"><p property="name">x</p></div>') == []
    )
    [shop] = read(
        """<div vocab="https://schema.org/" typeof="Store"><p property="name">온기</p>
        <div vocab="http://xmlns.com/foaf/0.1/" typeof="Person"><p property="name">사장</p></div>
        <div vocab=""><p property="name">없음</p></div></div>"""
    )
    assert texts(shop, "name") == ["온기"]


def test_open_graph_and_other_prefixes_are_not_mistaken_for_properties_of_a_business() -> None:
    [shop] = read(
        """<html vocab="http://schema.org/" typeof="Store"><head><meta property="og:title" content="제목">
        <meta property="business:contact_data:phone_number" content="02-123-4567"></head>
        <body><p property="name">온기</p></body></html>"""
    )
    assert set(shop) == {"@type", "name"}


def test_parts_of_one_resource_are_joined_and_references_followed() -> None:
    found = read(
        """<div vocab="https://schema.org/"><div resource="#shop" typeof="Store"><p property="name">온기</p>
        <link property="location" resource="#where"></div>
        <div resource="#where" typeof="Place"><p property="name">역삼 건물</p></div>
        <footer resource="#shop"><span property="telephone">02-123-4567</span></footer></div>"""
    )
    shop = found[0]
    assert text(shop, "telephone") == "02-123-4567"
    assert nodes(shop, "location")[0] is found[1]
    assert len(found) == 2


def test_a_business_within_a_page_is_reached_by_its_property() -> None:
    [page] = read(
        """<body vocab="https://schema.org/" typeof="WebPage"><div property="mainEntity" typeof="Cafe">
        <p property="name">온기</p></div></body>"""
    )
    assert text(nodes(page, "mainEntity")[0], "name") == "온기"


def test_a_page_full_of_types_is_read_in_bounded_time() -> None:
    began = time.process_time()
    read('<p vocab="https://schema.org/" typeof="Cafe" resource="#a" property="a b c">' * 60_000)
    read('<p prefix="' + "a: b " * 500_000 + '">')
    assert time.process_time() - began < 10


def test_open_graph_gives_hours_and_the_point_of_older_tags() -> None:
    hours = "".join(
        f'<meta property="business:hours:day" content="{day}"><meta property="business:hours:start" content="{start}">'
        '<meta property="business:hours:end" content="21:00">'
        for day, start in [("monday", "11:00"), ("tuesday", "12:00")]
    )
    node = opengraph.load(document(hours + '<meta name="geo.position" content="37.5417;127.0565">'))
    assert [
        (text(spec, "dayOfWeek"), text(spec, "opens")) for spec in nodes(node, "openingHoursSpecification")
    ] == [
        ("monday", "11:00"),
        ("tuesday", "12:00"),
    ]
    assert text(nodes(node, "geo")[0], "longitude") == "127.0565"
    half = opengraph.load(document('<meta property="business:hours:day" content="monday">'))
    assert "openingHoursSpecification" not in half
