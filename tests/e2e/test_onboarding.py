"""One running system: places at once, the same place twice, unknown types, who ran what."""

import asyncio
import json
import random
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.e2e.system import QUICK, Up, run_command, until
from tests.fakes.gated_website import GatedWebsite

FUNCTIONS = ("job-collect", "job-vision", "job-copy", "job-build", "job-ai-check")


@pytest.fixture(scope="module")
def website() -> Iterator[GatedWebsite]:
    with GatedWebsite({}) as site:
        yield site


@pytest.fixture(scope="module")
def up(new_data_dir: Callable[[], Path], website: GatedWebsite) -> Iterator[Up]:
    with Up(new_data_dir(), "--crawl-allow", website.host, environment=QUICK) as running:
        yield running


def place(name: str, **fields: object) -> dict[str, object]:
    return {
        "name": name,
        "category": "Restaurant",
        "address": "서울 종로구 가온길 1",
        "phone": "02-555-0101",
        **fields,
    }


def test_a_place_of_random_facts_is_published_with_them_and_no_handler_ran_in_the_runner(
    up, website, tmp_path
):
    random_ = random.Random()
    number = random_.randrange(100, 1000)
    name = (
        random_.choice("가나다라마바사")
        + random_.choice("온들빛샘울")
        + random_.choice(("국수", "찻집", "책방"))
        + str(number)
    )
    price = random_.randrange(50, 300) * 100
    website._pages["/"] = (
        '<html lang="ko"><head><title>x</title><script type="application/ld+json">'
        + json.dumps(
            {
                "@context": "https://schema.org",
                "@type": "Restaurant",
                "name": name,
                "openingHours": "Tu-Su 11:10-20:40",
                "hasMenu": {
                    "@type": "Menu",
                    "hasMenuItem": [
                        {
                            "@type": "MenuItem",
                            "name": "들깨칼국수",
                            "offers": {"price": price, "priceCurrency": "KRW"},
                        }
                    ],
                },
            }
        )
        + "</script></head><body>우리 집이 최고입니다</body></html>"
    )
    intake = place(
        name, address=f"부산 해운대구 가람로 {number}", phone=f"051-555-0{number}", website=website.url
    )
    file = tmp_path / "place.json"
    file.write_text(json.dumps(intake))
    done = run_command("onboard", str(file), "--json", data_dir=up.data_dir)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    text = Path(document["site"]["path"]).read_text("utf-8")
    for word in (
        name,
        f"부산광역시 해운대구 가람로 {number}",
        f"051-555-0{number}",
        "11:10",
        "20:40",
        f"{price:,}",
    ):
        assert word in text
    assert "최고" not in text
    pids = {function: up.sandboxes(function) for function in FUNCTIONS}
    assert all(pids.values()), pids
    assert up.process.pid not in {pid for found in pids.values() for pid in found}


def test_two_places_onboarded_at_once_are_both_published(up):
    with ThreadPoolExecutor(2) as pool:
        ids = list(
            pool.map(
                up.onboard, [place("한강서점", category="BookStore"), place("두강서점", category="BookStore")]
            )
        )
    for place_id in ids:
        steps = up.finished(place_id)
        assert {step["status"] for step in steps.values()} == {"DONE"}
        assert steps["BUILD"]["result"]["published"] is True


def test_the_same_place_posted_twice_is_one_place_with_one_graph(up):
    intake = place("같은집", phone="02-555-0155")

    def post(_: int) -> tuple[str, str]:
        place_id = up.call("POST", "/places", json=intake)["place_id"]
        return place_id, up.call("POST", f"/places/{place_id}/generation")["graph_id"]

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(post, range(2))
    assert first[0] == second[0]
    steps = up.finished(first[0])
    assert len(steps) == 5

    async def graphs() -> list[int]:
        conn = await up.database()
        try:
            rows = await conn.fetch(
                "SELECT count(*) FROM jobs WHERE place_id = $1 AND ends_graph GROUP BY graph_id",
                uuid.UUID(first[0]),
            )
        finally:
            await conn.close()
        return [row[0] for row in rows]

    # The second call met the first's graph, unless that was over by then.
    if first[1] == second[1]:
        assert asyncio.run(graphs()) == [1]


def test_a_place_with_too_few_facts_waits_for_its_owner_and_alerts_nobody(up):
    place_id = up.onboard({"name": "이름만 있는 집"})
    steps = up.finished(place_id)
    assert {step["status"] for step in steps.values()} == {"DONE"}
    assert steps["BUILD"]["result"]["published"] is False
    assert set(steps["BUILD"]["result"]["missing"]) >= {"category"}
    assert steps["AI_CHECK"]["result"]["skipped"] == "not_published"
    alerts = up.call("GET", "/alerts")["alerts"]
    assert not [alert for alert in alerts if place_id in json.dumps(alert)]


def test_a_row_of_an_unknown_type_dies_loudly_with_one_alert(up):
    job_id = uuid.uuid4()

    async def put_in() -> None:
        conn = await up.database()
        await conn.execute("INSERT INTO jobs (job_id, job_type, max_attempts) VALUES ($1, 77, 1)", job_id)
        await conn.close()

    asyncio.run(put_in())

    def dead() -> dict[str, object] | None:
        job = up.call("GET", f"/jobs/{job_id}")
        return job if job["status"] == "DEAD" else None

    job = until(dead, "the unknown job to die")
    assert str(job["error"]).startswith("UnknownJobType")

    async def alerts() -> list[int]:
        conn = await up.database()
        rows = await conn.fetch(
            "SELECT occurrences FROM alert_outbox WHERE detail ->> 'job_id' = $1", str(job_id)
        )
        await conn.close()
        return [row[0] for row in rows]

    assert asyncio.run(alerts()) == [1]


def test_an_intake_with_errors_is_refused_with_every_error_named_and_nothing_enqueued(up, tmp_path):
    file = tmp_path / "bad.json"
    file.write_text(
        json.dumps(
            {"name": "", "phone": "not a number", "latitude": 95, "surprise": 1, "photos": ["nowhere.jpg"]}
        )
    )
    before = up.call("GET", "/jobs")["jobs"][0]["job_id"]
    done = run_command("onboard", str(file), "--json", data_dir=up.data_dir)
    assert done.returncode == 2
    named = {detail["field"] for detail in json.loads(done.stdout)["error"]["details"]}
    assert named >= {"name", "phone", "latitude", "surprise"}
    assert up.call("GET", "/jobs")["jobs"][0]["job_id"] == before


def test_a_second_up_on_the_same_data_is_refused_clearly(up):
    done = run_command("up", "--json", data_dir=up.data_dir)
    assert done.returncode == 1
    assert "in use by process" in done.stderr


def test_commands_beside_a_running_up_talk_to_it(up):
    ops = json.loads(run_command("ops", "--json", data_dir=up.data_dir).stdout)
    assert ops["running"] == 0
    refused = run_command("enqueue", "AI_CHECK", "--json", data_dir=up.data_dir)
    assert refused.returncode != 0
    assert "place_id" in refused.stderr
    place_id = up.call("POST", "/places", json={"name": "곁에서 부르는 집"})["place_id"]
    enqueued = run_command("enqueue", "AI_CHECK", "--place", place_id, "--json", data_dir=up.data_dir)
    assert enqueued.returncode == 0, enqueued.stderr
    shown = run_command("job", json.loads(enqueued.stdout)["job_id"], "--json", data_dir=up.data_dir)
    assert json.loads(shown.stdout)["job_type"] == "AI_CHECK"
    answer = json.loads(run_command("invoke", "reaper", "--json", data_dir=up.data_dir).stdout)
    assert answer["problems"] == 0
