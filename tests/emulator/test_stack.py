"""The whole stack: its addresses, its database's notifications, its site, and its end, however it comes."""

import asyncio
import json
import signal
import stat

import asyncpg
import httpx
import pytest

from emulator.logs import LogFiles, LogLine
from emulator.run_state import AlreadyRunning, DataDir, RunState, running
from emulator.site_server import SiteServer
from emulator.stack import Stack

RUN = """
import asyncio, json, sys
from pathlib import Path
from emulator.postgres import Postgres
from emulator.run_state import DataDir
from emulator.stack import Stack

async def main():
    folder = Path(sys.argv[1])
    DataDir(folder).acquire()
    postgres = Postgres()
    url = postgres.start(folder / "postgres", fsync=False)
    stack = Stack(Path(sys.argv[2]), environment={"DATABASE_URL": url}, runtime=sys.argv[3], run_schedules=False)
    await stack.start()
    await asyncio.gather(*(stack.invoke("Echo") for _ in range(2)))
    print(json.dumps({"postgres": postgres.pid, "sandboxes": sorted(stack.service.pids)}), flush=True)
    asyncio.ensure_future(stack.invoke("Waiting", {"begun": sys.argv[4], "until": sys.argv[4] + "never"}))
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.parametrize("runtime", ["auto", "fallback"])
async def test_killing_it_leaves_no_process_and_the_data_can_be_used_again(
    runtime, open_folder, sample, start_script, eventually, is_running
):
    begun = open_folder / "begun-"
    for _ in range(2):
        process, told = start_script(RUN, str(open_folder / "data"), str(sample), runtime, str(begun))
        await eventually(lambda: list(open_folder.glob("begun-*")))
        children = [told["postgres"], *told["sandboxes"]]
        assert len(children) >= 3
        assert all(map(is_running, children))
        process.send_signal(signal.SIGKILL)
        await eventually(lambda children=children: not any(map(is_running, children)))


async def test_the_stack_tells_functions_its_own_addresses_unless_others_are_given(make_stack, tmp_path):
    stack = await make_stack(environment={"SITE_DIR": str(tmp_path)})
    environment = json.loads((await stack.invoke("Echo")).payload)["env"]
    assert environment["AWS_ENDPOINT_URL_LAMBDA"] == stack.lambda_url
    assert environment["CONSOLE_URL"] == stack.http_url
    assert environment["SITE_ORIGIN"] == stack.site_url
    other = await make_stack(environment={"SITE_DIR": str(tmp_path), "SITE_ORIGIN": "https://site.example"})
    assert json.loads((await other.invoke("Echo")).payload)["env"]["SITE_ORIGIN"] == "https://site.example"


async def test_a_port_that_is_taken_is_named(make_stack, sample):
    stack = await make_stack()
    port = int(stack.http_url.rsplit(":", 1)[1])
    with pytest.raises(OSError, match=f"port {port}"):
        Stack(sample, http_port=port)


async def test_a_notification_wakes_the_claimer_and_a_burst_wakes_it_once_more(
    make_stack, database, records, lines_of, eventually
):
    stack = await make_stack(environment={"DATABASE_URL": database, "RECORDS": str(records)})

    def wakes():
        return [json.loads(line) for line in lines_of(records)]

    await eventually(lambda: len(wakes()) == 1)  # for what was missed before it listened
    connection = await asyncpg.connect(database)
    async with connection.transaction():
        for n in range(50):
            await connection.execute("SELECT pg_notify('web4ai_job', $1)", str(n))
    await eventually(lambda: len(wakes()) > 1)
    await stack.service.settled()
    assert {(wake["name"], wake["event"]["source"]) for wake in wakes()} == {("web4ai-claimer", "notify")}
    assert len(wakes()) <= 3
    await connection.close()


async def test_a_lost_database_connection_is_made_anew_and_followed_by_a_wake(
    make_stack, database, records, lines_of, eventually
):
    stack = await make_stack(environment={"DATABASE_URL": database, "RECORDS": str(records)})
    await eventually(lambda: len(lines_of(records)) == 1)
    connection = await asyncpg.connect(database)
    listening = "query LIKE 'LISTEN%' AND datname = current_database()"
    assert await connection.fetchval(
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {listening}"
    )
    await eventually(lambda: len(lines_of(records)) == 2)
    await asyncio.wait_for(stack.notifications.listening.wait(), 10)
    await connection.execute("NOTIFY web4ai_job")
    await eventually(lambda: len(lines_of(records)) == 3)
    await connection.close()


@pytest.fixture
async def site(tmp_path):
    """The published folder and a client of its server."""
    folder = tmp_path / "site"
    transport = httpx.ASGITransport(app=SiteServer(folder))
    async with httpx.AsyncClient(transport=transport, base_url="http://site.example") as client:
        yield folder, client


async def test_a_published_folder_is_served_with_the_right_types(site):
    folder, client = site
    assert (await client.get("/")).status_code == 404  # nothing is published yet
    (folder / "gimbap" / "en").mkdir(parents=True)
    (folder / "gimbap" / "index.html").write_text("<h1>김밥</h1>", "utf-8")
    (folder / "gimbap" / "en" / "index.html").write_text("<h1>Gimbap</h1>")
    (folder / "robots.txt").write_text("User-agent: *")
    (folder / "sitemap.xml").write_text("<urlset/>")
    (folder / "gimbap" / "photo.webp").write_bytes(b"RIFF")
    (folder / ".staging").mkdir()
    (folder / ".staging" / "index.html").write_text("unfinished")
    page = await client.get("/gimbap/")
    assert page.text == "<h1>김밥</h1>"
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["cache-control"] == "no-cache"
    assert (await client.get("/gimbap")).status_code == 307
    assert (await client.get("/gimbap/en/")).text == "<h1>Gimbap</h1>"
    assert (await client.get("/robots.txt")).headers["content-type"].startswith("text/plain")
    assert (await client.get("/sitemap.xml")).headers["content-type"].startswith("application/xml")
    assert (await client.get("/gimbap/photo.webp")).headers["content-type"] == "image/webp"


@pytest.mark.parametrize(
    "path", ["/.staging/", "/../outside", "/%2e%2e/outside", "/nothing", "/gimbap/../../outside"]
)
async def test_what_is_unfinished_outside_or_missing_is_not_served(site, path):
    folder, client = site
    (folder / ".staging").mkdir(parents=True)
    (folder / ".staging" / "index.html").write_text("unfinished")
    (folder.parent / "outside").write_text("secret")
    assert (await client.get(path)).status_code == 404


STATE = RunState(1, "http://127.0.0.1:1", "http://127.0.0.1:2", None, "postgresql://u:p@127.0.0.1/d")


def test_a_data_folder_has_one_holder_that_says_where_it_is(tmp_path):
    first, second = DataDir(tmp_path / "a b"), DataDir(tmp_path / "a b")
    first.acquire()
    assert running(tmp_path / "a b") is None  # held, but not up yet
    first.publish(STATE)
    assert running(tmp_path / "a b") == STATE
    with pytest.raises(AlreadyRunning, match=r"process 1 .http://127\.0\.0\.1:1.") as caught:
        second.acquire()
    assert caught.value.state == STATE
    assert stat.S_IMODE((tmp_path / "a b" / "run.json").stat().st_mode) == 0o600
    first.release()
    assert running(tmp_path / "a b") is None
    second.acquire()
    second.release()


def test_what_a_killed_holder_left_is_not_believed(tmp_path):
    holder = DataDir(tmp_path)
    holder.acquire()
    holder.publish(STATE)
    text = (tmp_path / "run.json").read_text()
    holder.release()
    (tmp_path / "run.json").write_text(text)
    assert running(tmp_path) is None


def test_log_files_hold_each_functions_lines(tmp_path):
    files = LogFiles(tmp_path / "logs")
    files(LogLine("echo", 3, "id-1", "한 줄"))
    files(LogLine("echo", 3, None, "start"))
    files.close()
    first, second = (tmp_path / "logs" / "echo.log").read_text("utf-8").splitlines()
    assert first.endswith("  3 id-1 한 줄")
    assert second.endswith("  3 - start")
