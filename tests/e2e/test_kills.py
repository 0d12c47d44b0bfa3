"""kill -9, of a handler and of everything: the work is finished all the same, once."""

import asyncio
import os
import signal
import uuid
from pathlib import Path

import pytest

from tests.e2e.system import QUICK, Up, alive, descendants, until
from tests.fakes.gated_website import GatedWebsite

HOME = """<html lang="ko"><head><title>가온칼국수</title></head><body><h1>가온칼국수</h1></body></html>"""


def intake(website: GatedWebsite) -> dict[str, object]:
    return {
        "name": "가온칼국수",
        "category": "Restaurant",
        "address": "서울 종로구 가온길 9",
        "phone": "02-555-0199",
        "website": website.url,
    }


async def attempts(up: Up, job_id: str) -> list[str]:
    conn = await up.database()
    try:
        rows = await conn.fetch(
            "SELECT outcome FROM job_attempts WHERE job_id = $1 ORDER BY ended_at", uuid.UUID(job_id)
        )
    finally:
        await conn.close()
    return [row["outcome"] for row in rows]


@pytest.mark.slow
def test_a_handler_killed_in_the_middle_of_collect_is_brought_back_and_the_page_is_made_once(data_dir: Path):
    with (
        GatedWebsite({"/": HOME}, is_open=False) as website,
        Up(data_dir, "--crawl-allow", website.host, "--speed", "20", environment=QUICK) as up,
    ):
        place_id = up.onboard(intake(website))
        assert website.reached.wait(60)
        (pid,) = up.sandboxes("job-collect")
        os.kill(pid, signal.SIGKILL)
        website.open()
        steps = up.finished(place_id)
        assert {step["status"] for step in steps.values()} == {"DONE"}
        assert asyncio.run(attempts(up, steps["COLLECT"]["job_id"])) == ["lease_expired"]
        built = up.call("GET", f"/jobs/{steps['BUILD']['job_id']}")
        assert (built["attempts"], built["result"]["published"]) == (1, True)
        assert len(list((up.data_dir / "site").glob("*/index.html"))) == 1


@pytest.mark.slow
def test_kill_of_the_whole_system_leaves_no_process_and_the_next_up_finishes_the_work(data_dir: Path):
    with GatedWebsite({"/": HOME}, is_open=False) as website:
        first = Up(data_dir, "--crawl-allow", website.host, "--speed", "20", environment=QUICK)
        place_id = first.onboard(intake(website))
        assert website.reached.wait(60)
        children = descendants(first.process.pid)
        assert len(children) > 3  # PostgreSQL with its own, and sandboxes
        first.kill()
        until(lambda: not [pid for pid in children if alive(pid)], "every process to be gone", 20)
        website.open()
        with Up(data_dir, "--crawl-allow", website.host, "--speed", "20", environment=QUICK) as second:
            steps = second.finished(place_id)
            assert {step["status"] for step in steps.values()} == {"DONE"}
            assert steps["BUILD"]["result"]["published"] is True
            assert len(list((second.data_dir / "site").glob("*/index.html"))) == 1


@pytest.mark.slow
def test_up_says_that_its_database_was_killed_and_ends_and_the_next_one_has_everything(data_dir: Path):
    place = {"name": "남은집", "category": "Restaurant", "phone": "02-555-0177"}
    up = Up(data_dir, environment=QUICK)
    place_id = up.onboard(place)
    up.finished(place_id)
    os.kill(int((data_dir / "postgres" / "pgdata" / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
    assert up.process.wait(30) == 1
    assert "PostgreSQL has ended" in up.errors.read_text()
    up.stop()
    with Up(data_dir, environment=QUICK) as again:
        assert again.call("GET", f"/places/{place_id}")["name"] == "남은집"
