"""Rows of `jobs` as `Job`s."""

import json
from contextlib import suppress
from operator import itemgetter
from typing import Any

import asyncpg
from pydantic_core import from_json

from shared.jobs.models import Job, JobStatus

LONGEST_INTEGER = 4000  # digits; Python reads a few more

_columns = itemgetter(*Job._fields)  # by name: a newer schema may have more
_STATUS = Job._fields.index("status")
_PAYLOAD = Job._fields.index("payload")
_RESULT = Job._fields.index("result")
_PROGRESS = Job._fields.index("progress")


def job_of(row: asyncpg.Record) -> Job:
    """A `Job` from a whole row, its JSON decoded. Never raises, whatever was put into the row by hand.

    A payload that Python cannot hold is None, which no payload model takes; a result or progress that is no object comes as
    `{"value": …}`.
    """
    values: list[Any] = list(_columns(row))
    values[_STATUS] = JobStatus(values[_STATUS])
    values[_PAYLOAD] = _decoded(values[_PAYLOAD])
    for place in (_RESULT, _PROGRESS):
        if values[place] is not None:
            value = _decoded(values[place])
            values[place] = value if value is None or isinstance(value, dict) else {"value": value}
    return Job._make(values)


def _decoded(text: str) -> Any:
    for read in (from_json, _patiently):
        with suppress(ValueError, RecursionError):
            return read(text)
    return None


def _patiently(text: str) -> Any:
    """With integers of thousands of digits, which jsonb keeps and Python refuses, as text; and nested deeper."""
    return json.loads(
        text, parse_int=lambda digits: int(digits) if len(digits) <= LONGEST_INTEGER else digits
    )
