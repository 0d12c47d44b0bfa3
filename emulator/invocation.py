"""One call of a function: what goes in, what comes out, and the chain of calls it belongs to."""

import hashlib
import json
import secrets
import time
import uuid
from dataclasses import dataclass, field

MAX_SYNC_BYTES = 6 * 1024 * 1024
MAX_EVENT_BYTES = 1024 * 1024
MAX_HOPS = 16  # calls of one function in one chain before AWS stops it


@dataclass(frozen=True)
class Request:
    """An invocation: the event as JSON bytes and the trace header that carries its lineage."""

    payload: bytes
    trace_id: str
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))


@dataclass(frozen=True)
class Outcome:
    """What a function answered. `error` is None, or the error type of a function error."""

    payload: bytes
    error: str | None = None

    @classmethod
    def failure(cls, error_type: str, message: str) -> "Outcome":
        """A function error in AWS's shape, for what the function could not report itself."""
        return cls(json.dumps({"errorType": error_type, "errorMessage": message}).encode(), error_type)


class Throttled(Exception):
    """The function already runs as often as its reserved concurrency allows."""


class RecursiveLoop(Exception):
    """The chain of calls ran through one function too often."""


def new_trace() -> str:
    """A trace header of a chain that begins here."""
    return f"Root=1-{int(time.time()):08x}-{secrets.token_hex(12)};Parent={secrets.token_hex(8)};Sampled=0"


def next_hop(trace: str | None, function: str, *, loop_allowed: bool) -> str:
    """The trace header for a call of `function` from within `trace`, its lineage counted up.

    Raises `RecursiveLoop` at the seventeenth call in one chain, unless the function allows loops.
    """
    if not trace:
        trace = new_trace()
    fields = dict(part.split("=", 1) for part in trace.split(";") if "=" in part)
    lineage = dict(hop.split(":", 1) for hop in fields.get("Lineage", "").split("|") if ":" in hop)
    key = hashlib.sha256(function.encode()).hexdigest()[:8]
    count = int(lineage.get(key, "0")) + 1
    if count > MAX_HOPS and not loop_allowed:
        raise RecursiveLoop(f"{function} was called {MAX_HOPS} times in one chain of calls")
    lineage[key] = str(count)
    fields["Lineage"] = "|".join(f"{name}:{hops}" for name, hops in lineage.items())
    return ";".join(f"{name}={value}" for name, value in fields.items())
