"""Events that come twice and late, ends that meet a renewal, heartbeats that must outlast the ends."""

import asyncio
from uuid import UUID

import pytest

from shared.db import Connection
from shared.jobs import queue
from tests.db.steps import LEASE, NO_JITTER, connections, job, running, until_blocked


@pytest.mark.parametrize("end", ["complete", "fail", "snooze", "progress"])
async def test_an_end_that_waits_behind_a_renewal_of_its_lease_is_written(
    conn: Connection, database: str, end: str
) -> None:
    """A renewal moves the row to where the end did not find it."""
    ref = await running(conn)
    async with connections(database, 1) as (beating,):
        renewing = beating.transaction()
        await renewing.start()
        assert await queue.renew_lease(beating, [ref], 2 * LEASE) == {ref.job_id: False}

        async def written() -> object:
            match end:
                case "complete":
                    return await queue.complete(conn, ref, {"n": 1})
                case "fail":
                    return await queue.fail(conn, ref, "no", policy=NO_JITTER)
                case "snooze":
                    return await queue.snooze(conn, ref, 60, "quota")
                case _:
                    return await queue.set_progress(conn, ref, {"n": 1})

        ending = asyncio.create_task(written())
        await until_blocked(beating, conn)
        await renewing.commit()
        assert await ending
    found = await job(conn, ref.job_id)
    said = {
        "complete": found.result == {"n": 1},
        "fail": found.last_error == "no",
        "snooze": found.snoozes == 1,
        "progress": found.progress == {"n": 1},
    }
    assert said[end]
    assert isinstance(found.job_id, UUID)
