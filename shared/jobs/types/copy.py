"""COPY: writes a page's text from confirmed facts only."""

from shared.jobs.models import JobType
from shared.jobs.spec import JobSpec, Payload


class CopyPayload(Payload):
    """`facts_version` is the version of the facts whose change asked for the text, for the reader of the job.

    `upgrade`: a page made of the facts alone is to get a text of the model's, whenever there is quota.
    """

    facts_version: int | None = None
    upgrade: bool = False


SPEC = JobSpec(
    type=JobType.COPY,
    name="COPY",
    function="job-copy",
    payload_model=CopyPayload,
    batch_size=5,
    max_in_flight=50,
    deadline=120,
    watches="facts_version",
    needs_place=True,
)
