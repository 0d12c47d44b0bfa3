"""The comparison: peers and web4ai in turns on one server, each in a database of its own."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

import asyncpg

from emulator.bench.measure import Say, Series, until
from emulator.bench.server import BenchServer
from shared.db import Connection
from tests.bench.peers.known import Peer
from tests.bench.processes import Adapter, AdapterFailed, adapter

WAYS = ("enqueue 1", "enqueue 10", "bulk", "drain default", "drain tuned", "wake")


@dataclass(frozen=True)
class Sizes:
    """How much a round measures."""

    rounds: int = 3
    seconds: float = 1.0
    bulk: int = 10_000
    drained: int = 10_000
    wakes: int = 50
    limit_s: float = 8.0  # a worker that is not through by then is told by what it did until then


@dataclass
class Found:
    """A peer's figures, by what was measured; `problems` says what could not be."""

    figures: dict[str, list[float]] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)

    def series(self, way: str) -> Series | None:
        """The figures of one way, if there are any."""
        return Series(self.figures[way]) if self.figures.get(way) else None


class Stand:
    """A peer with its database and an open adapter."""

    def __init__(self, peer: Peer, peers_dir: Path, url: str, log: Path) -> None:
        self.peer, self._peers_dir, self._url, self._log = peer, peers_dir, url, log
        self.conn: Connection
        self.adapter: Adapter

    async def open(self, stack: AsyncExitStack) -> None:
        """Connect, and make the peer's tables. Raises `AdapterFailed`."""
        self.conn = await asyncpg.connect(self._url)
        stack.push_async_callback(self.conn.close)
        self.adapter = await stack.enter_async_context(
            adapter(self.peer, self._peers_dir, self._url, self._log)
        )
        await self.adapter.ask("schema")

    async def measure(self, way: str, sizes: Sizes) -> list[float]:
        """The figures of one way, one round: jobs a second, or milliseconds of each wake."""
        await self._emptied()
        match way.split():
            case ["enqueue", clients]:
                answer = await self.adapter.ask("enqueue", clients=int(clients), seconds=sizes.seconds)
                return [answer["per_s"]]
            case ["bulk"]:
                return [(await self.adapter.ask("bulk", count=min(sizes.bulk, self.peer.bulk)))["per_s"]]
            case ["drain", how]:
                return [await self._drain(how == "tuned", sizes)]
            case _:
                async with adapter(self.peer, self._peers_dir, self._url, self._log) as worker:
                    return list((await worker.ask("wake", samples=sizes.wakes))["ms"])

    async def _emptied(self) -> None:
        await self.conn.execute(self.peer.empty)
        await self.conn.execute("CHECKPOINT")

    async def _drain(self, tuned: bool, sizes: Sizes) -> float:
        """From the release of the table's lock, for which the worker waits, until nothing is unfinished."""
        count = min(sizes.drained, self.peer.bulk)
        await self.adapter.ask("bulk", count=count)
        await self.conn.execute("VACUUM ANALYZE")
        await self.conn.execute("CHECKPOINT")
        watcher = await asyncpg.connect(self._url)
        try:
            async with adapter(self.peer, self._peers_dir, self._url, self._log) as worker:
                async with self.conn.transaction():
                    await self.conn.execute(f"LOCK TABLE {self.peer.table} IN ACCESS EXCLUSIVE MODE")
                    await worker.ask("work", tuned=tuned)
                    await asyncio.wait_for(until(lambda: watcher.fetchval(_WAITS), 0.02), 30)
                    await asyncio.sleep(0.3)  # its other connections come up
                began = time.perf_counter()
                left = count
                while left and time.perf_counter() - began < sizes.limit_s:
                    await asyncio.sleep(0.005)
                    left = await watcher.fetchval(self.peer.unfinished)
                seconds = time.perf_counter() - began
        finally:
            await watcher.close()
        await until(lambda: self.conn.fetchval(_ALONE), 0.05)
        return float(count - left) / seconds


_WAITS = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted)"
_ALONE = """
SELECT NOT EXISTS (SELECT 1 FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active')
"""


async def compare(
    server: BenchServer, peers: Sequence[Peer], peers_dir: Path, folder: Path, sizes: Sizes, say: Say
) -> dict[str, Found]:
    """Every way for every peer, in turns; a peer that fails one is told so and goes on with the others."""
    found = {peer.name: Found() for peer in peers}
    async with AsyncExitStack() as stack:
        stands = []
        for peer in peers:
            url = await stack.enter_async_context(server.database(migrated=not peer.packages))
            stand = Stand(peer, peers_dir, url, folder / f"{peer.name}.log")
            try:
                await stand.open(stack)
            except AdapterFailed as error:
                found[peer.name].problems["schema"] = str(error)
                say(f"{peer.name}: {error}")
                continue
            stands.append(stand)
        for way in WAYS:
            if way == "wake":  # web4ai's goes through the whole emulator: see `local_runner.py bench`
                stands = [stand for stand in stands if stand.peer.packages]
            for number in range(1 if way == "wake" else sizes.rounds):
                shift = number % max(1, len(stands))
                for stand in stands[shift:] + stands[:shift]:
                    name = stand.peer.name
                    if way in found[name].problems:
                        continue
                    try:
                        figures = await stand.measure(way, sizes)
                    except (AdapterFailed, TimeoutError, asyncpg.PostgresError) as error:
                        found[name].problems[way] = f"{type(error).__name__}: {error}"
                        say(f"  {way}, {name}: {error}")
                        continue
                    found[name].figures.setdefault(way, []).extend(figures)
                    say(f"  {way}, round {number + 1}, {name}: {median(figures):,.4g}")
    return found


def percentile(values: Sequence[float], nth: int) -> float:
    """The nth percentile."""
    return quantiles(values, n=100, method="inclusive")[nth - 1]
