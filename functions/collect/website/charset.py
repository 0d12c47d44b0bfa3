"""The characters of a page: what a browser would make of its bytes, Korean labels and lies included."""

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

import charset_normalizer

_META = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
_META_WITHIN = 4096  # bytes of the page in which its label must stand
_DETECTED_FROM = 65_536  # bytes that are enough to tell an encoding
_KOREAN = re.compile(r"^(?:euc-?kr|ks_?c_?5601.*|windows-?949|x-windows-949|korean|cp949|uhc|ms949)$")
# Text encodings alone: Python also has codecs that decompress or run escapes.
_TEXT_CODEC = re.compile(
    r"^(?:utf|iso|latin|windows|cp|euc|shift|gb|big5|koi8|ascii|us-ascii|johab|mac|tis|hz)"
)
# One byte a sign: they fit any bytes at all, so that servers' defaults say them of Korean pages.
_FITS_ANYTHING = re.compile(r"^(?:ascii|us-ascii|iso8859|latin|cp125\d|cp437|cp850|mac|koi8|tis)")
_BOMS = [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")]
_KOREAN_PAGES = ("utf-8", "cp949")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_BROKEN = "\ufffd"
_BROKEN_SHARE = 0.05  # of the signs beyond ASCII that may be broken in a text that is still in its encoding
_BROKEN_ANYWAY = 2  # of a short text
_HANGUL_SHARE = (
    0.6  # of the signs beyond ASCII in a Korean text; the rest are quotes, lines, Chinese characters
)


class Decoded(NamedTuple):
    """A page's text, the encoding it was read in, and whether that was guessed or signs had to be replaced."""

    text: str
    encoding: str
    uncertain: bool


def decode(body: bytes, content_type: str) -> Decoded:
    """The text of a page: by its byte order mark, as UTF-8, by its header's or its own label, by its looks.

    `content_type` is the whole Content-Type header. Never raises: at the last, what cannot be read is replaced.
    """
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            text = body[len(bom) :].decode(encoding, "replace")
            return Decoded(text, encoding, _BROKEN in text)
    text_or_none = _strictly(body, "utf-8")
    if text_or_none is not None:
        return Decoded(text_or_none, "utf-8", False)
    labels = list(_labels(body, content_type))
    for label in labels:
        if label != "utf-8" and not _FITS_ANYTHING.match(label):
            text_or_none = _strictly(body, label)
            if text_or_none is not None:
                return Decoded(text_or_none, label, False)
    return _guessed(body, labels)


def _guessed(body: bytes, labels: list[str]) -> Decoded:
    """What remains: a text with some broken bytes, or under a label that says nothing true, or under none."""
    for encoding in dict.fromkeys([*(label for label in labels if label in _KOREAN_PAGES), *_KOREAN_PAGES]):
        text = body.decode(encoding, "replace")
        if _nearly_whole(text) and (encoding in labels or _looks_korean(text)):
            return Decoded(text, encoding, True)
    korean = _strictly(body, "cp949")
    if korean is not None and _looks_korean(korean):
        return Decoded(korean, "cp949", True)
    for label in labels:
        western = _strictly(body, label) if _FITS_ANYTHING.match(label) else None
        if western is not None:
            return Decoded(western, label, False)
    detected = charset_normalizer.from_bytes(body[:_DETECTED_FROM]).best()
    if detected is not None:
        found = _strictly(body, _codec(detected.encoding) or "cp949")
        if found is not None:
            return Decoded(found, detected.encoding, True)
    return Decoded(body.decode("cp949", "replace"), "cp949", True)


def _nearly_whole(text: str) -> bool:
    """Whether few of the signs beyond ASCII are broken."""
    broken = text.count(_BROKEN)
    foreign = sum(sign > "\x7f" for sign in text) - broken
    return foreign > 0 and broken <= _BROKEN_ANYWAY + foreign * _BROKEN_SHARE


def _looks_korean(text: str) -> bool:
    foreign = sum(sign > "\x7f" for sign in text)
    return foreign > 0 and len(_HANGUL.findall(text)) >= foreign * _HANGUL_SHARE


def _labels(body: bytes, content_type: str) -> Iterator[str]:
    beginning = body[:_META_WITHIN]
    stated = [match[1] for match in [_HEADER.search(content_type)] if match]
    stated += [
        match[1].decode("ascii") for match in (_META.search(beginning), _XML.search(beginning)) if match
    ]
    for label in stated:
        codec = _codec(label)
        if codec is not None:
            yield codec


def _codec(label: str) -> str | None:
    """Python's name for a label, Korean ones widened to cp949, whose letters pages use under all these names."""
    lowered = label.strip().lower()
    if _KOREAN.match(lowered):
        return "cp949"
    if not _TEXT_CODEC.match(lowered):
        return None
    try:
        return codecs.lookup(lowered).name
    except LookupError:
        return None


def _strictly(body: bytes, encoding: str) -> str | None:
    try:
        return body.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None
