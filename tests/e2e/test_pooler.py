"""Functions behind PgBouncer in transaction mode; what migrates and what listens goes past it."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import asyncpg
import pytest

from tests.conftest import Server
from tests.e2e.system import QUICK, Up, environment_of, until
from tests.pgbouncer import pooled

# Put in by SQL, so only the notification tells of it before the next schedule.
PUT_IN = "INSERT INTO jobs (job_type, max_attempts) VALUES (901, 1) RETURNING job_id"


@pytest.mark.slow
def test_a_place_is_onboarded_through_the_pooler_and_a_notification_comes_past_it(
    postgres_server: Server, new_data_dir: Callable[[], Path], tmp_path: Path
) -> None:
    postgres_server.execute("CREATE DATABASE pooled_one")
    direct = postgres_server.database_url("pooled_one")
    folder = new_data_dir()
    with pooled(postgres_server.url, folder.parent / "pgbouncer") as front:
        url = front.rsplit("/", 1)[0] + "/pooled_one"
        environment = {
            **QUICK,
            "CLAIMER_POLL_SECONDS": "0",
            "DATABASE_URL": url,
            "DATABASE_DIRECT_URL": direct,
            "DB_STATEMENT_CACHE_SIZE": "0",
        }
        with Up(folder, environment=environment) as up:
            steps = up.finished(
                up.onboard(
                    {
                        "name": "다리 국수",
                        "category": "Restaurant",
                        "address": "서울 종로구 가온길 1",
                        "phone": "02-555-0101",
                    }
                )
            )
            assert {step["status"] for step in steps.values()} == {"DONE"}
            assert steps["BUILD"]["result"]["published"] is True
            for pid in up.sandboxes("claimer"):
                assert environment_of(pid)["DATABASE_URL"] == url
            assert up.run_state()["database_url"] == direct
            job_id = asyncio.run(_put_in(direct))
            until(lambda: up.call("GET", f"/jobs/{job_id}")["status"] == "DEAD", "the job put in", 20)
    postgres_server.execute("DROP DATABASE pooled_one WITH (FORCE)")


async def _put_in(url: str) -> str:
    conn = await asyncpg.connect(url)
    try:
        async with conn.transaction():
            job_id = await conn.fetchval(PUT_IN)
            await conn.execute("SELECT pg_notify('web4ai_job', '')")
    finally:
        await conn.close()
    return str(job_id)
