"""COLLECT: gathers facts and photos of one place from several channels."""

from shared.jobs.models import JobType
from shared.jobs.spec import JobSpec, Payload


class CollectPayload(Payload):
    """Nothing beside the job's own place."""


SPEC = JobSpec(
    type=JobType.COLLECT,
    name="COLLECT",
    function="job-collect",
    payload_model=CollectPayload,
    batch_size=5,
    max_in_flight=50,
    deadline=300,
    needs_place=True,
)
