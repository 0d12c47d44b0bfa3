"""VISION: describes and ranks a place's photos."""

from shared.jobs.models import JobType
from shared.jobs.spec import JobSpec, Payload


class VisionPayload(Payload):
    """Nothing beside the job's own place."""


SPEC = JobSpec(
    type=JobType.VISION,
    name="VISION",
    function="job-vision",
    payload_model=VisionPayload,
    batch_size=1,
    max_in_flight=10,
    deadline=840,
    needs_place=True,
)
