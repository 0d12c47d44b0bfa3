"""What comes out of pages of every make: facts, photo candidates and notes; what is not sure does not come out.

A fact is `key: value`, with a star where the place's own markup states it, so that it may be confirmed. Hours are told
by day ("mon-fri 11:00-21:00"), dishes by price, with what else the menu says in brackets.
"""

from datetime import date
from typing import Any

import pytest

from functions.collect.matching import Subject
from functions.collect.website.crawl import Crawl
from functions.collect.website.facts import Gathered, gather
from functions.collect.website.page import read_page
from shared.http import Fetched
from shared.places.models import DAYS, NewFact
from tests.pages import pages
from tests.pages.expected import EXPECTED, Expected

URL = "https://ongi.example/"
TODAY = date(2026, 11, 30)
PAGES = pages()


def read(name: str, subject: Subject) -> Gathered:
    body, content_type = PAGES[name]
    headers = {"content-type": content_type}
    page = read_page(Fetched(URL, URL, 200, headers, "text/html", body, 1))
    return gather(Crawl(pages=[page] if page else []), subject, today=TODAY)


def told(fact: NewFact) -> str:
    value: Any = fact.value
    if fact.key == "hours":
        value = hours(value)
    elif fact.key == "menu":
        value = ", ".join(
            f"{item['name']} {item['price_krw'] or '?'}" + (f" [{item['note']}]" if item["note"] else "")
            for item in value
        )
    elif fact.key == "geo":
        value = f"{value['lat']}, {value['lon']}"
    elif isinstance(value, list):
        value = ", ".join(value)
    return f"{'*' if fact.structured else ''}{fact.key}: {value}"


def hours(value: dict[str, Any]) -> str:
    if not value["days"]:
        return f'"{value["text"]}"'
    parts = by_day({day: spans(stated) for day, stated in value["days"].items()})
    parts += by_day({day: f"break {spans(stated)}" for day, stated in value["breaks"].items()})
    parts += by_day({day: f"last order {clock}" for day, clock in value["last_order"].items()})
    parts += [f"{closed['day']} {closed['nth']} closed" for closed in value["closed_nth"]]
    parts += [f"holidays {value['holidays']}"] if value["holidays"] else []
    return "; ".join(parts)


def spans(stated: list[list[str]]) -> str:
    return " ".join("-".join(span) for span in stated) or "closed"


def by_day(stated: dict[Any, str]) -> list[str]:
    """Days of one statement together, neighbours as a range."""
    parts = []
    for what in dict.fromkeys(stated.values()):
        indexes = [index for index, day in enumerate(DAYS) if stated.get(day) == what]
        ranges: list[list[int]] = []
        for index in indexes:
            if ranges and ranges[-1][-1] == index - 1:
                ranges[-1].append(index)
            else:
                ranges.append([index])
        days = ",".join(DAYS[one[0]] + (f"-{DAYS[one[-1]]}" if len(one) > 1 else "") for one in ranges)
        parts.append(f"{days} {what}")
    return parts


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_gives_what_it_surely_states(name: str) -> None:
    result = read(name, Subject(names=["온기식당"], website=URL))
    photos = [photo.source_url.removeprefix(URL) for photo in result.photos if photo.source_url]
    assert Expected([told(fact) for fact in result.facts], photos, result.notes) == EXPECTED[name]


def test_at_least_forty_pages_are_read_and_each_is_expected() -> None:
    assert sorted(EXPECTED) == sorted(PAGES)
    assert len(PAGES) >= 40


def test_a_branch_is_told_from_the_others_by_what_is_known_of_the_place() -> None:
    gangnam = Subject(names=["온기식당 강남점"], website=URL)
    assert [told(fact) for fact in read("branch_of_another_town", gangnam).facts] == []
    assert read("branch_of_another_town", gangnam).notes == ["not_this_place"]
    by_phone = Subject(names=["온기식당"], website=URL, phones=frozenset(["+82317012345"]))
    assert "*road_address: 경기도 성남시 분당구 판교역로 152" in [
        told(fact) for fact in read("branches_same_name", by_phone).facts
    ]
    assert [told(fact) for fact in read("branch_list_page", by_phone).facts] == ["phone: +82317012345"]
