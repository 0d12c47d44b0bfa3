"""Chancy on its asynchronous executor: by default polled every five seconds; tuned, a thousand at a time, polled eagerly."""

import asyncio
import logging

import serve
from chancy import Chancy, Job, Queue, Worker

_seen = [lambda number: None]


async def noop(**payload):
    _seen[0](payload["number"])


class ChancyPeer(serve.Peer):
    async def open(self, url, clients):
        logging.disable(logging.INFO)
        self.chancy = Chancy(url, min_connection_pool_size=clients, max_connection_pool_size=max(clients, 10))
        await self.chancy.__aenter__()

    async def schema(self):
        await self.chancy.migrate()
        await self.chancy.declare(Queue("default"))
        await self.chancy.declare(self._tuned())

    def _tuned(self):
        return Queue(
            "tuned", concurrency=1000, executor=Chancy.Executor.Async, polling_interval=1, eager_polling=True
        )

    def _job(self, payload, queue="default"):
        # The function is looked up by name in the worker, which may be another process.
        return Job(func="chancy_peer.noop", kwargs=payload, queue=queue)

    async def enqueue(self, client, payload):
        await self.chancy.push(self._job(payload, "tuned"))

    async def bulk(self, payloads):
        async for _ in self.chancy.push_many([self._job(payload, "tuned") for payload in payloads]):
            pass

    async def work(self, tuned, seen):
        import chancy_peer  # the module as the executor finds it

        chancy_peer._seen[0] = seen
        if not tuned:
            await self.chancy.declare(Queue("tuned", executor=Chancy.Executor.Async), upsert=True)
        else:
            await self.chancy.declare(self._tuned(), upsert=True)
        async with Worker(self.chancy, register_signal_handlers=False):
            await asyncio.Event().wait()

    async def close(self):
        await self.chancy.__aexit__(None, None, None)


if __name__ == "__main__":
    serve.main(ChancyPeer())
