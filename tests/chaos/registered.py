"""Importing this registers the run's job types, before anything asks for the types there are."""

from pathlib import Path

from shared.jobs import types

types.__path__.append(str(Path(__file__).parent / "job_types"))
types.specs.cache_clear()
