"""JSON and error text on their way into PostgreSQL.

jsonb and text refuse NUL, UTF-8 refuses lone surrogates, JSON knows no NaN: a payload that has one is refused with
the field named; a result, a progress or an error is cleaned, because the write that ends a job must not fail.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_core import to_json

from shared.jobs.errors import InvalidPayload

PAYLOAD_BYTES = 256 * 1024
RESULT_BYTES = 256 * 1024
PROGRESS_BYTES = 16 * 1024
ERROR_CHARACTERS = 2000

DEEPEST = 100  # levels of nesting: far from what overflows a stack, Python's or PostgreSQL's
WIDEST_BITS = 1024  # of an integer, as much as a double can reach; Python refuses to print much larger ones

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_SCALARS = frozenset({str, bool, type(None)})  # a mistake in one shows in the text


def storable(text: str) -> bool:
    """Whether PostgreSQL takes the text as it is: no NUL, no lone surrogate."""
    return _UNSTORABLE.search(text) is None


def payload_text(payload: Any) -> str:
    """The payload as JSON text, exactly. Raises `InvalidPayload` naming the field and the rule."""
    text = _as_it_is(payload, PAYLOAD_BYTES)
    if text is None:
        _refuse(payload, "payload", iter(range(PAYLOAD_BYTES)))
        text = _encode(payload)
    size = _size(text)
    if size > PAYLOAD_BYTES:
        raise InvalidPayload(f"payload: {size} bytes of JSON, at most {PAYLOAD_BYTES} are allowed")
    return text


def _as_it_is(value: Any, most: int) -> str | None:
    """The JSON text of what needs neither cleaning nor a closer look, as nearly everything does; else None.

    Looks at types alone and finds the rest in the text: this is what an enqueue and an end spend most of their time on.
    """
    left = most  # values, each of a byte at least: a few lists that hold each other are endless
    todo = [(value, 0)]
    while todo:
        value_, depth = todo.pop()
        kind = type(value_)
        if kind is dict:
            for key in value_:
                if type(key) is not str:
                    return None
            items = value_.values()
        elif kind is list:
            items = value_
        else:
            return None
        left -= len(items)
        if left < 0 or depth >= DEEPEST:
            return None
        for item in items:
            kind = type(item)
            if kind in _SCALARS:
                continue
            if kind is dict or kind is list:
                todo.append((item, depth + 1))
            elif not (
                math.isfinite(item) if kind is float else kind is int and item.bit_length() <= WIDEST_BITS
            ):
                return None
    try:
        text = to_json(value).decode()
    except ValueError:  # a lone surrogate
        return None
    return None if "\\u0000" in text else text


def _size(text: str) -> int:
    """Bytes of the text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def _refuse(value: Any, path: str, left: Iterator[int], depth: int = 0) -> None:
    """`left` runs out with the values there can be, each of a byte at least: a few lists that hold each other are endless."""
    if next(left, None) is None:
        raise InvalidPayload(f"payload: at most {PAYLOAD_BYTES} values are allowed")
    if depth > DEEPEST:
        raise InvalidPayload(f"payload: nested too deep, at most {DEEPEST} levels are allowed")
    match value:
        case dict():
            for key, item in value.items():
                if not isinstance(key, str):
                    raise InvalidPayload(f"{path}: keys must be text, not {type(key).__name__}")
                _refuse_scalar(key, f"{path}.{_UNSTORABLE.sub('?', key)} (the key)")
                _refuse(item, f"{path}.{key}", left, depth + 1)
        case list() | tuple():
            for index, item in enumerate(value):
                _refuse(item, f"{path}[{index}]", left, depth + 1)
        case _:
            _refuse_scalar(value, path)


def _refuse_scalar(value: Any, path: str) -> None:
    match value:
        case str():
            if not storable(value):
                raise InvalidPayload(f"{path}: text must have no NUL and no lone surrogate")
        case float():
            if not math.isfinite(value):
                raise InvalidPayload(f"{path}: numbers must be finite, JSON has no {value}")
        case int():
            if value.bit_length() > WIDEST_BITS:
                raise InvalidPayload(f"{path}: integers must have at most {WIDEST_BITS} bits")
        case None:
            pass
        case _:
            raise InvalidPayload(f"{path}: {type(value).__name__} is not JSON")


def result_text(result: Any) -> str:
    """A result as JSON text, whatever it holds: cleaned, and replaced by a note of its size when too large."""
    return _bounded(result, RESULT_BYTES)


def progress_text(progress: Any) -> str:
    """A progress as JSON text, cleaned and bounded like a result."""
    return _bounded(progress, PROGRESS_BYTES)


def plain(result: Any) -> Any:
    """A result as plain data, whatever it holds: what reading it raises is raised here, before any end is written."""
    if _as_it_is(result, RESULT_BYTES) is not None:
        return result
    try:
        return _clean(result, iter(range(RESULT_BYTES)))
    except _TooManyError:
        return {"dropped": f"more than {RESULT_BYTES} values"}


def _bounded(value: Any, limit: int) -> str:
    text = _as_it_is(value, limit)
    if text is None:
        try:
            text = _encode(_clean(value, iter(range(limit))))
        except _TooManyError:
            return json.dumps({"dropped": f"more than {limit} values"})
    size = _size(text)
    if size > limit:
        return json.dumps({"dropped": f"{size} bytes of JSON, at most {limit} are kept"})
    return text


class _TooManyError(Exception):
    """More values than any text that is kept could hold."""


def _clean(value: Any, left: Iterator[int], depth: int = 0) -> Any:
    if next(left, None) is None:
        raise _TooManyError
    if depth > DEEPEST:
        return "(nested too deep)"
    match value:
        case str():
            return _UNSTORABLE.sub("\ufffd", value)
        case int() if value.bit_length() > WIDEST_BITS:
            return f"(an integer of {value.bit_length()} bits)"
        case None | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {
                _UNSTORABLE.sub("\ufffd", _described(key)): _clean(item, left, depth + 1)
                for key, item in value.items()
            }
        case list() | tuple() | set() | frozenset():
            return [_clean(item, left, depth + 1) for item in value]
        case _:
            return _UNSTORABLE.sub("\ufffd", _described(value))


def _described(value: object) -> str:
    try:
        return str(value)
    except BaseException:  # noqa: BLE001 - a job's end is being written: nothing a value does, not even sys.exit, may stop it
        return f"({type(value).__name__})"


def error_text(error: BaseException | str) -> str:
    """`Type: message`, storable, at most 2,000 characters. Never raises."""
    if isinstance(error, str):
        text = error
    else:
        message = _described(error)
        name = type(error).__name__
        text = f"{name}: {message}" if message else name
    return _UNSTORABLE.sub("\ufffd", text)[:ERROR_CHARACTERS]
