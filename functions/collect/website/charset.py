"""The characters of a page: what a browser would make of its bytes, Korean labels and lies included."""

import codecs
import re
from typing import NamedTuple

import charset_normalizer

_META = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
_META_WITHIN = 4096  # bytes of the page in which its label must stand
_DETECTED_FROM = 65_536  # bytes that are enough to tell an encoding
_KOREAN = re.compile(r"^(?:euc-?kr|ks_?c_?5601.*|windows-?949|x-windows-949|korean|cp949|uhc|ms949)$")
# Text encodings alone: Python also has codecs that decompress or run escapes.
_TEXT_CODEC = re.compile(
    r"^(?:utf|iso|latin|windows|cp|euc|shift|gb|big5|koi8|ascii|us-ascii|johab|mac|tis|hz)"
)
_BOMS = [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")]


class Decoded(NamedTuple):
    """A page's text, the encoding it was read in, and whether characters had to be replaced."""

    text: str
    encoding: str
    uncertain: bool


def decode(body: bytes, content_type: str) -> Decoded:
    """The text of a page: by its byte order mark, as UTF-8, by its header's or its own label, by its looks.

    `content_type` is the whole Content-Type header. Never raises: at the last, what cannot be read is replaced.
    """
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return Decoded(body[len(bom) :].decode(encoding, "replace"), encoding, False)
    text = _strictly(body, "utf-8")
    if text is not None:
        return Decoded(text, "utf-8", False)
    for label in _labels(body, content_type):
        text = _strictly(body, label)
        if text is not None:
            return Decoded(text, label, False)
    detected = charset_normalizer.from_bytes(body[:_DETECTED_FROM]).best()
    if detected is not None:
        text = _strictly(body, _codec(detected.encoding) or "cp949")
        if text is not None:
            return Decoded(text, detected.encoding, False)
    return Decoded(body.decode("cp949", "replace"), "cp949", True)


def _labels(body: bytes, content_type: str) -> list[str]:
    stated = [match[1] for match in [_HEADER.search(content_type)] if match]
    stated += [match[1].decode("ascii") for match in [_META.search(body[:_META_WITHIN])] if match]
    return [codec for codec in map(_codec, stated) if codec is not None and codec != "utf-8"]


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
