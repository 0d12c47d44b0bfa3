"""The demo is the product's own end-to-end test: the sample place, from HTTP request to a page that opens from disk."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import html

from tests.e2e.system import ROOT, run_command

WORDS = json.loads((ROOT / "examples" / "place.json").read_text())


@pytest.fixture(scope="module")
def demo(new_data_dir: Callable[[], Path]) -> dict[str, object]:
    folder = new_data_dir()
    done = run_command("demo", "--json", data_dir=folder)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    document["_stderr"] = done.stderr
    document["_data_dir"] = folder
    return document


def test_every_job_of_the_demo_is_done_at_the_first_attempt(demo):
    jobs = {job["job_type"]: (job["status"], job["attempts"]) for job in demo["jobs"]}
    assert jobs == dict.fromkeys(("COLLECT", "VISION", "COPY", "BUILD", "AI_CHECK"), ("DONE", 1))


def test_the_page_opens_from_disk_and_names_the_place_its_address_and_phone(demo):
    page = html.fromstring(Path(demo["site"]["path"]).read_text("utf-8"))
    text = page.text_content()
    for word in (WORDS["name"], "서울특별시 성동구 달그릇길 12", WORDS["phone"]):
        assert word in text


def test_everything_the_page_links_to_beside_it_exists(demo):
    path = Path(demo["site"]["path"])
    page = html.fromstring(path.read_text("utf-8"))
    links = page.xpath("//img/@src | //link[@rel='stylesheet']/@href")
    links += [part.split()[0] for srcset in page.xpath("//@srcset") for part in srcset.split(",")]
    assert links
    assert [link for link in links if not (path.parent / link).is_file()] == []


def test_the_page_says_only_what_the_owner_or_the_website_confirmed(demo):
    """The website's free text claims to be the best, and its visit page swaps two digits of the number."""
    folder = Path(demo["site"]["path"]).parent
    for page in folder.rglob("*.html"):
        text = page.read_text("utf-8")
        assert "제일" not in text
        assert "최고" not in text
        assert "02-555-0124" not in text


def test_the_website_was_read_and_its_faults_are_in_the_diagnostics(demo):
    collect = next(job for job in demo["jobs"] if job["job_type"] == "COLLECT")["result"]
    assert collect["channels"]["website"]["outcome"] in ("ok", "partial")
    assert collect["channels"]["website"]["facts"] > 0
    assert "phone" in collect["conflicts"]


def test_without_keys_the_modes_say_so(demo):
    results = {job["job_type"]: job["result"] for job in demo["jobs"]}
    assert results["VISION"]["mode"] == "local"
    assert (results["COPY"]["mode"], results["COPY"]["reason"]) == ("facts_only", "no_key")
    assert results["AI_CHECK"]["skipped"]


def test_progress_is_said_step_by_step_beside_the_document(demo):
    for step in ("COLLECT", "VISION", "COPY", "BUILD", "AI_CHECK"):
        assert step in demo["_stderr"]


def test_robots_and_sitemap_stand_at_the_root_alone(demo):
    root = demo["_data_dir"] / "site"
    assert "Sitemap:" in (root / "robots.txt").read_text()
    assert "<loc>" in (root / "sitemap.xml").read_text()
    assert sorted(p.relative_to(root).as_posix() for p in root.rglob("robots.txt")) == ["robots.txt"]


def test_a_second_demo_finds_the_same_place_and_writes_nothing(demo):
    page = Path(demo["site"]["path"])
    before = page.stat().st_mtime_ns
    done = run_command("demo", "--json", data_dir=demo["_data_dir"])
    assert done.returncode == 0, done.stderr
    again = json.loads(done.stdout)
    assert again["place_id"] == demo["place_id"]
    assert next(job for job in again["jobs"] if job["job_type"] == "BUILD")["result"]["changed"] is False
    assert page.stat().st_mtime_ns == before
