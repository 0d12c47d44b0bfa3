"""Publishes a version of a small page, and is killed at a chosen point: before or after its n-th rename or removal.

Arguments: folder, version, `before` or `after`, n (0: never), hours since the first version. The rename is the
system's own, so that "before" leaves a file written aside and not yet in its place.
"""

import asyncio
import os
import pathlib
import signal
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from functions.build.publish import content_hash, publish
from functions.build.target import FolderTarget

SLUG = "bomnal"


def pages(version: str) -> dict[str, bytes]:
    """Documents of one version; each names its own two pictures."""
    return {
        path: f"<p>{version} {up}assets/a.{version}.jpg {up}assets/b.{version}.jpg</p>".encode()
        for path, up in (("en/index.html", "../"), ("index.html", ""))
    }


def assets(version: str) -> dict[str, bytes]:
    """The pictures of one version."""
    return {f"{name}.{version}.jpg": f"picture {name} of {version}".encode() * 1000 for name in "ab"}


async def publish_version(folder: Path, version: str, hours: float = 0) -> None:
    """What a build does once its page is made."""
    target = FolderTarget(folder)
    async with target.lock(SLUG, 10):
        for name, data in assets(version).items():
            if target.read(f"{SLUG}/assets/{name}") != data:
                target.replace(f"{SLUG}/assets/{name}", data)
        publish(
            target,
            SLUG,
            pages(version),
            frozenset(assets(version)),
            content_hash(pages(version)),
            datetime(2026, 11, 3, tzinfo=UTC) + timedelta(hours=hours),
        )


def die_at(when: str, number: int) -> None:
    """Count renames and removals, and let the system kill this process at the chosen one."""
    steps = 0

    def counted(real):  # type: ignore[no-untyped-def]
        def call(*args, **options):  # type: ignore[no-untyped-def]
            nonlocal steps
            steps += 1
            if steps == number and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = real(*args, **options)
            if steps == number and when == "after":
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return call

    os.replace = counted(os.replace)
    pathlib.Path.unlink = counted(pathlib.Path.unlink)  # type: ignore[method-assign]


if __name__ == "__main__":
    chosen_folder, chosen_version, chosen_when, chosen_number, chosen_hours = sys.argv[1:]
    if int(chosen_number):
        die_at(chosen_when, int(chosen_number))
    asyncio.run(publish_version(Path(chosen_folder), chosen_version, float(chosen_hours)))
