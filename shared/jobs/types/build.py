"""BUILD: renders a place's page, checks it and publishes it, or takes it down."""

from shared.jobs.models import JobType
from shared.jobs.spec import JobSpec, Payload


class BuildPayload(Payload):
    """`unpublish` takes the page down; it is the one work done for a deleted place."""

    facts_version: int | None = None
    unpublish: bool = False


SPEC = JobSpec(
    type=JobType.BUILD,
    name="BUILD",
    function="job-build",
    payload_model=BuildPayload,
    batch_size=5,
    max_in_flight=20,
    deadline=120,
    watches="page_version",
    needs_place=True,
)
