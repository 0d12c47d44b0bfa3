"""Pins again: requirements.txt (one machine), requirements-dev.txt (with the tests), and each function's own subset.

A function's `requirements.in` names what it imports; its `requirements.txt` is what of requirements.txt that needs, with hashes.
The files hold no index addresses.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPILE = (
    sys.executable,
    "-m",
    "uv",
    "pip",
    "compile",
    "--quiet",
    "--no-header",
    "--generate-hashes",
    "--universal",
)
FLAGS = ("--python-version", "3.11", "--no-emit-index-url", "--no-emit-find-links")


def compile_(output: Path, *sources: str) -> None:
    """Pin `sources` into `output`, keeping the versions that stand there unless something forces another."""
    print(output.relative_to(ROOT))
    subprocess.run([*COMPILE, *FLAGS, *sources, "-o", str(output)], cwd=ROOT, check=True)  # noqa: S603


def main() -> None:
    """Pin everything."""
    compile_(ROOT / "requirements.txt", "pyproject.toml", "--extra", "local")
    compile_(
        ROOT / "requirements-dev.txt",
        "pyproject.toml",
        "--extra",
        "local",
        "--extra",
        "dev",
        "-c",
        "requirements.txt",
    )
    for source in sorted(ROOT.glob("functions/*/requirements.in")):
        compile_(source.with_suffix(".txt"), str(source.relative_to(ROOT)), "-c", "requirements.txt")


if __name__ == "__main__":
    main()
