"""Rows of `jobs` as `Job`s."""

import json
from collections.abc import Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Any

import asyncpg
from pydantic_core import from_json

from shared.jobs.models import Job, JobStatus

LONGEST_INTEGER = 4000  # digits; Python reads a few more

_STATUSES = {status.value: status for status in JobStatus}  # a call of the enum costs as much as all the rest
_STATUS = Job._fields.index("status")
_PAYLOAD = Job._fields.index("payload")
_RESULT = Job._fields.index("result")
_PROGRESS = Job._fields.index("progress")
_ALL = len(Job._fields)


def jobs_of(rows: Sequence[asyncpg.Record]) -> list[Job]:
    """`Job`s from whole rows, their JSON decoded. Never raises, whatever was put into a row by hand.

    A payload that Python cannot hold is None, which no payload model takes; a result or progress that is no object comes as
    `{"value": …}`. Columns that a newer schema has added are left out.
    """
    if not rows:
        return []
    if tuple(rows[0].keys())[:_ALL] != Job._fields:
        by_name = itemgetter(*Job._fields)
        return [_job(list(by_name(row))) for row in rows]
    return [_job(list(row[:_ALL])) for row in rows]


def job_of(row: asyncpg.Record) -> Job:
    """The same of one row."""
    return jobs_of([row])[0]


def _job(values: list[Any]) -> Job:
    values[_STATUS] = _STATUSES[values[_STATUS]]
    values[_PAYLOAD] = _decoded(values[_PAYLOAD])
    if values[_RESULT] is not None:
        values[_RESULT] = _object(values[_RESULT])
    if values[_PROGRESS] is not None:
        values[_PROGRESS] = _object(values[_PROGRESS])
    return tuple.__new__(Job, values)


def _object(text: str) -> Any:
    value = _decoded(text)
    return value if value is None or isinstance(value, dict) else {"value": value}


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
