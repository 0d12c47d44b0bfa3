"""Data folders for whole systems."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def new_data_dir() -> Iterator[Callable[[], Path]]:
    """Makes folders that PostgreSQL's unprivileged user may enter too; pytest's own are closed to it."""
    made: list[Path] = []

    def new() -> Path:
        folder = Path(tempfile.mkdtemp(prefix="web4ai-e2e-"))
        folder.chmod(0o755)
        made.append(folder)
        return folder / "data"

    yield new
    for folder in made:
        elsewhere = (folder / "data" / "postgres").resolve()
        if elsewhere.name.startswith("web4ai-"):  # a closed parent: root's database stood outside of it
            shutil.rmtree(elsewhere, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def data_dir(new_data_dir: Callable[[], Path]) -> Path:
    """A data folder that does not exist yet."""
    return new_data_dir()
