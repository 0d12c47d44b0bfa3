"""Photos in an S3 bucket, under the same keys as in a folder."""

import asyncio
from typing import Any

from shared.places.media import MEDIA_KEY, MediaMissingError, checked

# A function in a VPC without an endpoint for S3 would otherwise hang until its own timeout.
_TIMEOUTS = {"connect_timeout": 5, "read_timeout": 30, "retries": {"max_attempts": 3, "mode": "standard"}}


class BucketStore:
    """See `shared.places.media.MediaStore`. An object appears whole or not at all, which is S3's own promise."""

    def __init__(self, bucket: str) -> None:
        import boto3
        from botocore.config import Config

        self._bucket = bucket
        self._client: Any = boto3.client("s3", config=Config(**_TIMEOUTS))

    async def put(self, data: bytes, content_type: str) -> str:
        """See `MediaStore`."""
        photo = await asyncio.to_thread(checked, data, content_type)
        await asyncio.to_thread(
            self._client.put_object,
            Bucket=self._bucket,
            Key=photo.key,
            Body=data,
            ContentType=photo.content_type,
        )
        return photo.key

    async def get(self, key: str) -> bytes:
        """See `MediaStore`."""
        if not MEDIA_KEY.fullmatch(key):
            raise MediaMissingError(f"no key of the media store: {key!r}")
        return await asyncio.to_thread(self._get, key)

    def _get(self, key: str) -> bytes:
        try:
            answer = self._client.get_object(Bucket=self._bucket, Key=key)
        except self._client.exceptions.NoSuchKey:
            raise MediaMissingError(f"nothing is stored under {key}") from None
        body: bytes = answer["Body"].read()
        return body
