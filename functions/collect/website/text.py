"""What a page says to its readers; all of it free text, none of it confirmed by itself."""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from functions.collect.website import told_contact, told_hours, told_menu
from functions.collect.website.document import Document
from shared.places.models import Hours, MenuItem
from shared.places.normalise import NormalAddress

_LINKS = 2_000  # of one page that are looked at


class Told(NamedTuple):
    """What the text of a page states."""

    phones: list[str]
    addresses: list[NormalAddress]
    hours: Hours | None
    menu: list[MenuItem]
    business_number: str | None


def read(page_lines: Sequence[str], phone_links: Sequence[str] = ()) -> Told:
    """The statements in the lines of a page, and the numbers of its telephone links."""
    return Told(
        phones=told_contact.phones(page_lines, phone_links),
        addresses=told_contact.addresses(page_lines),
        hours=told_hours.hours(page_lines),
        menu=told_menu.menu(page_lines),
        business_number=told_contact.business_number(page_lines),
    )


def phone_links(document: Document) -> list[str]:
    """The numbers behind the page's `tel:` links."""
    found: dict[str, None] = {}
    for anchor in islice(document.root.iter("a", "area"), _LINKS):
        href = (anchor.get("href") or "").strip()
        if href.lower().startswith("tel:"):
            found[href[4:60]] = None
    return list(found)[:20]
