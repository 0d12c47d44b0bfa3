"""What a site's robots.txt allows, and how fast."""

from dataclasses import dataclass

from protego import Protego

from functions.collect.website.charset import decode
from shared.http import GuardedClient, HttpFailure

ROBOTS_BYTES = 512 * 1024  # RFC 9309 asks a crawler to read 500 KiB at least; rules beyond are not read
_LEAST_DELAY = 1.0  # seconds between two requests to a host
_LONGEST_DELAY = 10.0  # ten pages fit the channel's time even so
_TOKEN = "web4ai"  # noqa: S105  the product token of the user agent


@dataclass(frozen=True)
class Rules:
    """The rules of one origin for this crawler. `delay` is in seconds between two requests."""

    _parsed: Protego | None
    delay: float

    def allows(self, url: str) -> bool:
        """Whether the page may be fetched."""
        return self._parsed is None or bool(self._parsed.can_fetch(url, _TOKEN))


async def load(client: GuardedClient, origin: str, *, seconds: float) -> Rules:
    """The rules of an origin: a file that is missing (any 4xx, redirects without end) allows everything.

    Raises HttpFailure `robots` when the server cannot say (5xx, too often asked, no text), and the failure itself when
    it could not be reached at all.
    """
    try:
        fetched = await client.get(
            f"{origin}/robots.txt", max_bytes=ROBOTS_BYTES, accept=("*/*",), timeout=seconds, cut=True
        )
    except HttpFailure as failure:
        missing = failure.status is not None and 400 <= failure.status < 500 and failure.code == "http_status"
        if missing or failure.code == "too_many_redirects":
            return Rules(None, _LEAST_DELAY)
        if failure.status is not None or failure.code == "bad_encoding":
            raise HttpFailure(
                "robots",
                f"robots.txt of {origin} cannot be read ({failure.code})",
                status=failure.status,
                retryable=failure.retryable,
                retry_after=failure.retry_after,
            ) from None
        raise
    return parse(fetched.body)


def parse(body: bytes) -> Rules:
    """The rules of a robots.txt. A byte order mark, which would hide its first line, is taken off."""
    if len(body) >= ROBOTS_BYTES:
        body = body[: body.rfind(b"\n") + 1]  # half a rule is another rule
    parsed = Protego.parse(decode(body, "").text)
    stated = parsed.crawl_delay(_TOKEN)
    delay = min(max(float(stated or 0.0), _LEAST_DELAY), _LONGEST_DELAY)
    return Rules(parsed, delay)
