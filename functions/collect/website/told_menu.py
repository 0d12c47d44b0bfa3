"""The menu that stands in a page's lines: names with prices in won."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from shared.places.models import MenuItem
from shared.places.normalise import parse_price

# "9,000원", "₩9,000", "1만2천원", "시가", and "9,000" where the page says that it is a menu
_WON = (
    r"(?:₩|￦)\s*\d{1,3}(?:,\d{3})+|(?:₩|￦)\s*\d{4,7}|\d{1,3}(?:,\d{3})+\s*(?:원|won|KRW)|\d{3,7}\s*원"
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
    r"배송|배달|합계|결제|총액|예약금|보증금|적립|쿠폰|할인|주문\s*금액|이상|이하|무료|계좌|자본금|주차|발렛|콜키지|벌금|연체|환불|위약금|"
    r"조회|방문|좋아요|리뷰|회원|누적|평점|판매량|상품권|포인트|매출|최저|시급|월급|연봉|기부|후원|추가\s*요금|1인당|에서|부터|까지|\d{4}\s*년"
)
_SENTENCE = re.compile(r"(?:니다|세요|해요|어요|아요|이다|한다|[.!?])$")
_TRAILING = re.compile(
    r"^\s*(?:\((?P<note>[^()]{1,40})\)|/\s*(?P<per>\d*\s*(?:인분?|개|잔|병|판|g|kg|마리))|~|부터)?\s*$"
)
_LONGEST_NAME = 40  # characters
_LEAST, _MOST = 300, 3_000_000  # won of one dish
_LEAST_ITEMS = 3  # lines with a price that make a menu; fewer may be anything


def menu(page_lines: Sequence[str]) -> list[MenuItem]:
    """The dishes of the page in its order; empty where too few lines look like a menu's.

    A line with several prices is read where each is named (소, 중, 대) and left out otherwise; so is a price over which
    it is not clear what its name is.
    """
    bare = any(_MENU_WORD.search(line) for line in page_lines)
    prices = [_prices(line, bare=bare) for line in page_lines]
    depth = _lines_over_a_price(page_lines, prices)
    items: dict[str, MenuItem] = {}
    last = -1
    for index, found in enumerate(prices):
        if not found:
            continue
        for item in _items(page_lines, last, index, found, depth):
            if items.setdefault(item.name, item).price_krw != item.price_krw:
                items[item.name] = item.model_copy(update={"price_krw": None})
        last = index
    return list(items.values()) if len(items) >= _LEAST_ITEMS else []


def _prices(line: str, *, bare: bool) -> list[re.Match[str]]:
    if len(line) > 200:
        return []
    return [match for match in _PRICE.finditer(line) if bare or not match["bare"]]


def _name_before(line: str, price: re.Match[str]) -> str:
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


def _items(
    page_lines: Sequence[str], last: int, index: int, prices: list[re.Match[str]], depth: int
) -> Iterator[MenuItem]:
    line = page_lines[index]
    name, note = _name_before(line, prices[0]), None
    if len(prices) > 1:
        yield from _sizes(line, prices)
        return
    trailing = _TRAILING.match(line[prices[0].end() :])
    if trailing is None:
        return
    if not name and depth:
        name, note = _from_above(page_lines[last + 1 : index], depth, first=last < 0)
    note = note or trailing["note"] or trailing["per"]
    item = _item(name, prices[0], note)
    if item is not None:
        yield item


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


def _sizes(line: str, prices: list[re.Match[str]]) -> Iterator[MenuItem]:
    """ "갈비찜 소 30,000 중 40,000 대 50,000": one dish a size."""
    starts = [0, *(price.end() for price in prices[:-1])]
    parts = [
        line[start : price.start()].strip(" /,|()[]·:-") for start, price in zip(starts, prices, strict=True)
    ]
    name, _, first = parts[0].rpartition(" ")
    sizes = [first.strip("( "), *parts[1:]]
    if name and all(_SIZE.match(size) for size in sizes):
        for size, price in zip(sizes, prices, strict=True):
            item = _item(f"{_FILL.sub('', name.rstrip('( '))} ({size})", price, None)
            if item is not None:
                yield item


def _item(name: str, price: re.Match[str], note: str | None) -> MenuItem | None:
    name = _LEADING.sub("", name).strip()
    readable = len(name) <= _LONGEST_NAME and re.search("[가-힣]|[A-Za-z]{2}", name)
    if not readable or _NO_DISH.search(name) or _SENTENCE.search(name) or _PRICE.search(name):
        return None
    try:
        won = None if price["asked"] else parse_price(price.group())
    except ValueError:
        return None
    if won is not None and not _LEAST <= won <= _MOST:
        return None
    return MenuItem(name=name, price_krw=won, note=note.strip()[:300] if note else None)
