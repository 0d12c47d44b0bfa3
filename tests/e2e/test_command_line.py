"""What a person gets wrong is said in a line, with what to do; no traceback, no secret, one JSON document with `--json`."""

import json
from pathlib import Path

import pytest

from tests.e2e.system import run_command

SECRET = "hunter2pw"


@pytest.mark.parametrize("command", ["ops", "migrate"])
@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://u:{SECRET}#frag@127.0.0.1/x",
        f"postgresql://u:{SECRET}/y@127.0.0.1/x",
        f"postgresql://u:{SECRET}@127.0.0.1:9/x",
        f"postgresql://u:{SECRET}@[bad/x",
        f"{SECRET}://u:p@127.0.0.1/x",
    ],
)
def test_a_database_that_cannot_be_used_is_said_without_its_password(command: str, url: str, tmp_path: Path):
    done = run_command(command, "--json", data_dir=tmp_path / "data", environment={"DATABASE_URL": url})
    assert done.returncode == 1
    assert "DATABASE_URL" in json.loads(done.stdout)["error"]["message"]
    assert SECRET not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_data_folder_that_is_a_file_is_named(tmp_path: Path):
    (tmp_path / "file").touch()
    for command in ("ops", "demo", "up"):
        done = run_command(command, "--json", data_dir=tmp_path / "file" / "data")
        assert (done.returncode, "Traceback" in done.stderr) == (1, False)
        assert str(tmp_path / "file") in json.loads(done.stdout)["error"]["message"]


@pytest.mark.parametrize("arguments", [["--port", "99999"], ["--speed", "0"], ["--speed", "nan"]])
def test_options_out_of_range_are_refused_before_anything_starts(arguments: list[str], tmp_path: Path):
    done = run_command("up", *arguments, data_dir=tmp_path / "data")
    assert done.returncode == 2
    assert not (tmp_path / "data").exists()


def test_photos_that_are_none_are_named_before_anything_is_sent(tmp_path: Path):
    (tmp_path / "text.jpg").write_text("not a picture")
    (tmp_path / "place.json").write_text(
        json.dumps({"name": "사진집", "photos": ["text.jpg", "gone.png", "x" * 1900]}), encoding="utf-8-sig"
    )
    done = run_command("onboard", str(tmp_path / "place.json"), "--json", data_dir=tmp_path / "data")
    assert done.returncode == 2
    fields = [detail["field"] for detail in json.loads(done.stdout)["error"]["details"]]
    assert fields == ["photos.0", "photos.1", "photos.2"]
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("text", ["[" * 100_000, "{", ""])
def test_an_intake_that_is_not_json_is_said_so(text: str, tmp_path: Path):
    (tmp_path / "place.json").write_text(text)
    done = run_command("onboard", str(tmp_path / "place.json"), "--json", data_dir=tmp_path / "data")
    assert done.returncode == 2
    assert "is not JSON" in json.loads(done.stdout)["error"]["message"]
