"""Fails in the way it is told to; appends each attempt's request id to the file RECORDS."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def handler(event: dict[str, Any], context: Any) -> Any:
    """Raise, exit, hang, or return what no JSON can hold."""
    if "RECORDS" in os.environ:
        with Path(os.environ["RECORDS"]).open("a", encoding="utf-8") as records:
            records.write(context.aws_request_id + "\n")
    match event["how"]:
        case "raise":
            raise ValueError("not this way")
        case "exit":
            os._exit(3)
        case "leave":
            sys.exit(4)
        case "hang":
            if "child" in event:
                subprocess.Popen(["sleep", event["child"]])
            time.sleep(60)
        case "unserialisable":
            return {"value": object()}
    return {"fine": True}
