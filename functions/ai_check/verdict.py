"""Whether an answer mentions a place, and whether it rests on the place's own pages."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from functions.ai_check.engines import EngineAnswer

_SHORTEST_NAME = 3  # letters; shorter aliases stand in too many other words
_HANGUL = re.compile(r"[가-힣]")


@dataclass(frozen=True)
class Known:
    """What the place is called and where it stands on the web.

    `own_page` is the page web4ai published; `listings` are the owner's other addresses, website and profiles.
    """

    names: tuple[str, ...]
    own_page: str
    listings: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """One answer judged. `own_page_retrieved` is only true for a page that was read and not cited."""

    mentioned: bool
    own_page_cited: bool
    own_page_retrieved: bool
    owned_listing_cited: bool


def judged(answer: EngineAnswer, known: Known) -> Verdict:
    """The verdict on an answer."""
    cited = _any_below(answer.cited, [known.own_page])
    return Verdict(
        mentioned=mentions(answer.text, known.names),
        own_page_cited=cited,
        own_page_retrieved=not cited and _any_below(answer.retrieved, [known.own_page]),
        owned_listing_cited=_any_below(answer.cited, known.listings),
    )


def mentions(text: str, names: Sequence[str]) -> bool:
    """Whether one of the names stands in the text, whatever the case and the spacing.

    A Latin name must stand as words of its own; a Korean one may be followed by a particle.
    """
    plain = _plain(text)
    squeezed = plain.replace(" ", "")
    for name in names:
        wanted = _plain(name)
        if len(wanted.replace(" ", "")) < _SHORTEST_NAME:
            continue
        if _HANGUL.search(wanted):
            if wanted.replace(" ", "") in squeezed:
                return True
        elif re.search(rf"(?<![0-9a-z]){re.escape(wanted)}(?![0-9a-z])", plain):
            return True
    return False


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in folded).split())


def _any_below(urls: Iterable[str], roots: Sequence[str]) -> bool:
    return any(_below(url, root) for url in urls for root in roots)


def _below(url: str, root: str) -> bool:
    """Whether `url` is `root` or lies below it; scheme, "www." and a last slash make no difference."""
    host, path = _place(url)
    root_host, root_path = _place(root)
    return host == root_host and host != "" and (path + "/").startswith(root_path.rstrip("/") + "/")


def _place(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
        return parts.netloc.lower().removeprefix("www."), parts.path
    except ValueError:
        return "", ""
