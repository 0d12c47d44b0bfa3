"""Menus: names with prices in won."""

import re
import unicodedata
from typing import Any

from shared.places.models import MenuItem

MENU_LIMIT = 300  # lines kept of one menu
_PRICE_CEILING = 100_000_000  # won; more is a telephone number or an identifier
_ASKED = frozenset(
    "시가 싯가 문의 가격문의 별도문의 전화문의 매장문의 변동 시세 ask askprice market marketprice".split()  # noqa: SIM905
)
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_CURRENCY = r"(?:₩|\\|KRW)"
_PLAIN = re.compile(rf"^{_CURRENCY}?(\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.0+)?(?:원|KRW|won)?$", re.IGNORECASE)
_MYRIADS = re.compile(rf"^{_CURRENCY}?(?:(\d+(?:\.\d)?)?만)?(?:(\d)?천)?(?:(\d)?백)?(?:(\d{{1,4}}))?원?$")


def parse_price(text: str) -> int | None:
    """Won of "9,000원", "₩9,000", "9000" or "1만2천원"; None for a price that is asked for ("시가", "문의").

    Raises ValueError for anything else: a range, another currency, no price at all.
    """
    compact = re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))
    if compact.strip(".()").lower() in _ASKED:
        return None
    compact = compact.rstrip("-")  # "9,000원-" as some boards write it
    plain = _PLAIN.match(compact)
    if plain:
        return _bounded(int(plain.group(1).replace(",", "")))
    spoken = _MYRIADS.match(compact)
    if spoken and re.search("[만천백]", compact):
        ten_thousands, thousands, hundreds, rest = spoken.groups()
        won = round(float(ten_thousands or 1) * 10_000) if "만" in compact else 0
        won += int(thousands or 1) * 1_000 if "천" in compact else 0
        won += int(hundreds or 1) * 100 if "백" in compact else 0
        return _bounded(won + int(rest or 0))
    raise ValueError(
        'a price must be won ("9,000원", "₩9,000", "9000", "1만2천원") or asked for ("시가", "문의")'
    )


def _bounded(won: int) -> int:
    if won > _PRICE_CEILING:
        raise ValueError(f"a price must not exceed {_PRICE_CEILING:,} won")
    return won


def normalise_menu(value: Any) -> list[MenuItem]:
    """Menu items of a list of `{name, price_krw | price, note}` or of texts; repeated lines are dropped.

    Raises ValueError naming the item and the rule.
    """
    if not isinstance(value, list):
        raise ValueError("menu must be a list of {name, price_krw, note}")
    if len(value) > MENU_LIMIT:
        raise ValueError(f"menu must not have more than {MENU_LIMIT} items")
    items: dict[tuple[str, int | None], MenuItem] = {}
    for index, entry in enumerate(value):
        try:
            item = _item(entry)
        except ValueError as error:
            raise ValueError(f"menu[{index}]: {error}") from None
        items.setdefault((item.name, item.price_krw), item)
    return list(items.values())


def _item(entry: Any) -> MenuItem:
    if isinstance(entry, str):
        entry = {"name": entry}
    if not isinstance(entry, dict):
        raise ValueError("must be {name, price_krw, note}")
    unknown = sorted(set(entry) - {"name", "price_krw", "price", "note"})
    if unknown:
        raise ValueError(f"unknown field {unknown[0]}")
    name = _text(entry.get("name"), "name", 120)
    if not name:
        raise ValueError("name is required")
    return MenuItem(
        name=name,
        price_krw=_price(entry.get("price_krw", entry.get("price"))),
        note=_text(entry.get("note"), "note", 300) or None,
    )


def _price(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, str):
        return parse_price(value)
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole:
        raise ValueError("price_krw must be a whole number of won, or null")
    if value < 0:
        raise ValueError("price_krw must not be negative")
    return _bounded(int(value))


def _text(value: Any, field: str, limit: int) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{field} must be text")
    text = " ".join(_UNPRINTABLE.sub(" ", unicodedata.normalize("NFC", value)).split())
    if len(text) > limit:
        raise ValueError(f"{field} must not be longer than {limit} characters")
    return text
