"""What is known of a job type before any of its jobs runs."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

# Lambda ends an invocation at 900 s; a minute is kept for the write that ends the job.
LONGEST_DEADLINE = 840.0


PayloadModel: TypeAlias = type[BaseModel]


class Payload(BaseModel):
    """Base of the payload models: a field nobody knows is refused, so that a typing error is heard at once."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class JobSpec:
    """One job type. Durations in seconds.

    `function` is the handler's name without the stack's prefix, as in `template.yaml`. `watches` names the counter of
    `places` that the handler's result carries as it saw it: a completion that finds a newer one enqueues its successor.
    With `needs_place` the API refuses a job without a `place_id`; a handler still meets a row put in by hand.
    Raises `ValueError` when the numbers cannot work together.
    """

    type: int
    name: str
    function: str
    payload_model: PayloadModel
    batch_size: int = 1
    max_in_flight: int | None = None
    max_attempts: int = 3
    deadline: float = 300.0
    lease: float = 120.0
    watches: Literal["facts_version", "page_version"] | None = None
    needs_place: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.type <= 32767:
            raise ValueError(f"{self.name}: type must be between 1 and 32767")
        if not 0 < self.deadline <= LONGEST_DEADLINE:
            raise ValueError(
                f"{self.name}: deadline must be at most {LONGEST_DEADLINE:g} s, Lambda ends at 900"
            )
        if self.lease < 15:
            raise ValueError(
                f"{self.name}: lease must be at least 15 s, or a heartbeat every third of it is too often"
            )
        if self.batch_size < 1 or self.max_attempts < 1:
            raise ValueError(f"{self.name}: batch_size and max_attempts must be at least 1")
        if self.max_in_flight is not None and self.max_in_flight < self.batch_size:
            raise ValueError(f"{self.name}: max_in_flight must not be below batch_size")
