"""Photos' bytes, named by what they are: the same bytes are stored once and never change."""

import asyncio
import hashlib
import io
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from PIL import Image, UnidentifiedImageError

from shared.settings import Settings

MEDIA_BYTES = 15 * 1024 * 1024
MEDIA_PIXELS = (
    60_000_000  # a decoded photo of 60 million pixels takes 180 MB: what a 512 MB function can hold
)
_EXTENSIONS = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp", "GIF": "gif"}
_CONTENT_TYPES = {kind: f"image/{kind.lower()}" for kind in _EXTENSIONS}
CONTENT_TYPES = frozenset(_CONTENT_TYPES.values())
MEDIA_KEY = re.compile(r"[0-9a-f]{2}/[0-9a-f]{64}\.(?:jpg|png|webp|gif)")


class MediaError(ValueError):
    """Bytes that are no photo the store takes; `rule` is a stable name."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


class MediaMissingError(LookupError):
    """The store holds nothing under that key."""


@dataclass(frozen=True)
class Photograph:
    """What the bytes of a photo are; `key` is where they stand in the store."""

    key: str
    sha256: str
    content_type: str
    width: int
    height: int
    bytes: int


class MediaStore(Protocol):
    """Where photos stand. Putting the same bytes twice is putting them once."""

    async def put(self, data: bytes, content_type: str) -> str:
        """Store a photo and return its key. Raises `MediaError` when it is none, or not of `content_type`."""

    async def get(self, key: str) -> bytes:
        """The bytes under `key`. Raises `MediaMissingError`."""


def inspect(data: bytes) -> Photograph:
    """What the photo is, told from its bytes. Raises `MediaError`. Takes CPU time: call it in a thread."""
    if len(data) > MEDIA_BYTES:
        raise MediaError("too_large", f"A photo has at most {MEDIA_BYTES // 1024 // 1024} MB")
    try:
        with Image.open(io.BytesIO(data), formats=tuple(_EXTENSIONS)) as image:
            # A telephone's JPEG that carries further pictures behind the first calls itself MPO.
            kind = "JPEG" if image.format == "MPO" else str(image.format)
            width, height = image.size
            if width * height > MEDIA_PIXELS:
                raise MediaError("too_many_pixels", f"A photo has at most {MEDIA_PIXELS:,} pixels")
            image.verify()
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise MediaError("too_many_pixels", f"A photo has at most {MEDIA_PIXELS:,} pixels") from None
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError) as error:
        if isinstance(error, MediaError):
            raise
        raise MediaError("not_an_image", "The bytes are no JPEG, PNG, WebP or GIF image") from None
    digest = hashlib.sha256(data).hexdigest()
    key = f"{digest[:2]}/{digest}.{_EXTENSIONS[kind]}"
    return Photograph(key, digest, _CONTENT_TYPES[kind], width, height, len(data))


def checked(data: bytes, content_type: str) -> Photograph:
    """`inspect`, and the bytes are what the sender says they are. Raises `MediaError`."""
    photo = inspect(data)
    claimed = content_type.partition(";")[0].strip().lower().replace("image/jpg", "image/jpeg")
    if claimed != photo.content_type:
        raise MediaError("content_type", f"The bytes are {photo.content_type}, not {claimed}")
    return photo


class FolderStore:
    """Photos in a folder: written aside, flushed to the disk, then moved into place."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, data: bytes, content_type: str) -> str:
        """See `MediaStore`."""
        return await asyncio.to_thread(self._put, data, content_type)

    async def get(self, key: str) -> bytes:
        """See `MediaStore`."""
        return await asyncio.to_thread(self._get, key)

    def _put(self, data: bytes, content_type: str) -> str:
        photo = checked(data, content_type)
        path = self._folder / photo.key
        if path.is_file() and path.stat().st_size == len(data):
            return photo.key
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(aside, 0o644)
            os.replace(aside, path)
        except BaseException:
            Path(aside).unlink(missing_ok=True)
            raise
        _flush_folder(path.parent)
        return photo.key

    def _get(self, key: str) -> bytes:
        if not MEDIA_KEY.fullmatch(key):
            raise MediaMissingError(f"no key of the media store: {key!r}")
        try:
            return (self._folder / key).read_bytes()
        except FileNotFoundError:
            raise MediaMissingError(f"nothing is stored under {key}") from None


def _flush_folder(folder: Path) -> None:
    """Make the rename durable: a file's own flush does not flush the name it got."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def media_store(settings: Settings) -> MediaStore:
    """The store the settings name. Raises `RuntimeError` when they name none."""
    if settings.media_bucket is not None:
        from shared.places.media_bucket import BucketStore

        return BucketStore(settings.media_bucket)
    if settings.media_dir is None:
        raise RuntimeError("neither MEDIA_BUCKET nor MEDIA_DIR says where photos are kept")
    return FolderStore(settings.media_dir)
