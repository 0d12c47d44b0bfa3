"""What a job of the run carries: enough to know its plan."""

from shared.jobs.spec import Payload


class ChaosPayload(Payload):
    """`kind` is there for who looks at rows; the plan itself follows from `seed` and `n`. Deaths of one region share an alert."""

    seed: int
    n: int
    kind: str
    region_code: str | None = None
