"""Procrastinate: by default one job at a time; tuned, ten at a time."""

import asyncio

import serve
from procrastinate import App, PsycopgConnector


class ProcrastinatePeer(serve.Peer):
    async def open(self, url, clients):
        self.seen = lambda number: None
        self.app = App(connector=PsycopgConnector(conninfo=url, min_size=clients, max_size=max(clients, 12)))

        @self.app.task(name="noop")
        async def noop(**payload):
            self.seen(payload["number"])

        self.noop = noop
        await self.app.open_async()

    async def schema(self):
        await self.app.schema_manager.apply_schema_async()

    async def enqueue(self, client, payload):
        await self.noop.defer_async(**payload)

    async def bulk(self, payloads):
        await self.noop.batch_defer_async(*payloads)

    async def work(self, tuned, seen):
        self.seen = seen
        await self.app.run_worker_async(
            install_signal_handlers=False, **({"concurrency": 10} if tuned else {})
        )

    async def close(self):
        await asyncio.wait_for(self.app.close_async(), 10)


if __name__ == "__main__":
    serve.main(ProcrastinatePeer())
