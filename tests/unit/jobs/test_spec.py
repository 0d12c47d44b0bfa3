"""What is known of a job type before any of its jobs runs."""

from typing import Any
from uuid import uuid4

import pytest

from shared.jobs.errors import UnknownJobType
from shared.jobs.models import JobRef, JobType
from shared.jobs.spec import JobSpec, Payload
from shared.jobs.types import spec_named, spec_of, specs, type_name
from shared.runtime.events import JobsEvent, jobs_event


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ({"type": 0}, "type"),
        ({"type": 32768}, "type"),
        ({"deadline": 841}, "deadline"),
        ({"deadline": 0}, "deadline"),
        ({"lease": 14}, "lease"),
        ({"batch_size": 0}, "batch_size"),
        ({"max_attempts": 0}, "max_attempts"),
        ({"batch_size": 5, "max_in_flight": 4}, "max_in_flight"),
    ],
)
def test_numbers_that_cannot_work_together_are_refused_by_name(numbers: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=f"TEST: .*{says}"):
        JobSpec(**{"type": 9, "name": "TEST", "function": "f", "payload_model": Payload, **numbers})


def test_the_five_types_start_from_the_contracts_numbers() -> None:
    told = {
        s.name: (s.type, s.batch_size, s.max_in_flight, s.deadline, s.lease, s.max_attempts)
        for s in specs().values()
    }
    assert told == {
        "COLLECT": (1, 5, 50, 300, 120, 3),
        "VISION": (2, 1, 10, 840, 120, 3),
        "COPY": (3, 5, 50, 120, 120, 3),
        "BUILD": (4, 5, 20, 120, 120, 3),
        "AI_CHECK": (5, 5, 20, 600, 120, 3),
    }


def test_the_products_types_are_each_done_for_a_place_and_a_type_is_not_unless_it_says_so() -> None:
    assert all(spec.needs_place for spec in specs().values())
    assert not JobSpec(type=9, name="TEST", function="f", payload_model=Payload).needs_place


def test_a_type_is_found_by_its_number_and_by_its_name_in_any_case() -> None:
    assert spec_of(3) is spec_named("copy") is spec_named("COPY")
    assert type_name(JobType.BUILD) == "BUILD"
    assert type_name(777) == "777"


def test_an_unknown_type_is_an_error_that_names_the_known_ones() -> None:
    for ask in (lambda: spec_of(777), lambda: spec_named("paint")):
        with pytest.raises(UnknownJobType, match="COLLECT"):
            ask()


def test_an_event_carries_refs_and_comes_back_as_they_were() -> None:
    refs = [JobRef(uuid4(), uuid4(), n) for n in (1, 2)]
    event = jobs_event(4, refs)
    assert event == {
        "version": 1,
        "job_type": 4,
        "jobs": [
            {"job_id": str(r.job_id), "worker_id": str(r.worker_id), "attempt": r.attempt} for r in refs
        ],
    }
    assert JobsEvent.model_validate(event).refs == refs
    assert JobsEvent.model_validate({**event, "jobs": event["jobs"] * 2}).refs == refs
