"""The one AWS client that the queue needs."""

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=1)
def lambda_client() -> Any:
    """A Lambda client with short time limits: without them a missing route in a private network hangs until the timeout.

    boto3 comes with the runtime, so it is imported when first needed and is in no bundle. The client may be used by several
    threads at once.
    """
    import boto3
    from botocore.config import Config

    limits = Config(
        connect_timeout=2,
        read_timeout=5,
        retries={"total_max_attempts": 2, "mode": "standard"},
        max_pool_connections=32,
    )
    return boto3.client("lambda", config=limits)
