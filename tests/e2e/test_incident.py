"""The incident this product grew out of, replayed: a photo batch on the shared key, then new customers.

The vendor allows fifteen requests in any minute and counts them in a process of its own. Three hundred photos of one place
are queued; while they take all that batch work may have, ten new places are onboarded. The share kept for interactive work
is set to what ten places need.
"""

import asyncio
import io
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.e2e.system import QUICK, Up, until
from tests.fakes.http_server import Recorded, Reply, VendorServer
from tests.fakes.metered_gemini import Call, calls_of, metered_gemini, most_in_window

REQUESTS_A_MINUTE = 15
RESERVED_SHARE = 0.7
BATCH_A_MINUTE = 4  # what 0.7 leaves of 15
PHOTOS = 300
NEW_PLACES = 10
COPY_WAIT = 20.0
MODEL = "gemini-3.5-flash-lite"

pytestmark = pytest.mark.slow


def picture(number: int) -> bytes:
    """A picture like no other: cells of its own dark and light."""
    dice = random.Random(number)
    cells = Image.new("L", (9, 8))
    cells.putdata([dice.randrange(256) for _ in range(72)])
    out = io.BytesIO()
    cells.resize((360, 320), Image.Resampling.NEAREST).convert("RGB").save(out, "JPEG")
    return out.getvalue()


@pytest.fixture
def pictures() -> Iterator[VendorServer]:
    def serve(request: Recorded) -> Reply:
        return Reply(200, picture(int(request.path.strip("/").partition(".")[0])), "image/jpeg")

    server = VendorServer(serve)
    with server.running():
        yield server


def place(number: int) -> dict[str, Any]:
    return {
        "name": f"새집{number}",
        "category": "Restaurant",
        "address": f"서울 성동구 새집길 {number + 1}",
        "phone": f"02-555-{1000 + number}",
    }


async def jobs_of(up: Up, query: str) -> list[dict[str, Any]]:
    conn = await up.database()
    try:
        rows = [dict(row) for row in await conn.fetch(query)]
        return [{**row, "result": json.loads(row["result"])} if "result" in row else row for row in rows]
    finally:
        await conn.close()


def test_a_photo_batch_on_the_same_key_kills_and_delays_no_new_customers_page(
    data_dir: Path, pictures: VendorServer
) -> None:
    environment = QUICK | {
        "GEMINI_API_KEY": "key-of-nobody",
        "GEMINI_VISION_MODEL": MODEL,
        "GEMINI_COPY_MODEL": MODEL,
        "QUOTA_REQUESTS_MINUTE": str(REQUESTS_A_MINUTE),
        "QUOTA_RESERVED_SHARE": str(RESERVED_SHARE),
        "COPY_AI_WAIT_SECONDS": str(COPY_WAIT),
    }
    host = pictures.url.removeprefix("http://")
    with (
        metered_gemini(REQUESTS_A_MINUTE) as url,
        Up(data_dir, "--crawl-allow", host, environment=environment | {"GEMINI_BASE_URL": url}) as up,
    ):
        busy = str(up.call("POST", "/places", json=place(90) | {"name": "사진집"})["place_id"])
        for start in range(0, PHOTOS, 50):
            addresses = [f"{pictures.url}/{number}.jpg" for number in range(start, start + 50)]
            up.call("POST", f"/places/{busy}/photos", json={"urls": addresses})
        up.call("POST", f"/places/{busy}/generation")

        def used_up() -> bool:
            return sum(call.images > 0 for call in calls_of(url)) >= BATCH_A_MINUTE

        until(used_up, "the photos to take what batch work may have", 120)

        new = {number: up.onboard(place(number)) for number in range(NEW_PLACES)}
        for number, place_id in new.items():
            steps = up.finished(place_id, 180)
            assert {step["status"] for step in steps.values()} == {"DONE"}, f"place {number}"
            assert steps["BUILD"]["result"]["published"] is True, f"place {number}"
        copies = asyncio.run(
            jobs_of(
                up,
                "SELECT p.name, j.result::text AS result,"
                " extract(epoch FROM j.run_started_at)::float8 AS started"
                " FROM jobs j JOIN places p USING (place_id)"
                " WHERE j.job_type = 3 AND j.graph_id IS NOT NULL AND p.name LIKE '새집%'",
            )
        )
        assert len(copies) == NEW_PLACES
        dead = asyncio.run(jobs_of(up, "SELECT job_id, last_error FROM jobs WHERE status = 4"))
        assert dead == []
        calls = calls_of(url)

    asked_at: dict[str, float] = {}
    for call in calls:
        asked_at.setdefault(call.about, call.at)
    for copy in copies:
        assert copy["name"] in asked_at, f"{copy['name']}: {copy['result']}"
        assert asked_at[copy["name"]] - copy["started"] < COPY_WAIT
        assert copy["result"]["mode"] == "ai"
    assert most_in_window([call for call in calls if call.images > 0], 60) <= BATCH_A_MINUTE
    assert most_in_window(calls, 60) <= REQUESTS_A_MINUTE
    assert [call for call in calls if not call.admitted] == [], "the vendor had nothing to refuse"
    assert _within_closed_windows(calls) == []


def _within_closed_windows(calls: list[Call]) -> list[Call]:
    """Calls that came while an earlier refusal had said that none would be let in."""
    found, closed_until = [], 0.0
    for call in calls:
        if call.at < closed_until:
            found.append(call)
        closed_until = max(closed_until, call.closed_until)
    return found


def test_a_vendor_that_allows_less_than_it_said_is_left_alone_for_the_time_it_names(data_dir: Path) -> None:
    """The limits are set too high: the vendor's refusals close the key for everybody, and pages are made all the same."""
    environment = QUICK | {
        "GEMINI_API_KEY": "key-of-nobody",
        "GEMINI_COPY_MODEL": MODEL,
        "QUOTA_REQUESTS_MINUTE": "100",
        "COPY_AI_WAIT_SECONDS": "2",
    }
    with metered_gemini(2) as url, Up(data_dir, environment=environment | {"GEMINI_BASE_URL": url}) as up:
        new = [up.onboard(place(number)) for number in range(6)]
        modes = []
        for place_id in new:
            steps = up.finished(place_id, 120)
            assert {step["status"] for step in steps.values()} == {"DONE"}
            assert steps["BUILD"]["result"]["published"] is True
            modes.append((steps["COPY"]["result"]["mode"], steps["COPY"]["result"]["reason"]))
        calls = calls_of(url)
        sleeping = asyncio.run(
            jobs_of(up, "SELECT payload FROM jobs WHERE status = 1 AND job_type = 3 AND run_after > now()")
        )
    assert ("facts_only", "quota") in modes
    assert len(sleeping) == modes.count(("facts_only", "quota")), "each is written anew when there is quota"
    # Calls under way when the refusal came could not know of it.
    refused = [call for call in calls if not call.admitted]
    late = [call for call in _within_closed_windows(calls) if call.at > refused[0].at + 1.0]
    assert late == []
