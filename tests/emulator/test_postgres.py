"""The embedded server keeps its data, keeps strangers out, and never outlives its starter."""

import asyncio
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from emulator import unprivileged
from emulator.pg_binaries import find_bin_dir, reachable_binaries
from emulator.postgres import Postgres, PostgresError
from emulator.unprivileged import server_user

PROJECT = Path(__file__).resolve().parents[2]

START = """
import json, sys, threading, time
from pathlib import Path
from emulator.postgres import Postgres
postgres = Postgres()
def start():
    url = postgres.start(Path(sys.argv[1]), fsync=False)
    print(json.dumps({"url": url, "pid": postgres.pid}), flush=True)
if sys.argv[2] == "thread":
    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
else:
    start()
if sys.argv[2] != "end":
    sys.stdin.read() if sys.argv[2] == "read" else threading.Event().wait()
"""


async def value(url, query):
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


@pytest.fixture
def data_dir(open_folder):
    return open_folder / "postgres"


async def test_data_is_there_again_after_a_restart(data_dir):
    with Postgres() as postgres:
        await value(postgres.start(data_dir), "CREATE TABLE kept AS SELECT 7 AS number")
    with Postgres() as postgres:
        assert await value(postgres.start(data_dir), "SELECT number FROM kept") == 7


@pytest.mark.slow
async def test_kept_data_is_flushed_unless_a_test_says_otherwise(data_dir):
    with Postgres() as postgres:
        assert await value(postgres.start(data_dir), "SHOW fsync") == "on"
    with Postgres() as postgres:
        assert await value(postgres.start(data_dir, fsync=False), "SHOW fsync") == "off"


async def test_it_speaks_utf8_without_the_machines_locale_or_time_zone(data_dir):
    with Postgres() as postgres:
        url = postgres.start(data_dir, fsync=False)
        settings = [
            await value(url, f"SHOW {name}") for name in ("server_encoding", "lc_messages", "timezone")
        ]
        assert settings == ["UTF8", "C", "UTC"]
        assert (
            await value(url, "SELECT datcollate FROM pg_database WHERE datname = current_database()") == "C"
        )
        assert await value(url, "SHOW jit") == "off"


async def test_only_loopback_with_the_password_is_let_in(data_dir):
    with Postgres() as postgres:
        url = postgres.start(data_dir, fsync=False)
        assert await value(url, "SHOW listen_addresses") == "127.0.0.1"
        assert await value(url, "SHOW unix_socket_directories") == ""
        password = url.split(":")[2].split("@")[0]
        with pytest.raises(asyncpg.InvalidPasswordError):
            await value(url.replace(password, "guess"), "SELECT 1")
        assert stat.S_IMODE((postgres.data_dir / "password").stat().st_mode) == 0o600


@pytest.mark.slow
async def test_a_path_with_spaces_and_hangul_works(open_folder):
    with Postgres() as postgres:
        url = postgres.start(open_folder / "내 가게 data" / "postgres", fsync=False)
        assert await value(url, "SELECT 1") == 1


def test_a_second_start_on_live_data_is_refused(data_dir):
    with Postgres() as postgres, Postgres() as second:
        postgres.start(data_dir, fsync=False)
        with pytest.raises(PostgresError, match=f"in use .*pid {os.getpid()}"):
            second.start(data_dir, fsync=False)


@pytest.mark.parametrize("started_from", ["main", "thread"])
async def test_it_ends_when_its_starter_is_killed_and_starts_again(
    started_from, data_dir, start_script, is_running, eventually
):
    process, told = start_script(START, str(data_dir), started_from)
    await value(told["url"], "CREATE TABLE kept AS SELECT 7 AS number")
    process.send_signal(signal.SIGKILL)
    with Postgres() as postgres:  # at once: it waits for the old server to end
        assert await value(postgres.start(data_dir, fsync=False), "SELECT number FROM kept") == 7
    await eventually(lambda: not is_running(told["pid"]))


def test_it_ends_when_its_starter_ends_without_stopping_it(data_dir, start_script, is_running):
    process, told = start_script(START, str(data_dir), "end")
    process.wait(20)
    assert not is_running(told["pid"])


@pytest.fixture
def stranger():
    """The process id of a program that has nothing to do with PostgreSQL."""
    process = subprocess.Popen(["sleep", "60"])
    yield process.pid
    process.kill()
    process.wait()


async def test_a_killed_servers_pid_file_is_no_obstacle_and_nothing_is_lost(data_dir):
    with Postgres() as postgres:
        await value(postgres.start(data_dir), "CREATE TABLE kept AS SELECT 7 AS number")
        os.kill(postgres.pid, signal.SIGKILL)
    assert (data_dir / "pgdata" / "postmaster.pid").exists()
    with Postgres() as postgres:
        assert await value(postgres.start(data_dir), "SELECT number FROM kept") == 7


@pytest.mark.slow
async def test_a_pid_file_with_a_strangers_pid_is_no_obstacle(data_dir, stranger):
    with Postgres() as postgres:
        postgres.start(data_dir, fsync=False)
        pid_file = (data_dir / "pgdata" / "postmaster.pid").read_text().splitlines()
        os.kill(postgres.pid, signal.SIGKILL)
    (data_dir / "pgdata" / "postmaster.pid").write_text("\n".join([str(stranger), *pid_file[1:], ""]))
    with Postgres() as postgres:
        assert await value(postgres.start(data_dir, fsync=False), "SELECT 1") == 1


@pytest.mark.slow
async def test_a_start_that_was_killed_while_making_the_data_is_made_good(data_dir):
    (data_dir / "pgdata.partial" / "base").mkdir(parents=True)
    (data_dir / "password").write_text("of the first try")
    with Postgres() as postgres:
        assert await value(postgres.start(data_dir, fsync=False), "SELECT 1") == 1


def test_data_of_another_version_is_refused_by_name(data_dir):
    (data_dir / "pgdata").mkdir(parents=True)
    (data_dir / "pgdata" / "PG_VERSION").write_text("9\n")
    with Postgres() as postgres, pytest.raises(PostgresError, match=r"made by PostgreSQL 9.*set PG_BIN"):
        postgres.start(data_dir)


def test_a_failed_start_shows_the_servers_own_words(data_dir):
    with Postgres() as postgres:
        postgres.start(data_dir, fsync=False)
    with (data_dir / "pgdata" / "postgresql.conf").open("a") as configuration:
        configuration.write("shared_buffers = 'much'\n")
    with Postgres() as postgres, pytest.raises(PostgresError, match="shared_buffers"):
        postgres.start(data_dir, fsync=False)
    with Postgres() as postgres, pytest.raises(PostgresError):  # and the data is not held any more
        postgres.start(data_dir, fsync=False)


def test_a_folder_that_cannot_be_made_is_named(open_folder):
    (open_folder / "file").touch()
    with Postgres() as postgres, pytest.raises(PostgresError, match="file/postgres"):
        postgres.start(open_folder / "file" / "postgres")


def test_missing_binaries_say_what_to_set(open_folder):
    with Postgres() as postgres, pytest.raises(PostgresError, match="PG_BIN must be"):
        postgres.start(open_folder / "postgres", bin_dir=open_folder)


def test_pg_bin_chooses_the_binaries(monkeypatch, open_folder):
    shutil.copytree(find_bin_dir(), open_folder / "bin")
    monkeypatch.setenv("PG_BIN", str(open_folder / "bin"))
    assert find_bin_dir() == open_folder / "bin"


if os.geteuid() == 0:

    @pytest.fixture
    def closed_folder(open_folder, monkeypatch):
        """A folder that only root may enter; what does not fit there goes to a folder beside it."""
        monkeypatch.setattr(unprivileged, "OWN_FOLDER_BASES", (open_folder,))
        closed = open_folder / "closed"
        closed.mkdir(mode=0o700)
        return closed

    def owner_of(pid):
        return Path(f"/proc/{pid}").stat().st_uid

    async def test_root_never_runs_the_server_itself(data_dir):
        with Postgres() as postgres:
            url = postgres.start(data_dir, fsync=False)
            assert owner_of(postgres.pid) == server_user().uid != 0
            assert await value(url, "SELECT 1") == 1

    async def test_a_closed_project_folder_stays_closed_and_links_to_the_data(closed_folder):
        data_dir = closed_folder / "web4ai" / ".local" / "postgres"
        for _ in range(2):
            with Postgres() as postgres:
                assert await value(postgres.start(data_dir, fsync=False), "SELECT 1") == 1
        assert data_dir.is_symlink()
        assert data_dir.resolve().parent.parent == closed_folder.parent
        assert stat.S_IMODE(closed_folder.stat().st_mode) == 0o700

    async def test_binaries_below_a_closed_folder_are_copied_to_where_the_server_may_run_them(
        closed_folder, monkeypatch
    ):
        monkeypatch.delenv("PG_BIN", raising=False)
        package = find_bin_dir().parents[1]
        shutil.copytree(package / "pginstall", closed_folder / package.name / "pginstall", symlinks=True)
        shutil.copytree(package.parent / f"{package.name}.libs", closed_folder / f"{package.name}.libs")
        bin_dir = closed_folder / package.name / "pginstall" / "bin"
        with Postgres() as postgres:
            url = postgres.start(closed_folder / "postgres", fsync=False, bin_dir=bin_dir)
            assert await value(url, "SELECT 1") == 1
        found = reachable_binaries(bin_dir, server_user(), closed_folder / "postgres")
        assert closed_folder not in found.folder.parents
        assert stat.S_IMODE(closed_folder.stat().st_mode) == 0o700

    async def test_somebody_elses_files_in_the_place_of_the_data_are_kept(closed_folder):
        (closed_folder / "postgres").mkdir()
        (closed_folder / "postgres" / "letter").touch()
        with Postgres() as postgres, pytest.raises(PostgresError, match="not empty"):
            postgres.start(closed_folder / "postgres")
        assert (closed_folder / "postgres" / "letter").exists()

    def test_a_plain_user_runs_it_too(open_folder):
        user = server_user()
        interpreters = [Path(sys.executable), Path("/usr/bin/python3")]
        interpreter = next(path for path in interpreters if user.can("x", path.resolve()))
        home = open_folder / "home"
        home.mkdir()
        user.own(home)
        process = subprocess.Popen(
            [interpreter, "-c", START, str(home / "postgres"), "read"],
            cwd=open_folder,
            env={"PYTHONPATH": str(PROJECT), "PG_BIN": str(find_bin_dir()), "PATH": os.environ["PATH"]},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            **user.popen_options(),
        )
        told = json.loads(process.stdout.readline())
        assert owner_of(told["pid"]) == user.uid
        assert asyncio.run(value(told["url"], "SELECT 1")) == 1
        process.communicate()
        assert process.returncode == 0
