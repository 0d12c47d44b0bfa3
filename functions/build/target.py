"""Where pages are published: a folder that a static file server serves, or that is opened from disk."""

import asyncio
import fcntl
import os
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path, PurePosixPath
from typing import Protocol
from uuid import uuid4

from shared.settings import Settings

ROOT = "@root"  # the lock of the files at the origin's root; no slug has that form
_OWN = ".web4ai"  # beside the pages: locks, and files on their way to their place
_LOCK_POLL = 0.05  # seconds


class TargetBusyError(Exception):
    """Somebody else publishes under that name, and went on doing so for as long as was waited."""


class SiteTarget(Protocol):
    """Published files by their path below the origin, "slug/index.html". Each file is replaced whole or not at all.

    The calls block: a handler makes them in a thread.
    """

    def read(self, path: str) -> bytes | None:
        """The file's bytes, or None."""

    def sizes(self, folder: str) -> dict[str, int]:
        """The files at any depth in `folder`, by their path relative to it, with their bytes' number."""

    def replace(self, path: str, data: bytes) -> None:
        """Put the file there. A reader sees the old bytes or the new ones; after the call the new ones are durable."""

    def delete(self, path: str) -> None:
        """Remove the file; none there is no error. Folders that become empty go with it."""

    def lock(self, name: str, wait: float) -> AbstractAsyncContextManager[None]:
        """Hold `name` alone among all who publish here. Raises `TargetBusyError` after `wait` seconds."""

    def location(self, path: str) -> str:
        """Where a person finds it: an absolute path, or an address."""


class FolderTarget:
    """A folder on one file system.

    A file is written aside, flushed, and renamed over the old one, which POSIX makes atomic for readers; then the
    folder is flushed, which makes the rename durable. Locks are `flock`s, which end with their process.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.absolute()

    def read(self, path: str) -> bytes | None:
        """See `SiteTarget`."""
        try:
            return self._path(path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def sizes(self, folder: str) -> dict[str, int]:
        """See `SiteTarget`."""
        root = self._path(folder)
        return {
            path.relative_to(root).as_posix(): path.stat().st_size
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }

    def replace(self, path: str, data: bytes) -> None:
        """See `SiteTarget`."""
        place = self._path(path)
        created = _make_folders(place.parent)
        aside = self._aside(path)
        try:
            with aside.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            aside.chmod(0o644)
            os.replace(aside, place)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
        for folder in (place.parent, *created):
            _flush_folder(folder)

    def delete(self, path: str) -> None:
        """See `SiteTarget`."""
        place = self._path(path)
        place.unlink(missing_ok=True)
        folder = place.parent
        while folder != self._folder:
            try:
                folder.rmdir()
            except FileNotFoundError:
                pass  # somebody else removed it: go on above
            except OSError:
                break  # not empty
            folder = folder.parent
        if folder.exists():
            _flush_folder(folder)

    @asynccontextmanager
    async def lock(self, name: str, wait: float) -> AsyncIterator[None]:
        """See `SiteTarget`. What a killed holder of the same name left half written is removed."""
        folder = self._folder / _OWN
        _make_folders(folder)
        # The wait is polled, not blocking: a blocked thread could not be cancelled, and would be one of few.
        handle = os.open(folder / f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            until = time.monotonic() + wait
            while not _locked(handle):
                if time.monotonic() >= until:
                    raise TargetBusyError(f"{name} is being published by somebody else")
                await asyncio.sleep(_LOCK_POLL)
            shutil.rmtree(folder / name, ignore_errors=True)
            yield
        finally:
            os.close(handle)

    def location(self, path: str) -> str:
        """See `SiteTarget`."""
        return str(self._path(path))

    def _path(self, path: str) -> Path:
        parts = PurePosixPath(path).parts
        if not parts or any(part in ("..", "/", _OWN) for part in parts):
            raise ValueError(f"not a path below the site: {path!r}")
        return self._folder.joinpath(*parts)

    def _aside(self, path: str) -> Path:
        """A fresh name on the same file system, in a folder named like the lock its writer holds."""
        parts = PurePosixPath(path).parts
        folder = self._folder / _OWN / (parts[0] if len(parts) > 1 else ROOT)
        folder.mkdir(parents=True, exist_ok=True)
        return folder / uuid4().hex


def site_target(settings: Settings) -> SiteTarget:
    """The target the settings name. Raises `RuntimeError` when they name none that is there."""
    if settings.site_dir is None:
        raise RuntimeError("SITE_DIR does not say where pages are published")
    return FolderTarget(settings.site_dir)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _make_folders(folder: Path) -> list[Path]:
    """Create the folder and its parents; the folders whose own entries changed, nearest first."""
    changed = []
    missing = folder
    while not missing.exists():
        missing = missing.parent
        changed.append(missing)
    folder.mkdir(parents=True, exist_ok=True)
    return changed


def _flush_folder(folder: Path) -> None:
    try:
        handle = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return  # an unpublish removed it meanwhile, with what was in it
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
