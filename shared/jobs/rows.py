"""Rows of `jobs` as `Job`s."""

import json
from dataclasses import fields

import asyncpg

from shared.jobs.models import Job, JobStatus

_FIELDS = tuple(f.name for f in fields(Job))


def job_of(row: asyncpg.Record) -> Job:
    """A `Job` from a whole row, its JSON decoded."""
    values = {name: row[name] for name in _FIELDS}
    values["status"] = JobStatus(row["status"])
    for name in ("payload", "result", "progress"):
        values[name] = None if row[name] is None else json.loads(row[name])
    return Job(**values)
