"""What a host that shows Adaptive Cards 1.4 takes: known elements, their properties and values, nothing that would be dropped."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

Check = Callable[[Any, str], None]


class CardError(ValueError):
    """The card would not be shown as it was meant; the message says where."""


def check_card(card: Any) -> None:
    """Raise `CardError` unless the card is a valid one of version 1.4 with something to show."""
    _object(card, "card", _CARD, required=("type", "version", "body"))
    if card["type"] != "AdaptiveCard" or card["version"] != "1.4":
        raise CardError("card: no AdaptiveCard of version 1.4")
    if not card["body"]:
        raise CardError("card: nothing to show")


def texts(card: Any) -> list[str]:
    """What a reader sees, one string a line."""
    lines: list[str] = []
    for element in card["body"]:
        lines += _shown(element)
    return lines


def _shown(element: Mapping[str, Any]) -> list[str]:
    kind = element["type"]
    if kind == "RichTextBlock":
        return ["".join(run if isinstance(run, str) else run["text"] for run in element["inlines"])]
    if kind == "FactSet":
        return [f"{fact['title']}: {fact['value']}" for fact in element["facts"]]
    if kind == "Container":
        return [line for item in element["items"] for line in _shown(item)]
    return [element["text"]]


def _object(value: Any, where: str, properties: Mapping[str, Check], *, required: tuple[str, ...]) -> None:
    if not isinstance(value, dict):
        raise CardError(f"{where}: no object")
    for name in required:
        if name not in value:
            raise CardError(f"{where}: without {name}")
    for name, given in value.items():
        if name not in properties:
            raise CardError(f"{where}: {name} is no property of it")
        properties[name](given, f"{where}.{name}")


def _text(value: Any, where: str) -> None:
    if not isinstance(value, str) or not value:
        raise CardError(f"{where}: no text")


def _flag(value: Any, where: str) -> None:
    if not isinstance(value, bool):
        raise CardError(f"{where}: neither true nor false")


def _number(value: Any, where: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise CardError(f"{where}: no number")


def _one_of(*values: str) -> Check:
    def check(value: Any, where: str) -> None:
        if value not in values:
            raise CardError(f"{where}: {value!r} is none of {', '.join(values)}")

    return check


def _matching(pattern: str) -> Check:
    def check(value: Any, where: str) -> None:
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise CardError(f"{where}: {value!r}")

    return check


def _list(item: Check, most: int = 1_000) -> Check:
    def check(value: Any, where: str) -> None:
        if not isinstance(value, list) or len(value) > most:
            raise CardError(f"{where}: no list of at most {most}")
        for index, one in enumerate(value):
            item(one, f"{where}[{index}]")

    return check


def _record(properties: Mapping[str, Check], *required: str) -> Check:
    return lambda value, where: _object(value, where, properties, required=required)


def _link(value: Any, where: str) -> None:
    _text(value, where)
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or re.search(r"[\s<>\"]", value):
        raise CardError(f"{where}: {value!r} cannot be opened")


def _typed(kinds: Mapping[str, tuple[Mapping[str, Check], tuple[str, ...]]]) -> Check:
    def check(value: Any, where: str) -> None:
        kind = value.get("type") if isinstance(value, dict) else None
        if kind not in kinds:
            raise CardError(f"{where}: {kind!r} is no element that is shown")
        properties, required = kinds[kind]
        _object(value, where, {"type": _text, **properties}, required=required)

    return check


def _element(value: Any, where: str) -> None:
    _ELEMENT(value, where)


_COLOR = _one_of("Default", "Dark", "Light", "Accent", "Good", "Warning", "Attention")
_SPACING = _one_of("Default", "None", "Small", "Medium", "Large", "ExtraLarge", "Padding")
_ALIGN = _one_of("Left", "Center", "Right")
_LETTERS: Mapping[str, Check] = {
    "color": _COLOR,
    "fontType": _one_of("Default", "Monospace"),
    "isSubtle": _flag,
    "size": _one_of("Default", "Small", "Medium", "Large", "ExtraLarge"),
    "weight": _one_of("Default", "Lighter", "Bolder"),
}
_BLOCK: Mapping[str, Check] = {
    "height": _one_of("auto", "stretch"),
    "id": _text,
    "isVisible": _flag,
    "separator": _flag,
    "spacing": _SPACING,
}
_RUN = {
    "italic": _flag,
    "strikethrough": _flag,
    "underline": _flag,
    "highlight": _flag,
    "text": _text,
    **_LETTERS,
}
_OPEN = {"title": _text, "url": _link, "id": _text, "style": _one_of("default", "positive", "destructive")}
_ACTION = _typed(
    {"Action.OpenUrl": (_OPEN, ("url", "title"))}
)  # of the kinds of action, the one that only opens
_ELEMENT = _typed(
    {
        "TextBlock": (
            {
                "text": _text,
                "wrap": _flag,
                "maxLines": _number,
                "horizontalAlignment": _ALIGN,
                **_LETTERS,
                **_BLOCK,
            },
            ("text",),
        ),
        "RichTextBlock": (
            {
                "inlines": _list(_typed({"TextRun": (_RUN, ("text",))})),
                "horizontalAlignment": _ALIGN,
                **_BLOCK,
            },
            ("inlines",),
        ),
        "FactSet": (
            {"facts": _list(_record({"title": _text, "value": _text}, "title", "value"), most=20), **_BLOCK},
            ("facts",),
        ),
        "Container": ({"items": _list(_element), "style": _text, "bleed": _flag, **_BLOCK}, ("items",)),
    }
)
_CARD: Mapping[str, Check] = {
    "$schema": _matching(r"https?://adaptivecards\.io/schemas/adaptive-card\.json"),
    "type": _text,
    "version": _text,
    "body": _list(_element),
    "actions": _list(_ACTION, most=6),  # what a host shows of them
    "fallbackText": _text,
    "lang": _text,
    "speak": _text,
    "msteams": _record({"width": _one_of("Full")}),
}
