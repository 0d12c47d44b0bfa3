"""Whether every price of a sentence is that of the dish or ware it stands by, and every count one that the facts have.

And whether a sentence ties two things together of which the facts speak apart: one dish served with another, a dish or a
service to days and hours.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from functions.copy.claims.amenity_words import speaks_of_amenity
from functions.copy.claims.carried import Carried
from functions.copy.claims.korean_forms import MASK
from functions.copy.claims.masking import Masked, Value, prices_in

# What makes one thing of the menu part of another: "A includes B", "A를 주문하면 B를".
_TIED = re.compile(
    r"^(?:에는?|엔|에도)(?=[\s,])|주문|함께|시키|포함|드리|드립|\b(?:includ\w+|with|comes?|has|have|offers?|provides?|serv\w+|gets?|finds?)\b",
    re.IGNORECASE,
)
_TOGETHER = re.compile(r"[와과] 함께")  # "A는 B와 함께"
_OF_THE_MENU = frozenset(
    ["가지", "종류", "종", "개", "품목", "메뉴", "items", "item", "dishes", "kinds", "services"]
)


def wrong_prices(said: Masked, carried: Carried) -> list[Value]:
    """The prices that no fact has, or that belong to something else."""
    events = [value for value in said.values if value.kind == "price" or value.item is not None]
    prices = [value for value in events if value.kind == "price"]
    if not prices:
        return []
    if len(prices) == len(events):
        return [] if _is_range([int(price.amount or 0) for price in prices], said.whole, carried) else prices
    readings = (_items_first(events), _prices_first(events), _pairwise(events))
    if any(
        pairs and all(_has(item, price, carried) for item, price in pairs) for pairs in map(list, readings)
    ):
        return []
    wrong = [price for item, price in _items_first(events) if not _has(item, price, carried)]
    return list(dict.fromkeys(wrong)) or prices


def _has(item: Value | None, price: Value, carried: Carried) -> bool:
    return item is not None and item.item is not None and carried.prices[item.item] == {price.amount}


def _runs(events: Sequence[Value]) -> list[tuple[bool, list[Value]]]:
    return [
        (is_price, list(run)) for is_price, run in groupby(events, key=lambda value: value.kind == "price")
    ]


def _items_first(events: Sequence[Value]) -> Iterator[tuple[Value | None, Value]]:
    """비빔국수 9,500원, 물만두 7,000원: each price is that of everything named since the last one."""
    items: list[Value] = []
    for is_price, run in _runs(events):
        if not is_price:
            items = run
            continue
        for price in run:
            if not items:
                yield None, price
            yield from ((item, price) for item in items)


def _prices_first(events: Sequence[Value]) -> Iterator[tuple[Value | None, Value]]:
    """₩9,500 for 비빔국수."""
    yield from _items_first(events[::-1])


def _pairwise(events: Sequence[Value]) -> Iterator[tuple[Value | None, Value]]:
    """비빔국수와 물만두는 각각 9,500원, 7,000원."""
    runs = _runs(events)
    if [is_price for is_price, _ in runs] == [False, True] and len(runs[0][1]) == len(runs[1][1]):
        yield from zip(runs[0][1], runs[1][1], strict=True)


def _is_range(amounts: list[int], text: str, carried: Carried) -> bool:
    """From the least to the most, as the owner or the menu says; one end only where it is called that."""
    if speaks_of_amenity(text):
        return False  # the price of parking or of delivery is none of the menu's
    menu = sorted({price for prices in carried.prices for price in prices})
    named = list(prices_in(carried.price_range))
    ends = [ends for ends in (named, [*menu[:1], *menu[-1:]]) if len(ends) == 2 and ends[0] < ends[1]]
    if amounts in ends:
        return True
    starts = "부터" in text or "from" in text.lower().split()
    return len(amounts) == 1 and starts and any(amounts[0] == end[0] for end in ends)


def tied_together(said: Masked) -> Iterator[str]:
    """What stands between two things and joins them, and what gives one of them hours of its own."""
    parts = said.text.split(MASK)
    last_item: int | None = None
    for index, value in enumerate(said.values):
        if value.item is None:
            continue
        if last_item is not None:
            between = MASK.join(parts[last_item + 1 : index + 1])
            if tie := _TIED.search(between.strip()):
                yield f"{said.values[last_item].span} {tie.group()} {value.span}"
            elif _TOGETHER.match(parts[index + 1]):
                yield f"{said.values[last_item].span}, {value.span}와 함께"
        last_item = index
    if speaks_of_amenity(said.whole):
        yield from (value.span for value in said.values if value.is_place)
    timed = [
        value.span for value in said.values if value.kind in ("clock", "days", "all_year", "holiday", "nth")
    ]
    if timed and (last_item is not None or speaks_of_amenity(said.whole)):
        yield ", ".join(timed)


def wrong_numbers(said: Masked, carried: Carried) -> list[Value]:
    """The numbers that neither count the menu nor stand, with what they count, in a text of the owner."""
    return [value for value in said.values if value.kind == "number" and not _is_number(value, said, carried)]


def _is_number(value: Value, said: Masked, carried: Carried) -> bool:
    if value.amount is None:
        return False
    amount = f"{value.amount:g}"
    if amount == "24" and value.unit.startswith(("시간", "hour")):
        return True  # a matter of the hours
    lowered = said.text.lower()
    speaks_of_menu = "메뉴" in lowered + value.unit or "menu" in lowered or "종류" in lowered
    of_one = sum(other.item is not None for other in said.values) == 1  # five of a dish are not five dishes
    of_the_menu = value.unit in _OF_THE_MENU and speaks_of_menu and not of_one
    if of_the_menu and value.amount == len(carried.prices) > 0:
        return True
    if (amount, value.unit) in carried.numbers:
        return True
    return amount in carried.years and value.unit in ("년", "")
