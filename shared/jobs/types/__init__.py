"""The registered job types: every module of this package defines one, as `SPEC`."""

import importlib
import pkgutil
from functools import lru_cache

from shared.jobs.errors import UnknownJobType
from shared.jobs.spec import JobSpec


@lru_cache(maxsize=1)
def specs() -> dict[int, JobSpec]:
    """All specs by type number. Raises `ValueError` when two modules claim one number, name or function."""
    found: dict[int, JobSpec] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        spec: JobSpec = importlib.import_module(f"{__name__}.{module.name}").SPEC
        for other in found.values():
            if spec.type == other.type or spec.name == other.name or spec.function == other.function:
                raise ValueError(
                    f"job types {other.name} and {spec.name} share a number, a name or a function"
                )
        found[spec.type] = spec
    return found


def spec_of(job_type: int) -> JobSpec:
    """The spec of a type number. Raises `UnknownJobType`."""
    spec = specs().get(job_type)
    if spec is None:
        raise UnknownJobType(f"job_type {job_type} is not registered; known: {known_types()}")
    return spec


def spec_named(name: str) -> JobSpec:
    """The spec of a type's name, in any case. Raises `UnknownJobType`."""
    for spec in specs().values():
        if spec.name == name.upper():
            return spec
    raise UnknownJobType(f"job type {name!r} is not registered; known: {known_types()}")


def type_name(job_type: int) -> str:
    """The type's name, or its number as text for one nobody registered."""
    spec = specs().get(job_type)
    return spec.name if spec else str(job_type)


def known_types() -> str:
    """The names, for messages."""
    return ", ".join(spec.name for spec in specs().values())
