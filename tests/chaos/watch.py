"""Looks at the run from a connection that nobody strikes: what must hold at every moment, how far it is, and when it is over."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.chaos.database import Database
from tests.chaos.intentions import CELLS
from tests.chaos.strikes import Strikes

DRAIN_SECONDS = 1800.0  # for what is left when nothing is struck any more, on a busy machine

_IN_FLIGHT = """
SELECT s.name FROM job_type_settings s
 WHERE (SELECT count(*) FROM jobs j WHERE j.job_type = s.job_type AND j.status = 2) > s.max_in_flight
"""
_DEATHS = """
SELECT (SELECT coalesce(sum(occurrences), 0) FROM alert_outbox WHERE kind = 'job_dead') AS counted,
       (SELECT count(*) FROM chaos_changes WHERE new = 4 AND error NOT LIKE 'DependencyDead:%') AS died
"""
_PROGRESS = """
SELECT (SELECT count(*) FROM jobs WHERE status IN (1, 2)) AS active, (SELECT count(*) FROM jobs WHERE status >= 3) AS over,
       (SELECT count(*) FROM alert_outbox WHERE status = 1) AS untold,
       (SELECT count(*) FROM jobs j WHERE status = 4 AND payload ->> 'kind' = 'requeue'
           AND NOT EXISTS (SELECT 1 FROM chaos_requeued r WHERE r.job_id = j.job_id)) AS to_requeue
"""
_HURRY_JOBS = """
UPDATE jobs SET run_after = now() WHERE status = 1 AND waiting_on = 0 AND run_after > now() AND payload ->> 'kind' <> 'dropped'
"""
_HURRY_ALERTS = "UPDATE alert_outbox SET next_attempt_at = now() WHERE status = 1 AND next_attempt_at > now()"


class Watch:
    """Keeps `problems`: sentences about what did not hold while it looked."""

    def __init__(self, database: Database, say: Callable[[str], None]) -> None:
        self.problems: list[str] = []
        self._database, self._say = database, say

    async def run(self, strikes: Strikes) -> None:
        """Look twice a second and say a line every few seconds, until cancelled."""
        began = said = time.monotonic()
        while True:
            for row in await self._database.fetch(_IN_FLIGHT):
                self.problems.append(f"more of {row['name']} ran at once than its max_in_flight")
            for row in await self._database.fetch(_DEATHS):
                if row["counted"] != row["died"]:
                    self.problems.append(f"{row['died']} deaths committed, {row['counted']} counted")
            if time.monotonic() - said >= 5:
                said = time.monotonic()
                now = await self._progress()
                actions = Counter(cell.action for cell in strikes.hits.elements())
                empty = sum(not strikes.hits[cell] for cell in CELLS)
                self._say(
                    f"{said - began:6.0f} s  over {now['over']}, active {now['active']}, alerts untold {now['untold']};"
                    f" struck {dict(actions)}, {empty} states empty"
                )
            await asyncio.sleep(0.5)

    async def warm(self) -> None:
        """Until the first jobs are over: before that there is little to strike."""
        ends = time.monotonic() + DRAIN_SECONDS
        while time.monotonic() < ends:
            if (await self._progress())["over"] >= 5:
                return
            await asyncio.sleep(0.05)

    async def drained(self) -> None:
        """Until every job is over and every alert told. Waits are cut short by moving times in rows."""
        ends = time.monotonic() + DRAIN_SECONDS
        while True:
            now = await self._progress()
            if not (now["active"] or now["untold"] or now["to_requeue"]):
                return
            if time.monotonic() > ends:
                self.problems.append(f"not over {DRAIN_SECONDS:g} s after the last strike: {dict(now)}")
                return
            await self._database.execute(_HURRY_JOBS)
            if not now["active"]:
                await self._database.execute(_HURRY_ALERTS)
            await asyncio.sleep(0.5)

    async def _progress(self) -> Any:
        return (await self._database.fetch(_PROGRESS))[0]
