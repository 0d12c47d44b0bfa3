"""Postal addresses of markup, written the way Korea writes them."""

import html
import re

from functions.collect.website.nodes import Node, nodes, text
from shared.places.normalise import NormalAddress, normalise_address

_KOREA = frozenset(["", "kr", "kor", "korea", "southkorea", "republicofkorea", "대한민국", "한국"])


def addresses(node: Node) -> list[NormalAddress]:
    """The Korean addresses under a node's `address`; what is no whole address is left out."""
    written = [_written(address) for address in nodes(node, "address")]
    written += [html.unescape(value) for value in node.get("address", []) if isinstance(value, str)]
    found = []
    for one in written:
        try:
            found.append(normalise_address(one))
        except ValueError:
            continue
    return found


def _written(address: Node) -> str:
    """The parts in Korean order, from the province down; parts that the street repeats are not repeated."""
    country = (text(address, "addressCountry") or "").replace(" ", "").casefold()
    if country not in _KOREA:
        return ""
    street = text(address, "streetAddress") or ""
    region, locality = text(address, "addressRegion") or "", text(address, "addressLocality") or ""
    if street and not re.search("[가-힣]", street + region + locality):
        return ", ".join([street, *(part for part in (locality, region) if part and part not in street)])
    written = street
    for part in (locality, region):
        if part and part not in written and not written.startswith(part[:2] + " "):
            written = f"{part} {written}"
    return written
