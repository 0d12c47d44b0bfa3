"""A job type is added by a file, a folder and a template block: this does what docs/ADDING_A_JOB_TYPE.md says, from its text."""

import re
import shutil
import subprocess
import uuid
from pathlib import Path

import pytest

from tests.e2e import system
from tests.e2e.system import ROOT, Up, until

DOC = (ROOT / "docs" / "ADDING_A_JOB_TYPE.md").read_text("utf-8")


def block(language: str, containing: str) -> str:
    """The one code block of the page that has the words."""
    found = [text for text in re.findall(rf"```{language}\n(.*?)```", DOC, re.DOTALL) if containing in text]
    assert len(found) == 1, (containing, len(found))
    return found[0]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project as git knows it, with the new type added."""
    root = tmp_path / "web4ai"
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if not name.startswith("tests/") and (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
    (root / "shared/jobs/types/greet.py").write_text(block("python", "class GreetPayload"))
    (root / "functions/greet").mkdir()
    (root / "functions/greet/__init__.py").touch()
    (root / "functions/greet/handler.py").write_text(block("python", "async def handle"))
    template = root / "template.yaml"
    text = template.read_text()
    assert text.count("\nResources:\n") == 1
    template.write_text(text.replace("\nResources:\n", "\nResources:\n" + block("yaml", "GreetFunction")))
    monkeypatch.setattr(system, "ROOT", root)
    monkeypatch.setattr(system, "RUNNER", root / "local_runner.py")
    return root


def test_the_new_types_job_runs_in_its_own_function_with_its_payload_checked(checkout: Path, data_dir: Path):
    with Up(data_dir) as up:
        place_id = up.call("POST", "/places", json={"name": "인사받을 집"})["place_id"]
        body = {"job_type": "GREET", "place_id": place_id, "payload": {"greeting": "안녕"}}
        job_id = up.call("POST", "/jobs", json=body)["job_id"]

        def done() -> dict[str, object] | None:
            job = up.call("GET", f"/jobs/{job_id}")
            return job if job["status"] == "DONE" else None

        job = until(done, "the greeting", 60)
        assert job["result"] == {"said": f"안녕, {uuid.UUID(place_id)}"}
        assert up.sandboxes("job-greet")
        refused = up.http.post("/jobs", json={**body, "payload": {"greting": "typo"}})
        assert refused.status_code == 422
        assert "greting" in refused.text
        types = {row["name"]: row for row in up.call("GET", "/ops")["types"]}
        assert types["GREET"]["max_in_flight"] == 20
