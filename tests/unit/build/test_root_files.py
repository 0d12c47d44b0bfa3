"""robots.txt and sitemap.xml as crawlers read them."""

from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest
from protego import Protego

from functions.build import root_files
from functions.build.root_files import SEARCH_BOTS, TRAINING_BOTS, USER_BOTS, robots_txt, sitemap_files
from shared.places.models import PublishedSite

ORIGIN = "https://pages.example"
SITEMAP_NS = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
LINK = "{http://www.w3.org/1999/xhtml}link"
ROBOTS = Protego.parse(robots_txt(ORIGIN).decode())


@pytest.mark.parametrize("bot", [*SEARCH_BOTS, *USER_BOTS, "SomebodyElse"])
def test_search_answers_and_people_may_read(bot: str) -> None:
    assert ROBOTS.can_fetch(f"{ORIGIN}/bomnal/", bot)


@pytest.mark.parametrize("bot", TRAINING_BOTS)
def test_collecting_for_training_may_not(bot: str) -> None:
    assert not ROBOTS.can_fetch(f"{ORIGIN}/bomnal/", bot)


def test_robots_names_the_sitemap() -> None:
    assert list(ROBOTS.sitemaps) == [f"{ORIGIN}/sitemap.xml"]


def site(slug: str, locale: str = "ko") -> PublishedSite:
    changed = datetime(2026, 11, 3, 4, 5, 6, 700, tzinfo=UTC)
    return PublishedSite.model_validate({"slug": slug, "changed_at": changed, "locale": locale})


def test_every_page_in_both_languages_with_its_alternates() -> None:
    root = ElementTree.fromstring(sitemap_files(ORIGIN, [site("bomnal"), site("lamp", "en")])["sitemap.xml"])
    found = {
        url.findtext(f"{SITEMAP_NS}loc"): (
            url.findtext(f"{SITEMAP_NS}lastmod"),
            {link.get("hreflang"): link.get("href") for link in url.iter(LINK)},
        )
        for url in root
    }
    bomnal = {"ko": f"{ORIGIN}/bomnal/", "en": f"{ORIGIN}/bomnal/en/", "x-default": f"{ORIGIN}/bomnal/"}
    lamp = {"en": f"{ORIGIN}/lamp/", "ko": f"{ORIGIN}/lamp/ko/", "x-default": f"{ORIGIN}/lamp/"}
    assert found == {
        f"{ORIGIN}/bomnal/": ("2026-11-03T04:05:06Z", bomnal),
        f"{ORIGIN}/bomnal/en/": ("2026-11-03T04:05:06Z", bomnal),
        f"{ORIGIN}/lamp/": ("2026-11-03T04:05:06Z", lamp),
        f"{ORIGIN}/lamp/ko/": ("2026-11-03T04:05:06Z", lamp),
    }


def test_an_origin_without_pages_has_an_empty_sitemap() -> None:
    assert len(ElementTree.fromstring(sitemap_files(ORIGIN, [])["sitemap.xml"])) == 0


def test_more_places_than_one_file_holds_make_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(root_files, "SITES_A_FILE", 2)
    files = sitemap_files(ORIGIN, [site(f"place-{n}") for n in range(5)])
    assert list(files) == ["sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml", "sitemap.xml"]
    index = ElementTree.fromstring(files["sitemap.xml"])
    assert index.tag == f"{SITEMAP_NS}sitemapindex"
    assert [entry.findtext(f"{SITEMAP_NS}loc") for entry in index] == [
        f"{ORIGIN}/sitemap-{n}.xml" for n in (1, 2, 3)
    ]
    assert len(ElementTree.fromstring(files["sitemap-3.xml"])) == 2
