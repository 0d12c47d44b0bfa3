"""Answers with what a function can see of itself; appends to the file RECORDS when asked to record."""

import json
import os
import sys
from pathlib import Path
from typing import Any

CALLS = {"count": 0}


def handler(event: Any, context: Any) -> dict[str, Any]:
    """Count the calls of this sandbox and describe one of them."""
    CALLS["count"] += 1
    if isinstance(event, dict) and "print" in event:
        sys.stdout.write(event["print"] + "\n")
    if isinstance(event, dict) and "large" in event:
        return {"text": "x" * event["large"]}
    seen = {
        "event": event,
        "call": CALLS["count"],
        "pid": os.getpid(),
        "env": dict(os.environ),
        "cwd": str(Path.cwd()),
        "context": {
            "request_id": context.aws_request_id,
            "name": context.function_name,
            "arn": context.invoked_function_arn,
            "memory": context.memory_limit_in_mb,
            "remaining": context.get_remaining_time_in_millis(),
        },
    }
    if "RECORDS" in os.environ:
        line = json.dumps({"name": context.function_name, "id": context.aws_request_id, "event": event})
        with Path(os.environ["RECORDS"]).open("a", encoding="utf-8") as records:
            records.write(line + "\n")
    return seen
