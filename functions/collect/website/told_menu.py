"""The menu that stands in a page's lines: names with prices in won."""

import re
from collections import Counter
from collections.abc import Sequence

from functions.collect.website.lines import CELL
from shared.places.models import MenuItem
from shared.places.normalise import parse_price

# "9,000원", "₩9,000", "1만2천원", "시가", and "9,000" where the page says that it is a menu
_WON = (
    r"(?:₩|￦|KRW)\s*\d{1,3}(?:,\d{3})+|(?:₩|￦|KRW)\s*\d{4,7}|\d{1,3}(?:,\d{3})+\s*(?:원|won|KRW)|\d{3,7}\s*원"
    r"|\d+만(?:\s*\d천)?\s*원|\d천(?:\s*\d백)?\s*원"
)
_BARE = r"(?<![\d,.])\d{1,3},\d00(?![\d,.%])"
_PRICE = re.compile(
    rf"(?P<won>{_WON})|(?P<bare>{_BARE})|(?P<asked>(?<![가-힣])(?:시가|싯가|가격\s*문의)(?![가-힣]))",
    re.IGNORECASE,
)
_MENU_WORD = re.compile(r"메뉴|차림|가격|식사|음료|요금|시술|코스|세트|\bmenu\b|\bprice", re.IGNORECASE)
_SIZE = re.compile(
    r"^(?:소|중|대|특|특대|보통|곱빼기|반|한마리|반마리|[SMLR]|tall|grande|venti|regular|large|small|hot|iced?|\d인분?|\d+(?:ml|g|cm|잔|병|pcs|p))$",
    re.IGNORECASE,
)
_SECTION = re.compile(
    r"(?:류|메뉴|음식|식사|사리|세트|음료|주류|안주|코스|menu|set)$|^[A-Z &]{3,20}$", re.IGNORECASE
)
_LABEL = re.compile(
    r"(?:^|\s)(?:판매\s*가격?|소비자\s*가격?|정\s*가|할인\s*가|회원\s*가|가격|금액|price|요금)\s*[:：]?\s*$",
    re.IGNORECASE,
)
_FILL = re.compile(r"[\s.·…‥\-–—_:：|~=/]+$")
_LEADING = re.compile(r"^(?:[\s•·*▪▶■□●○◆\-–✔]+|\d{1,2}[.)]\s+|(?:상품명|메뉴명|품명)\s*[:：]\s*)+")
_NO_DISH = re.compile(
    r"배송|배달|택배|포장비|수수료|알바|합계|결제|총액|예약금|보증금|적립|쿠폰|할인|주문\s*금액|이상|이하|무료|계좌|자본금|주차|발렛|콜키지|벌금|연체|환불|위약금|"
    r"조회|방문|좋아요|리뷰|회원|누적|평점|판매량|상품권|포인트|매출|최저|시급|월급|연봉|기부|후원|추가\s*요금|1인당|에서|부터|까지|\d{4}\s*년"
)
_SENTENCE = re.compile(r"(?:니다|세요|해요|어요|아요|이다|한다|[.!?])$")
_TRAILING = re.compile(
    r"^\s*(?:\((?P<note>[^()]{1,40})\)|/\s*(?P<per>\d*\s*(?:인분?|개|잔|병|판|g|kg|마리))|(?P<up>~|부터))?\s*$"
)
_LONGEST_NAME = 40  # characters
_LEAST, _MOST = 300, 3_000_000  # won of one dish
_LEAST_ITEMS = 3  # lines with a price that make a menu; fewer may be anything


def menu(page_lines: Sequence[str]) -> list[MenuItem]:
    """The dishes of the page in its order; empty where too few lines look like a menu's.

    A line with several prices is read where each is named, by itself (소, 중, 대) or by the head of its column, and left
    out otherwise; so is a price over which it is not clear what its name is.
    """
    bare = any(_MENU_WORD.search(line) for line in page_lines)
    prices = [_prices(line, bare=bare) for line in page_lines]
    depth = _lines_over_a_price(page_lines, prices)
    items: dict[str, MenuItem] = {}
    last, heads = -1, _Heads()
    for index, (line, found) in enumerate(zip(page_lines, prices, strict=True)):
        if not found:
            heads.see(line)
            continue
        if len(found) > 1:
            read = _sizes(line, found) or _listed(line, found) or heads.items(line, found)
        else:
            read = _one(page_lines, last, index, found[0], depth)
        for item in read:
            if items.setdefault(item.name, item).price_krw != item.price_krw:
                items[item.name] = item.model_copy(update={"price_krw": None})
        last = index
    return list(items.values()) if len(items) >= _LEAST_ITEMS else []


def _prices(line: str, *, bare: bool) -> list[re.Match[str]]:
    if len(line) > 200:
        return []
    return [match for match in _PRICE.finditer(line) if bare or not match["bare"]]


def _name_before(line: str, price: re.Match[str]) -> str:
    """What stands before a price, cells and all, without the label of the price itself."""
    return _FILL.sub("", _LABEL.sub("", _FILL.sub("", line[: price.start()])))


def _lines_over_a_price(page_lines: Sequence[str], prices: Sequence[list[re.Match[str]]]) -> int:
    """How many lines stand over a price that has none of its own, in most cases: a name, or a name and its words."""
    lengths: Counter[int] = Counter()
    last: int | None = None
    for index, found in enumerate(prices):
        if not found:
            continue
        if last is not None and not _name_before(page_lines[index], found[0]):
            lengths[index - last - 1] += 1
        last = index
    common = [(count, -length) for length, count in lengths.items() if length in (1, 2)]
    return -max(common)[1] if common else 0


def _one(
    page_lines: Sequence[str], last: int, index: int, price: re.Match[str], depth: int
) -> list[MenuItem]:
    """The dish of a line with one price; its name stands before the price, or over it."""
    line = page_lines[index]
    trailing = _TRAILING.match(line[price.end() :])
    if trailing is None:
        return []
    name, _, words = _name_before(line, price).partition(CELL)
    note = words.replace(CELL, " ") or None
    if not name and depth:
        name, note = _from_above(page_lines[last + 1 : index], depth, first=last < 0)
    note = note or trailing["note"] or trailing["per"] or ("부터" if trailing["up"] else None)
    return _item(name, price, note)


def _from_above(block: Sequence[str], depth: int, *, first: bool) -> tuple[str, str | None]:
    """The name, and the words under it, of the lines between two prices; empty where it is not clear which it is."""
    if not block:
        return "", None
    if len(block) == 1:
        return block[0], None
    if depth == 2:
        return block[-2], block[-1]
    if first or (_SECTION.search(block[-2]) and not _SENTENCE.search(block[-1])):
        return block[-1], None
    return "", None


def _parts(line: str, prices: list[re.Match[str]]) -> list[str]:
    """What stands before each price."""
    starts = [0, *(price.end() for price in prices[:-1])]
    return [
        line[start : price.start()].strip(" /,|()[]·:-" + CELL)
        for start, price in zip(starts, prices, strict=True)
    ]


def _sizes(line: str, prices: list[re.Match[str]]) -> list[MenuItem]:
    """One dish a size of "갈비찜 소 30,000 중 40,000 대 50,000"."""
    parts = _parts(line, prices)
    name, _, first = parts[0].replace(CELL, " ").rpartition(" ")
    sizes = [first.strip("( "), *parts[1:]]
    if not name or not all(_SIZE.match(size) for size in sizes):
        return []
    name = _FILL.sub("", name.rstrip("( "))
    return [
        item
        for size, price in zip(sizes, prices, strict=True)
        for item in _item(f"{name} ({size})", price, None)
    ]


def _listed(line: str, prices: list[re.Match[str]]) -> list[MenuItem]:
    """The dishes of "국밥 9,000원 / 수육 35,000원", each with its name before its price."""
    parts = [_FILL.sub("", part) for part in _parts(line, prices)]
    parted = all(re.match(r"\s*[/,|·]", line[price.end() :]) for price in prices[:-1])
    ended = not line[prices[-1].end() :].strip(" .")
    if not parted or not ended or any(_SIZE.match(part) or re.search(r"[.!?]\s", part) for part in parts):
        return []
    items = [_item(part, price, None) for part, price in zip(parts, prices, strict=True)]
    return [item for found in items for item in found] if all(items) else []


class _Heads:
    """The heads of a table's columns, where they are sizes: HOT and ICE, 소 and 대."""

    def __init__(self) -> None:
        self._sizes: list[str] = []

    def see(self, line: str) -> None:
        """A line without a price may be a head; any other without cells ends the table."""
        cells = line.split(CELL)
        sizes = [cell for cell in cells if _SIZE.match(cell)]
        self._sizes = (
            sizes
            if len(sizes) > 1 and len(cells) - len(sizes) <= 1
            else self._sizes
            if len(cells) > 1
            else []
        )

    def items(self, line: str, prices: list[re.Match[str]]) -> list[MenuItem]:
        """One dish a column of a row that has a price in each."""
        name, *cells = line.split(CELL)
        if len(prices) != len(self._sizes) or len(cells) != len(prices):
            return []
        return [
            item
            for size, price in zip(self._sizes, prices, strict=True)
            for item in _item(f"{name} ({size})", price, None)
        ]


def _item(name: str, price: re.Match[str], note: str | None) -> list[MenuItem]:
    """The dish, or nothing where the name is none."""
    name = _LEADING.sub("", name.replace(CELL, " ")).strip()
    readable = len(name) <= _LONGEST_NAME and re.search("[가-힣]|[A-Za-z]{2}", name)
    if not readable or _NO_DISH.search(name) or _SENTENCE.search(name) or _PRICE.search(name):
        return []
    try:
        won = None if price["asked"] else parse_price(price.group())
    except ValueError:
        return []
    if won is not None and not _LEAST <= won <= _MOST:
        return []
    return [MenuItem(name=name, price_krw=won, note=note.strip()[:300] if note else None)]
