"""Oban for Python: by default ten jobs at a time; tuned, a hundred."""

import asyncio

import serve
from oban import Oban, worker
from oban.schema import install

_seen = [lambda number: None]


@worker(queue="default")
class Noop:
    async def process(self, job):
        _seen[0](job.args["number"])


class ObanPeer(serve.Peer):
    async def open(self, url, clients):
        self.pool = await Oban.create_pool(url, min_size=clients, max_size=max(clients, 10))
        self.oban = None

    async def schema(self):
        await install(self.pool)

    async def _client(self):
        if self.oban is None:
            self.oban = Oban(pool=self.pool)
        return self.oban

    async def enqueue(self, client, payload):
        await (await self._client()).enqueue(Noop.new(payload))

    async def bulk(self, payloads):
        await (await self._client()).enqueue_many([Noop.new(payload) for payload in payloads])

    async def work(self, tuned, seen):
        _seen[0] = seen
        self.oban = Oban(pool=self.pool, queues={"default": 100 if tuned else 10})
        await self.oban.start()
        await asyncio.Event().wait()

    async def close(self):
        await self.pool.close()


if __name__ == "__main__":
    serve.main(ObanPeer())
