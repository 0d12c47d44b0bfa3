"""The loop of a Python adapter: orders come in as lines of JSON, each is answered by one.

It runs in the peer's own interpreter, so it needs nothing but the standard library.
"""

import asyncio
import json
import os
import sys
import time


class Peer:
    """What an adapter says about its peer. A job's payload is a dict; its `number` tells jobs apart."""

    async def open(self, url, clients):
        """Connect so many clients."""
        raise NotImplementedError

    async def schema(self):
        """Make the tables."""
        raise NotImplementedError

    async def enqueue(self, client, payload):
        """One job by the client of that number, committed when this returns."""
        raise NotImplementedError

    async def bulk(self, payloads):
        """Many jobs in the fastest documented way."""
        raise NotImplementedError

    async def work(self, tuned, seen):
        """Work until cancelled; the handler calls `seen(number)` and does nothing else."""
        raise NotImplementedError

    async def close(self):
        """Disconnect."""


async def _enqueue(peer, order):
    numbers = iter(range(10**9))
    for _ in range(3):  # every connection is up, and its statements prepared, before the clock starts
        await asyncio.gather(
            *(peer.enqueue(i, _payload(order, next(numbers))) for i in range(order["clients"]))
        )
    end = time.perf_counter() + order["seconds"]

    async def client(index):
        count = 0
        while time.perf_counter() < end:
            await peer.enqueue(index, _payload(order, next(numbers)))
            count += 1
        return count

    began = time.perf_counter()
    counts = await asyncio.gather(*(client(index) for index in range(order["clients"])))
    return {"per_s": sum(counts) / (time.perf_counter() - began)}


async def _bulk(peer, order):
    payloads = [_payload(order, n) for n in range(order["count"])]
    began = time.perf_counter()
    await peer.bulk(payloads)
    return {"per_s": order["count"] / (time.perf_counter() - began)}


async def _wake(peer, order):
    """Milliseconds from the commit as the client sees it to the handler, while nothing else is to be done."""
    started = {}
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()

    def seen(number):
        started[number] = time.perf_counter()
        loop.call_soon_threadsafe(arrived.set)

    worker = asyncio.create_task(peer.work(False, seen))
    await asyncio.sleep(2)
    taken = []
    for n in range(order["samples"]):
        arrived.clear()
        await peer.enqueue(0, _payload(order, n))
        committed = time.perf_counter()
        await asyncio.wait_for(arrived.wait(), 30)
        taken.append(1000 * (started[1_000_000 + n] - committed))
        await asyncio.sleep(0.02)
    worker.cancel()
    return {"ms": taken}


def _payload(order, number):
    return {**order["payload"], "number": 1_000_000 + number}


def _say(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


async def _serve(peer, url):
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        order = json.loads(line)
        await peer.open(url, order.get("clients", 1))
        try:
            if order["do"] == "schema":
                _say(await peer.schema() or {})
            elif order["do"] == "work":
                _say({})
                await peer.work(order["tuned"], lambda number: None)
            else:
                _say(await {"enqueue": _enqueue, "bulk": _bulk, "wake": _wake}[order["do"]](peer, order))
        finally:
            await peer.close()
        if order["do"] in ("wake", "work"):
            os._exit(0)  # workers that do not stop in order must not keep the harness waiting


def main(peer):
    """Answer orders on the database of the first argument until standard input ends."""
    asyncio.run(_serve(peer, sys.argv[1]))
