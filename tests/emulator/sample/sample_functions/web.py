"""Answers HTTP in the ways a function may."""

import base64
import json
import time
from typing import Any


def handler(event: dict[str, Any], context: Any) -> Any:
    """Show the event, or answer as the query asks."""
    query = event.get("queryStringParameters", {})
    match query.get("as"):
        case "bytes":
            return {
                "statusCode": 201,
                "headers": {"content-type": "image/png"},
                "body": base64.b64encode(b"\x89PNG\x00").decode(),
                "isBase64Encoded": True,
                "cookies": ["a=1; Path=/", "b=2"],
            }
        case "plain":
            return {"found": "한글"}
        case "nonsense":
            return {"statusCode": "nine hundred"}
        case "raise":
            raise ValueError("no")
        case "slow":
            time.sleep(4)
    return {
        "statusCode": 200,
        "headers": {"content-type": "application/json", "x-seen": "yes"},
        "body": json.dumps(event),
    }
