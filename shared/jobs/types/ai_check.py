"""AI_CHECK: asks answer engines real questions and records whether the place is mentioned, cited and correct."""

from shared.jobs.models import JobType
from shared.jobs.spec import JobSpec, Payload


class AiCheckPayload(Payload):
    """Nothing beside the job's own place."""


SPEC = JobSpec(
    type=JobType.AI_CHECK,
    name="AI_CHECK",
    function="job-ai-check",
    payload_model=AiCheckPayload,
    batch_size=5,
    max_in_flight=20,
    deadline=600,
    needs_place=True,
)
