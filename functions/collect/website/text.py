"""What a page says to its readers: lines, and the telephone numbers, addresses, hours and menus in them."""

import re
from itertools import islice
from typing import NamedTuple

from lxml import etree

from functions.collect.website.document import Document
from shared.places.keys import clean_text, normalise_value
from shared.places.models import Hours, MenuItem
from shared.places.normalise import (
    NormalAddress,
    find_phones,
    hours_parsed_whole,
    normalise_address,
    parse_hours,
    parse_price,
)

_HIDDEN = frozenset(
    [
        "script",
        "style",
        "noscript",
        "noframes",
        "template",
        "svg",
        "head",
        "select",
        "textarea",
        "iframe",
        "object",
    ]
)
_INLINE = frozenset(
    "a abbr b bdi bdo cite code del em font i img ins kbd label mark q s small span strong sub sup time u wbr".split()  # noqa: SIM905
)
_CELLS = frozenset(["td", "th", "dd"])
_CHARACTERS = 200_000
_EVENTS = 100_000  # beginnings and ends of elements
_LINES = 5_000
_LINE_CHARACTERS = 500
_HOURS_LABEL = re.compile(
    r"(?:영업|운영|이용|진료|업무|관람|매장)\s*시간|영업\s*안내|오픈\s*시간|(?:opening|business|operating|store)\s+hours|^\s*hours\b",
    re.IGNORECASE,
)
_PHONE_DIGITS = 8  # of the shortest number, 1588-1234
_HOURS_LABELS = 20  # of one page that are looked at
_HOURS_LINES = 8  # that may follow a label
_ADDRESS_START = re.compile(
    r"(?:서울|부산|대구|인천|광주|대전|울산|세종|경기|강원|충청?[남북]|충[남북]|전라?[남북]|전[남북]|경상?[남북]|경[남북]|제주)"
    r"(?:특별자치시|특별자치도|특별시|광역시|[남북]도|도|시)?\s"
)
_ADDRESS_END = re.compile(
    r"\s*(?:\||·\s|/|전화|TEL|Tel|tel|T\.|☎|대표|사업자|팩스|FAX|우편|영업|E-?mail|문의|Copyright|ⓒ|©)"
)
_PRICE = re.compile(
    r"(?P<price>(?:₩|￦)\s*\d{1,3}(?:,\d{3})+|(?:₩|￦)\s*\d{4,7}|\d{1,3}(?:,\d{3})+\s*원?|\d{3,7}\s*원|\d+만(?:\s*\d천)?\s*원|시가)\s*$"
)
_FILL = re.compile(r"[\s.·…‥\-–—_:|~]+$")
_MENU_NAME = re.compile(r"^[^\d₩￦]{0,2}.{0,58}[가-힣A-Za-z]")
_MENU_LEAST = 3  # lines with a price that make a menu; fewer may be anything
_NO_DISH = re.compile(
    r"배송비|배송|합계|결제|총액|예약금|보증금|적립|쿠폰|할인|주문금액|이상\s*구매|무료|계좌|자본금"
)
_BUSINESS_NUMBER = re.compile(
    r"사업자\s*(?:등록)?\s*(?:번호|No\.?)?\s*[:：.]?\s*(\d{3}\s*-\s*\d{2}\s*-\s*\d{5}|\d{10})(?!\d)"
)


class Told(NamedTuple):
    """What the text of a page states; all of it free text, none of it confirmed by itself."""

    phones: list[str]
    addresses: list[NormalAddress]
    hours: Hours | None
    menu: list[MenuItem]
    business_number: str | None


def lines(document: Document) -> list[str]:
    """The page's visible text, a block a line, cells of one table row on one line."""
    pieces: list[str] = []
    size = 0
    hidden: etree._Element | None = None
    walk = etree.iterwalk(document.root, events=("start", "end"))
    for event, element in islice(walk, _EVENTS):
        before = len(pieces)
        if event == "start":
            if hidden is None and (element.tag in _HIDDEN or _is_hidden(element)):
                hidden = element
            if hidden is None:
                pieces += [_break_before(element), _flat(element.text)]
        else:
            if hidden is None:
                pieces.append(_break_after(element))
            elif hidden is element:
                hidden = None
            if hidden is None:
                pieces.append(_flat(element.tail))
        size += sum(map(len, pieces[before:]))
        if size > _CHARACTERS:
            break
    return _clean("".join(pieces)[:_CHARACTERS])


def _flat(text: str | None) -> str:
    """White space of the source is no line of the page."""
    return re.sub(r"\s+", " ", text) if text else ""


def read(page_lines: list[str]) -> Told:
    """The statements in the lines of a page."""
    whole = "\n".join(page_lines)
    return Told(
        phones=find_phones(
            "\n".join(line for line in page_lines if len(re.findall(r"\d", line)) >= _PHONE_DIGITS)
        ),
        addresses=_addresses(page_lines),
        hours=_hours(page_lines),
        menu=_menu(page_lines),
        business_number=_business_number(whole),
    )


def _is_hidden(element: etree._Element) -> bool:
    style = element.get("style", "").replace(" ", "").lower()
    return (
        element.get("hidden") is not None or "display:none" in style or element.get("aria-hidden") == "true"
    )


def _break_before(element: etree._Element) -> str:
    if element.tag in _INLINE:
        return ""
    return " " if element.tag in _CELLS else "\n"


def _break_after(element: etree._Element) -> str:
    if element.tag in _INLINE:
        return ""
    return " " if element.tag in _CELLS or element.tag in ("th", "dt") else "\n"


def _clean(text: str) -> list[str]:
    cleaned = (" ".join(clean_text(line[:_LINE_CHARACTERS]).split()) for line in text.split("\n"))
    return [line for line in cleaned if line][:_LINES]


def _addresses(page_lines: list[str]) -> list[NormalAddress]:
    found: dict[str, NormalAddress] = {}
    for line in page_lines:
        start = _ADDRESS_START.search(line)
        if start is None:
            continue
        stretch = line[start.start() : start.start() + 120]
        end = _ADDRESS_END.search(stretch)
        try:
            address = normalise_address(stretch[: end.start()] if end else stretch)
        except ValueError:
            continue
        found.setdefault(address.text, address)
    return list(found.values())[:3]


def _hours(page_lines: list[str]) -> Hours | None:
    """The hours that stand behind a label; the longest stretch that is understood whole, else the label's own lines."""
    kept: str | None = None
    labels = 0
    for index, line in enumerate(page_lines):
        label = _HOURS_LABEL.search(line)
        if label is None:
            continue
        labels += 1
        if labels > _HOURS_LABELS:
            break
        first = line[label.end() :].strip(" :：-|·")
        stretch = [*([first] if first else []), *page_lines[index + 1 : index + 1 + _HOURS_LINES]]
        for length in range(len(stretch), 0, -1):
            hours = parse_hours("\n".join(stretch[:length]))
            if hours_parsed_whole(hours):
                return hours
        if kept is None and re.search(r"\d", first):
            kept = first
    return Hours(text=kept[:300]) if kept else None


def _menu(page_lines: list[str]) -> list[MenuItem]:
    items: dict[str, MenuItem] = {}
    previous = ""
    for line in page_lines:
        match = _PRICE.search(line)
        name = _FILL.sub("", line[: match.start()]) if match else ""
        if match and not name:
            name = _FILL.sub("", previous)
        previous = "" if match else line
        if match is None or len(name) > 60 or not _MENU_NAME.match(name) or _NO_DISH.search(name):
            continue
        try:
            price = parse_price(match["price"])
        except ValueError:
            continue
        items.setdefault(name, MenuItem(name=name, price_krw=price))
    return list(items.values()) if len(items) >= _MENU_LEAST else []


def _business_number(whole: str) -> str | None:
    for match in _BUSINESS_NUMBER.finditer(whole):
        try:
            return str(normalise_value("business_number", match[1]))
        except ValueError:
            continue
    return None
