"""Jobs of seconds, which live on heartbeats."""

from shared.jobs.spec import JobSpec
from tests.chaos.payload import ChaosPayload

SPEC = JobSpec(
    type=902,
    name="CHAOS_SLOW",
    function="slow",
    payload_model=ChaosPayload,
    batch_size=4,
    max_in_flight=20,
    deadline=60,
)
