"""DBOS: by default a queue without limits, polled every second; tuned, eight at a time, polled every ten milliseconds."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import serve
from dbos import DBOS, DBOSClient

_seen = [lambda number: None]


@DBOS.workflow(name="noop")
def noop(payload):
    _seen[0](payload["number"])


class DbosPeer(serve.Peer):
    async def open(self, url, clients):
        self.url = url
        self.pool = ThreadPoolExecutor(clients)
        self.client = None

    def _launch(self, **queue):
        DBOS(
            config={
                "name": "bench",
                "system_database_url": self.url,
                "application_version": "1",
                "log_level": "ERROR",
            }
        )
        DBOS.launch()
        DBOS.register_queue("bench", on_conflict="always_update", **queue)

    async def schema(self):
        await asyncio.to_thread(self._launch)
        await asyncio.to_thread(DBOS.destroy)

    def _enqueue(self, payload):
        if self.client is None:
            self.client = DBOSClient(system_database_url=self.url)
        self.client.enqueue({"workflow_name": "noop", "queue_name": "bench", "app_version": "1"}, payload)

    async def enqueue(self, client, payload):
        await asyncio.get_running_loop().run_in_executor(self.pool, self._enqueue, payload)

    async def bulk(self, payloads):
        threads = ThreadPoolExecutor(8)
        loop = asyncio.get_running_loop()
        await asyncio.gather(*(loop.run_in_executor(threads, self._enqueue, payload) for payload in payloads))

    async def work(self, tuned, seen):
        _seen[0] = seen
        options = {"worker_concurrency": 8, "polling_interval_sec": 0.01} if tuned else {}
        await asyncio.to_thread(self._launch, **options)
        await asyncio.Event().wait()


if __name__ == "__main__":
    serve.main(DbosPeer())
