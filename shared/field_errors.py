"""What is wrong with something a person sent: every field, each with the rule it breaks."""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
WHOLE = "(document)"  # the field of an error that is not of one
_DEEPEST = 32  # levels of nesting; no field of ours has a tenth of that
# pydantic's names of its own rules that read badly outside Python; the others are kept.
_RULES = {
    "missing": "required",
    "extra_forbidden": "unknown_field",
    "string_type": "must_be_text",
    "string_too_short": "too_short",
    "string_too_long": "too_long",
    "too_long": "too_many",
    "list_type": "must_be_list",
    "dict_type": "must_be_object",
    "model_type": "must_be_object",
    "model_attributes_type": "must_be_object",
    "literal_error": "must_be_one_of",
    "bool_type": "must_be_boolean",
    "float_type": "must_be_number",
    "int_type": "must_be_integer",
    "int_parsing": "must_be_integer",
    "uuid_parsing": "must_be_uuid",
    "string_pattern_mismatch": "must_match",
    "less_than_equal": "out_of_range",
    "greater_than_equal": "out_of_range",
}


class FieldError(BaseModel):
    """One broken rule. `field` is a dotted path, `rule` a stable name, `message` a sentence for people."""

    model_config = ConfigDict(frozen=True)

    field: str
    rule: str
    message: str


def from_pydantic(
    errors: Iterable[Mapping[str, Any]], *, drop: Collection[str] = (), whole: str = WHOLE
) -> list[FieldError]:
    """Pydantic's errors as ours, one a field and rule. A first part of a path that is in `drop` is left out.

    What is wrong with the document as such, not with a field of it, has the field `whole`.
    """
    found: dict[tuple[str, str], FieldError] = {}
    for error in errors:
        path = list(error["loc"])
        if path and path[0] in drop:
            path = path[1:]
        field = ".".join(str(part) for part in path) or whole
        rule = _RULES.get(error["type"], error["type"])
        if not path and rule == "required":
            rule = "must_be_object"  # the resolver takes a body of null for none
        # pydantic names a class of ours there, which says nothing to who wrote the document
        message = "Must be a JSON object" if rule == "must_be_object" else str(error["msg"])
        found.setdefault((field, rule), FieldError(field=field, rule=rule, message=message))
    return list(found.values())


def unstorable(value: Any) -> list[FieldError]:
    """What PostgreSQL or JSON could not hold in a decoded document: NUL, lone surrogates, NaN, endless nesting."""
    return list(_walk(value, (), 0))


def _walk(value: Any, path: tuple[str, ...], depth: int) -> Iterator[FieldError]:
    if depth > _DEEPEST:
        yield _error(path, "too_deep", f"Nesting goes deeper than {_DEEPEST} levels")
    elif isinstance(value, str):
        if _UNSTORABLE.search(value):
            yield _error(path, "unstorable_text", "Text must have no NUL and no lone surrogate")
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield _error(path, "not_finite", "Numbers must be finite")
    elif isinstance(value, dict):
        for key, item in value.items():
            name = _UNSTORABLE.sub("?", str(key))
            if name != key:
                yield _error((*path, name), "unstorable_text", "A key must have no NUL and no lone surrogate")
            yield from _walk(item, (*path, name), depth + 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk(item, (*path, str(index)), depth + 1)


def _error(path: tuple[str, ...], rule: str, message: str) -> FieldError:
    return FieldError(field=".".join(path), rule=rule, message=message)
