"""Photos' bytes: stored once, by content, and only if they are photos."""

import hashlib
import io
import os
import struct
import zlib
from pathlib import Path

import boto3
import pytest
from moto import mock_aws
from PIL import Image

from shared.places.media import FolderStore, MediaError, MediaMissingError, inspect, media_store
from shared.places.media_bucket import BucketStore
from shared.settings import Settings


def picture(kind: str = "JPEG", size: tuple[int, int] = (40, 30)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, (200, 120, 40)).save(out, kind)
    return out.getvalue()


@pytest.mark.parametrize(
    ("kind", "content_type", "suffix"),
    [
        ("JPEG", "image/jpeg", "jpg"),
        ("PNG", "image/png", "png"),
        ("WEBP", "image/webp", "webp"),
        ("GIF", "image/gif", "gif"),
    ],
)
async def test_a_photo_comes_back_by_the_key_of_its_content(
    tmp_path: Path, kind: str, content_type: str, suffix: str
) -> None:
    store, data = FolderStore(tmp_path / "media"), picture(kind)
    digest = hashlib.sha256(data).hexdigest()
    assert await store.put(data, content_type) == f"{digest[:2]}/{digest}.{suffix}"
    assert await store.put(data, f"{content_type.upper()}; q=1") == f"{digest[:2]}/{digest}.{suffix}"
    assert await store.get(f"{digest[:2]}/{digest}.{suffix}") == data
    assert [p.name for p in (tmp_path / "media").rglob("*") if p.is_file()] == [f"{digest}.{suffix}"]


@pytest.mark.parametrize(
    ("data", "content_type", "rule"),
    [
        (b"", "image/jpeg", "not_an_image"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml", "not_an_image"),
        (b"\xff\xd8\xff" + b"x" * 100, "image/jpeg", "not_an_image"),
        (picture("PNG"), "image/jpeg", "content_type"),
        (picture("BMP"), "image/bmp", "not_an_image"),
        (picture() + b"x" * (15 * 1024 * 1024), "image/jpeg", "too_large"),
    ],
    ids=["nothing", "svg", "a JPEG's beginning", "another kind", "a kind we do not take", "too large"],
)
async def test_what_is_no_photo_is_refused_and_leaves_nothing(
    tmp_path: Path, data: bytes, content_type: str, rule: str
) -> None:
    with pytest.raises(MediaError) as caught:
        await FolderStore(tmp_path).put(data, content_type)
    assert caught.value.rule == rule
    assert os.listdir(tmp_path) == []


def test_a_picture_that_would_unpack_to_gigabytes_is_refused() -> None:
    out = io.BytesIO()
    Image.new("RGB", (1, 1)).save(out, "PNG")
    small = out.getvalue()
    head = b"IHDR" + struct.pack(">II", 30_000, 30_000) + small[24:29]
    with pytest.raises(MediaError) as caught:
        inspect(small[:12] + head + struct.pack(">I", zlib.crc32(head)) + small[33:])
    assert caught.value.rule == "too_many_pixels"


async def test_a_key_leads_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    store = FolderStore(tmp_path / "media")
    for key in ("../secret", "/etc/passwd", "aa/" + "a" * 64 + ".jpg", ""):
        with pytest.raises(MediaMissingError):
            await store.get(key)


async def test_a_half_written_file_of_a_crash_is_written_anew(tmp_path: Path) -> None:
    store, data = FolderStore(tmp_path), picture()
    key = await store.put(data, "image/jpeg")
    (tmp_path / key).write_bytes(data[:10])
    await store.put(data, "image/jpeg")
    assert await store.get(key) == data


async def test_a_bucket_keeps_the_same_promises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    with mock_aws():
        boto3.client("s3").create_bucket(Bucket="media")
        store, data = BucketStore("media"), picture()
        key = await store.put(data, "image/jpeg")
        assert await store.get(key) == data
        for missing in ("aa/" + "a" * 64 + ".jpg", "../x"):
            with pytest.raises(MediaMissingError):
                await store.get(missing)
        with pytest.raises(MediaError):
            await store.put(b"x", "image/jpeg")


def test_the_settings_say_where_photos_are_kept(tmp_path: Path) -> None:
    assert isinstance(media_store(Settings(media_dir=tmp_path, media_bucket=None)), FolderStore)
    with pytest.raises(RuntimeError, match="MEDIA_DIR"):
        media_store(Settings(media_dir=None, media_bucket=None))
