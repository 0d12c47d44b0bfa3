"""What runs a handler: a sandbox's connections, start → heartbeat → deadline → finish."""

from shared.runtime.context import JobContext, Outcome
from shared.runtime.handler import job_handler
from shared.runtime.sandbox import run

__all__ = ["JobContext", "Outcome", "job_handler", "run"]
