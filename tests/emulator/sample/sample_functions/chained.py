"""Calls itself, once more each time, through boto3 and nothing that knows of the emulator."""

import json
import os
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import ClientError

CLIENT = boto3.client("lambda")


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Record the hop; go on until the number of hops asked for."""
    hop = event.get("hop", 1)
    with Path(os.environ["RECORDS"]).open("a", encoding="utf-8") as records:
        records.write(f"{hop}\n")
    if hop >= event["hops"]:
        return {"hop": hop}
    try:
        answer = CLIENT.invoke(
            FunctionName=context.function_name,
            InvocationType=event.get("type", "Event"),
            Payload=json.dumps({**event, "hop": hop + 1}),
        )
    except ClientError as error:
        return {"refused": error.response["Error"]["Code"], "hop": hop}
    return json.loads(answer["Payload"].read() or "{}") or {"status": answer["StatusCode"]}
