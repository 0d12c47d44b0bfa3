"""JSON and error text on their way into PostgreSQL.

jsonb and text refuse NUL, UTF-8 refuses lone surrogates, JSON knows no NaN: a payload that has one is refused with
the field named; a result, a progress or an error is cleaned, because the write that ends a job must not fail.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from shared.jobs.errors import InvalidPayload

PAYLOAD_BYTES = 256 * 1024
RESULT_BYTES = 256 * 1024
PROGRESS_BYTES = 16 * 1024
ERROR_CHARACTERS = 2000

DEEPEST = 100  # levels of nesting: far from what overflows a stack, Python's or PostgreSQL's
WIDEST_BITS = 1024  # of an integer, as much as a double can reach; Python refuses to print much larger ones

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> bool:
    """Whether PostgreSQL takes the text as it is: no NUL, no lone surrogate."""
    return _UNSTORABLE.search(text) is None


def payload_text(payload: Any) -> str:
    """The payload as JSON text, exactly. Raises `InvalidPayload` naming the field and the rule."""
    _refuse(payload, "payload")
    text = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    size = len(text.encode())
    if size > PAYLOAD_BYTES:
        raise InvalidPayload(f"payload: {size} bytes of JSON, at most {PAYLOAD_BYTES} are allowed")
    return text


def _refuse(value: Any, path: str, depth: int = 0) -> None:
    if depth > DEEPEST:
        raise InvalidPayload(f"payload: nested too deep, at most {DEEPEST} levels are allowed")
    match value:
        case dict():
            for key, item in value.items():
                if not isinstance(key, str):
                    raise InvalidPayload(f"{path}: keys must be text, {key!r} is not")
                _refuse_scalar(key, f"{path}.{_UNSTORABLE.sub('?', key)} (the key)")
                _refuse(item, f"{path}.{key}", depth + 1)
        case list() | tuple():
            for index, item in enumerate(value):
                _refuse(item, f"{path}[{index}]", depth + 1)
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


def _bounded(value: Any, limit: int) -> str:
    text = json.dumps(_clean(value), ensure_ascii=False, separators=(",", ":"))
    size = len(text.encode())
    if size > limit:
        return json.dumps({"dropped": f"{size} bytes of JSON, at most {limit} are kept"})
    return text


def _clean(value: Any, depth: int = 0) -> Any:
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
                _UNSTORABLE.sub("\ufffd", _described(key)): _clean(item, depth + 1)
                for key, item in value.items()
            }
        case list() | tuple() | set() | frozenset():
            return [_clean(item, depth + 1) for item in value]
        case _:
            return _UNSTORABLE.sub("\ufffd", _described(value))


def _described(value: object) -> str:
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - a job's end is being written: nothing a value does may stop it
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
