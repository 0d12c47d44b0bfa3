"""A database of the release before, with facts in it: what was confirmed stays so, and nothing looks new."""

import shutil
from pathlib import Path

from shared.migrate import migrate
from shared.places import repository
from tests.conftest import MIGRATIONS, Server
from tests.db.steps import connect, place


async def test_facts_of_before_are_neither_news_nor_proposals(
    postgres_server: Server, tmp_path: Path
) -> None:
    before = tmp_path / "before"
    before.mkdir()
    for file in MIGRATIONS.glob("000[1-4]_*.sql"):
        shutil.copy(file, before)
    postgres_server.execute("CREATE DATABASE upgraded")
    url = postgres_server.database_url("upgraded")
    await migrate(url, before)
    conn = await connect(url)
    try:
        place_id = await place(conn)
        await conn.execute(
            "INSERT INTO facts (place_id, key, value, channel, confirmed, confirmed_by, collected_at, updated_at)"
            " SELECT $1, 'phone', to_jsonb(number), channel, confirmed, CASE WHEN confirmed THEN 'owner' END,"
            "        now() - interval '9 days', now() - interval '8 days'"
            "   FROM (VALUES ('+8221112222', 'owner', true), ('+8223334444', 'kakao', false))"
            "        AS said (number, channel, confirmed)",
            place_id,
        )
        await migrate(url, MIGRATIONS)
        facts = await repository.all_facts(conn, place_id)
        assert [fact.first_seen_at == fact.collected_at for fact in facts] == [True, True]
        assert [fact.confirmed_at is not None for fact in facts] == [True, False]
        assert await repository.proposals(conn, place_id) == []
    finally:
        await conn.close()
        postgres_server.execute("DROP DATABASE upgraded WITH (FORCE)")
