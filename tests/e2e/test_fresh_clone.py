"""A fresh clone, `make demo`, nothing else: as root and as an ordinary user, in folders of difficult names and rights.

Each run installs the packages anew, so this is of the second tier.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.system import ROOT, alive, descendants, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

# The system's own interpreter: the one that runs the tests may lie where an ordinary user cannot go.
PYTHON = "/usr/bin/python3"


@pytest.fixture
def place_for_it() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="web4ai-clone-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def make_demo(parent: Path, user: str | None) -> str:
    """Clone into `parent` and run `make demo` as `user`; what it printed."""
    clone = parent / "web4ai"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True)
    options: dict[str, object] = {}
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(parent)}
    environment |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    if user is not None:
        entry = pwd.getpwnam(user)
        for path in [parent, *parent.rglob("*")]:
            os.chown(path, entry.pw_uid, entry.pw_gid, follow_symlinks=False)
        options = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    done = subprocess.run(
        ["make", f"PYTHON={PYTHON}", "demo"],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        **options,  # type: ignore[arg-type]
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def page_of(output: str) -> Path:
    """The page the demo named last."""
    (line,) = [line for line in output.splitlines() if line.startswith("the page:")]
    return Path(line.removeprefix("the page:").strip())


@pytest.mark.parametrize("user", [None, "nobody"], ids=["as root", "as an ordinary user"])
@pytest.mark.parametrize(
    "name", ["closed", "빈 칸과 한글"], ids=["in a closed folder", "in a folder with spaces and Hangul"]
)
def test_make_demo_from_a_fresh_clone_ends_by_naming_the_page(
    place_for_it: Path, user: str | None, name: str
):
    parent = place_for_it / name
    parent.mkdir()
    parent.chmod(0o700)
    if user is not None:
        place_for_it.chmod(0o755)
    before = place_for_it.stat().st_mode, parent.stat().st_mode
    page = page_of(make_demo(parent, user))
    assert "달그릇국수" in page.read_text("utf-8")
    assert (place_for_it.stat().st_mode, parent.stat().st_mode) == before
    until(
        lambda: not [p for p in descendants(os.getpid()) if alive(p) and _uses(p, parent)],
        "its processes to end",
        20,
    )


def _uses(pid: int, folder: Path) -> bool:
    try:
        return str(folder) in Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
