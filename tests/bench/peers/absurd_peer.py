"""Absurd: by default one task at a time; tuned, a hundred. Its schema is fetched by its own command, `absurdctl`."""

import asyncio
import os
import sys

import serve
from absurd_sdk import AsyncAbsurd


class AbsurdPeer(serve.Peer):
    async def open(self, url, clients):
        self.url = url
        self.clients = [AsyncAbsurd(url) for _ in range(clients)]

    async def schema(self):
        command = os.path.join(os.path.dirname(sys.executable), "absurdctl")
        for arguments in (["init", "-d", self.url], ["create-queue", "default", "-d", self.url]):
            done = await asyncio.create_subprocess_exec(
                command, *arguments, stdout=asyncio.subprocess.DEVNULL
            )
            if await done.wait():
                raise RuntimeError(f"absurdctl {arguments[0]} ended with {done.returncode}")

    async def enqueue(self, client, payload):
        await self.clients[client].spawn("noop", payload, queue="default")

    async def bulk(self, payloads):
        for payload in payloads:  # it has no way to spawn many
            await self.clients[0].spawn("noop", payload, queue="default")

    async def work(self, tuned, seen):
        app = AsyncAbsurd(self.url)

        @app.register_task(name="noop")
        async def noop(params, ctx):
            seen(params["number"])

        await app.start_worker(**({"concurrency": 100} if tuned else {}))

    async def close(self):
        for client in self.clients:
            await client.close()


if __name__ == "__main__":
    serve.main(AbsurdPeer())
