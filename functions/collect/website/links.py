"""Which pages of a site are worth reading, told by the words of their links; and the business's social pages."""

import posixpath
import re
from itertools import islice
from urllib.parse import unquote, urljoin, urlsplit

from functions.collect.website.document import Document, inner_text
from shared.places.normalise import is_sns, normalise_url

# Words in a link's text or address, with what a page behind them is worth.
_WORDS: list[tuple[int, re.Pattern[str]]] = [
    (
        9,
        re.compile(
            r"메뉴|차림표|음식|메뉴판|가격|요금|시술|상품\s*안내|객실|\bmenus?\b|\bprices?\b|\bpricing\b|\brates?\b|\brooms?\b|food|drink",
            re.I,
        ),
    ),
    (
        9,
        re.compile(
            r"(?:영업|운영|이용|진료|관람)\s*시간|시간\s*안내|진료\s*안내|이용\s*안내|\bhours?\b|opening|schedule|business-?hours",
            re.I,
        ),
    ),
    (
        8,
        re.compile(
            r"오시는\s*길|찾아\s*오시는|찾아가는|위치|약도|지도|교통|연락처|문의|매장\s*(?:안내|정보)|\bcontact\b|\blocations?\b|\bvisit\b|directions?"
            r"|\bmap\b|access|find-?us",
            re.I,
        ),
    ),
    (
        6,
        re.compile(
            r"소개|인사말|스토리|이야기|\babout\b|\bstory\b|\bintro|company|브랜드|\binfo\b|안내", re.I
        ),
    ),
    (
        4,
        re.compile(
            r"예약|서비스|시설|편의|갤러리|사진|\breserv|\bbooking\b|\bservices?\b|facilit|gallery|photo|amenit",
            re.I,
        ),
    ),
]
_NEVER = re.compile(
    r"login|logout|signin|signup|register|join|cart|basket|checkout|order|mypage|account|password|privacy|terms|policy|개인정보|이용약관"
    r"|로그인|회원가입|장바구니|board_write|download|\bfeed\b|wp-admin|wp-json|captcha",
    re.I,
)
_NOT_A_PAGE = re.compile(
    r"\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|pdf|zip|hwpx?|docx?|xlsx?|pptx?|mp[34]|mov|avi|css|js|json|xml|rss|txt|apk|exe)$",
    re.I,
)
_REFRESH = re.compile(r"^\s*\d+\s*[;,]\s*url\s*=\s*['\"]?\s*([^'\"]+)", re.IGNORECASE)
# location.href = "/main/index.php"; as the first thing a script does
_SENT_ON = re.compile(
    r"^\s*(?:<!--\s*)?(?:(?:window|document|self|top|parent)\s*\.\s*)*location(?:\.href)?"
    r"(?:\s*=\s*|\s*\.\s*(?:replace|assign)\s*\(\s*)[\"']([^\"'<>\s]{1,500})[\"']\s*\)?\s*;?\s*(?://)?\s*(?:-->\s*)?$"
)
_LINKS = 2_000  # of one page that are looked at
_FORWARDING = 100  # a frame or a refresh: the page is somewhere else altogether


def same_site(url: str, site: str) -> bool:
    """Whether an address belongs to a site: the same host but for www. or m., or one below the site's.

    Never one above: what a shop's address on a builder's host leads up to is the builder's own site.
    """
    host, owned = _site(url), _site(site)
    return host == owned or host.endswith("." + owned)


def is_front_page(url: str, site: str) -> bool:
    """Whether an address is the site's own: its root, or the very page under which the site is known."""
    try:
        return same_site(url, site) and page_key(url) in (page_key(urljoin(url, "/")), page_key(site))
    except ValueError:  # no address at all
        return False


def same_host(one: str, other: str) -> bool:
    """Whether two addresses have host (but for www.) and port in common."""
    first, second = urlsplit(one), urlsplit(other)
    return _site(one) == _site(other) and first.port == second.port


def _site(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.").removeprefix("m.")


def worth_reading(document: Document, limit: int, *, empty: bool = False) -> list[str]:
    """Addresses of up to `limit` further pages of the same host, the most telling first, in the page's order.

    Frames and forwarding come before all else; of an `empty` page, on which a reader sees nothing, they may lead to
    another host.
    """
    scores: dict[str, int] = {}
    away: list[str] = []
    for href, words in _links(document):
        url = document.link(href)
        if url is None or _NOT_A_PAGE.search(unquote(urlsplit(url).path)):
            continue
        if not same_host(url, document.url):
            away += [url] if empty and words is None and not is_sns(url) else []
            continue
        if page_key(url) == page_key(document.url):
            continue
        path = unquote(urlsplit(url).path) + "?" + unquote(urlsplit(url).query)
        score = _score(words, path) if words is not None else _FORWARDING
        if score:
            scores[url] = max(score, scores.get(url, 0))
    unique: dict[str, str] = {}
    for url in sorted(scores, key=lambda url: -scores[url]):
        unique.setdefault(page_key(url), url)
    return (list(unique.values()) or away[:1])[:limit]


def page_key(url: str) -> str:
    """What tells pages apart: scheme, www. and an index file do not."""
    parts = urlsplit(url)
    path = re.sub(r"/(?:index|default)\.(?:html?|php|jsp|aspx?|do)$", "/", parts.path, flags=re.I)
    return f"{_site(url)}:{parts.port}{posixpath.normpath(path or '/')}?{parts.query}"


def social_pages(document: Document) -> list[str]:
    """The social and listing pages the page links to, in one form, without shared-content links."""
    found: dict[str, None] = {}
    for anchor in islice(document.root.iter("a"), _LINKS):
        url = document.link(anchor.get("href") or "")
        if url is None or not is_sns(url) or re.search(r"/sharer?[/.?]|/intent/|/share\?|[?&]url=", url):
            continue
        if urlsplit(url).path.strip("/"):
            try:
                found[normalise_url(url)] = None
            except ValueError:
                continue
    return list(found)[:10]


def _links(document: Document) -> list[tuple[str, str | None]]:
    """Every link with its words; None for what sends a visitor on: a frame, a refresh, a script of an empty page."""
    links: list[tuple[str, str | None]] = []
    for element in islice(document.root.iter("a", "area", "frame", "iframe", "meta", "script"), _LINKS):
        if element.tag in ("a", "area"):
            image = next(element.iter("img"), None)
            alt = image.get("alt", "") if image is not None else ""
            words = inner_text(element, 200) + " " + alt + " " + element.get("title", "")
            links.append((element.get("href") or "", words))
        elif element.tag == "meta":
            if element.get("http-equiv", "").lower() == "refresh":
                match = _REFRESH.match(element.get("content") or "")
                if match:
                    links.append((match[1], None))
        elif element.tag == "script":
            links += [(match[1], None) for match in _SENT_ON.finditer((element.text or "")[:2_000])]
        elif element.get("src"):
            links.append((element.get("src") or "", None))
    return links


def _score(words: str, address: str) -> int:
    if _NEVER.search(words) or _NEVER.search(address):
        return 0
    in_words = max((worth for worth, pattern in _WORDS if pattern.search(words)), default=0)
    in_address = max((worth for worth, pattern in _WORDS if pattern.search(address)), default=0)
    return max(in_words * 2, in_address * 2 - 1) if in_words or in_address else 0
