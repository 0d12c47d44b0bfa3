"""A flusher killed or frozen at any moment: nothing is lost, and only what Teams had answered for, unmarked, is told again."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from functions.alert_flusher.flush import run_once
from shared.alerts.outbox import raise_alert
from shared.db import Connection
from shared.settings import Settings
from tests.db.alerts.conftest import died, make_due
from tests.db.alerts.flusher_process import STATEMENTS, FlusherProcess
from tests.db.steps import connect
from tests.fakes.http_server import Recorded, Reply
from tests.fakes.moments import Halt, Moments
from tests.fakes.postgres_proxy import PostgresProxy
from tests.fakes.teams import Teams, text_of

SUMMED = 11  # deaths that become one card; when one of them was marked, the others are cards of their own
# One card, the summary, another card.
NAMES = {"first", "last", *(f"death-{n:02}" for n in range(SUMMED))}
# Between Teams' answer and the mark: the only moments at which a kill makes a card come twice.
WINDOW = {
    "Teams answered",
    "ask prepare mark_sent",
    "answer prepare mark_sent",
    "ask mark_sent",
    "answer mark_sent",
}


@pytest.fixture
async def conn(direct_database: str) -> AsyncIterator[Connection]:
    connection = await connect(direct_database)
    yield connection
    await connection.close(timeout=5)


@dataclass
class World:
    """A webhook and a database that name every moment, and halt at one."""

    teams: Teams
    moments: Moments
    flusher: FlusherProcess
    cards: list[str] = field(default_factory=list)

    async def halted(self) -> str:
        """Wait for the halt; what it is at."""
        assert await asyncio.to_thread(self.moments.halted.wait, 20), self.moments.names
        return self.moments.names[-1]

    def kill(self) -> None:
        self.flusher.kill()
        self.moments.go_on(dead=True)


@contextmanager
def world(database: str, teams: Teams, halt: Halt = lambda index, name: False) -> Iterator[World]:
    moments = Moments(halt)
    judge = teams.default

    def answer(request: Recorded) -> Reply:
        if not moments.happens("Teams heard"):
            return Reply(503)
        reply = judge(request)
        # Whoever asked may have it from here on, whether it lives to read it or not.
        moments.happens("Teams answered")
        return reply

    teams.default = answer
    with PostgresProxy(database, moments, STATEMENTS).running() as proxy:
        flusher = FlusherProcess(proxy.url, teams.webhook)
        try:
            yield World(teams, moments, flusher)
        finally:
            flusher.kill()
            moments.go_on(dead=True)
            teams.default = judge


async def fill(conn: Connection) -> None:
    """The rows that `NAMES` names, each with its name in its error."""
    for kind, name in (("a_kind", "first"), ("z_kind", "last")):
        await raise_alert(conn, kind, "Title", {"error": name}, key=name, window_seconds=3600)
    for n in range(SUMMED):
        await died(conn, key=f"death-{n:02}", error=f"death-{n:02}")


def told(teams: Teams) -> Counter[str]:
    """How often each name was told. A summary tells of all its rows, though it lists fewer."""
    counted: Counter[str] = Counter()
    for card in teams.cards:
        text = text_of(card)
        summary = f"{SUMMED}건이" in text
        counted.update(NAMES - {"first", "last"} if summary else re.findall(r"first|last|death-\d\d", text))
    return counted


async def unmarked(conn: Connection) -> set[str]:
    rows = await conn.fetch("SELECT detail ->> 'error' AS name FROM alert_outbox WHERE status = 1")
    return {row["name"] for row in rows}


async def kill_and_recover(
    conn: Connection, teams: Teams, config: Settings, halt: Halt, database: str
) -> str:
    """Kill the flusher at a moment, let its lease end, flush again; checks what was told, gives the moment's name."""
    await fill(conn)
    with world(database, teams, halt) as scene:
        moment = await scene.halted()
        scene.kill()
    answered = set(told(teams))
    again = answered & await unmarked(conn)
    assert not again or moment in WINDOW, (moment, again)
    await make_due(conn)
    teams.arrivals.clear()  # the time its lease takes to end
    assert (await run_once(conn, config)).waiting == 0
    assert told(teams) == Counter({name: 2 if name in again else 1 for name in NAMES}), moment
    assert await conn.fetchval("SELECT count(*) FROM alert_outbox WHERE status <> 2 OR posted <> 1") == 0
    return moment


def nth(wanted: str, count: int) -> Halt:
    """The `count`th moment of that name, from 1."""
    seen = 0

    def halt(index: int, name: str) -> bool:
        nonlocal seen
        seen += name == wanted
        return name == wanted and seen == count

    return halt


@pytest.mark.parametrize(
    ("moment", "count"),
    [
        pytest.param("ask claim_due", 1, id="before it claims"),
        pytest.param("answer claim_due", 1, id="after the claim, before any post"),
        pytest.param("Teams heard", 1, id="while Teams holds its answer"),
        pytest.param("Teams answered", 1, id="after Teams' answer"),
        pytest.param("ask mark_sent", 1, id="before the mark's commit"),
        pytest.param("answer mark_sent", 1, id="after the mark's commit"),
        pytest.param("ask still_held", 2, id="between two posts"),
        pytest.param("Teams answered", 2, id="after Teams' answer to the summary"),
        pytest.param("ask mark_sent", 2 + SUMMED // 2, id="in the middle of the summary's marks"),
        pytest.param("ask beat", 1, id="after everything"),
    ],
)
async def test_killed_it_loses_nothing_and_tells_twice_only_what_was_answered_and_not_marked(
    conn: Connection, teams: Teams, config: Settings, direct_database: str, moment: str, count: int
) -> None:
    assert await kill_and_recover(conn, teams, config, nth(moment, count), direct_database) == moment


async def test_frozen_for_less_than_its_lease_it_goes_on_where_it_was(
    conn: Connection, teams: Teams, direct_database: str
) -> None:
    await fill(conn)
    with world(direct_database, teams, nth("ask still_held", 2)) as scene:
        await scene.halted()
        scene.flusher.freeze()
        scene.moments.go_on(dead=False)
        scene.flusher.thaw()
        assert await asyncio.to_thread(scene.flusher.ended) == 0
    assert told(teams) == Counter(NAMES)
    assert await unmarked(conn) == set()


@pytest.mark.parametrize(
    ("moment", "count", "twice"),
    [
        pytest.param("answer claim_due", 1, set(), id="before any post"),
        pytest.param("ask still_held", 2, set(), id="between two posts"),
        pytest.param("Teams heard", 1, {"first"}, id="while Teams holds its answer"),
        pytest.param("Teams answered", 1, {"first"}, id="before the mark"),
    ],
)
async def test_frozen_past_its_lease_it_posts_and_marks_nothing_that_is_anothers_by_now(
    conn: Connection,
    teams: Teams,
    config: Settings,
    direct_database: str,
    moment: str,
    count: int,
    twice: set[str],
) -> None:
    await fill(conn)
    with world(direct_database, teams, nth(moment, count)) as scene:
        await scene.halted()
        scene.flusher.freeze()
        judge, teams.default = teams.default, teams._judge
        await make_due(conn)
        assert (await run_once(conn, config)).waiting == 0
        teams.default = judge
        marks = await conn.fetch("SELECT alert_id, sent_at FROM alert_outbox ORDER BY alert_id")
        scene.moments.go_on(dead=False)
        scene.flusher.thaw()
        assert await asyncio.to_thread(scene.flusher.ended) == 0
    assert told(teams) == Counter(NAMES) + Counter(twice)
    assert await conn.fetch("SELECT alert_id, sent_at FROM alert_outbox ORDER BY alert_id") == marks


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_killed_at_every_single_moment_it_loses_nothing(
    conn: Connection, teams: Teams, config: Settings, direct_database: str
) -> None:
    await fill(conn)
    with world(direct_database, teams) as scene:
        assert await asyncio.to_thread(scene.flusher.ended) == 0
        moments = list(scene.moments.names)
    assert told(teams) == Counter(NAMES)
    killed_at = Counter[str]()
    marks = [index for index, name in enumerate(moments) if name.endswith(" mark_sent")]
    # The marks in the summary's middle are like the ones beside them, and each leaves many cards for the next run.
    for index in sorted(set(range(len(moments))) - set(marks[8:-6])):
        await conn.execute("DELETE FROM alert_outbox")
        teams.cards.clear()
        teams.arrivals.clear()
        halt: Halt = lambda at, _, index=index: at == index  # noqa: E731
        killed_at[await kill_and_recover(conn, teams, config, halt, direct_database)] += 1
    assert len(moments) > 50
    assert set(killed_at) >= WINDOW
