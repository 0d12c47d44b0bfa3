"""Taking keys out of what vendors say: they quote a refused key, plainly or as it stood in the address."""

import re
from collections.abc import Iterable
from html import escape
from urllib.parse import quote, unquote

from pydantic import SecretStr

_SHORTEST = 4  # characters; a shorter text is nobody's key and would take words apart
_INSTEAD = "***"


class Redaction:
    """Replaces the secrets of one vendor, in every spelling in which an answer may quote them."""

    def __init__(self, secrets: Iterable[SecretStr]) -> None:
        spellings = {spelling for secret in secrets for spelling in _spellings(secret.get_secret_value())}
        longest_first = sorted(spellings, key=lambda spelling: (-len(spelling), spelling))
        pattern = "|".join(map(re.escape, longest_first)) or r"(?!)"
        self._text = re.compile(pattern, re.IGNORECASE)
        self._bytes = re.compile(pattern.encode(), re.IGNORECASE)

    def text(self, text: str) -> str:
        """The text without any of the secrets."""
        return self._text.sub(_INSTEAD, text)

    def body(self, body: bytes) -> bytes:
        """The same of an answer as it came."""
        return self._bytes.sub(_INSTEAD.encode(), body)


def _spellings(secret: str) -> set[str]:
    """Plain, percent-encoded, as JSON and HTML may escape it; a key is sometimes given percent-encoded already."""
    found = set()
    for plain in (secret.strip(), unquote(secret.strip())):
        found |= {
            plain,
            quote(plain, safe=""),
            quote(plain, safe="/"),
            plain.replace("/", "\\/"),
            escape(plain),
        }
    return {spelling for spelling in found if len(spelling) >= _SHORTEST}
