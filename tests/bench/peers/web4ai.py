"""Our own queue as its peers are run: the queue's functions, a task a job, batches of at most a hundred."""

import asyncio

import asyncpg
import serve

from emulator.bench import workload
from shared.jobs import queue
from shared.jobs.holding import Completion
from shared.jobs.models import NewJob

CONNECTIONS = 4  # of the tuned worker, as many as pgqueuer's pool has


class Web4ai(serve.Peer):
    async def open(self, url, clients):
        workload.know_types()
        self.url = url
        self.conns = [await asyncpg.connect(url) for _ in range(clients)]

    async def schema(self):
        await self.conns[0].execute(
            "UPDATE beats SET woken_at = now() + interval '1 day' WHERE name = 'claimer'"
        )

    async def enqueue(self, client, payload):
        await queue.enqueue(self.conns[client], NewJob(workload.FIRST_TYPE, payload), notify=False)

    async def bulk(self, payloads):
        await queue.enqueue_many(
            self.conns[0], [NewJob(workload.FIRST_TYPE, p) for p in payloads], notify=False
        )

    async def work(self, tuned, seen):
        conns = [await asyncpg.connect(self.url) for _ in range(CONNECTIONS if tuned else 1)]
        await asyncio.gather(*(self._work(conn, seen) for conn in conns))

    async def _work(self, conn, seen):
        while True:
            claimed = await queue.claim(conn, workload.BATCH, workload.LEASE)
            if not claimed:
                await asyncio.sleep(0.02)
                continue
            jobs = await queue.start(conn, [c.ref for c in claimed], "bench", workload.LEASE)
            await queue.complete_many(conn, await asyncio.gather(*(self._job(job, seen) for job in jobs)))

    async def _job(self, job, seen):
        seen(job.payload["number"])
        return Completion(job, {})

    async def close(self):
        for conn in self.conns:
            await conn.close()


if __name__ == "__main__":
    serve.main(Web4ai())
