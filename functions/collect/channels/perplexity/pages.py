"""Which of the pages a search found are the place's own."""

import re
from urllib.parse import urlsplit

from functions.collect.channels.perplexity.hosts import OTHERS
from functions.collect.matching import Subject, folded
from shared.places.normalise import AddressKey, find_phones, is_shared_number, is_sns, normalise_url

_PUBLIC = re.compile(
    r"\.(?:go|or|ac|re|mil)\.kr$|\.gov$|\.edu$"
)  # offices and schools, which tell of businesses
_DOMAIN = re.compile(r"\.(?:[a-z]{2,}|xn--[a-z0-9-]+)$")  # no bare address
# What a page of one's own looks like on the hosts that give one; anything else there is a post, a search, a visitor's.
_NAME = r"[\w.%-]{2,80}"
_PROFILES: dict[str, re.Pattern[str]] = {
    "instagram.com": re.compile(rf"/(?!(?:p|reel|reels|explore|stories|tv|accounts)(?:/|$)){_NAME}/?"),
    "facebook.com": re.compile(
        rf"/(?!(?:watch|groups|events|photo|story|reel|share|login|sharer)\b){_NAME}/?|/pages/{_NAME}/\d+/?"
    ),
    "x.com": re.compile(r"/(?!(?:search|hashtag|home|i)(?:/|$))\w{2,15}/?"),
    "twitter.com": re.compile(r"/(?!(?:search|hashtag|home|i)(?:/|$))\w{2,15}/?"),
    "threads.net": re.compile(rf"/@{_NAME}/?"),
    "threads.com": re.compile(rf"/@{_NAME}/?"),
    "tiktok.com": re.compile(rf"/@{_NAME}/?"),
    "youtube.com": re.compile(rf"/(?:@{_NAME}|c/{_NAME}|channel/{_NAME})/?"),
    "linktr.ee": re.compile(rf"/{_NAME}/?"),
    "litt.ly": re.compile(rf"/{_NAME}/?"),
    "band.us": re.compile(rf"/(?:@{_NAME}|page/\d+|band/\d+)/?"),
    "pf.kakao.com": re.compile(r"/_\w{2,20}/?"),
    "smartstore.naver.com": re.compile(rf"/{_NAME}/?"),
    "blog.naver.com": re.compile(r"/[\w-]{2,40}/?"),
    "place.map.kakao.com": re.compile(r"/\d{4,12}/?"),
    "map.naver.com": re.compile(r"/(?:p|v5)/entry/place/\d{4,12}/?"),
    "place.naver.com": re.compile(r"/[a-z]{3,20}/\d{4,12}(?:/home)?/?"),
}
_DEEPEST = 2  # parts of an own website's path; the articles and listings of others lie deeper or are numbered
_NUMBERED = re.compile(r"\d{4}")


class Evidence:
    """What a page must carry to be about the place: its name, and its number or its building."""

    def __init__(self, subject: Subject) -> None:
        self._names = [name for name in map(folded, subject.names) if len(name) >= 2]
        self._phones = frozenset(phone for phone in subject.phones if not is_shared_number(phone))
        self._buildings = [_written(building) for building in subject.buildings]

    def weight(self, title: str, snippet: str) -> int:
        """0 for a page that does not carry the name and one of the other two, else how many of those it carries."""
        told = f"{title}\n{snippet}"
        if not any(name in folded(told) for name in self._names):
            return 0
        by_phone = not self._phones.isdisjoint(find_phones(told))
        return by_phone + any(all(part.search(told) for part in building) for building in self._buildings)


def own_website(url: str, ours: str) -> str | None:
    """The root of the site the page belongs to; None on a host of others', and for a page too deep in its site.

    `ours` is the origin under which we publish: our page of the place carries all that its own website would.
    """
    page = _page(url)
    if page is None:
        return None
    host, path, query = page
    above = {".".join(host.split(".")[index:]) for index in range(host.count(".") + 1)}
    parts = [part for part in path.split("/") if part]
    if above & OTHERS or _PUBLIC.search(host) or is_sns(url) or not _DOMAIN.search(host):
        return None
    if host == urlsplit(ours).hostname:
        return None
    if query or len(parts) > _DEEPEST or _NUMBERED.search(path):
        return None
    return normalise_url(url).removesuffix(path) + "/"


def own_profile(url: str) -> str | None:
    """The page as it is stored, where it is somebody's own page on a social network or a listing."""
    page = _page(url)
    if page is None or not is_sns(url):
        return None
    host, path, query = page
    pattern = _PROFILES.get(host.removeprefix("www.").removeprefix("m."))
    if pattern is None or query or not pattern.fullmatch(path):
        return None
    return normalise_url(url)


def _page(url: str) -> tuple[str, str, str] | None:
    """Host, path and query of a web address in normal form."""
    try:
        parts = urlsplit(normalise_url(url))
    except ValueError:
        return None
    return parts.hostname or "", parts.path, parts.query


def _written(building: AddressKey) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """District, and street with number, however they are spaced; 12 is neither 112 nor 12-3 nor 123."""
    street = r"\s*".join(map(re.escape, building.street))
    return re.compile(re.escape(building.district)), re.compile(rf"{street}\s*{building.number}(?![\d-])")
