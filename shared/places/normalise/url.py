"""Web addresses in one form, and the social pages among them."""

import re
from collections.abc import Iterable
from urllib.parse import quote, urlsplit, urlunsplit

_LONGEST = 2000  # characters
_HOST = re.compile(r"^[a-z0-9-]+(?:\.[a-z0-9-]+)*$")
_PATH_SAFE = "/%:@!$&'()*+,;=~-._"
_SNS_LIMIT = 20

# Hosts of a business's own social, messaging and listing pages.
SNS_HOSTS: frozenset[str] = frozenset(
    [
        "instagram.com", "facebook.com", "youtube.com", "x.com", "twitter.com", "tiktok.com", "threads.net",
        "threads.com", "linkedin.com", "pinterest.com", "linktr.ee", "litt.ly", "blog.naver.com", "cafe.naver.com",
        "smartstore.naver.com", "band.us", "map.naver.com", "place.naver.com", "naver.me", "pf.kakao.com",
        "place.map.kakao.com", "map.kakao.com", "brunch.co.kr", "maps.app.goo.gl", "g.page", "tripadvisor.com",
        "tripadvisor.co.kr", "catchtable.co.kr", "app.catchtable.co.kr", "diningcode.com", "yelp.com",
    ]
)  # fmt: skip


def normalise_url(text: str) -> str:
    """An http(s) address: scheme and host in lower case, host in ASCII (IDNA), no user, no fragment.

    An address without a scheme gets https. Raises ValueError naming the rule.
    """
    stripped = text.strip()
    if not stripped or len(stripped) > _LONGEST:
        raise ValueError(f"a web address must have 1 to {_LONGEST} characters")
    if re.search(r"[\s\x00-\x1f\x7f\\]", stripped):
        raise ValueError("a web address must not contain spaces, backslashes or control characters")
    bare = not re.match(r"^[A-Za-z][A-Za-z0-9+.-]*:(?!\d)", stripped)
    if bare:
        stripped = "https://" + stripped.removeprefix("//")
    try:
        parts = urlsplit(stripped)
        port = parts.port
        host = (parts.hostname or "").rstrip(".").encode("idna").decode("ascii").lower()
    except (ValueError, UnicodeError):
        raise ValueError("a web address must have a valid host and port") from None
    if parts.scheme.lower() not in ("http", "https"):
        raise ValueError("a web address must begin with http:// or https://")
    if "@" in parts.netloc:
        raise ValueError("a web address must not carry a user or password")
    if not host or len(host) > 253 or not (_HOST.match(host) or parts.netloc.startswith("[")):
        raise ValueError("a web address must have a valid host")
    if bare and "." not in host:
        raise ValueError("a web address without http:// or https:// must have a host with a dot")
    if parts.netloc.startswith("["):
        host = f"[{host}]"
    default = {"http": 80, "https": 443}[parts.scheme.lower()]
    netloc = host if port in (None, default) else f"{host}:{port}"
    path = quote(parts.path, safe=_PATH_SAFE) or "/"
    return urlunsplit((parts.scheme.lower(), netloc, path, quote(parts.query, safe=_PATH_SAFE + "?[]"), ""))


def is_sns(url: str) -> bool:
    """Whether the address is a page of a social network, messenger or listing; False for what is no address."""
    try:
        host = (urlsplit(url).hostname or "").removeprefix("www.").removeprefix("m.")
    except ValueError:
        return False
    return any(host == known or host.endswith("." + known) for known in SNS_HOSTS)


def normalise_urls(texts: Iterable[object]) -> list[str]:
    """Addresses in one form, once each, in order. Raises ValueError naming the index and the rule."""
    found: dict[str, None] = {}
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"[{index}]: must be a web address")
        try:
            found[normalise_url(text)] = None
        except ValueError as error:
            raise ValueError(f"[{index}]: {error}") from None
    if len(found) > _SNS_LIMIT:
        raise ValueError(f"must not have more than {_SNS_LIMIT} addresses")
    return list(found)
