"""Migrations: applied in order, once, and never again once they have changed; and `schema.sql` is their sum."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from functions.migrate.handler import handler
from shared.migrate import MIGRATIONS, MigrationError, Report, migrate, newest_version
from shared.runtime import sandbox
from shared.settings import settings
from tests.conftest import Server
from tests.db.schema_dump import SCHEMA, dump

NAMES = sorted(p.stem for p in MIGRATIONS.glob("[0-9]*.sql"))


@pytest.fixture
def empty(postgres_server: Server, request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a database with nothing in it."""
    postgres_server.execute("CREATE DATABASE empty_one")
    yield postgres_server.database_url("empty_one")
    postgres_server.execute("DROP DATABASE empty_one WITH (FORCE)")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the project's migrations, to be changed."""
    return Path(shutil.copytree(MIGRATIONS, tmp_path / "migrations"))


async def applied(url: str) -> list[str]:
    conn = await asyncpg.connect(url)
    try:
        return [r["name"] for r in await conn.fetch("SELECT name FROM schema_migrations ORDER BY version")]
    finally:
        await conn.close()


async def has(url: str, table: str) -> bool:
    conn = await asyncpg.connect(url)
    try:
        return bool(await conn.fetchval("SELECT to_regclass($1) IS NOT NULL", table))
    finally:
        await conn.close()


async def test_all_are_applied_in_order_and_a_second_run_says_that_nothing_was(empty: str) -> None:
    assert await migrate(empty) == Report(len(NAMES), NAMES)
    assert await migrate(empty) == Report(len(NAMES), [])
    assert await applied(empty) == NAMES
    assert newest_version() == len(NAMES)


async def test_two_at_once_apply_each_once(empty: str) -> None:
    reports = await asyncio.gather(*(migrate(empty) for _ in range(4)))
    assert sorted(name for r in reports for name in r.applied) == NAMES
    assert {r.version for r in reports} == {len(NAMES)}


async def test_a_new_file_alone_is_applied(empty: str, folder: Path) -> None:
    await migrate(empty, folder)
    name = f"{len(NAMES) + 1:04}_more"
    (folder / f"{name}.sql").write_text("CREATE TABLE more (n integer);")
    assert await migrate(empty, folder) == Report(len(NAMES) + 1, [name])
    assert await has(empty, "more")


async def test_a_file_changed_since_stops_everything_and_is_named(empty: str, folder: Path) -> None:
    await migrate(empty, folder)
    with (folder / f"{NAMES[1]}.sql").open("a") as file:
        file.write("-- one more word\n")
    (folder / f"{len(NAMES) + 1:04}_more.sql").write_text("CREATE TABLE more (n integer);")
    with pytest.raises(MigrationError, match=rf"{NAMES[1]}\.sql has changed"):
        await migrate(empty, folder)
    assert not await has(empty, "more")


async def test_a_failing_file_leaves_nothing_and_is_named_and_those_before_it_stay(
    empty: str, folder: Path
) -> None:
    name = f"{len(NAMES) + 1:04}_half"
    (folder / f"{name}.sql").write_text("CREATE TABLE half (n integer); SELECT 1 / 0;")
    with pytest.raises(asyncpg.DivisionByZeroError) as caught:
        await migrate(empty, folder)
    assert any(name in note for note in caught.value.__notes__)
    assert await applied(empty) == NAMES
    assert not await has(empty, "half")
    (folder / f"{name}.sql").write_text("CREATE TABLE half (n integer);")
    assert (await migrate(empty, folder)).applied == [name]


async def test_a_database_of_a_newer_release_is_refused(empty: str, folder: Path) -> None:
    (folder / f"{len(NAMES) + 1:04}_future.sql").write_text("SELECT 1;")
    await migrate(empty, folder)
    with pytest.raises(MigrationError, match=rf"{len(NAMES) + 1:04}_future.*does not have"):
        await migrate(empty)


async def test_a_gap_a_number_used_twice_and_a_strange_name_are_refused(empty: str, folder: Path) -> None:
    (folder / f"{NAMES[1]}.sql").rename(folder / "strange-name.sql")
    with pytest.raises(MigrationError, match="strange-name"):
        await migrate(empty, folder)
    (folder / "strange-name.sql").unlink()
    with pytest.raises(MigrationError, match="without a gap"):
        await migrate(empty, folder)
    (folder / "0001_twice.sql").write_text("SELECT 1;")
    with pytest.raises(MigrationError, match="without a gap"):
        await migrate(empty, folder)
    assert not await has(empty, "schema_migrations")


async def test_a_file_missing_under_a_later_one_is_refused(empty: str, folder: Path) -> None:
    await migrate(empty, folder)
    (folder / f"{NAMES[-1]}.sql").unlink()
    with pytest.raises(MigrationError, match=NAMES[-1]):
        await migrate(empty, folder)


@pytest.mark.parametrize("pooler", [None, "postgresql://a:b@127.0.0.1:9/pooler"])
def test_the_deployments_function_goes_past_a_pooler_and_says_where_the_schema_stands(
    empty: str, monkeypatch: pytest.MonkeyPatch, pooler: str | None
) -> None:
    monkeypatch.setenv("DATABASE_URL", pooler or empty)
    if pooler:
        monkeypatch.setenv("DATABASE_DIRECT_URL", empty)
    settings.cache_clear()
    try:
        assert handler({}, None) == {"version": len(NAMES), "applied": NAMES}
        assert handler({}, None) == {"version": len(NAMES), "applied": []}
    finally:
        settings.cache_clear()
        if sandbox._runner is not None:
            sandbox._runner.close()
            sandbox._runner = None


def test_schema_sql_is_the_sum_of_the_migrations(database: str) -> None:
    assert SCHEMA.read_text(encoding="utf-8") == dump(database), "run `make schema`"
