"""PGQueuer: by default batches of ten on one connection; tuned, batches of five hundred on a pool of four."""

import json

import asyncpg
import serve
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver, AsyncpgPoolDriver
from pgqueuer.queries import Queries


class PgQueuerPeer(serve.Peer):
    async def open(self, url, clients):
        self.url = url
        self.conns = [await asyncpg.connect(url) for _ in range(clients)]
        self.queries = [Queries(AsyncpgDriver(conn)) for conn in self.conns]

    async def schema(self):
        await self.queries[0].install()

    async def enqueue(self, client, payload):
        await self.queries[client].enqueue("noop", json.dumps(payload).encode())

    async def bulk(self, payloads):
        count = len(payloads)
        await self.queries[0].enqueue(
            ["noop"] * count, [json.dumps(p).encode() for p in payloads], [0] * count
        )

    async def work(self, tuned, seen):
        if tuned:
            driver = AsyncpgPoolDriver(await asyncpg.create_pool(self.url, min_size=4, max_size=4))
        else:
            driver = AsyncpgDriver(await asyncpg.connect(self.url))
        queuer = PgQueuer(driver)

        @queuer.entrypoint("noop")
        async def noop(job):
            seen(json.loads(job.payload)["number"])

        await queuer.run(**({"batch_size": 500} if tuned else {}))

    async def close(self):
        for conn in self.conns:
            await conn.close()


if __name__ == "__main__":
    serve.main(PgQueuerPeer())
