"""Jobs of milliseconds, several in an invocation."""

from shared.jobs.spec import JobSpec
from tests.chaos.payload import ChaosPayload

SPEC = JobSpec(
    type=901,
    name="CHAOS_QUICK",
    function="quick",
    payload_model=ChaosPayload,
    batch_size=5,
    max_in_flight=40,
    deadline=60,
)
