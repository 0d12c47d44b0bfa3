"""Whatever dies, whoever else writes: a reader sees a whole page, old or new."""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from functions.build.publish import read_manifest, unpublish
from functions.build.target import FolderTarget, TargetBusyError
from tests.unit.build import publish_and_die
from tests.unit.build.publish_and_die import SLUG, assets, pages, publish_version

ROOT = Path(__file__).parents[3]


def run(folder: Path, version: str, hours: float = 0) -> None:
    asyncio.run(publish_version(folder, version, hours))


def killed(folder: Path, version: str, when: str, number: int, hours: float = 0) -> bool:
    """Publish in a process that is killed at a point; False when it ended before coming there."""
    command = [sys.executable, publish_and_die.__file__, str(folder), version, when, str(number), str(hours)]
    code = subprocess.run(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, check=False).returncode
    assert code in (0, -signal.SIGKILL)
    return code != 0


def versions_seen(folder: Path) -> list[str]:
    """Which version each document is, having checked that it is whole: its bytes, and every picture it names."""
    seen = []
    for path in pages("x"):
        document = folder / SLUG / path
        version = document.read_text().split()[0].removeprefix("<p>")
        assert document.read_bytes() == pages(version)[path]
        for link in re.findall(r"\S*assets/\S+\.jpg", document.read_text()):
            picture = document.parent / link
            assert picture.read_bytes() == assets(version)[picture.name]
        seen.append(version)
    return seen


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file() and ".lock" not in path.name
    }


def test_a_page_is_published_with_its_manifest(tmp_path: Path) -> None:
    run(tmp_path, "v1")
    assert versions_seen(tmp_path) == ["v1", "v1"]
    manifest = read_manifest(FolderTarget(tmp_path), SLUG)
    assert manifest is not None
    assert manifest.assets == ["assets/a.v1.jpg", "assets/b.v1.jpg"]
    assert set(manifest.pages) == {"index.html", "en/index.html"}
    assert (tmp_path / SLUG / "index.html").stat().st_mode & 0o777 == 0o644


def test_publishing_the_same_again_writes_nothing(tmp_path: Path) -> None:
    run(tmp_path, "v1")
    before = stamps(tmp_path)
    run(tmp_path, "v1", hours=1)
    assert stamps(tmp_path) == before


def test_old_pictures_stay_for_a_day_and_then_go(tmp_path: Path) -> None:
    run(tmp_path, "v1")
    run(tmp_path, "v2", hours=1)
    old = tmp_path / SLUG / "assets" / "a.v1.jpg"
    assert old.exists()
    run(tmp_path, "v2", hours=24.9)
    assert old.exists()
    run(tmp_path, "v2", hours=25.1)
    assert not old.exists()
    assert versions_seen(tmp_path) == ["v2", "v2"]
    before = stamps(tmp_path)
    run(tmp_path, "v2", hours=26)
    assert stamps(tmp_path) == before


def test_a_picture_that_comes_back_into_use_is_kept(tmp_path: Path) -> None:
    run(tmp_path, "v1")
    run(tmp_path, "v2", hours=1)
    run(tmp_path, "v1", hours=2)
    run(tmp_path, "v1", hours=50)
    assert versions_seen(tmp_path) == ["v1", "v1"]
    assert not (tmp_path / SLUG / "assets" / "a.v2.jpg").exists()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("first", [True, False], ids=["a first page", "a replaced page"])
def test_killed_at_any_step_leaves_a_whole_page_and_the_next_build_finishes(
    tmp_path: Path, when: str, first: bool
) -> None:
    base = tmp_path / "base"
    base.mkdir()
    if not first:
        run(base, "v0")
        run(base, "v1", hours=1)  # v0's pictures are due at 25 h
    number = 0
    while True:
        number += 1
        folder = tmp_path / f"{number}"
        shutil.copytree(base, folder)
        if not killed(folder, "v2", when, number, hours=26):
            break
        if first:
            standing = [path for path in pages("v2") if (folder / SLUG / path).exists()]
            for path in standing:
                assert (folder / SLUG / path).read_bytes() == pages("v2")[path]
                assert all((folder / SLUG / "assets" / name).exists() for name in assets("v2"))
        else:
            assert set(versions_seen(folder)) <= {"v1", "v2"}
        run(folder, "v2", hours=26)
        assert versions_seen(folder) == ["v2", "v2"]
        assert not [path for path in (folder / ".web4ai" / SLUG).rglob("*") if path.is_file()]
    assert number > 5
    assert versions_seen(folder) == ["v2", "v2"]


def test_builds_at_once_end_in_one_whole_version(tmp_path: Path) -> None:
    run(tmp_path, "v0")
    stop = threading.Event()
    faults: list[BaseException] = []

    def read() -> None:
        while not stop.is_set():
            try:
                for path in pages("x"):
                    text = (tmp_path / SLUG / path).read_text()
                    version = text.split()[0].removeprefix("<p>")
                    assert text.encode() == pages(version)[path]
                    for name in assets(version):
                        assert (tmp_path / SLUG / "assets" / name).read_bytes() == assets(version)[name]
            except BaseException as error:  # noqa: BLE001 - told by the test
                faults.append(error)
                return

    reader = threading.Thread(target=read)
    reader.start()
    command = [sys.executable, publish_and_die.__file__, str(tmp_path)]
    writers = [
        subprocess.Popen(
            [*command, f"v{n % 2 + 1}", "after", "0", "0"], cwd=ROOT, env={"PYTHONPATH": str(ROOT)}
        )
        for n in range(4)
    ]
    try:
        assert [writer.wait(60) for writer in writers] == [0] * 4
    finally:
        stop.set()
        reader.join()
    assert faults == []
    seen = versions_seen(tmp_path)
    assert seen[0] == seen[1]


def test_unpublishing_removes_everything_and_twice_is_once(tmp_path: Path) -> None:
    run(tmp_path, "v1")
    target = FolderTarget(tmp_path)
    target.replace("other/index.html", b"x")
    assert unpublish(target, SLUG) == 5
    assert not (tmp_path / SLUG).exists()
    assert (tmp_path / "other" / "index.html").exists()
    assert unpublish(target, SLUG) == 0


def test_a_document_of_a_language_given_up_is_removed(tmp_path: Path) -> None:
    run(tmp_path, "v1")
    FolderTarget(tmp_path).replace(f"{SLUG}/ko/index.html", b"x")
    run(tmp_path, "v1")
    assert not (tmp_path / SLUG / "ko").exists()


def test_a_manifest_nobody_can_read_is_written_anew(tmp_path: Path) -> None:
    run(tmp_path, "v1")
    FolderTarget(tmp_path).replace(f"{SLUG}/manifest.json", b"{")
    run(tmp_path, "v1")
    assert read_manifest(FolderTarget(tmp_path), SLUG) is not None


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", ".web4ai/x", "", "a/.web4ai/x"])
def test_no_path_leaves_the_folder(tmp_path: Path, path: str) -> None:
    target = FolderTarget(tmp_path / "site")
    with pytest.raises(ValueError, match="not a path"):
        target.replace(path, b"x")


def test_a_failed_write_leaves_the_old_file_and_nothing_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = FolderTarget(tmp_path)
    target.replace("a/index.html", b"old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            target.replace("a/index.html", b"new")
    assert target.read("a/index.html") == b"old"
    assert not [path for path in (tmp_path / ".web4ai").rglob("*") if path.is_file()]


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock of a slug until it is killed."""
    code = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom functions.build.target import FolderTarget\n"
        "async def main():\n"
        "    async with FolderTarget(Path(sys.argv[1])).lock('bomnal', 5):\n"
        "        print('held', flush=True)\n        await asyncio.Event().wait()\n"
        "asyncio.run(main())"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


async def test_a_place_is_published_by_one_at_a_time(tmp_path: Path, sleeper: subprocess.Popen[str]) -> None:
    target = FolderTarget(tmp_path)
    with pytest.raises(TargetBusyError):
        async with target.lock(SLUG, 0.2):
            raise AssertionError("entered")
    async with target.lock("another", 0):
        pass
    sleeper.kill()
    sleeper.wait()
    async with target.lock(SLUG, 5):
        pass
