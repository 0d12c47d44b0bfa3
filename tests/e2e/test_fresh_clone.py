"""A fresh clone, `make demo`, nothing else; then kills, onboardings and refusals in that very place.

As root and as an ordinary user, in a folder other users cannot enter and in one with spaces and Hangul in its path. Each run
installs the packages anew, so this is of the second tier.
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

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

# The system's own interpreter: the one that runs the tests may lie where an ordinary user cannot go.
PYTHON = "/usr/bin/python3"


@pytest.fixture
def place_for_it() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="web4ai-clone-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


class Clone:
    """A fresh clone in `parent`, worked in as `user`."""

    def __init__(self, parent: Path, user: str | None) -> None:
        self.path = parent / "web4ai"
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(self.path)], check=True)
        scratch = parent / "scratch"
        scratch.mkdir()
        self._options: dict[str, object] = {}
        self._environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": str(parent),
            "TMPDIR": str(scratch),
            **{name: value for name, value in os.environ.items() if name.startswith("PIP_")},
        }
        if user is not None:
            entry = pwd.getpwnam(user)
            for path in [parent, *parent.rglob("*")]:
                os.chown(path, entry.pw_uid, entry.pw_gid, follow_symlinks=False)
            self._options = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}

    def run(self, *command: str) -> str:
        """A command that must succeed; what it printed."""
        done = subprocess.run(
            command,
            cwd=self.path,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=800,
            check=False,
            **self._options,  # type: ignore[call-overload]
        )
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
        return str(done.stdout)


def page_of(output: str) -> Path:
    """The page the demo named last."""
    (line,) = [line for line in output.splitlines() if line.startswith("the page:")]
    return Path(line.removeprefix("the page:").strip())


@pytest.mark.parametrize("user", [None, "nobody"], ids=["as root", "as an ordinary user"])
@pytest.mark.parametrize(
    "name", ["closed", "빈 칸과 한글"], ids=["in a closed folder", "in a folder with spaces and Hangul"]
)
def test_a_fresh_clone_makes_the_demos_page_and_stands_kills_and_strangers(
    place_for_it: Path, user: str | None, name: str
):
    parent = place_for_it / name
    parent.mkdir()
    parent.chmod(0o700)
    if user is not None:
        place_for_it.chmod(0o755)
    before = place_for_it.stat().st_mode, parent.stat().st_mode
    clone = Clone(parent, user)
    page = page_of(clone.run("make", f"PYTHON={PYTHON}", "demo"))
    assert "달그릇국수" in page.read_text("utf-8")
    if "한글" in name:
        clone.run("make", f"PYTHON={PYTHON}", ".venv/.installed-dev")
        tests = ("tests/e2e/test_kills.py", "tests/e2e/test_onboarding.py", "tests/e2e/test_command_line.py")
        assert " passed" in clone.run(".venv/bin/python", "-m", "pytest", *tests)
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
